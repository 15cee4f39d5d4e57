import CountersignCore
import Foundation

/// An authorization code of security checks (RFC 6749, section 4.1.2): it says itself what it is good for, under a keyed digest,
/// so that issuing one writes nothing. Its redemption is a row, which only one redemption can make
/// (docs/decisions/0171).
///
/// `c1.<nonce>.<end>.<scope>.<digest>`: 16 random bytes, microseconds since 1970, the scope's elements, and the digest of all that
/// with the client and the address that the code was sent to. It is bound to the client's key as every code of this framework:
/// who redeems it signs for it.
struct CheckCode {
    let text: String
    let scope: Set<String>
    let expiresAt: Date

    private static let form = "c1"
    private static let context = "security-checks/code"
    /// Bytes of a code that is looked at.
    private static let longest = 4096

    /// - Parameter nonce: random bytes, drawn before the transaction.
    init(
        for client: RegisteredClientID, scope: Set<String>, redirectURI: String, nonce: [UInt8], at now: Date,
        sealer: Sealer, in transaction: any StoreTransaction
    ) throws {
        self.scope = scope
        expiresAt = now + AuthorizationCode.lifetime
        let elements = scope.sorted().joined(separator: " ")
        let said = "\(Self.form).\(nonce.base64URL).\(expiresAt.microseconds).\(Array(elements.utf8).base64URL)"
        let digest = try sealer.digest(
            Self.bound(said, to: client, redirectURI), for: Self.context, in: transaction)
        text = "\(said).\(digest.base64URL)"
    }

    /// Reads a code; nil where it is none of ours, another client's, was sent elsewhere, or is too old.
    init?(
        _ text: String, presentedBy client: RegisteredClientID, redirectURI: String, at now: Date, sealer: Sealer
    ) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0] == Self.form, let end = Int64(parts[2]),
            let scope = [UInt8](base64URL: parts[3]), let digest = [UInt8](base64URL: parts[4])
        else { return nil }
        let said = parts.prefix(4).joined(separator: ".")
        guard sealer.recognises(Self.bound(said, to: client, redirectURI), Data(digest), for: Self.context) else {
            return nil
        }
        self.text = text
        self.scope = Set(String(decoding: scope, as: UTF8.self).spaceSeparated)
        expiresAt = Date(microseconds: end)
        guard expiresAt > now else { return nil }
    }

    static func isOne(_ text: String) -> Bool { text.hasPrefix("\(form).") }

    /// Neither a code nor a client's id has a zero byte.
    private static func bound(_ said: String, to client: RegisteredClientID, _ redirectURI: String) -> String {
        "\(said)\u{0}\(client.rawValue)\u{0}\(redirectURI)"
    }

    /// Seconds for which it is remembered that a code was redeemed, beyond its end: what clocks of servers may differ.
    private static let memory: TimeInterval = 600

    /// Makes the code's one redemption; false where there was one.
    func redeem(
        by client: RegisteredClientID, redirectURI: String, at now: Date, sealer: Sealer,
        in transaction: any StoreTransaction
    ) throws -> Bool {
        let digest = AuthorizationCodeDraft.digest(of: Secret(text))
        let code = AuthorizationCode(client: client.rawValue, redirectURI: redirectURI, scopes: scope.sorted())
        return try transaction.insert(
            AuthorizationCodeRecord(
                digest: digest, userID: nil, createdAt: now, expiresAt: expiresAt + Self.memory, redeemedAt: now,
                body: try sealer.seal(JSONEncoder().encode(code), for: .authorizationCode(digest), in: transaction)))
    }
}
