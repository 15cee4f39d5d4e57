import KeychainTypes

/// An item's own key and the ways to it. The secret is sealed under the item's key; the item's key is sealed for the
/// factors that the access control asks for, and that once more under the class key: without one of them nothing opens.
/// The class key is on the outside, so that a new passcode can change it without asking for every factor.
enum ItemSealing {
    /// The factors that must agree, as one alternative: factor keys, ascending by id.
    typealias Recipients = [VaultHeader.FactorKey]

    /// A new key, wrapped once for each of `alternatives`, and the secret under it.
    static func seal(
        _ secret: LockedBytes, binding: VaultRecord.Binding, vaultID: [UInt8], classKey: LockedBytes,
        alternatives: [Recipients], password: (derivation: VaultRecord.PasswordDerivation, key: LockedBytes)?
    ) throws(KeychainError) -> (alternatives: [VaultRecord.Alternative], sealedSecret: [UInt8]) {
        let itemKey = LockedBytes.random(AESGCM.keySize)
        var wrapped: [VaultRecord.Alternative] = []
        for recipients in alternatives {
            let recipients = recipients.sorted { $0.id.lexicographicallyPrecedes($1.id) }
            var alternative = VaultRecord.Alternative(
                ephemeral: [], recipients: recipients.map(\.id), sealedKey: [])
            var inputs: [LockedBytes] = []
            if !recipients.isEmpty {
                let ephemeral = X25519.generate()
                alternative.ephemeral = ephemeral.publicKey
                for recipient in recipients {
                    guard let shared = X25519.sharedSecret(ephemeral.privateKey, recipient.publicKey) else {
                        throw .corrupted("a factor's public key is not usable")
                    }
                    inputs.append(shared)
                }
            }
            if let password { inputs.append(password.key) }
            let context = Self.context(alternative, binding, vaultID, password?.derivation)
            var key: LockedBytes = itemKey
            if !inputs.isEmpty {
                let inner = CommittedSeal.seal(
                    itemKey, under: inputs, label: VaultFormat.Label.itemInner,
                    context: context + recipients.flatMap(\.publicKey))
                key = LockedBytes(inner)
            }
            alternative.sealedKey = CommittedSeal.seal(
                key, under: [classKey], label: VaultFormat.Label.itemOuter, context: context)
            wrapped.append(alternative)
        }
        let sealedSecret = AESGCM.seal(secret, key: itemKey, authenticating: secretContext(binding, vaultID))
        return (wrapped, sealedSecret)
    }

    /// The outer layer: the item's key itself without factors and password, else the inner layer's sealed text.
    static func openOuter(
        _ alternative: VaultRecord.Alternative, of record: VaultRecord, vaultID: [UInt8], classKey: LockedBytes
    ) throws(KeychainError) -> LockedBytes {
        let opening = CommittedSeal.open(
            alternative.sealedKey, under: [classKey], label: VaultFormat.Label.itemOuter,
            context: context(alternative, record.binding, vaultID, record.password))
        guard case .opened(let inner) = opening else { throw .corrupted("an item's key was changed") }
        return inner
    }

    /// The same alternative with its outer layer under another class key.
    static func rewrap(
        _ alternative: VaultRecord.Alternative, of record: VaultRecord, vaultID: [UInt8], from old: LockedBytes,
        to new: LockedBytes
    ) throws(KeychainError) -> VaultRecord.Alternative {
        let inner = try openOuter(alternative, of: record, vaultID: vaultID, classKey: old)
        var alternative = alternative
        alternative.sealedKey = CommittedSeal.seal(
            inner, under: [new], label: VaultFormat.Label.itemOuter,
            context: context(alternative, record.binding, vaultID, record.password))
        return alternative
    }

    /// The inner layer. Nil when one of the keys is wrong, which can only be the password.
    static func openInner(
        _ inner: LockedBytes, _ alternative: VaultRecord.Alternative, of record: VaultRecord, vaultID: [UInt8],
        privateKeys: [LockedBytes], publicKeys: [[UInt8]], passwordKey: LockedBytes?
    ) throws(KeychainError) -> LockedBytes? {
        var inputs: [LockedBytes] = []
        for key in privateKeys {
            guard let shared = X25519.sharedSecret(key, alternative.ephemeral) else {
                throw .corrupted("an item's key was changed")
            }
            inputs.append(shared)
        }
        if let passwordKey { inputs.append(passwordKey) }
        guard !inputs.isEmpty else { return inner }
        let opening = CommittedSeal.open(
            inner.withBytes { Array($0) }, under: inputs, label: VaultFormat.Label.itemInner,
            context: context(alternative, record.binding, vaultID, record.password) + publicKeys.flatMap { $0 })
        switch opening {
        case .opened(let key): return key
        case .wrongKey where passwordKey != nil: return nil
        default: throw .corrupted("an item's key was changed")
        }
    }

    static func openSecret(
        of record: VaultRecord, vaultID: [UInt8], itemKey: LockedBytes
    ) throws(KeychainError) -> LockedBytes {
        guard itemKey.count == AESGCM.keySize,
            let secret = AESGCM.open(
                record.sealedSecret, key: itemKey, authenticating: secretContext(record.binding, vaultID))
        else { throw .corrupted("an item's secret was changed") }
        return secret
    }

    static func seal(
        _ metadata: ItemMetadata, binding: VaultRecord.Binding, vaultID: [UInt8], key: LockedBytes
    ) throws(KeychainError) -> [UInt8] {
        let encoded = try metadata.encoded()
        return encoded.withUnsafeBytes { encoded in
            key.withBytes { AESGCM.seal(encoded, key: $0, authenticating: metadataContext(binding, vaultID)) }
        }
    }

    static func openMetadata(
        of record: VaultRecord, vaultID: [UInt8], key: LockedBytes
    ) throws(KeychainError) -> ItemMetadata {
        guard
            let bytes = AESGCM.openOrdinary(
                record.sealedMetadata, key: key, authenticating: metadataContext(record.binding, vaultID))
        else { throw .corrupted("an item's attributes were changed") }
        return try ItemMetadata(decoding: bytes)
    }

    private static func context(
        _ alternative: VaultRecord.Alternative, _ binding: VaultRecord.Binding, _ vaultID: [UInt8],
        _ password: VaultRecord.PasswordDerivation?
    ) -> [UInt8] {
        vaultID + binding.encoded + [password == nil ? 0 : 1] + (password?.encoded ?? []) + alternative.prefix
    }

    private static func secretContext(_ binding: VaultRecord.Binding, _ vaultID: [UInt8]) -> [UInt8] {
        VaultFormat.context(VaultFormat.Label.itemSecret, vaultID, binding.encoded)
    }

    private static func metadataContext(_ binding: VaultRecord.Binding, _ vaultID: [UInt8]) -> [UInt8] {
        VaultFormat.context(VaultFormat.Label.itemMetadata, vaultID, binding.encoded)
    }
}
