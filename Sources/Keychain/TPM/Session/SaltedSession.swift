import Crypto
import CryptoExtras
import Foundation

/// An HMAC session whose key comes from a salt that only the TPM can read (Part 1, clause 19.6, "Session-Based Authorizations").
///
/// It proves the authorization value without sending it, proves that answers come from the TPM, and encrypts the
/// first parameter of a command or a response with AES-128-CFB (Part 1, clause 21), so that a listener on the bus of a
/// discrete chip learns neither PINs nor sealed secrets.
struct SaltedSession {
    /// What both sides need before the session exists.
    struct Proposal {
        /// TPM2B_ENCRYPTED_SECRET without its size: the ephemeral point (Part 1, annex C.6.4).
        let encryptedSalt: [UInt8]
        let salt: SensitiveBytes
        let nonceCaller: [UInt8]

        /// A fresh salt for the storage key with this point. Refuses a point that is not on the curve.
        init(x: [UInt8], y: [UInt8]) throws(TPMError) {
            let x = Self.padded(x)
            let y = Self.padded(y)
            let ephemeral = P256.KeyAgreement.PrivateKey()
            let secret: SharedSecret
            do {
                let key = try P256.KeyAgreement.PublicKey(x963Representation: [0x04] + x + y)
                secret = try ephemeral.sharedSecretFromKeyAgreement(with: key)
            } catch {
                throw .untrustedResponse("the storage key is no point of P-256")
            }
            let point = Array(ephemeral.publicKey.rawRepresentation)
            encryptedSalt = WireWriter.bytes {
                $0.putSized(point[..<32])
                $0.putSized(point[32...])
            }
            salt = KeyDerivation.e(z: secret, label: "SECRET", partyU: Array(point[..<32]), partyV: x, bits: 256)
            nonceCaller = SaltedSession.nonce()
        }

        private static func padded(_ coordinate: [UInt8]) -> [UInt8] {
            [UInt8](repeating: 0, count: max(0, 32 - coordinate.count)) + coordinate
        }
    }

    let handle: Handle
    private let key: SensitiveBytes
    private var nonceTPM: [UInt8]
    private var nonceCaller: [UInt8]

    /// The session that the TPM answered a proposal with (Part 1, clause 19.6.8, "sessionKey Creation").
    init(_ proposal: Proposal, handle: Handle, nonceTPM: [UInt8]) {
        self.handle = handle
        self.nonceTPM = nonceTPM
        nonceCaller = proposal.nonceCaller
        key = KeyDerivation.a(
            key: proposal.salt, label: "ATH", contextU: nonceTPM, contextV: proposal.nonceCaller, bits: 256)
    }

    /// Encrypts what the command must not show and computes its authorization area.
    ///
    /// - Parameter authorization: The value of the object that the session speaks for.
    mutating func authorize(
        _ command: Command, authorization: SensitiveBytes?
    ) -> (parameters: [UInt8], authorizationArea: [UInt8]) {
        nonceCaller = Self.nonce()
        var attributes: SessionAttributes = .continueSession
        var parameters = command.parameters
        if let secret = command.secretParameter {
            attributes.insert(.decrypt)
            let (key, iv) = cipher(authorization, newer: nonceCaller, older: nonceTPM)
            let encrypted = WireWriter.bytes { $0.putSized(Self.encrypt(secret, key, iv)) }
            parameters = encrypted + parameters
        }
        if command.answersWithSecret { attributes.insert(.encrypt) }

        var digest = SHA256()
        digest.update(data: WireWriter.bytes { $0.put(command.code.rawValue) })
        for handle in command.handles { digest.update(data: handle.name) }
        digest.update(data: parameters)
        let proof = mac(
            Array(digest.finalize()), authorization, newer: nonceCaller, older: nonceTPM, attributes: attributes)
        let area = WireWriter.bytes {
            $0.put(handle.rawValue)
            $0.putSized(nonceCaller)
            $0.put(attributes.rawValue)
            $0.putSized(Array(proof))
        }
        return (parameters, area)
    }

