import CKeychainShims
import Foundation
public import KeychainTypes
import Synchronization

/// An encrypted store of secrets and keys with the access control of Apple's Keychain, for systems that have none.
///
/// Access control is cryptography: a secret is sealed under a key that is itself sealed for what has to be shown, so that
/// no check can be skipped to reach it. The file is described in docs/vault-format.md.
///
/// All calls are synchronous, may come from any thread and from several processes, and block during a prompt.
public final class Vault: Sendable {
    let configuration: VaultConfiguration
    let directory: VaultDirectory
    let vaultID: [UInt8]
    let ledger: AttemptLedger
    let prompts = PromptThread()
    let state: Mutex<State>
    /// Lets this process's writers wait for each other without polling the file's lock.
    let writers = NSLock()

    struct State: Sendable {
        var image: VaultImage
        /// The file that the image was read from.
        var file: VaultDirectory.Handle
        /// Nil until the first unlock, and after another process has changed the passcode.
        var keys: OpenKeys?
        /// Contexts that may keep keys of this vault.
        var contexts: [WeakContext] = []
        /// Grows with each lock.
        var locks = 0
    }

    struct WeakContext: Sendable {
        weak let keeper: AuthenticationContext.Shared?
    }

    struct Snapshot: Sendable {
        let image: VaultImage
        let keys: OpenKeys
        let locks: Int
    }

    init(
        _ configuration: VaultConfiguration, _ directory: VaultDirectory, image: VaultImage,
        file: VaultDirectory.Handle, keys: OpenKeys?
    ) {
        self.configuration = configuration
        self.directory = directory
        vaultID = image.header.vaultID
        ledger = AttemptLedger(
            directory: directory, vaultID: image.header.vaultID, clock: configuration.clock, log: configuration.log)
        state = Mutex(State(image: image, file: file, keys: keys))
    }

    // MARK: Life

    /// Opens the vault and unlocks it; makes it where there is none and a new passcode can be had.
    ///
    /// - Throws: ``KeychainError/corrupted(_:)`` for a file that is damaged or was changed. Nothing is restored by
    ///   itself: ``restoreBackup(_:context:)`` brings back the generation before. ``KeychainError/notAvailable(_:)``,
    ///   before any prompt, for a file that asks for an Argon2id costlier than both
    ///   ``VaultConfiguration/keyDerivation`` and ``KeyDerivation/moderate``.
    public static func open(
        _ configuration: VaultConfiguration, context: AuthenticationContext? = nil
    ) throws(KeychainError) -> Vault {
        try configuration.checked()
        let directory = try VaultDirectory(configuration, creating: true)
        do throws(KeychainError) {
            if let vault = try existing(VaultDirectory.File.vault, configuration, directory) {
                try vault.unlock(context: context)
                return vault
            }
        } catch {
            guard case .corrupted(let text) = error,
                try directory.identity(of: VaultDirectory.File.backup) != nil
            else { throw error }
            throw .corrupted("\(text); the previous generation of the vault can be restored with restoreBackup")
        }
        if try directory.identity(of: VaultDirectory.File.backup) != nil {
            throw .corrupted(
                "\(directory.path)/vault.kc is gone and its previous generation is there: restore it with restoreBackup"
            )
        }
        return try create(configuration, directory, context)
    }

    /// Puts the previous generation in the place of a damaged vault, which is kept as `vault.kc.damaged`. Asks for the
    /// passcode of that generation. What the last write changed is lost.
    public static func restoreBackup(
        _ configuration: VaultConfiguration, context: AuthenticationContext? = nil
    ) throws(KeychainError) -> Vault {
        try configuration.checked()
        let directory = try VaultDirectory(configuration, creating: false)
        guard let vault = try existing(VaultDirectory.File.backup, configuration, directory) else {
            throw .notAvailable("there is no previous generation of the vault")
        }
        let (keys, _) = try vault.openSlot(.unlock, context)
        try vault.exclusively { () throws(KeychainError) in
            guard let read = try directory.readVault(VaultDirectory.File.backup) else {
                throw .notAvailable("there is no previous generation of the vault")
            }
            let image = try vault.load(read.bytes, keys, reusing: nil)
            if try directory.identity(of: VaultDirectory.File.vault) != nil {
                try directory.rename(VaultDirectory.File.vault, to: VaultDirectory.File.damaged)
            }
            let file = try directory.replaceVault(read.bytes)
            vault.state.withLock { $0 = State(image: image, file: file, keys: keys) }
        }
        configuration.log("\(directory.path): the previous generation was restored")
        return vault
    }

