import CountersignCore
import Crypto
import Foundation

/// A text that the page after a form shows, so that the form itself answers with a redirect: kept by the browser, sealed under the token
/// of the session that it belongs to.
enum SealedNote {
    /// - Returns: nonce, ciphertext and tag as Base64.
    static func seal(_ text: Secret<String>, under session: Secret<String>, _ random: any RandomSource) throws -> String
    {
        let nonce = try AES.GCM.Nonce(data: random.bytes(12))
        let box = try AES.GCM.seal(Data(text.reveal().utf8), using: key(session), nonce: nonce)
        return (Data(nonce) + box.ciphertext + box.tag).base64EncodedString()
    }

    /// The text; nil where it was not sealed under this token.
    static func open(_ note: String, under session: Secret<String>) -> Secret<String>? {
        guard let bytes = Data(base64Encoded: note), let box = try? AES.GCM.SealedBox(combined: bytes),
            let text = try? AES.GCM.open(box, using: key(session))
        else { return nil }
        return Secret(String(decoding: text, as: UTF8.self))
    }

    private static func key(_ session: Secret<String>) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Data(Sessions.lastingPart(ofBrowser: session).reveal().utf8)),
            info: Data("countersign page note".utf8),
            outputByteCount: 32)
    }
}
