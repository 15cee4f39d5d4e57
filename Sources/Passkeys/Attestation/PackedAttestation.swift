extension AttestationStatement {
    /// Section 8.2: signed by a certificate's key, or by the credential's own.
    @Sendable static func verifyPacked(_ statement: AttestationStatement) throws(AttestationFault) -> Basis {
        let algorithm = try statement.algorithm()
        let signature = try statement.bytes("sig")
        guard statement.object.statement["x5c"] != nil else {
            guard algorithm == statement.key.algorithm else { throw .unsupportedAlgorithm }
            guard statement.key.key.isValid(signature, over: statement.signedBytes, by: algorithm) else {
                throw .invalidSignature
            }
            return .ownKey
        }
        let chain = try statement.certificates()
        let leaf = chain[0]
        guard let key = leaf.key, key.isValid(signature, over: statement.signedBytes, by: algorithm) else {
            throw .invalidSignature
        }
        // Section 8.2.1.
        guard leaf.isVersion3, leaf.isAuthority == false, leaf.has(.countryName), leaf.has(.organizationName),
            leaf.has(.commonName),
            leaf.subject.filter({ $0.type == .organizationalUnitName }).map(\.text)
                == ["Authenticator Attestation"]
        else { throw .certificateRequirements }
        try statement.checkAAGUID(of: leaf)
        return .certificates(chain)
    }
}
