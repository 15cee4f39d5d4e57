import KeychainTypes

/// The key of a slot: what a passcode (and a chip) or a device's secret become.
struct SlotKey: Sendable {
    fileprivate let key: LockedBytes

    /// HKDF(inputs, salt: vault id ‖ slot id)
    fileprivate init(inputs: [LockedBytes], vaultID: [UInt8], slotID: [UInt8]) {
        key = HMACSHA256.derive(from: inputs, salt: vaultID + slotID, info: Array(VaultFormat.Label.slotKey.utf8))
    }

    func seal(_ classKeys: ClassKeys, vaultID: [UInt8], prefix: [UInt8]) -> [UInt8] {
        CommittedSeal.seal(
            classKeys.encoded(), under: [key], label: VaultFormat.Label.slotKeys, context: vaultID + prefix)
    }

    /// Nil when this is another passcode's key.
    func openClassKeys(of slot: VaultHeader.Slot, vaultID: [UInt8]) throws(KeychainError) -> ClassKeys? {
        switch CommittedSeal.open(
            slot.sealedKeys, under: [key], label: VaultFormat.Label.slotKeys, context: vaultID + slot.prefix)
        {
        case .opened(let keys): try ClassKeys(decoding: keys)
        // The commitment is bound to the slot's parameters too, so that changed ones look like a wrong passcode.
        case .wrongKey: nil
        case .damaged: throw .corrupted("the vault's keys were changed")
        }
    }

    func seal(_ privateKey: LockedBytes, of factorKey: VaultHeader.FactorKey, vaultID: [UInt8]) -> [UInt8] {
        CommittedSeal.seal(
            privateKey, under: [key], label: VaultFormat.Label.slotFactor, context: vaultID + factorKey.prefix)
    }

    /// The private half of a factor key that this slot opens, if it opens it.
    func openPrivateKey(
        of factorKey: VaultHeader.FactorKey, slotID: [UInt8], vaultID: [UInt8]
    ) throws(KeychainError) -> LockedBytes? {
        guard let wrap = factorKey.wraps.first(where: { $0.kind == .slot && $0.id == slotID }) else { return nil }
        let opening = CommittedSeal.open(
            wrap.sealedKey, under: [key], label: VaultFormat.Label.slotFactor, context: vaultID + factorKey.prefix)
        guard case .opened(let privateKey) = opening, privateKey.count == X25519.size else {
            throw .corrupted("a factor's key was changed")
        }
        return privateKey
    }
}

extension SlotKey {
    /// The key of an existing passcode slot. Costs what the slot's Argon2id costs.
    ///
    /// - Throws: ``KeychainError/authenticationFailed(triesLeft:)`` when a chip has already found the passcode wrong.
    static func passcode(
        _ passcode: LockedBytes, of slot: VaultHeader.Slot, vaultID: [UInt8], hardware: (any HardwareKeystore)?
    ) throws(KeychainError) -> SlotKey {
        let stretched = try Argon2id.derive(passcode, salt: slot.salt, slot.cost)
        var inputs = [stretched]
        if let sealed = slot.hardware {
            guard let hardware, Array(hardware.name.utf8) == sealed.keystore else {
                throw .factorUnavailable(
                    "the vault's key is sealed to a chip that this process has not configured")
            }
            inputs.append(try hardware.unseal(sealed.blob, authorization: authorization(stretched, vaultID)))
        }
        return SlotKey(inputs: inputs, vaultID: vaultID, slotID: slot.id)
    }