    /// Whether items that are readable "when unlocked" can be read now, as far as this process knows.
    public var isUnlocked: Bool { state.withLock { $0.keys?.isUnlocked ?? false } }

    /// Whether the vault has a passcode, by the file's latest state. Never prompts.
    public var hasPasscode: Bool {
        state.withLock { state in
            if let identity = try? directory.identity(of: VaultDirectory.File.vault), identity != state.file.identity,
                let header = try? readUntrusted().image.header
            {
                return header.passcodeSlot != nil
            }
            return state.image.header.passcodeSlot != nil
        }
    }

    /// Asks for the passcode and makes all items readable again whose access control asks for nothing more.
    public func unlock(context: AuthenticationContext? = nil) throws(KeychainError) {
        for _ in 0..<3 {
            let (keys, slotKey) = try openSlot(.unlock, context)
            let (bytes, file) = try readFile()
            let old = state.withLock { $0.keys?.slots == keys.slots ? $0.image : nil }
            let image: VaultImage
            do throws(KeychainError) {
                image = try load(bytes, keys, reusing: old)
            } catch {
                // Another process may have changed the passcode since it was asked for.
                guard case .locked = error else { throw error }
                continue
            }
            state.withLock { state in
                state.image = image
                state.file = file
                state.keys = keys
            }
            if let slotKey { registerEnrolments(slotKey, context) }
            return
        }
        throw .locked
    }

    /// Wipes the keys of what is readable "when unlocked", and what contexts keep of this vault. Items readable "after
    /// first unlock", and attributes, stay readable.
    public func lock() {
        let contexts = state.withLock { state in
            state.keys?.classes.forget(.whenUnlocked, .passcodeSet)
            state.locks += 1
            defer { state.contexts = [] }
            return state.contexts.compactMap(\.keeper)
        }
        for keeper in contexts { keeper.forgetKeys(ofVault: vaultID) }
    }

    /// How many wrong passcodes were given in a row, and how long no answer is accepted. Never prompts.
    public func lockoutState() -> (failures: Int, secondsToWait: Int) {
        (try? ledger.state(.passcode)) ?? (0, 0)
    }
}

extension Vault {
    /// Forbids other processes of the same user to trace this one and read its memory, and core dumps of it
    /// (`PR_SET_DUMPABLE`). For programs that hold secrets for long; debuggers cannot attach any more either.
    ///
    /// - Throws: ``KeychainError/io(operation:errno:)`` where the system refuses.
    public static func forbidTracing() throws(KeychainError) {
        guard keychain_set_dumpable(0) == 0 else { throw .io(operation: "prctl", errno: errno) }
    }
}

// MARK: - Opening and making

extension Vault {
    private static func existing(
        _ name: String, _ configuration: VaultConfiguration, _ directory: VaultDirectory
    ) throws(KeychainError) -> Vault? {
        guard let (bytes, file) = try directory.readVault(name) else { return nil }
        let image = try VaultImage(decoding: bytes, costs: configuration.keyDerivation.boundsForReading)
        return Vault(configuration, directory, image: image, file: file, keys: nil)
    }

