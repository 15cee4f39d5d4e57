import Foundation

/// Where the pages of mailed links may redirect a user.
public struct LinkSettings: Sendable, Equatable, Codable {
    /// Hosts beside those of the server's public URLs: `app.example.com`, or `*.example.com` for every host below one.
    /// Nil where none are set.
    public var authorizedDomains: [String]?

    /// No host beside those of the server's public URLs.
    public init() {}

    /// How many hosts the setting takes.
    public static let mostDomains = 100

    /// Whether a text may stand in ``authorizedDomains``: a host name or an IPv4 address (RFC 1123, section 2.1), perhaps
    /// after `*.`; an IPv6 address in brackets. No scheme, port or path.
    public static func isDomain(_ text: String) -> Bool {
        LinkTargets.isHost(text.hasPrefix("*.") ? String(text.dropFirst(2)) : text)
    }
}

/// Judges the URLs that clients want links and pages to go on to (`continueUrl`): only to hosts that the operator named, or a
/// genuine page of this server would lead its users to an attacker's.
public struct LinkTargets: Sendable {
    /// In lower case.
    private let hosts: Set<String>
    /// What `*.` stood before.
    private let parents: [String]

    /// Why users are not sent to a URL.
    public enum Fault: Sendable, Equatable {
        /// No absolute `http` or `https` URL, or one that different readers could read differently: with user info, a
        /// backslash, a blank, or anything but printable ASCII.
        case malformed
        /// The URL's host is none that the operator named.
        case unauthorized
    }

    /// Bytes of a URL.
    public static let longestURL = 4096

    /// - Parameters:
    ///   - publicURLs: the server's own, whose hosts are always good.
    ///   - allowsLoopback: under `--dev`.
    public init(_ settings: LinkSettings, publicURLs: [String], allowsLoopback: Bool) {
        let listed = (settings.authorizedDomains ?? []).map { $0.lowercased() }
        var hosts = Set(listed.filter { !$0.hasPrefix("*.") })
        hosts.formUnion(publicURLs.compactMap(Self.host))
        if allowsLoopback { hosts.formUnion(["localhost", "127.0.0.1", "[::1]"]) }
        self.hosts = hosts
        parents = listed.filter { $0.hasPrefix("*.") }.map { String($0.dropFirst()) }
    }

    /// What is wrong with a URL; nil where users may be sent there.
    public func fault(of url: String) -> Fault? {
        guard let host = Self.host(of: url) else { return .malformed }
        return hosts.contains(host) || parents.contains { host.hasSuffix($0) } ? nil : .unauthorized
    }

    /// The hosts that the server's own URLs name, which are good without being listed.
    public static func hosts(of publicURLs: [String]) -> [String] {
        var seen: Set<String> = []
        return publicURLs.compactMap(host).filter { seen.insert($0).inserted }
    }

    /// The host of an absolute `http` or `https` URL in lower case, read byte by byte (RFC 3986, section 3.2).
    static func host(of url: String) -> String? {
        guard url.utf8.count <= longestURL, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C }),
            let scheme = url.range(of: "://"), ["http", "https"].contains(url[..<scheme.lowerBound].lowercased())
        else { return nil }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }.lowercased()
        var host = authority[...]
        // What follows the last colon is a port, unless that colon is a part of an IPv6 address.
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let port = authority[colon...].dropFirst()
            guard port.count <= 5, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            host = authority[..<colon]
        }
        return isHost(String(host)) ? String(host) : nil
    }

    fileprivate static func isHost(_ text: String) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let address = text.dropFirst().dropLast()
            return !address.isEmpty
                && address.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit || $0 == 0x3A || $0 == 0x2E }
        }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { byte in
                        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                            || byte == 0x2D
                    }
            }
    }
}
