extension PublicArea {
    /// What every object has that never leaves its TPM and is used by its authorization value.
    private static let bound: ObjectAttributes = [.fixedTPM, .fixedParent, .userWithAuth]

    /// The storage key of the owner hierarchy, in the form that tpm2-tools, the OpenSSL providers and ssh-tpm-agent
    /// derive as well. It has no authorization value and is not locked out by other people's wrong ones.
    static let storageTemplate = PublicArea(
        attributes: bound.union([.sensitiveDataOrigin, .noDictionaryAttackProtection, .restricted, .decrypt]),
        kind: .storage(x: [], y: []))

    /// A key that only signs. With a PIN, wrong ones are counted; without, there is nothing to guess, and a lockout
    /// that others have caused must not stop it.
    static func signingTemplate(_ kind: TPMKeyKind, hasAuthorization: Bool) -> PublicArea {
        var attributes = bound.union([.sensitiveDataOrigin, .sign])
        if !hasAuthorization { attributes.insert(.noDictionaryAttackProtection) }
        return PublicArea(
            attributes: attributes,
            kind: kind.rsaBits.map { .rsaSigning(bits: $0, exponent: 0, modulus: []) } ?? .eccSigning(x: [], y: []))
    }

    /// An object that holds a secret; lockout as for keys.
    static func sealedTemplate(hasAuthorization: Bool) -> PublicArea {
        var attributes = bound
        if !hasAuthorization { attributes.insert(.noDictionaryAttackProtection) }
        return PublicArea(attributes: attributes, kind: .sealedData(unique: []))
    }
}