    private static func create(
        _ configuration: VaultConfiguration, _ directory: VaultDirectory, _ context: AuthenticationContext?
    ) throws(KeychainError) -> Vault {
        let vaultID = Sodium.randomBytes(ItemID.size)
        var passcode: LockedBytes?
        if configuration.hasPasscodeFactor {
            passcode = try newPasscode(configuration, context, PromptThread())
        }
        let made = try directory.whileLocked { () throws(KeychainError) -> (vault: Vault, slotKey: SlotKey)? in
            // Another process may have created it during the prompt.
            guard try directory.identity(of: VaultDirectory.File.vault) == nil else { return nil }
            return try make(configuration, directory, vaultID: vaultID, passcode)
        }
        guard let made else { return try open(configuration, context: context) }
        if passcode != nil { made.vault.registerEnrolments(made.slotKey, context) }
        return made.vault
    }

    private static func make(
        _ configuration: VaultConfiguration, _ directory: VaultDirectory, vaultID: [UInt8], _ passcode: LockedBytes?
    ) throws(KeychainError) -> (vault: Vault, slotKey: SlotKey) {
        let classKeys = ClassKeys.random(withPasscode: passcode != nil)
        var (slot, slotKey) = try makeSlot(passcode, configuration, directory, vaultID: vaultID)
        slot.sealedKeys = slotKey.seal(classKeys, vaultID: vaultID, prefix: slot.prefix)
        var header = VaultHeader(vaultID: vaultID, generation: 1, slots: [slot], enrolments: [], factorKeys: [])
        if passcode != nil {
            var (key, privateKey) = VaultHeader.FactorKey.make(.passcode, boundTo: nil)
            key.wrap(privateKey, by: slotKey, slotID: slot.id, vaultID: vaultID)
            header.factorKeys = [key]
        } else {
            configuration.log(
                "\(directory.path): the vault has no passcode; any reader of its files can read its items")
        }
        let keys = try OpenKeys(classKeys, vaultID: vaultID, slots: [slot.id])
        let image = VaultImage(header: header)
        let ledger = AttemptLedger(
            directory: directory, vaultID: vaultID, clock: configuration.clock, log: configuration.log)
        try ledger.adopt(keys, resetting: true)
        let file = try directory.replaceVault(try image.encoded(tagKey: keys.fileTag))
        return (Vault(configuration, directory, image: image, file: file, keys: keys), slotKey)
    }

    /// A slot for a passcode, or for a secret in a file beside the vault.
    static func makeSlot(
        _ passcode: LockedBytes?, _ configuration: VaultConfiguration, _ directory: VaultDirectory, vaultID: [UInt8]
    ) throws(KeychainError) -> (slot: VaultHeader.Slot, key: SlotKey) {
        if let passcode {
            let hardware = configuration.sealsPasscodeToHardware ? configuration.hardware : nil
            if configuration.sealsPasscodeToHardware && hardware == nil {
                throw .factorUnavailable("the passcode is to be sealed to a chip, and none is configured")
            }
            return try SlotKey.makePasscodeSlot(
                passcode, vaultID: vaultID, cost: configuration.keyDerivation, hardware: hardware)
        }
        let secret = LockedBytes.random(32)
        // One that is there belongs to no vault: to one that was being made when its process was stopped.
        try directory.remove(VaultDirectory.File.deviceKey)
        try directory.create(VaultDirectory.File.deviceKey, secret)
        return SlotKey.makeDeviceSlot(secret, vaultID: vaultID)
    }

    static func newPasscode(
        _ configuration: VaultConfiguration, _ context: AuthenticationContext?, _ prompts: PromptThread
    ) throws(KeychainError) -> LockedBytes {
        let passcode = try ask(.newPasscode, configuration, context, prompts)
        guard passcode.count > 0 else { throw .parameter("a passcode has at least one character") }
        return passcode
    }
}

extension VaultConfiguration {
    fileprivate func checked() throws(KeychainError) {
        if let limit = wipesAfterWrongPasscodes, limit <= AttemptCount.freeTries {
            throw .parameter("wipesAfterWrongPasscodes is at least \(AttemptCount.freeTries + 1)")
        }
    }
}

// MARK: - The file and its state in memory

extension Vault {
    func readFile() throws(KeychainError) -> (bytes: [UInt8], file: VaultDirectory.Handle) {
        guard let read = try directory.readVault(VaultDirectory.File.vault) else {
            throw .notAvailable("\(directory.path)/vault.kc was taken away")
        }
        return (read.bytes, read.handle)
    }

