import Crypto
import Foundation

/// A signature over a SHA-256 digest.
public struct TPMSignature: Sendable, Hashable {
    /// RSA: the bytes of RFC 8017, 8.2, as long as the modulus. ECDSA: r and s of 32 bytes each, as JWS wants it.
    public let rawRepresentation: Data
    /// RSA: the same bytes. ECDSA: ECDSA-Sig-Value (RFC 3279, 2.2.3), as X.509, TLS and Apple's frameworks want it.
    public let derRepresentation: Data
}

extension TPM {
    /// Makes a signing key in the TPM. Its private half is never outside of the chip in clear, not even for its maker.
    ///
    /// - Parameter authorization: The stretched PIN, at most 32 bytes; its holder can sign. Empty for a key that every
    ///   program on this machine which may open the TPM can use.
    /// - Throws: ``TPMError/unsupportedKey(_:)`` where the chip does not have the kind, as is usual for RSA-4096;
    ///   ``TPMError/invalidArgument(_:)`` for a value that is too long or of zeros only.
    public func makeSigningKey(
        _ kind: TPMKeyKind, authorization: UnsafeRawBufferPointer
    ) throws(TPMError) -> TPMKeyBlob {
        let authorization = try Self.authorizationValue(authorization)
        let hasAuthorization = authorization.count > 0
        let template = PublicArea.signingTemplate(kind, hasAuthorization: hasAuthorization)
        return try perform { (conversation) throws(TPMError) in
            guard try conversation.supports(template.kind) else {
                throw .unsupportedKey("it has no \(kind.name). Use \(kind == .p256 ? "RSA-2048" : "P-256")")
            }
            return try TPMKeyBlob(try create(template, authorization: authorization, data: nil, in: conversation))
        }
    }

    /// Signs a SHA-256 digest: RSASSA-PKCS1-v1_5 or ECDSA, by the kind of key (Part 3, clause 20.2).
    ///
    /// - Parameters:
    ///   - digest: 32 bytes.
    ///   - authorization: The value that the key was made with.
    /// - Throws: ``TPMError/wrongAuthorization(triesLeft:)``, ``TPMError/lockedOut(retryAfter:)``,
    ///   ``TPMError/foreignKey``, also for a blob that was damaged.
    public func sign(
        _ digest: some Sequence<UInt8>, with key: TPMKeyBlob, authorization: UnsafeRawBufferPointer
    ) throws(TPMError) -> TPMSignature {
        let digest = Array(digest)
        guard digest.count == SHA256.byteCount else {
            throw .invalidArgument("A TPM key signs SHA-256 digests of 32 bytes, not \(digest.count).")
        }
        return try perform(with: key.object, authorization: authorization) {
            (conversation, loaded, session, authorization) throws(TPMError) in
            let response = try conversation.execute(
                Command(
                    code: .sign, handles: [loaded.named],
                    parameters: WireWriter.bytes {
                        $0.putSized(digest)
                        $0.put(key.kind == .p256 ? Algorithm.ecdsa : Algorithm.rsassa)
                        $0.put(Algorithm.sha256)
                        // No ticket: the key is not restricted, so it signs what was hashed elsewhere.
                        $0.put(Tag.hashCheck)
                        $0.put(Handle.null.rawValue)
                        $0.putSized([])
                    }), in: &session, authorization: authorization)
            return try conversation.reading(.sign, response.parameters) {
                (reader) throws(WireReader.Fault) in try TPMSignature(reading: &reader, key.kind)
            }
        }
    }
}

extension TPMSignature {
    /// Reads a TPMT_SIGNATURE (Part 2, clause 11.3.4).
    init(reading reader: inout WireReader, _ kind: TPMKeyKind) throws(WireReader.Fault) {
        let algorithm = try reader.uint16()
        guard algorithm == (kind == .p256 ? Algorithm.ecdsa : Algorithm.rsassa),
            try reader.uint16() == Algorithm.sha256
        else { throw WireReader.Fault(what: "a signature of another algorithm") }
        if let bits = kind.rsaBits {
            let bytes = try reader.sized(atMost: 512)
            guard bytes.count == Int(bits) / 8 else {
                throw WireReader.Fault(what: "a signature of \(bytes.count) bytes by a key of \(bits) bits")
            }
            rawRepresentation = Data(bytes)
            derRepresentation = rawRepresentation
        } else {
            let r = try reader.sized(atMost: 32)
            let s = try reader.sized(atMost: 32)
            let raw = Data([r, s].flatMap { [UInt8](repeating: 0, count: 32 - $0.count) + $0 })
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else {
                throw WireReader.Fault(what: "no ECDSA signature")
            }
            rawRepresentation = raw
            derRepresentation = signature.derRepresentation
        }
        try reader.finish()
    }
}

extension TPM {
    /// Makes any of our objects under the storage key.
    func create(
        _ template: PublicArea, authorization: SensitiveBytes, data: SensitiveBytes?, in conversation: Conversation
    ) throws(TPMError) -> TPMObject {
        let storageKey = try conversation.parent(parent)
        var session = try conversation.startSession(saltedTo: storageKey)
        do throws(TPMError) {
            let made = try conversation.create(
                template, authorization: authorization, data: data, under: storageKey, in: &session)
            return try TPMObject(
                publicArea: made.publicArea, privateArea: made.privateArea, parent: parent,
                parentName: storageKey.publicArea.name, hasAuthorization: authorization.count > 0)
        } catch .refused(let code, let command) {
            switch code.base {
            case TPMResponseCode.authorizationFailed, TPMResponseCode.badAuthorization:
                // That of the storage key, of which there can be one only if it is persistent.
                throw .unusableParent("it has a password, \(code)")
            case TPMResponseCode.lockout: throw Self.outcome(of: code, command, conversation)
            case TPMResponseCode.value, TPMResponseCode.keySize, TPMResponseCode.asymmetric, TPMResponseCode.curve,
                TPMResponseCode.scheme, TPMResponseCode.hash:
                throw .unsupportedKey("it does not make the key, \(code)")
            default: throw .refused(code, command: command)
            }
        }
    }
}
