import Foundation
import Hummingbird

/// Where browsers reach the pages: the hosts that a request may name, and the origins that a form may come from.
public struct PageAddresses: Sendable {
    private let published: @Sendable () -> [String]
    private let takesLoopback: Bool

    /// - Parameters:
    ///   - published: the addresses of this server, for instance `https://id.example`.
    ///   - takesLoopback: whether `127.0.0.1`, `[::1]` and `localhost` are addresses of it too, by whichever port: where it listens on
    ///     loopback and no address is configured, and in development.
    public init(published: @escaping @Sendable () -> [String], takesLoopback: Bool) {
        self.published = published
        self.takesLoopback = takesLoopback
    }

    /// The path of an application's picture.
    /// - Parameter name: of the picture, as the application's registration has it.
    public static func logo(_ name: String) -> String { "/assets/logos/\(name).png" }

    /// Whether a request may name that host: `id.example`, `127.0.0.1:8080`.
    func admits(host: String) -> Bool {
        let host = host.lowercased()
        if published().contains(where: { Self.authorities(of: $0).contains(host) }) { return true }
        return takesLoopback && Self.isLoopback(host)
    }

    /// Whether a form may come from that origin (RFC 6454, section 7), sent to that host.
    func admits(origin: String, toHost host: String) -> Bool {
        let origin = origin.lowercased()
        if published().contains(where: { Self.origin(of: $0) == origin }) { return true }
        // Each address of loopback is an origin of its own: a page of one does not send forms to another.
        return takesLoopback && Self.isLoopback(host.lowercased()) && origin == "http://\(host.lowercased())"
    }

    /// How requests may spell the authority of a URL: with and without the scheme's own port (RFC 9110, section 4.2.3).
    private static func authorities(of url: String) -> [String] {
        guard let parts = origin(of: url)?.components(separatedBy: "://"), parts.count == 2 else { return [] }
        let (scheme, authority) = (parts[0], parts[1])
        let hasPort = authority.split(separator: "]").last?.contains(":") == true && !authority.hasSuffix("]")
        return hasPort ? [authority] : [authority, authority + (scheme == "https" ? ":443" : ":80")]
    }

    /// Scheme and authority of a URL, without the scheme's own port.
    private static func origin(of url: String) -> String? {
        let parts = url.lowercased().components(separatedBy: "://")
        guard parts.count == 2, let authority = parts[1].split(separator: "/").first else { return nil }
        let port = parts[0] == "https" ? ":443" : ":80"
        let plain = authority.hasSuffix(port) ? authority.dropLast(port.count) : authority
        return "\(parts[0])://\(plain)"
    }

    private static func isLoopback(_ host: String) -> Bool {
        var name = Substring(host)
        if let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isNumber) {
            name = host[..<colon]
        }
        return ["127.0.0.1", "[::1]", "localhost"].contains(name)
    }
}