    /// A new slot for a new passcode, without its class keys.
    static func makePasscodeSlot(
        _ passcode: LockedBytes, vaultID: [UInt8], cost: KeyDerivation, hardware: (any HardwareKeystore)?
    ) throws(KeychainError) -> (slot: VaultHeader.Slot, key: SlotKey) {
        var slot = VaultHeader.Slot(
            id: Sodium.randomBytes(ItemID.size), kind: .passcode, cost: cost,
            salt: Sodium.randomBytes(Argon2id.saltSize), hardware: nil, sealedKeys: [])
        let stretched = try Argon2id.derive(passcode, salt: slot.salt, cost)
        var inputs = [stretched]
        if let hardware {
            let secret = LockedBytes.random(32)
            let blob = try hardware.seal(secret, authorization: authorization(stretched, vaultID))
            guard (1...VaultFormat.hardwareBlobLimit).contains(blob.count), (1...32).contains(hardware.name.utf8.count)
            else { throw .unsupported("the hardware keystore's blob is larger than the vault holds") }
            slot.hardware = .init(keystore: Array(hardware.name.utf8), blob: blob)
            inputs.append(secret)
        }
        return (slot, SlotKey(inputs: inputs, vaultID: vaultID, slotID: slot.id))
    }

    static func device(_ secret: LockedBytes, slotID: [UInt8], vaultID: [UInt8]) -> SlotKey {
        SlotKey(inputs: [secret], vaultID: vaultID, slotID: slotID)
    }

    static func makeDeviceSlot(
        _ secret: LockedBytes, vaultID: [UInt8]
    ) -> (slot: VaultHeader.Slot, key: SlotKey) {
        let slot = VaultHeader.Slot(
            id: Sodium.randomBytes(ItemID.size), kind: .device, cost: .stored(operations: 0, memory: 0),
            salt: [UInt8](repeating: 0, count: Argon2id.saltSize), hardware: nil, sealedKeys: [])
        return (slot, device(secret, slotID: slot.id, vaultID: vaultID))
    }

    private static func authorization(_ stretched: LockedBytes, _ vaultID: [UInt8]) -> LockedBytes {
        HMACSHA256.derive(
            from: [stretched], salt: vaultID, info: Array(VaultFormat.Label.hardwareAuthorization.utf8))
    }
}

extension VaultHeader.FactorKey {
    /// A new key pair for a factor, not wrapped yet.
    static func make(_ role: Role, boundTo enrolment: [UInt8]?) -> (key: Self, privateKey: LockedBytes) {
        let pair = X25519.generate()
        let key = Self(
            id: Sodium.randomBytes(ItemID.size), role: role, boundTo: enrolment, publicKey: pair.publicKey, wraps: [])
        return (key, pair.privateKey)
    }

    mutating func wrap(_ privateKey: LockedBytes, by key: SlotKey, slotID: [UInt8], vaultID: [UInt8]) {
        wraps.removeAll { $0.kind == .slot }
        wraps.insert(
            Wrap(kind: .slot, id: slotID, sealedKey: key.seal(privateKey, of: self, vaultID: vaultID)), at: 0)
    }

    /// - Parameter material: What the security key yields for the enrolment's salt.
    mutating func wrap(
        _ privateKey: LockedBytes, material: LockedBytes, enrolment: VaultHeader.Enrolment, vaultID: [UInt8]
    ) {
        let sealed = CommittedSeal.seal(
            privateKey, under: [material], label: VaultFormat.Label.enrolmentFactor,
            context: vaultID + prefix + enrolment.id)
        wraps.removeAll { $0.kind == .enrolment && $0.id == enrolment.id }
        wraps.append(Wrap(kind: .enrolment, id: enrolment.id, sealedKey: sealed))
    }

    /// Nil when the enrolment does not open this key.
    func openPrivateKey(
        material: LockedBytes, enrolment: VaultHeader.Enrolment, vaultID: [UInt8]
    ) throws(KeychainError) -> LockedBytes? {
        guard let wrap = wraps.first(where: { $0.kind == .enrolment && $0.id == enrolment.id }) else { return nil }
        let opening = CommittedSeal.open(
            wrap.sealedKey, under: [material], label: VaultFormat.Label.enrolmentFactor,
            context: vaultID + prefix + enrolment.id)
        switch opening {
        case .opened(let key) where key.count == X25519.size: return key
        case .wrongKey: throw .authenticationFailed(triesLeft: nil)
        default: throw .corrupted("a factor's key was changed")
        }
    }
}
