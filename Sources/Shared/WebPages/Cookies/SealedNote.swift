import CountersignCore
import Crypto
import Foundation

/// A text that a later page shows, so that the form itself answers with a redirect: kept by the browser, sealed under a key that the browser
/// has and this server does not store, with the time until which it is shown. A browser that keeps its cookie longer, or another that got
/// hold of it alone, is shown nothing then.
struct SealedNote {
    /// Seconds that what a form brings is shown.
    static let lifetime: TimeInterval = 300
    private static let timeLength = 8

    /// Seconds that this kind of text is shown.
    private let lifetime: TimeInterval
    private let key: SymmetricKey

    /// What pages of a session show.
    /// - Parameter session: the token of its cookie.
    init(of session: Secret<String>) {
        self.init(
            by: Sessions.lastingPart(ofBrowser: session), for: "countersign page note", lifetime: Self.lifetime)
    }

    /// What a form of the browser came to, in whatever session.
    /// - Parameter value: one of those of the browser's key.
    init(ofBrowser value: Secret<String>) {
        self.init(by: value, for: "countersign page outcome", lifetime: PageOutcome.longestLifetime)
    }

    /// What a form of a session carries to the page after it.
    /// - Parameter purpose: what the form is for.
    init(ofForm purpose: String, of session: Secret<String>) {
        self.init(
            by: Sessions.lastingPart(ofBrowser: session), for: "countersign page form \(purpose)",
            lifetime: PageVisit.longestCarried)
    }

    private init(by secret: Secret<String>, for purpose: String, lifetime: TimeInterval) {
        self.lifetime = lifetime
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Data(secret.reveal().utf8)), info: Data(purpose.utf8),
            outputByteCount: 32)
    }

    /// - Parameter end: until when it is shown, at most the lifetime from now.
    /// - Returns: nonce, ciphertext and tag as Base64.
    func seal(_ text: Secret<String>, until end: Date, _ random: any RandomSource) throws -> String {
        try seal(Data(text.reveal().utf8), until: end, random).base64EncodedString()
    }

    /// The same of bytes.
    func seal(_ bytes: Data, until end: Date, _ random: any RandomSource) throws -> Data {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let until = UInt64(bitPattern: end.microseconds).bigEndian
        let plain = withUnsafeBytes(of: until) { Data($0) } + bytes
        let box = try AES.GCM.seal(plain, using: key, nonce: nonce)
        return Data(nonce) + box.ciphertext + box.tag
    }

    /// The text; nil where it was not sealed under this key, or its time is over.
    func open(_ note: String, at now: Date) -> Secret<String>? {
        Data(base64Encoded: note).flatMap { open($0, at: now) }.map { Secret(String(decoding: $0, as: UTF8.self)) }
    }

    /// The same of bytes.
    func open(_ sealed: Data, at now: Date) -> Data? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let plain = try? AES.GCM.open(box, using: key), plain.count >= Self.timeLength
        else { return nil }
        let until = Int64(bitPattern: plain.prefix(Self.timeLength).reduce(0) { $0 << 8 | UInt64($1) })
        // What is sealed for longer than such a text lasts is none of this program's.
        guard now.microseconds < until, until <= (now + lifetime).microseconds + 60_000_000 else { return nil }
        return plain.dropFirst(Self.timeLength)
    }
}
