import Crypto
import Foundation

/// A refresh token: the grant's id and 256 random bits, as URL-safe Base64. Opaque to clients.
struct RefreshToken: Sendable {
    let grantID: GrantID
    let text: Secret<String>

    init(grant: GrantID, random: any RandomSource) {
        grantID = grant
        text = KeyedSecret.fresh(named: grant.rawValue, random: random)
    }

    /// Nil where the text is not of this form.
    init?(_ text: String) {
        guard let name = KeyedSecret.name(in: text) else { return nil }
        grantID = GrantID(rawValue: name)
        self.text = Secret(text)
    }

    /// SHA-256: what the server keeps to recognise it.
    var digest: Data { KeyedSecret.digest(of: text) }

    func sealed(by sealer: Sealer, in transaction: any StoreTransaction) throws -> Data {
        try sealer.seal(Data(text.reveal().utf8), for: .grant(grantID), in: transaction)
    }

    static func open(_ sealed: Data, grant: GrantID, with sealer: Sealer) throws -> RefreshToken? {
        let plain = try sealer.open(sealed, for: .grant(grant))
        return RefreshToken(String(decoding: plain, as: UTF8.self))
    }
}

/// The token in a browser's cookie: the session's id and 256 random bits, of the same form as a refresh token.
struct BrowserToken: Sendable {
    let sessionID: SessionID
    /// The secret without its stamp.
    let text: Secret<String>
    /// When the session was used last, as the cookie says; nil in a token that is made just now.
    let stamp: (at: Date, digest: Data)?
    /// Whether the user asked to stay signed in. The stamp's digest covers it.
    let stays: Bool

    /// What stands behind the stamp's second where the user asked to stay signed in.
    static let stayMark: Character = "~"

    init(session: SessionID, stays: Bool, random: any RandomSource) {
        sessionID = session
        text = KeyedSecret.fresh(named: session.rawValue, random: random)
        stamp = nil
        self.stays = stays
    }

    /// Nil where the text is not of this form: the secret, the second of the last use in base 36 with or without ``stayMark``, a digest.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 256, parts.count == 4, let name = KeyedSecret.name(in: "\(parts[0]).\(parts[1])"),
            let second = Int64(parts[2].last == Self.stayMark ? parts[2].dropLast() : parts[2], radix: 36),
            (0..<1 << 40).contains(second),
            let digest = [UInt8](base64URL: parts[3])
        else { return nil }
        sessionID = SessionID(rawValue: name)
        self.text = Secret("\(parts[0]).\(parts[1])")
        stamp = (Date(timeIntervalSince1970: TimeInterval(second)), Data(digest))
        stays = parts[2].last == Self.stayMark
    }

    /// SHA-256: what the server keeps to recognise it.
    var digest: Data { KeyedSecret.digest(of: text) }
}

/// A secret that begins with the key of its row: `<16 bytes>.<32 bytes>`, each as URL-safe Base64.
enum KeyedSecret {
    /// Characters of sixteen and of 32 bytes as Base64 without padding.
    private static let (nameLength, secretLength) = (22, 43)

    /// A key for a new row, of 127 random bits. It does not begin with a dash: sessions are ended by their names, at the command line too.
    static func freshName(random: any RandomSource) -> String { random.bytes(16).base64URLName }

    static func fresh(named name: String, random: any RandomSource) -> Secret<String> {
        Secret("\(name).\(random.bytes(32).base64URL)")
    }

    /// The key in the text; nil where the text is not of this form.
    static func name(in text: String) -> String? {
        // Both parts have one length each, so that the point has one place.
        let bytes = text.utf8
        guard bytes.count == nameLength + 1 + secretLength else { return nil }
        let point = bytes.index(bytes.startIndex, offsetBy: nameLength)
        guard bytes[point] == UInt8(ascii: "."), [UInt8](base64URL: text[..<point])?.count == 16,
            [UInt8](base64URL: text[bytes.index(after: point)...])?.count == 32
        else { return nil }
        return String(text[..<point])
    }

    static func digest(of text: Secret<String>) -> Data { SHA256.digest(of: text.reveal()) }
}
