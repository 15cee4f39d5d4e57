import Foundation
import JSON

/// URLs that others write, looked at as text: a parser escapes and forgives, and what is judged has to be what is called and shown.
package enum URLText {
    /// Whether a text has those characters alone that URLs have (RFC 3986, appendix A).
    package static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
    }

    /// Scheme, host and port, for those who may not see more: paths and queries of services' addresses may have secrets.
    package static func origin(of url: String) -> String {
        guard let slashes = url.range(of: "://") else { return "" }
        let authority = url[slashes.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return "\(url[..<slashes.upperBound])\(host)"
    }

    /// Whether a URL is written without a port, or with one that there is. `URLComponents` takes one that is too long for a number as none,
    /// and the HTTP client ends the process for one above 65535.
    package static func hasUsablePort(_ url: String) -> Bool {
        guard let slashes = url.range(of: "://") else { return true }
        let authority = url[slashes.upperBound...].prefix { !"/?#".contains($0) }
        guard let colon = authority.lastIndex(of: ":") else { return true }
        let port = authority[authority.index(after: colon)...]
        // The last colon of an IPv6 address is within its brackets.
        if port.isEmpty || port.hasSuffix("]") { return true }
        return port.utf8.allSatisfy { (48...57).contains($0) } && (1...65_535).contains(Int(port) ?? 0)
    }

    /// Letters, digits, hyphens and dots, or an address in brackets: nothing that two parsers could read differently.
    package static func isPlainHost(_ host: String) -> Bool {
        let isAddress = host.hasPrefix("[") && host.hasSuffix("]")
        // As it is written: what is no ASCII may have a lower case that is.
        return (isAddress ? host.dropFirst().dropLast() : host[...]).utf8.allSatisfy { byte in
            byte.isASCIILetterOrDigit || "-.".utf8.contains(byte) || isAddress && byte == UInt8(ascii: ":")
        }
    }

    /// A host in the letters that name services know (RFC 5891, section 5); nil where it is none, and where there is something in it that
    /// would be another part of a URL.
    package static func asciiHost(_ host: String) -> String? {
        guard isHost(host) else { return nil }
        return URLComponents(string: "http://\(host)/")?.encodedHost
    }

    /// Whether a text has letters of any language, digits, hyphens and dots alone.
    package static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 128 || $0.isASCIILetterOrDigit || "-.".utf8.contains($0) }
    }

    /// Whether a host is this machine whatever a name service says.
    package static func isLoopback(_ host: String) -> Bool {
        let host = bareHost(host)
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Lower case, and without the brackets of IPv6.
    package static func bareHost(_ host: String) -> String {
        let host = host.lowercased()
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
