import KeychainTypes
import Synchronization

/// The keys of the header that one operation has obtained from their factors; each factor is asked once.
final class FactorSession {
    private let vault: Vault
    private let context: AuthenticationContext?
    private let snapshot: Vault.Snapshot
    private var slotKey: SlotKey?
    private var materials: [SecurityKeyRole: (LockedBytes, VaultHeader.Enrolment)] = [:]

    init(_ vault: Vault, _ context: AuthenticationContext?, _ snapshot: Vault.Snapshot) {
        self.vault = vault
        self.context = context
        self.snapshot = snapshot
    }

    private var header: VaultHeader { snapshot.image.header }

    /// Whether the context still has the key from a moment ago.
    func isKept(_ key: VaultHeader.FactorKey) -> Bool { context?.key(of: key.id, vault: vault.vaultID) != nil }

    /// The private half of `key`: kept by the context, or from the factor.
    func privateKey(of key: VaultHeader.FactorKey) throws(KeychainError) -> LockedBytes {
        try context?.checkValid()
        if let kept = context?.key(of: key.id, vault: vault.vaultID) { return kept }
        // A stored credential does not prove a user's presence (docs/keychain-presence.md).
        guard vault.configuration.presence.asksPerson, context?.interactionAllowed ?? true else {
            throw .interactionNotAllowed
        }
        let privateKey: LockedBytes
        switch key.role {
        case .passcode: privateKey = try fromPasscode(key)
        case .biometry: privateKey = try fromSecurityKey(.biometry, key)
        case .companion: privateKey = try fromSecurityKey(.companion, key)
        }
        vault.keep(privateKey, of: key, in: context, since: snapshot)
        return privateKey
    }

    private func fromPasscode(_ key: VaultHeader.FactorKey) throws(KeychainError) -> LockedBytes {
        if slotKey == nil {
            let opened = try vault.openSlot(.passcode, context)
            // Another passcode since the item was looked up: nothing of the snapshot can be opened.
            guard opened.keys.slots == snapshot.keys.slots else { throw .locked }
            slotKey = opened.slotKey
        }
        guard let slotKey, let slot = header.passcodeSlot else { throw .passcodeNotSet }
        guard let privateKey = try slotKey.openPrivateKey(of: key, slotID: slot.id, vaultID: vault.vaultID) else {
            throw .corrupted("the passcode does not open its own factor key")
        }
        return privateKey
    }

    private func fromSecurityKey(
        _ role: SecurityKeyRole, _ key: VaultHeader.FactorKey
    ) throws(KeychainError) -> LockedBytes {
        if materials[role] == nil {
            let factor = try vault.factor(role)
            guard let enrolment = try vault.currentEnrolment(of: factor, header, snapshot.keys) else {
                throw .factorUnavailable("the security key was set up anew: unlock the vault to make it known")
            }
            materials[role] = (try vault.material(of: factor, salt: enrolment.salt, context), enrolment)
        }
        guard let (material, enrolment) = materials[role],
            let privateKey = try key.openPrivateKey(
                material: material, enrolment: enrolment, vaultID: vault.vaultID)
        else { throw .factorUnavailable("the security key's enrolment does not open this item") }
        return privateKey
    }
}

extension Vault {
    fileprivate func factor(_ role: SecurityKeyRole) throws(KeychainError) -> any SecurityKeyFactor {
        if let factor = configuration.securityKey(role) { return factor }
        throw .factorUnavailable(
            role == .biometry ? "no biometric factor is configured" : "no companion device is configured")
    }

    /// What the factor calls its enrolment, as the header knows it; nil when nothing is enrolled.
    private func digest(of factor: any SecurityKeyFactor, _ keys: OpenKeys) throws(PresenceError) -> [UInt8]? {
        try factor.enrolment().map { keys.digest(ofEnrolment: $0, role: factor.role) }
    }

    /// The header's entry of the present enrolment; nil when it has none.
    fileprivate func currentEnrolment(
        of factor: any SecurityKeyFactor, _ header: VaultHeader, _ keys: OpenKeys
    ) throws(KeychainError) -> VaultHeader.Enrolment? {
        do throws(PresenceError) {
            guard let digest = try digest(of: factor, keys) else { throw .unavailable("nothing is enrolled") }
            return header.enrolments.first { $0.role == factor.role && $0.identity == digest }
        } catch {
            throw .factorUnavailable(error.text)
        }
    }

    fileprivate func material(
        of factor: any SecurityKeyFactor, salt: [UInt8], _ context: AuthenticationContext?
    ) throws(KeychainError) -> LockedBytes {
        let reason = context?.shownReason
        let material = try prompts.ask(context: context, log: configuration.log) {
            do throws(PresenceError) {
                return .success(try factor.keyMaterial(salt: salt, reason: reason))
            } catch {
                switch error {
                case .cancelled, .timedOut: return .failure(.cancelled)
                case .unavailable(let why): return .failure(.factorUnavailable(why))
                }
            }
        }
        guard material.count >= 32 else {
            throw .factorUnavailable("the security key gave \(material.count) bytes of key material; 32 are needed")
        }
        return material
    }

