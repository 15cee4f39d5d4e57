public import KeychainTypes

extension Vault {
    /// Asks for the passcode, then for a new one; sets a first passcode where there is none. Every key changes, but the
    /// items' own and the factors'.
    ///
    /// A copy of the file from before opens with the old passcode for ever: a copy elsewhere cannot be changed. The
    /// previous generation beside the vault is removed.
    public func changePasscode(context: AuthenticationContext? = nil) throws(KeychainError) {
        let old = try openSlot(.passcode, context)
        let passcode = try Self.newPasscode(configuration, context, prompts)
        try rekey(old, passcode)
    }

    /// Asks for the passcode and removes it. What needs one is destroyed with its keys: items readable "when passcode
    /// set", and items that ask for a factor. The rest is protected by the files' modes alone.
    public func removePasscode(context: AuthenticationContext? = nil) throws(KeychainError) {
        guard hasPasscode else { throw .passcodeNotSet }
        let old = try openSlot(.passcode, context)
        try rekey(old, nil)
        configuration.log("\(directory.path): the passcode was removed; any reader of the files can read the items")
    }

    private func rekey(
        _ old: (keys: OpenKeys, slotKey: SlotKey?), _ passcode: LockedBytes?
    ) throws(KeychainError) {
        let isPasscode = passcode != nil
        // Argon2id is slow, so it runs without the lock.
        var prepared: (slot: VaultHeader.Slot, key: SlotKey)?
        if isPasscode { prepared = try Self.makeSlot(passcode, configuration, directory, vaultID: vaultID) }
        let keys = try exclusively { () throws(KeychainError) in
            let (bytes, _) = try readFile()
            var image = try load(bytes, old.keys, reusing: nil)
            // A device's key only now that the slots are known to be the ones that were opened: it may be in use.
            if prepared == nil { prepared = try Self.makeSlot(nil, configuration, directory, vaultID: vaultID) }
            guard let (slot, slotKey) = prepared else { throw .locked }
            let classKeys = ClassKeys.random(withPasscode: isPasscode, lookup: old.keys.classes[.lookup])
            let keys = try OpenKeys(classKeys, vaultID: vaultID, slots: [slot.id])
            if isPasscode {
                try rewrapFactorKeys(&image.header, old.slotKey, slot, slotKey)
            } else {
                let doomed = image.order.filter { id in
                    guard let access = image[id]?.record.binding.access else { return false }
                    return access.accessibility == .whenPasscodeSetThisDeviceOnly
                        || !access.constraints.isDisjoint(with: .factors)
                }
                image.remove(Set(doomed))
                image.header.factorKeys = []
                image.header.enrolments = []
            }
            for id in image.order {
                guard let entry = image[id] else { continue }
                image.put(try rewrap(entry, from: old.keys, to: keys))
            }
            var sealed = slot
            sealed.sealedKeys = slotKey.seal(classKeys, vaultID: vaultID, prefix: slot.prefix)
            image.header.slots = [sealed]
            dropInvalidItems(&image, keys)
            try commit(image, keys, takingKeys: true)
            // The generation before opens with the old passcode, and has what was destroyed.
            try directory.removeBackup()
            if isPasscode { try directory.remove(VaultDirectory.File.deviceKey) }
            return keys
        }
        try ledger.adopt(keys, resetting: false)
    }

    private func rewrapFactorKeys(
        _ header: inout VaultHeader, _ oldKey: SlotKey?, _ slot: VaultHeader.Slot, _ slotKey: SlotKey
    ) throws(KeychainError) {
        guard let oldKey, let oldSlot = header.passcodeSlot else {
            var (key, privateKey) = VaultHeader.FactorKey.make(.passcode, boundTo: nil)
            key.wrap(privateKey, by: slotKey, slotID: slot.id, vaultID: vaultID)
            header.factorKeys = [key]
            return
        }
        for index in header.factorKeys.indices {
            let privateKey = try oldKey.openPrivateKey(
                of: header.factorKeys[index], slotID: oldSlot.id, vaultID: vaultID)
            // Keys that are bound to an enrolment were never the passcode's.
            guard let privateKey else { continue }
            header.factorKeys[index].wrap(privateKey, by: slotKey, slotID: slot.id, vaultID: vaultID)
        }
    }

    private func rewrap(
        _ entry: VaultImage.Entry, from old: OpenKeys, to new: OpenKeys
    ) throws(KeychainError) -> VaultImage.Entry {
        guard let metadata = entry.metadata else { return entry }
        var record = entry.record
        let accessibility = record.binding.access.accessibility
        let (from, to) = (try old.classKey(accessibility), try new.classKey(accessibility))
        record.alternatives = []
        for alternative in entry.record.alternatives {
            record.alternatives.append(
                try ItemSealing.rewrap(alternative, of: entry.record, vaultID: vaultID, from: from, to: to))
        }
        record.sealedMetadata = try ItemSealing.seal(
            metadata, binding: record.binding, vaultID: vaultID, key: new.metadata)
        return VaultImage.Entry(record, metadata: metadata)
    }
}
