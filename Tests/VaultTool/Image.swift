#if DEBUG
    import Foundation
    import KeychainTypes
    import Synchronization

    @testable import SecretVault

    /// `image DIRECTORY`: opens the vault with the passcode that comes over standard input, reads its items, locks it,
    /// and waits to be looked at. Says first, in hexadecimal digits, what is not to be found in its memory.
    ///
    /// The parent keeps the secrets; nothing here knows them but from the vault.
    enum Image {
        static func run(_ arguments: [String]) throws {
            let directory = arguments[0]
            let box = Box(
                try DescriptorPresence(0).credential(
                    for: PresenceRequest(kind: .unlock, reason: nil, application: "image")))
            let presence = CustomPresence { _ in
                guard let passcode = box.passcode else { throw PresenceError.cancelled }
                return passcode
            }
            let vault = try Vault.open(Corpus.configuration(directory, presence: presence, finger: false))
            try look(vault)
            try say(vault)
            vault.lock()
            box.forget()
            // A line of input later the parent has seen enough.
            try FileHandle.standardOutput.write(contentsOf: Data("locked\n".utf8))
            sleep(120)
            withExtendedLifetime(vault) {}
        }

        private final class Box: @unchecked Sendable {
            // Proof: the reference is only touched with the lock held.
            private let lock = NSLock()
            private var held: LockedBytes?
            init(_ passcode: LockedBytes) { held = passcode }
            var passcode: LockedBytes? {
                lock.lock()
                defer { lock.unlock() }
                return held
            }
            func forget() {
                lock.lock()
                held = nil
                lock.unlock()
            }
        }

        /// Uses every way to a secret.
        private static func look(_ vault: Vault) throws {
            let context = AuthenticationContext(reuse: .seconds(300))
            for item in try vault.items(ofClass: "genp") {
                if item.access.constraints.contains(.privateKeyUsage) {
                    try vault.use(item.id, context: context) { precondition($0.count > 0) }
                } else {
                    try require(vault.read(item.id, context: context).count > 0)
                    try vault.update(
                        item.id, with: ItemChange(secret: vault.read(item.id, context: context)), context: context)
                }
            }
        }

        private static func require(_ condition: Bool) throws {
            if !condition { throw KeychainError.itemNotFound }
        }

        private static func say(_ vault: Vault) throws {
            guard let keys = vault.state.withLock({ $0.keys }) else { throw KeychainError.locked }
            for (kind, key) in keys.classes.keys {
                let isGone = kind == .whenUnlocked || kind == .passcodeSet
                print("\(isGone ? "gone" : "kept") \(kind) \(hexadecimal(key))")
            }
            print("kept fileTag \(hexadecimal(keys.fileTag))")
            print("kept metadataKey \(hexadecimal(keys.metadata))")
            fflush(nil)
        }

        private static func hexadecimal(_ bytes: LockedBytes) -> String {
            bytes.withBytes { $0.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined() }
        }
    }
#endif
