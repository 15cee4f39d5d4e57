extension AttestationStatement {
    /// Section 8.6: what authenticators of U2F sign, put together anew. The AAGUID is not part of it.
    @Sendable static func verifyFIDOU2F(_ statement: AttestationStatement) throws(AttestationFault) -> Basis {
        let signature = try statement.bytes("sig")
        let chain = try statement.certificates()
        guard chain.count == 1, case .p256(let key)? = chain[0].key else { throw .certificateRequirements }
        guard statement.key.algorithm == .es256, let point = statement.fields.point else {
            throw .unsupportedAlgorithm
        }
        // U2F knows no verification of users and no counter yet: CTAP 2.1, section 7.1.4, has these flags and a counter of zero.
        // Neither is signed, so that nothing else may be claimed.
        guard statement.data.flags == [.userPresent, .attestedCredential], statement.data.signCount == 0 else {
            throw .malformedStatement
        }
        let signed =
            [0x00] + statement.data.rpIDHash + statement.clientDataHash + statement.credential.id + [0x04] + point.x
            + point.y
        guard VerificationKey.p256(key).isValid(signature, over: signed, by: .es256) else { throw .invalidSignature }
        return .certificates(chain)
    }
}
