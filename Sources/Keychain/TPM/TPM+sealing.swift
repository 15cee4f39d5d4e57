import Foundation

extension TPM {
    /// Seals a secret: afterwards only this TPM gives it back, and only for the same authorization value.
    ///
    /// Meant for a key that encrypts everything else. See ``TPMSealedBlob`` for why a change of PIN needs a new secret.
    ///
    /// - Parameters:
    ///   - secret: 1 to 128 bytes.
    ///   - authorization: The stretched PIN, at most 32 bytes. Empty for a secret that is bound to the machine only.
    /// - Throws: ``TPMError/invalidArgument(_:)`` for lengths outside of these.
    public func seal(
        _ secret: UnsafeRawBufferPointer, authorization: UnsafeRawBufferPointer
    ) throws(TPMError) -> TPMSealedBlob {
        guard (1...TPMLimits.longestSecret).contains(secret.count) else {
            throw .invalidArgument(
                "A TPM seals 1 to \(TPMLimits.longestSecret) bytes, not \(secret.count): seal a key and encrypt with that."
            )
        }
        let authorization = try Self.authorizationValue(authorization)
        let data = SensitiveBytes(joining: [secret])
        let template = PublicArea.sealedTemplate(hasAuthorization: authorization.count > 0)
        return try perform { (conversation) throws(TPMError) in
            try TPMSealedBlob(try create(template, authorization: authorization, data: data, in: conversation))
        }
    }

    /// Gives a sealed secret to `body` (Part 3, clause 12.7). The bytes are overwritten when `body` returns.
    ///
    /// - Throws: ``TPMError/wrongAuthorization(triesLeft:)``, ``TPMError/lockedOut(retryAfter:)``,
    ///   ``TPMError/foreignKey``, also for a blob that was damaged.
    public func unseal<Result: ~Copyable>(
        _ blob: TPMSealedBlob, authorization: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(TPMError) -> Result {
        let secret = try perform(with: blob.object, authorization: authorization) {
            (conversation, loaded, session, authorization) throws(TPMError) -> SensitiveBytes in
            let response = try conversation.execute(
                Command(code: .unseal, handles: [loaded.named], answersWithSecret: true),
                in: &session, authorization: authorization)
            guard let secret = response.secret, secret.count > 0, response.parameters.isEmpty else {
                throw .malformedResponse("Unseal: not a secret")
            }
            return secret
        }
        return withExtendedLifetime(secret) { body(secret.pointer) }
    }
}