    fileprivate func keep(
        _ privateKey: LockedBytes, of key: VaultHeader.FactorKey, in context: AuthenticationContext?,
        since snapshot: Snapshot
    ) {
        guard let context,
            context.keep(privateKey, of: key.id, vault: vaultID, now: configuration.clock.sinceBoot)
        else { return }
        let isLockedSince = state.withLock { state in
            state.contexts.removeAll { $0.keeper == nil || $0.keeper === context.keeper }
            state.contexts.append(WeakContext(keeper: context.keeper))
            return state.locks != snapshot.locks
        }
        if isLockedSince { context.keeper.forgetKeys(ofVault: vaultID) }
    }

    // MARK: Enrolments

    /// Makes a security key known that was set up or plugged in since the vault was unlocked: asks for the passcode and
    /// for the key. Unlocking does the same for what it finds.
    public func enrolSecurityKeys(context: AuthenticationContext? = nil) throws(KeychainError) {
        guard let slotKey = try openSlot(.passcode, context).slotKey else { throw .passcodeNotSet }
        for case .securityKey(let factor) in configuration.factors {
            try register(factor, slotKey, context)
        }
    }

    /// The same where it is not what was asked for: a failure is logged.
    func registerEnrolments(_ slotKey: SlotKey, _ context: AuthenticationContext?) {
        guard configuration.presence.asksPerson, context?.interactionAllowed ?? true else { return }
        for case .securityKey(let factor) in configuration.factors {
            do throws(KeychainError) {
                try register(factor, slotKey, context)
            } catch {
                configuration.log("a security key is not made known to the vault: \(error)")
            }
        }
    }

    private func register(
        _ factor: any SecurityKeyFactor, _ slotKey: SlotKey, _ context: AuthenticationContext?
    ) throws(KeychainError) {
        let now = try current()
        guard try currentEnrolment(of: factor, now.image.header, now.keys) == nil else { return }
        let identity: [UInt8]
        do throws(PresenceError) {
            guard let digest = try digest(of: factor, now.keys) else { return }
            identity = digest
        } catch {
            throw .factorUnavailable(error.text)
        }
        let enrolment = VaultHeader.Enrolment(
            id: Sodium.randomBytes(ItemID.size), role: factor.role, identity: identity, salt: Sodium.randomBytes(32))
        let material = try material(of: factor, salt: enrolment.salt, context)
        guard let role = VaultHeader.FactorKey.Role(rawValue: factor.role.rawValue) else { return }
        try write { image, _ throws(KeychainError) in
            guard let slot = image.header.passcodeSlot, slot.id == now.image.header.passcodeSlot?.id else {
                throw .locked
            }
            guard !image.header.enrolments.contains(where: { $0.identity == identity && $0.role == factor.role }) else {
                return
            }
            image.header.enrolments.append(enrolment)
            // One key for any enrolment: the passcode passes it on to the next one.
            let index: Int
            let privateKey: LockedBytes
            if let known = image.header.factorKeys.firstIndex(where: { $0.role == role && $0.boundTo == nil }) {
                index = known
                guard
                    let opened = try slotKey.openPrivateKey(
                        of: image.header.factorKeys[known], slotID: slot.id, vaultID: vaultID)
                else { throw .corrupted("the passcode does not open the factor's key") }
                privateKey = opened
            } else {
                var made = VaultHeader.FactorKey.make(role, boundTo: nil)
                made.key.wrap(made.privateKey, by: slotKey, slotID: slot.id, vaultID: vaultID)
                index = image.header.factorKeys.count
                image.header.factorKeys.append(made.key)
                privateKey = made.privateKey
            }
            image.header.factorKeys[index].wrap(
                privateKey, material: material, enrolment: enrolment, vaultID: vaultID)
            // And one that only this enrolment ever opens.
            var bound = VaultHeader.FactorKey.make(role, boundTo: enrolment.id)
            bound.key.wrap(bound.privateKey, material: material, enrolment: enrolment, vaultID: vaultID)
            image.header.factorKeys.append(bound.key)
        }
    }

    /// The header's enrolments that a configured factor does not have any more. A factor that is not configured or
    /// cannot be reached says nothing about its enrolments.
    func staleEnrolments(_ header: VaultHeader, _ keys: OpenKeys) -> Set<[UInt8]> {
        guard !header.enrolments.isEmpty else { return [] }
        var stale: Set<[UInt8]> = []
        for case .securityKey(let factor) in configuration.factors {
            guard let digest = try? digest(of: factor, keys) as [UInt8]?? else { continue }
            for enrolment in header.enrolments where enrolment.role == factor.role && enrolment.identity != digest {
                stale.insert(enrolment.id)
            }
        }
        return stale
    }

