import Foundation
public import KeychainTypes

extension Vault {
    /// Stores an item. Prompts only for the application password of an item that has one, if the context does not
    /// supply it.
    ///
    /// - Throws: ``KeychainError/duplicateItem``; ``KeychainError/factorUnavailable(_:)`` or
    ///   ``KeychainError/passcodeNotSet`` where the access control asks for what is not there;
    ///   ``KeychainError/locked``; ``KeychainError/io(operation:errno:)`` where a write fails. Nothing was added then,
    ///   unless the operation is `syncDirectory`: other processes see the item, but a loss of power may still undo the
    ///   write. Adding it again answers ``KeychainError/duplicateItem``; any later write that succeeds makes it
    ///   durable. So it is with every call that writes.
    @discardableResult
    public func add(_ item: NewItem, context: AuthenticationContext? = nil) throws(KeychainError) -> ItemID {
        try add([item], context: context)[0]
    }

    /// Stores several items in one write: all or none.
    @discardableResult
    public func add(
        _ items: [NewItem], context: AuthenticationContext? = nil
    ) throws(KeychainError) -> [ItemID] {
        guard !items.isEmpty else { return [] }
        for item in items { try item.check() }
        return try add(items.map { .init(item: $0, isHardwareBound: false) }, context: context)
    }

    struct Addition {
        let item: NewItem
        let isHardwareBound: Bool
    }

    func add(_ additions: [Addition], context: AuthenticationContext?) throws(KeychainError) -> [ItemID] {
        try context?.checkValid()
        var password: LockedBytes?
        var passwords: [PasswordKey?] = []
        for addition in additions {
            guard addition.item.access.constraints.contains(.applicationPassword) else {
                passwords.append(nil)
                continue
            }
            if password == nil { password = try newApplicationPassword(context) }
            if let password { passwords.append(try makePasswordKey(password)) }
        }
        return try write { image, keys throws(KeychainError) in
            let now = configuration.clock.wall()
            var stale: Set<[UInt8]>?
            var ids: [ItemID] = []
            for (addition, password) in zip(additions, passwords) {
                let item = addition.item
                let tag = keys.tag(ofUniqueKey: item.uniqueKey, itemClass: item.itemClass)
                if let id = image.id(ofUniqueKeyTag: tag), let other = image[id]?.record {
                    let gone = stale ?? staleEnrolments(image.header, keys)
                    stale = gone
                    guard !isAlive(other, image.header, stale: gone) else { throw .duplicateItem }
                    image.remove([id])
                }
                let binding = VaultRecord.Binding(
                    id: .random(), itemClass: item.itemClass, uniqueKeyTag: tag, access: item.access,
                    isHardwareBound: addition.isHardwareBound)
                let metadata = ItemMetadata(created: now, modified: now, attributes: item.attributes)
                let entry = try seal(
                    item.secret, binding, metadata, password, image.header, keys)
                image.put(entry)
                ids.append(binding.id)
            }
            return ids
        }
    }

    /// The items of a class that `matching` accepts, in the order of their addition. Never prompts; what can never be
    /// opened again is not among them.
    public func items(
        ofClass itemClass: String, matching: @Sendable (ItemAttributes, VaultItem) -> Bool = { _, _ in true }
    ) throws(KeychainError) -> [VaultItem] {
        let now = try current()
        let stale = staleEnrolments(now.image.header, now.keys)
        var found: [VaultItem] = []
        for id in now.image.order {
            guard let entry = now.image[id], entry.record.binding.itemClass == itemClass,
                let item = VaultItem(entry), isAlive(entry.record, now.image.header, stale: stale),
                matching(item.attributes, item)
            else { continue }
            found.append(item)
        }
        return found
    }

    /// One item by its identity. Never prompts.
    ///
    /// - Throws: ``KeychainError/itemNotFound``.
    public func item(_ id: ItemID) throws(KeychainError) -> VaultItem {
        let now = try current()
        guard let item = VaultItem(try entry(id, now)) else { throw .itemNotFound }
        return item
    }

