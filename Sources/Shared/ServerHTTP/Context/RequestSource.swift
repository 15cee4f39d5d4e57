import HTTPTypes
import Hummingbird
import NIOCore

/// Finds out who sent a request.
///
/// That is the other end of the connection. Only where the configuration says that a proxy of ours ends TLS is it the
/// address which that proxy added: the last one of `X-Forwarded-For`, or of `Forwarded` (RFC 7239) where there is no
/// `X-Forwarded-For`. What comes before it was written by the client and may be a lie.
///
/// A proxy writes one of the two headers and passes on whatever the client wrote into the other. So where both are
/// there and disagree, none is believed, and the proxy's own address counts.
public struct RequestSource: Sendable {
    private let trustsProxy: Bool

    /// - Parameter trustsProxy: whether every connection comes from a proxy of ours.
    public init(trustsProxy: Bool) {
        self.trustsProxy = trustsProxy
    }

    /// The sender of a request with those headers over a connection from there.
    public func address(headers: HTTPFields, connection: SocketAddress?) -> ClientAddress {
        let direct = ClientAddress(connection)
        guard trustsProxy else { return direct }
        switch (Self.last(headers[values: .xForwardedFor]), Self.last(headers[values: .forwarded])) {
        case (let element?, nil):
            return ClientAddress(element) ?? direct
        case (nil, let element?):
            return Self.node(of: element).flatMap { ClientAddress($0) } ?? direct
        case (let first?, let second?):
            let address = ClientAddress(first)
            return address == Self.node(of: second).flatMap { ClientAddress($0) } ? address ?? direct : direct
        case (nil, nil):
            return direct
        }
    }

    /// The last element of a list that may be spread over several fields.
    private static func last(_ fields: [String]) -> String? {
        fields.last?.split(separator: ",", omittingEmptySubsequences: false).last?.trimmed
    }

    /// The node in `for=192.0.2.7;proto=https` or `proto=https;For="[2001:db8::7]:443"`.
    private static func node(of element: String) -> String? {
        for pair in element.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(\.trimmed)
            if parts.count == 2, parts[0].lowercased() == "for" { return parts[1].filter { $0 != "\"" } }
        }
        return nil
    }
}

extension HTTPField.Name {
    /// Addresses that a request came through, each added by the one that it came to (RFC 7239).
    public static let forwarded = Self("Forwarded")!
    /// The same by custom, older than the standard.
    public static let xForwardedFor = Self("X-Forwarded-For")!
}
