import Foundation

/// The origin that a client says it speaks with (RFC 6454; WebAuthn Level 3, section 5.8.1): what binds a signature to a server.
public struct CallingOrigin: Sendable, Hashable {
    /// Scheme, host in lower case, and the port where it is not the scheme's own.
    public let text: String
    private let host: String

    /// The origin of an address.
    ///
    /// An address of this machine in numbers is taken for `localhost`, since relying parties are named by domains alone.
    /// - Throws: ``AuthenticatorRefusal/notAnOrigin(_:)`` for what is not https, but for http on this machine.
    public init(_ address: String) throws(AuthenticatorRefusal) {
        guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(),
            var host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil
        else { throw .notAnOrigin(address) }
        if ["127.0.0.1", "[::1]", "::1"].contains(host) { host = "localhost" }
        guard scheme == "https" || scheme == "http" && host == "localhost",
            host.utf8.allSatisfy(Self.isOfDomain), host.last != ".", host.first != ".", !Self.isAddress(host)
        else { throw .notAnOrigin(address) }
        let port = parts.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" }
        text = "\(scheme)://\(host)\(port ?? "")"
        self.host = host
    }

    /// Whether a relying party of this id may have its passkeys used here: its id is the host, or a domain of at least two labels
    /// above it.
    ///
    /// Which domains are public suffixes is not known here. Passkeys are looked up by id, so one of a suffix would have to be
    /// made first.
    public func belongs(to rpID: String) -> Bool {
        if rpID == host { return true }
        return rpID.contains(".") && !rpID.hasPrefix(".") && host.hasSuffix("." + rpID)
    }

    private static func isOfDomain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Four numbers: other addresses have characters that no domain has.
    private static func isAddress(_ host: String) -> Bool {
        host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