    /// One item by its primary key: at once, however many items there are. Nil when there is none. Never prompts.
    public func item(ofClass itemClass: String, uniqueKey: [UInt8]) throws(KeychainError) -> VaultItem? {
        let now = try current()
        let tag = now.keys.tag(ofUniqueKey: uniqueKey, itemClass: itemClass)
        guard let id = now.image.id(ofUniqueKeyTag: tag), let entry = now.image[id],
            isAlive(entry.record, now.image.header, stale: staleEnrolments(now.image.header, now.keys))
        else { return nil }
        return VaultItem(entry)
    }

    /// Gives out an item's secret after asking for what its access control wants.
    ///
    /// - Throws: ``KeychainError/unsupported(_:)`` for a key that is for use only (`privateKeyUsage`).
    public func read(_ id: ItemID, context: AuthenticationContext? = nil) throws(KeychainError) -> LockedBytes {
        try open(id, context) { record throws(KeychainError) in
            guard record.binding.purpose == .decrypt, !record.binding.isHardwareBound else {
                throw .unsupported("the key is for use only: its bytes are not given out")
            }
        }
    }

    /// Lends an item's secret to `body` after asking for what its access control wants. It is wiped afterwards unless
    /// `body` keeps a reference.
    public func use<R>(
        _ id: ItemID, context: AuthenticationContext? = nil, _ body: (LockedBytes) throws -> R
    ) throws -> R {
        try body(
            open(id, context) { record throws(KeychainError) in
                guard !record.binding.isHardwareBound else {
                    throw .unsupported("the key never leaves its chip: sign with sign(_:digest:context:)")
                }
            })
    }

    func open(
        _ id: ItemID, _ context: AuthenticationContext?, _ check: (VaultRecord) throws(KeychainError) -> Void
    ) throws(KeychainError) -> LockedBytes {
        try context?.checkValid()
        let now = try current()
        let record = try entry(id, now).record
        try check(record)
        let opened = try openItemKey(of: record, now, context)
        return try ItemSealing.openSecret(of: record, vaultID: vaultID, itemKey: opened.itemKey)
    }

    /// Changes an item. Asks for what its access control wants, as the system does.
    ///
    /// - Throws: ``KeychainError/duplicateItem`` when the new primary key is another item's.
    public func update(
        _ id: ItemID, with change: ItemChange, context: AuthenticationContext? = nil
    ) throws(KeychainError) {
        try context?.checkValid()
        try change.check()
        for _ in 0..<5 {
            let before = try current()
            let old = try entry(id, before).record
            let access = change.access ?? old.binding.access
            let reseals = change.secret != nil || change.access != nil || change.uniqueKey != nil
            if old.binding.isHardwareBound && change.secret != nil {
                throw .parameter("a key in a chip cannot be given other bytes")
            }
            var opened: OpenedKey?
            if reseals || old.binding.access.asksForFactor { opened = try openItemKey(of: old, before, context) }
            var secret = change.secret
            if reseals, secret == nil, let opened {
                secret = try ItemSealing.openSecret(of: old, vaultID: vaultID, itemKey: opened.itemKey)
            }
            var password: PasswordKey?
            if reseals && access.constraints.contains(.applicationPassword) {
                password = opened?.password
                if password == nil { password = try makePasswordKey(newApplicationPassword(context)) }
            }
            let isDone = try write { image, keys throws(KeychainError) in
                guard let entry = image[id] else { throw .itemNotFound }
                // The item was changed since it was opened: the factors shown do not open its present state.
                guard entry.record.alternatives == old.alternatives, entry.record.binding == old.binding,
                    var metadata = entry.metadata
                else { return false }
                var binding = old.binding
                binding.access = access
                if let uniqueKey = change.uniqueKey {
                    binding.uniqueKeyTag = keys.tag(ofUniqueKey: uniqueKey, itemClass: binding.itemClass)
                    if let other = image.id(ofUniqueKeyTag: binding.uniqueKeyTag), other != id,
                        let record = image[other]?.record
                    {
                        let stale = staleEnrolments(image.header, keys)
                        guard !isAlive(record, image.header, stale: stale) else { throw .duplicateItem }
                        image.remove([other])
                    }
                }
                metadata.attributes = change.attributes ?? metadata.attributes
                metadata.modified = configuration.clock.wall()
                if reseals, let secret {
                    image.put(try seal(secret, binding, metadata, password, image.header, keys))
                } else {
                    var record = entry.record
                    record.sealedMetadata = try ItemSealing.seal(
                        metadata, binding: binding, vaultID: vaultID, key: keys.metadata)
                    image.put(VaultImage.Entry(record, metadata: metadata))
                }
                return true
            }
            if isDone { return }
        }
        throw .notAvailable("other processes change the item all the time; try again")
    }