    /// Whether some way to the item's key is left, now or when a factor is there again.
    func isAlive(_ record: VaultRecord, _ header: VaultHeader, stale: Set<[UInt8]>) -> Bool {
        record.alternatives.contains { alternative in
            alternative.recipients.allSatisfy { id in
                guard let key = header.factorKeys.first(where: { $0.id == id }) else { return false }
                return key.boundTo.map { !stale.contains($0) } ?? true
            }
        }
    }

    /// Drops what can never be opened again, as the system does (Apple, `kSecAccessControlBiometryCurrentSet`).
    func dropInvalidItems(_ image: inout VaultImage, _ keys: OpenKeys) {
        let stale = staleEnrolments(image.header, keys)
        guard !stale.isEmpty else { return }
        image.header.enrolments.removeAll { stale.contains($0.id) }
        image.header.factorKeys.removeAll { $0.boundTo.map(stale.contains) ?? false }
        for index in image.header.factorKeys.indices {
            image.header.factorKeys[index].wraps.removeAll { $0.kind == .enrolment && stale.contains($0.id) }
        }
        let header = image.header
        let dead = image.order.filter { id in
            guard let record = image[id]?.record, record.alternatives.allSatisfy({ !$0.recipients.isEmpty }) else {
                return false
            }
            return !isAlive(record, header, stale: [])
        }
        image.remove(Set(dead))
    }

    // MARK: Who must agree

    /// The factor keys that an item of this access control is sealed for: one of the lists, all in a list.
    ///
    /// - Throws: When a factor is missing. Nothing weaker is ever taken in its place, but by
    ///   ``VaultConfiguration/mapsBiometryToPasscode``.
    func recipients(
        for access: AccessControl, _ header: VaultHeader, _ keys: OpenKeys
    ) throws(KeychainError) -> [ItemSealing.Recipients] {
        let constraints = access.constraints
        if access.accessibility == .whenPasscodeSetThisDeviceOnly && header.passcodeSlot == nil {
            throw .passcodeNotSet
        }
        guard !constraints.isDisjoint(with: .factors) else { return [[]] }
        guard let passcode = header.factorKeys.first(where: { $0.role == .passcode }) else { throw .passcodeNotSet }
        if constraints.contains(.userPresence) {
            let biometry = header.factorKeys.first { $0.role == .biometry && $0.boundTo == nil }
            return [biometry, passcode].compactMap(\.self).map { [$0] }
        }
        var needed: ItemSealing.Recipients = []
        if constraints.contains(.biometryAny) {
            needed.append(try securityKey(.biometry, isBound: false, header, keys, passcode: passcode))
        }
        if constraints.contains(.biometryCurrentSet) {
            needed.append(try securityKey(.biometry, isBound: true, header, keys, passcode: passcode))
        }
        if constraints.contains(.companion) {
            needed.append(try securityKey(.companion, isBound: false, header, keys, passcode: nil))
        }
        if constraints.contains(.devicePasscode), !needed.contains(passcode) { needed.append(passcode) }
        return constraints.contains(.or) ? needed.map { [$0] } : [needed]
    }

    private func securityKey(
        _ role: SecurityKeyRole, isBound: Bool, _ header: VaultHeader, _ keys: OpenKeys,
        passcode: VaultHeader.FactorKey?
    ) throws(KeychainError) -> VaultHeader.FactorKey {
        if configuration.securityKey(role) == nil, configuration.mapsBiometryToPasscode, let passcode {
            configuration.log(
                "an item that asks for biometry is sealed with the passcode: mapsBiometryToPasscode is on")
            return passcode
        }
        guard let enrolment = try currentEnrolment(of: factor(role), header, keys) else {
            throw .factorUnavailable("the security key is not known to the vault: unlock it to make it known")
        }
        guard
            let key = header.factorKeys.first(where: { key in
                key.role.rawValue == role.rawValue && key.boundTo == (isBound ? enrolment.id : nil)
                    && key.wraps.contains { $0.kind == .enrolment && $0.id == enrolment.id }
            })
        else { throw .factorUnavailable("the security key has no key in the vault") }
        return key
    }

    /// Whether an item that asks for biometry was sealed with the passcode in its place.
    func isMapped(_ recipients: ItemSealing.Recipients, _ access: AccessControl) -> Bool {
        let constraints = access.constraints
        let wantsBiometry = !constraints.isDisjoint(with: [.biometryAny, .biometryCurrentSet])
        guard wantsBiometry, recipients.contains(where: { $0.role == .passcode }) else { return false }
        return !constraints.contains(.devicePasscode)
            || (!constraints.contains(.or) && !recipients.contains { $0.role == .biometry })
    }
}

extension PresenceError {
    fileprivate var text: String {
        switch self {
        case .cancelled: "the security key was cancelled"
        case .timedOut: "the security key did not answer"
        case .unavailable(let why): why
        }
    }
}