    /// The file, taken apart and believed in nothing.
    func readUntrusted() throws(KeychainError) -> (image: VaultImage, bytes: [UInt8], file: VaultDirectory.Handle) {
        let (bytes, file) = try readFile()
        let image = try VaultImage(decoding: bytes, costs: configuration.keyDerivation.boundsForReading)
        guard image.header.vaultID == vaultID else { throw .corrupted("another vault was put in this one's place") }
        return (image, bytes, file)
    }

    /// Takes the file apart, makes sure that it is what the vault wrote, and opens the attributes.
    ///
    /// - Throws: ``KeychainError/locked`` when the file has other slots than those that the keys came from.
    func load(
        _ bytes: [UInt8], _ keys: OpenKeys, reusing old: VaultImage?
    ) throws(KeychainError) -> VaultImage {
        var image = try VaultImage(decoding: bytes, costs: configuration.keyDerivation.boundsForReading)
        guard image.header.vaultID == vaultID else { throw .corrupted("another vault was put in this one's place") }
        guard image.header.slots.map(\.id) == keys.slots else { throw .locked }
        guard VaultImage.isAuthentic(bytes, tagKey: keys.fileTag) else {
            throw .corrupted("the vault is damaged or was changed by another program")
        }
        if let old, image.header.generation < old.header.generation {
            throw .corrupted("an older generation of the vault was put in its place")
        }
        for id in image.order {
            guard let entry = image[id] else { continue }
            if let before = old?[id], before.record.sealedMetadata == entry.record.sealedMetadata,
                before.record.binding == entry.record.binding, let metadata = before.metadata
            {
                image.setMetadata(metadata, of: id)
            } else {
                let metadata = try ItemSealing.openMetadata(of: entry.record, vaultID: vaultID, key: keys.metadata)
                image.setMetadata(metadata, of: id)
            }
        }
        return image
    }

    /// The vault as it is now. From memory as long as the file is the one that was read.
    func current() throws(KeychainError) -> Snapshot {
        try state.withLock { state throws(KeychainError) in
            guard let keys = state.keys else { throw .locked }
            try directory.checkPlace()
            guard let identity = try directory.identity(of: VaultDirectory.File.vault) else {
                throw .notAvailable("\(directory.path)/vault.kc was taken away")
            }
            if identity != state.file.identity {
                let (bytes, file) = try readFile()
                do throws(KeychainError) {
                    state.image = try load(bytes, keys, reusing: state.image)
                    state.file = file
                } catch {
                    // The passcode is another one: these keys open nothing any more.
                    if case .locked = error { state.keys = nil }
                    throw error
                }
            }
            return Snapshot(image: state.image, keys: keys, locks: state.locks)
        }
    }

    /// Changes the vault: under the lock, from its latest state, all or nothing. `body` must not prompt.
    func write<R>(
        _ body: (inout VaultImage, OpenKeys) throws(KeychainError) -> R
    ) throws(KeychainError) -> R {
        try exclusively { () throws(KeychainError) in
            let now = try current()
            var image = now.image
            let result = try body(&image, now.keys)
            dropInvalidItems(&image, now.keys)
            try commit(image, now.keys)
            return result
        }
    }

    func exclusively<R>(_ body: () throws(KeychainError) -> R) throws(KeychainError) -> R {
        writers.lock()
        defer { writers.unlock() }
        return try directory.whileLocked(body)
    }

    /// Writes the image as the next generation and takes it over. Call with the lock held.
    func commit(_ image: VaultImage, _ keys: OpenKeys, takingKeys: Bool = false) throws(KeychainError) {
        guard image.header.generation < .max else {
            throw .corrupted("the vault counts no further generation: it can be read, but not written any more")
        }
        var image = image
        image.header.generation += 1
        let file = try directory.replaceVault(try image.encoded(tagKey: keys.fileTag))
        let done = image
        state.withLock { state in
            state.image = done
            state.file = file
            if takingKeys { state.keys = keys }
        }
    }
}