    /// Removes items. Never asks.
    ///
    /// - Throws: ``KeychainError/itemNotFound`` when none of them is there.
    public func delete(_ ids: [ItemID]) throws(KeychainError) {
        try write { image, keys throws(KeychainError) in
            let stale = staleEnrolments(image.header, keys)
            let found = ids.filter { id in
                image[id].map { isAlive($0.record, image.header, stale: stale) } ?? false
            }
            guard !found.isEmpty else { throw .itemNotFound }
            image.remove(Set(found))
        }
    }

    // MARK: Sealing and opening

    func entry(_ id: ItemID, _ now: Snapshot) throws(KeychainError) -> VaultImage.Entry {
        guard let entry = now.image[id],
            isAlive(entry.record, now.image.header, stale: staleEnrolments(now.image.header, now.keys))
        else { throw .itemNotFound }
        return entry
    }

    private func seal(
        _ secret: LockedBytes, _ binding: VaultRecord.Binding, _ metadata: ItemMetadata, _ password: PasswordKey?,
        _ header: VaultHeader, _ keys: OpenKeys
    ) throws(KeychainError) -> VaultImage.Entry {
        let recipients = try recipients(for: binding.access, header, keys)
        let sealed = try ItemSealing.seal(
            secret, binding: binding, vaultID: vaultID, classKey: keys.classKey(binding.access.accessibility),
            alternatives: recipients, password: password.map { ($0.derivation, $0.key) })
        let record = VaultRecord(
            binding: binding,
            sealedMetadata: try ItemSealing.seal(metadata, binding: binding, vaultID: vaultID, key: keys.metadata),
            password: password?.derivation, alternatives: sealed.alternatives, sealedSecret: sealed.sealedSecret)
        return VaultImage.Entry(record, metadata: metadata)
    }

    struct OpenedKey {
        let itemKey: LockedBytes
        let password: PasswordKey?
    }

    struct PasswordKey {
        let derivation: VaultRecord.PasswordDerivation
        let key: LockedBytes
    }

    /// An item's own key, by the first of its alternatives whose factors can be had: those that the context still has
    /// come first, then security keys, then the passcode.
    func openItemKey(
        of record: VaultRecord, _ now: Snapshot, _ context: AuthenticationContext?
    ) throws(KeychainError) -> OpenedKey {
        let header = now.image.header
        let access = record.binding.access
        let classKey = try now.keys.classKey(access.accessibility)
        let session = FactorSession(self, context, now)
        var candidates: [(alternative: VaultRecord.Alternative, recipients: ItemSealing.Recipients, rank: Int)] = []
        for alternative in record.alternatives {
            let recipients = alternative.recipients.compactMap { id in header.factorKeys.first { $0.id == id } }
            guard recipients.count == alternative.recipients.count else { continue }
            let rank =
                if recipients.allSatisfy(session.isKept) {
                    0
                } else if recipients.contains(where: {
                    $0.role == .passcode
                }) {
                    2
                } else { 1 }
            candidates.append((alternative, recipients, rank))
        }
        var reason = KeychainError.itemNotFound
        for (alternative, recipients, _) in candidates.sorted(by: { $0.rank < $1.rank }) {
            if isMapped(recipients, access) {
                guard configuration.mapsBiometryToPasscode else {
                    reason = .factorUnavailable("the item was sealed with the passcode in place of biometry")
                    continue
                }
                configuration.log("an item that asks for biometry is opened by the passcode")
            }
            do throws(KeychainError) {
                var privateKeys: [LockedBytes] = []
                for recipient in recipients { privateKeys.append(try session.privateKey(of: recipient)) }
                let outer = try ItemSealing.openOuter(
                    alternative, of: record, vaultID: vaultID, classKey: classKey)
                func inner(_ passwordKey: LockedBytes?) throws(KeychainError) -> LockedBytes? {
                    try ItemSealing.openInner(
                        outer, alternative, of: record, vaultID: vaultID, privateKeys: privateKeys,
                        publicKeys: recipients.map(\.publicKey), passwordKey: passwordKey)
                }
                guard let derivation = record.password else {
                    guard let key = try inner(nil) else { throw .corrupted("an item's key was changed") }
                    return OpenedKey(itemKey: key, password: nil)
                }
                return try openWithPassword(derivation, now, context, inner)
            } catch {
                // A factor that is not there leaves the other ways; a person's answer is an answer.
                guard case .factorUnavailable = error else { throw error }
                reason = error
            }
        }
        throw reason
    }

