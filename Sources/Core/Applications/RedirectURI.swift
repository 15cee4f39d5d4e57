import Foundation

/// Addresses that browsers are sent to with answers (RFC 6749, section 3.1.2; RFC 8252; RFC 9700, section 2.1).
///
/// They are compared as texts. Nothing is normalised, and there are no prefixes, wildcards or patterns.
public enum RedirectURI {
    /// Why a text is no redirect URI. The rules are the same at registration and where a request brings one.
    public enum Fault: String, Error, Sendable, CaseIterable {
        /// The text is empty, or too long.
        case length = "it has 1 to 2,048 characters"
        /// The text has a character that may stand in no address here, or that pages and headers would read otherwise.
        case characters = "it has printable ASCII characters alone, and no backslash, quotation mark or angle bracket"
        /// The text has a fragment (RFC 6749, section 3.1.2).
        case fragment = "it has no fragment"
        /// The text has a `*`, as if it stood for several addresses.
        case wildcard = "it has no wildcard"
        /// The text has `..`, which browsers resolve to another path.
        case dots = "it has no .. in it"
        /// The scheme is http beyond loopback, one that browsers treat as code or data, or a private one without a dot
        /// (RFC 8252, section 7.1).
        case scheme = "it begins with https, with http on a loopback address, or with a scheme that has a dot in it"
        /// There is a user name or a password before the host.
        case userInformation = "it has no user information before the host"
        /// The host or the port cannot be read.
        case host = "its host is a name or an address, with a port or without"
    }

    /// Characters that one may have.
    public static let longest = 2048

    private static let forbiddenSchemes: Set<String> = ["javascript", "data", "vbscript", "file", "blob", "about"]

    /// What is wrong with a redirect URI; nil where nothing is.
    public static func fault(of text: String) -> Fault? {
        guard (1...longest).contains(text.utf8.count) else { return .length }
        guard URLText.isPlain(text) else { return .characters }
        if text.contains("#") { return .fragment }
        if text.contains("*") { return .wildcard }
        let folded = text.lowercased().replacing("%2e", with: ".")
        if folded.contains("..") { return .dots }
        guard let colon = text.firstIndex(of: ":") else { return .scheme }
        let scheme = text[..<colon]
        let rest = text[text.index(after: colon)...]
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy(isSchemeByte), !forbiddenSchemes.contains(String(scheme))
        else { return .scheme }
        let authority = rest.hasPrefix("//") ? rest.dropFirst(2).prefix { !"/?".contains($0) } : ""
        if authority.contains("@") || folded.contains("%40") && authority.contains("%") { return .userInformation }
        switch scheme {
        case "https": return isHost(authority) ? nil : .host
        case "http":
            guard isHost(authority) else { return .host }
            return loopback(text) == nil ? .scheme : nil
        default: return scheme.contains(".") ? nil : .scheme
        }
    }

    /// Whether a request's address is a registered one.
    /// - Parameter freePorts: whether the port of a loopback address is the client's to choose at each request.
    public static func matches(_ text: String, _ registered: [String], freePorts: Bool) -> Bool {
        guard fault(of: text) == nil else { return false }
        if registered.contains(text) { return true }
        guard freePorts, let asked = loopback(text) else { return false }
        return registered.contains { candidate in
            guard fault(of: candidate) == nil, let known = loopback(candidate), known.port == nil else { return false }
            return known.host == asked.host && known.rest == asked.rest
        }
    }

    /// What a content security policy names of it, so that a form may lead there (Content Security Policy Level 3, section 2.3.1):
    /// the origin, or the scheme of a private one. Nil where a policy cannot name it: an address of IPv6, which a host-source has no
    /// form for.
    public static func policySource(of text: String) -> String? {
        guard let origin = origin(of: text), !origin.contains("[") else { return nil }
        return origin
    }

    /// Scheme and authority of a web address, or the scheme of a private one, as they are written; nil for what is no redirect URI.
    static func origin(of text: String) -> String? {
        guard fault(of: text) == nil, let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon]
        guard scheme == "https" || scheme == "http" else { return "\(scheme):" }
        let authority = text[colon...].dropFirst(3).prefix { !"/?".contains($0) }
        return "\(scheme)://\(authority)"
    }

    /// Whether it is of a scheme of the application's own, where browsers show no page (RFC 8252, section 7.1).
    public static func isPrivateUse(_ text: String) -> Bool { !text.hasPrefix("https:") && !text.hasPrefix("http:") }

    /// What people are shown of it: the host, or the scheme.
    public static func shownHost(of text: String) -> String? {
        guard let source = origin(of: text) else { return nil }
        guard let range = source.range(of: "://") else { return String(source.dropLast()) }
        return String(source[range.upperBound...])
    }

    /// The first page of the site that it is on; nil for loopback, where the port is one of the moment, and for a scheme of its own.
    static func site(of text: String) -> String? {
        guard text.hasPrefix("https:"), let origin = origin(of: text) else { return nil }
        return origin + "/"
    }

    // MARK: Parts

    private struct Loopback {
        let host: Substring
        /// Nil where there is none.
        let port: Substring?
        /// Path and query.
        let rest: Substring
    }

    /// Whether a program on the user's own device hears it (RFC 8252, section 7.3).
    static func isLoopback(_ text: String) -> Bool { fault(of: text) == nil && loopback(text) != nil }

    private static func loopback(_ text: String) -> Loopback? {
        for host in ["127.0.0.1", "[::1]", "localhost"] where text.hasPrefix("http://\(host)") {
            let after = text.dropFirst("http://\(host)".count)
            let name = text.dropFirst("http://".count).prefix(host.count)
            guard after.first == ":" else {
                guard after.isEmpty || "/?".contains(after.first ?? "/") else { return nil }
                return Loopback(host: name, port: nil, rest: after)
            }
            let port = after.dropFirst().prefix { !"/?".contains($0) }
            guard isPort(port) else { return nil }
            return Loopback(host: name, port: port, rest: after.dropFirst(1 + port.count))
        }
        return nil
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first != "0" && text.utf8.allSatisfy { (48...57).contains($0) }
            && (Int(text).map { (1...65_535).contains($0) } ?? false)
    }

    private static func isHost(_ authority: Substring) -> Bool {
        var host = authority
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return false }
            let inner = host[host.index(after: host.startIndex)..<end]
            guard !inner.isEmpty, inner.utf8.allSatisfy({ isHexadecimal($0) || $0 == UInt8(ascii: ":") }) else {
                return false
            }
            let after = host[host.index(after: end)...]
            return after.isEmpty || after.first == ":" && isPort(after.dropFirst())
        }
        if let colon = host.firstIndex(of: ":") {
            guard isPort(host[host.index(after: colon)...]) else { return false }
            host = host[..<colon]
        }
        return !host.isEmpty && host.first != "." && host.utf8.allSatisfy(isHostByte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