    /// Checks the HMAC of an answer and moves the session on. Nothing of the answer may be used before.
    mutating func verify(
        _ command: Command, parameters: [UInt8], authorizationArea: [UInt8], authorization: SensitiveBytes?
    ) throws(TPMError) {
        let nonce: [UInt8]
        let attributes: SessionAttributes
        let proof: [UInt8]
        do throws(WireReader.Fault) {
            var reader = WireReader(authorizationArea)
            nonce = try reader.sized(atMost: 32)
            attributes = SessionAttributes(rawValue: try reader.uint8())
            proof = try reader.sized(atMost: 32)
            try reader.finish()
        } catch {
            throw .malformedResponse("\(command.code.name), authorization: \(error.what)")
        }
        guard nonce.count >= 16 else { throw .untrustedResponse("the TPM's nonce is too short") }
        guard attributes.contains(.continueSession), attributes.contains(.encrypt) == command.answersWithSecret else {
            throw .untrustedResponse("the session's attributes differ")
        }
        var digest = SHA256()
        digest.update(data: WireWriter.bytes { $0.put(TPMResponseCode.success) })
        digest.update(data: WireWriter.bytes { $0.put(command.code.rawValue) })
        digest.update(data: parameters)
        let expected = mac(
            Array(digest.finalize()), authorization, newer: nonce, older: nonceCaller, attributes: attributes)
        guard expected == proof else { throw .untrustedResponse("the HMAC of \(command.code.name) is wrong") }
        nonceTPM = nonce
    }

    /// Decrypts the first parameter of an answer that was verified.
    func decrypt(_ ciphertext: [UInt8], authorization: SensitiveBytes?) -> SensitiveBytes {
        let (key, iv) = cipher(authorization, newer: nonceTPM, older: nonceCaller)
        // A failure could only come from a key or an IV of a wrong size, and both are made right below.
        guard var plain = try? AES._CFB.decrypt(ciphertext, using: key, iv: iv) else { preconditionFailure() }
        defer { plain.withUnsafeMutableBytes { SensitiveBytes.wipe($0) } }
        return SensitiveBytes(joining: [plain])
    }

    private static func encrypt(_ plain: SensitiveBytes, _ key: SymmetricKey, _ iv: AES._CFB.IV) -> Data {
        guard let data = plain.withUnsafeBytes({ try? AES._CFB.encrypt($0, using: key, iv: iv) }) else {
            preconditionFailure()
        }
        return data
    }

    /// Part 1, "CFB Mode Parameter Encryption".
    private func cipher(
        _ authorization: SensitiveBytes?, newer: [UInt8], older: [UInt8]
    ) -> (SymmetricKey, AES._CFB.IV) {
        let bytes = KeyDerivation.a(
            key: value(authorization), label: "CFB", contextU: newer, contextV: older, bits: 256)
        let key = SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes.pointer[..<16]))
        guard let iv = try? AES._CFB.IV(ivBytes: bytes.pointer[16...]) else { preconditionFailure() }
        return withExtendedLifetime(bytes) { (key, iv) }
    }

    /// Part 1, clause 19.6.5, "HMAC Computation".
    private func mac(
        _ digest: [UInt8], _ authorization: SensitiveBytes?, newer: [UInt8], older: [UInt8],
        attributes: SessionAttributes
    ) -> HMAC<SHA256>.MAC {
        var mac = HMAC<SHA256>(key: SymmetricKey(data: value(authorization)))
        mac.update(data: digest)
        mac.update(data: newer)
        mac.update(data: older)
        mac.update(data: [attributes.rawValue])
        return mac.finalize()
    }

    private func value(_ authorization: SensitiveBytes?) -> SensitiveBytes {
        guard let authorization else { return key }
        return SensitiveBytes(joining: [key, authorization])
    }

    /// 32 bytes, as long as the session's hash.
    private static func nonce() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }
}
