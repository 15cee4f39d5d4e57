import CountersignCore
import Crypto
import Foundation

/// A text that the page after a form shows, so that the form itself answers with a redirect: kept by the browser, sealed under the token
/// of the session that it belongs to, with the time until which it is shown. A browser that keeps its cookie longer, or another that got hold
/// of it with the session, is shown nothing then.
enum SealedNote {
    /// Seconds that a text is shown.
    static let lifetime: TimeInterval = 300
    private static let timeLength = 8

    /// - Returns: nonce, ciphertext and tag as Base64.
    static func seal(
        _ text: Secret<String>, under session: Secret<String>, at now: Date, _ random: any RandomSource
    ) throws -> String {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let until = UInt64(bitPattern: (now + lifetime).microseconds).bigEndian
        let plain = withUnsafeBytes(of: until) { Data($0) } + Data(text.reveal().utf8)
        let box = try AES.GCM.seal(plain, using: key(session), nonce: nonce)
        return (Data(nonce) + box.ciphertext + box.tag).base64EncodedString()
    }

    /// The text; nil where it was not sealed under this token, or its time is over.
    static func open(_ note: String, under session: Secret<String>, at now: Date) -> Secret<String>? {
        guard let bytes = Data(base64Encoded: note), let box = try? AES.GCM.SealedBox(combined: bytes),
            let plain = try? AES.GCM.open(box, using: key(session)), plain.count >= timeLength
        else { return nil }
        let until = Int64(bitPattern: plain.prefix(timeLength).reduce(0) { $0 << 8 | UInt64($1) })
        // What is sealed for longer than a note lasts is none of this program's.
        guard now.microseconds < until, until <= (now + lifetime).microseconds + 60_000_000 else { return nil }
        return Secret(String(decoding: plain.dropFirst(timeLength), as: UTF8.self))
    }

    private static func key(_ session: Secret<String>) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Data(Sessions.lastingPart(ofBrowser: session).reveal().utf8)),
            info: Data("countersign page note".utf8),
            outputByteCount: 32)
    }
}
