import HTTPTypes
import Hummingbird
import NIOCore

/// The header in which a proxy says who sent a request.
public enum ProxyHeader: String, Sendable, CaseIterable {
    /// `X-Forwarded-For: 198.51.100.1, 192.0.2.7`.
    case xForwardedFor = "x-forwarded-for"
    /// `Forwarded: for=198.51.100.1, for="[2001:db8::7]:443";proto=https` (RFC 7239).
    case forwarded
}

/// Finds out who sent a request.
///
/// That is the other end of the connection. Only where the configuration says that a trusted proxy ends TLS, and the
/// connection comes from a trusted one, is it the address which that proxy added: the last one of the one header that
/// the proxy writes. What comes before it was written by the client and may be a lie, and so may all of the other
/// header, which proxies pass on.
///
/// Behind a proxy no client counts as local: what stands in front may be on it as well.
public struct RequestSource: Sendable {
    private let trustsProxy: Bool
    private let header: ProxyHeader
    private let isTrusted: @Sendable (ClientAddress) -> Bool

    /// - Parameters:
    ///   - trustsProxy: whether requests come through a trusted proxy.
    ///   - header: the header that it writes; the other one is ignored.
    ///   - isTrusted: whether the proxy at that address is believed. One that is not counts as the sender.
    public init(
        trustsProxy: Bool, header: ProxyHeader = .xForwardedFor,
        isTrusted: @escaping @Sendable (ClientAddress) -> Bool = { _ in true }
    ) {
        self.trustsProxy = trustsProxy
        self.header = header
        self.isTrusted = isTrusted
    }

    /// The sender of a request with those headers over a connection from there.
    public func address(headers: HTTPFields, connection: SocketAddress?) -> ClientAddress {
        address(headers: headers, direct: ClientAddress(connection))
    }

    func address(headers: HTTPFields, direct: ClientAddress) -> ClientAddress {
        guard trustsProxy else { return direct }
        guard isTrusted(direct) else { return direct.byProxy }
        let forwarded: String? =
            switch header {
            case .xForwardedFor: Self.last(of: .xForwardedFor, in: headers)
            case .forwarded: Self.last(of: .forwarded, in: headers).flatMap(Self.node)
            }
        return (forwarded.flatMap { ClientAddress($0) } ?? direct).byProxy
    }

    /// The last element of a list that may be spread over several fields.
    private static func last(of name: HTTPField.Name, in headers: HTTPFields) -> String? {
        guard let field = headers.last(where: { $0.name == name })?.value else { return nil }
        let start = field.utf8.lastIndex(of: UInt8(ascii: ",")).map(field.utf8.index(after:)) ?? field.startIndex
        return field[start...].trimmed
    }

    /// The node in `for=192.0.2.7;proto=https` or `proto=https;For="[2001:db8::7]:443"`, read by bytes: a host beside it is the client's.
    private static func node(of element: String) -> String? {
        for pair in element.utf8.split(separator: UInt8(ascii: ";")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1).map { String(Substring($0)).trimmed }
            if parts.count == 2, parts[0].lowercased() == "for" {
                return String(decoding: parts[1].utf8.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
            }
        }
        return nil
    }
}

extension HTTPField.Name {
    /// Addresses that a request came through, each added by the one that it came to (RFC 7239).
    public static let forwarded = known("Forwarded")
    /// The same by custom, older than the standard.
    public static let xForwardedFor = known("X-Forwarded-For")
}
