import Foundation

/// The port of a URL that the server is to call.
public enum CalledPort {
    /// Whether a URL is written without a port, or with one that there is. It is read from the text: `URLComponents` takes one
    /// that is too long for a number as none, and the HTTP client ends the process for one above 65535.
    public static func isThere(in url: String) -> Bool {
        guard let slashes = url.range(of: "://") else { return true }
        let authority = url[slashes.upperBound...].prefix { !"/?#".contains($0) }
        guard let colon = authority.lastIndex(of: ":") else { return true }
        let port = authority[authority.index(after: colon)...]
        // The last colon of an IPv6 address is within its brackets.
        if port.isEmpty || port.hasSuffix("]") { return true }
        return port.utf8.allSatisfy { (48...57).contains($0) } && (1...65_535).contains(Int(port) ?? 0)
    }
}