    private func openWithPassword(
        _ derivation: VaultRecord.PasswordDerivation, _ now: Snapshot, _ context: AuthenticationContext?,
        _ inner: (LockedBytes?) throws(KeychainError) -> LockedBytes?
    ) throws(KeychainError) -> OpenedKey {
        let supplied = context?.applicationPassword
        if supplied == nil { try checkMayAskForPassword(context) }
        return try askCounting(
            .applicationPassword(isNew: false), .applicationPassword, context, supplied: supplied,
            onWrong: { context?.drop(applicationPassword: $0) }
        ) { password throws(KeychainError) in
            let key = try Argon2id.derive(password, salt: derivation.salt, derivation.cost)
            guard let itemKey = try inner(key) else { return nil }
            return (OpenedKey(itemKey: itemKey, password: PasswordKey(derivation: derivation, key: key)), now.keys)
        }
    }

    private func newApplicationPassword(_ context: AuthenticationContext?) throws(KeychainError) -> LockedBytes {
        if let supplied = context?.applicationPassword { return supplied }
        try checkMayAskForPassword(context)
        let password = try ask(.applicationPassword(isNew: true), context)
        guard password.count > 0 else { throw .parameter("an application password has at least one character") }
        return password
    }

    /// A provider of stored credentials has the vault's passcode, and no application's password.
    private func checkMayAskForPassword(_ context: AuthenticationContext?) throws(KeychainError) {
        guard configuration.presence.asksPerson, context?.interactionAllowed ?? true else {
            throw .interactionNotAllowed
        }
    }

    private func makePasswordKey(_ password: LockedBytes) throws(KeychainError) -> PasswordKey {
        let derivation = VaultRecord.PasswordDerivation(
            cost: configuration.keyDerivation, salt: Sodium.randomBytes(Argon2id.saltSize))
        return PasswordKey(
            derivation: derivation, key: try Argon2id.derive(password, salt: derivation.salt, derivation.cost))
    }
}

extension VaultItem {
    init?(_ entry: VaultImage.Entry) {
        guard let metadata = entry.metadata else { return nil }
        let binding = entry.record.binding
        self.init(
            id: binding.id, itemClass: binding.itemClass, attributes: metadata.attributes, access: binding.access,
            created: metadata.created, modified: metadata.modified, isHardwareBound: binding.isHardwareBound)
    }
}

extension NewItem {
    func check() throws(KeychainError) {
        guard (1...16).contains(itemClass.utf8.count) else { throw .parameter("an item's class has 1 to 16 bytes") }
        try secret.checkSize()
    }
}

extension ItemChange {
    fileprivate func check() throws(KeychainError) { try secret?.checkSize() }
}

extension LockedBytes {
    fileprivate func checkSize() throws(KeychainError) {
        guard count <= VaultFormat.secretLimit else {
            throw .parameter("a secret has at most \(VaultFormat.secretLimit >> 20) MiB")
        }
    }
}
