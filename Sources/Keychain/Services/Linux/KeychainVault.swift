#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault
    import Synchronization

    /// Where this process's keychain lies, and how it is opened. Apple's systems have theirs; elsewhere a process says it
    /// once, before its first `SecItem…` call, which answers `errSecNotAvailable` until then.
    ///
    /// ```swift
    /// try await KeychainVault.configure(presence: .terminal)
    /// ```
    public enum KeychainVault {
        /// What `configure` was given, as far as it can be compared.
        struct Settings: Equatable {
            let directory: String
            let application: String
            let presence: String
            let factors: [String]
            let mapsBiometryToPasscode: Bool
            let keyDerivation: KeyDerivation
            let hardware: String?
            let sealsPasscodeToHardware: Bool
        }

        struct Opened {
            let vault: Vault
            let application: String
            let hardware: (any HardwareKeystore)?
            let log: @Sendable (String) -> Void

            var hasHardware: Bool { hardware != nil }
        }

        private static let state = Mutex<(opened: Opened, settings: Settings)?>(nil)
        /// Opens one vault at a time, so that two tasks that configure at once do not make two.
        private static let thread = SerialThread(name: "keychain-open")
        private static let chipThread = SerialThread(name: "keychain-chip")

        /// Opens the vault of this process, and makes it where it does not exist: then the presence provider is asked for
        /// a new passcode.
        ///
        /// Calling it again with the same settings does nothing. Another provider of the same kind counts as the same.
        ///
        /// - Parameters:
        ///   - presence: The source of the passcode: `.terminal`, `.pinentry`, `.fileDescriptor(3)`,
        ///     `.systemdCredential("name")`, `.scripted("…")` for tests, `.custom { … }`.
        ///   - factors: What items may ask for. Without a biometric factor, an item with a biometry flag is refused with
        ///     `errSecAuthFailed`, never stored weaker.
        ///   - application: The name of the folder, the access group, and what prompts show; the program's name unless given.
        ///   - directory: An absolute path, instead of `$XDG_DATA_HOME/<application>/keychain`.
        ///   - keyDerivation: What a guess at a new passcode costs.
        ///   - mapsBiometryToPasscode: Lets the passcode stand in for biometry where no biometric factor is configured.
        ///     Weaker than what items ask for; for demonstrations, and logged whenever it is used.
        /// - Throws: `KeychainError`: `parameter` where it was configured otherwise before, and what opening the vault
        ///   gives: `cancelled`, `authenticationFailed`, `lockedOut`, `interactionNotAllowed`, `corrupted`, `io`.
        public static func configure(
            presence: some PresenceProvider, factors: [Factor] = [.passcode], application: String? = nil,
            directory: String? = nil, keyDerivation: KeyDerivation = .moderate, mapsBiometryToPasscode: Bool = false
        ) async throws(KeychainError) {
            var configuration = try VaultConfiguration(
                application: application ?? programName, presence: presence, factors: factors, directory: directory)
            configuration.keyDerivation = keyDerivation
            configuration.mapsBiometryToPasscode = mapsBiometryToPasscode
            try await configure(configuration)
        }

        /// As ``configure(presence:factors:application:directory:keyDerivation:mapsBiometryToPasscode:)``, with a chip.
        ///
        /// - Parameters:
        ///   - hardware: What makes keys that never leave it: `.tpm()`. Where it does not limit guesses, or cannot be
        ///     reached, the log says so; see ``hardwareStatus()``.
        ///   - sealsPasscodeToHardware: Seals the key of a new passcode to the chip as well, so that a copy of the file is
        ///     of no use without it. The vault is lost with the chip: when a TPM is cleared or its board is exchanged. An
        ///     existing vault stays as it is until its passcode changes.
        public static func configure(
            presence: some PresenceProvider, factors: [Factor] = [.passcode], application: String? = nil,
            directory: String? = nil, keyDerivation: KeyDerivation = .moderate, mapsBiometryToPasscode: Bool = false,
            hardware: some HardwareKeystore, sealsPasscodeToHardware: Bool = true
        ) async throws(KeychainError) {
            var configuration = try VaultConfiguration(
                application: application ?? programName, presence: presence, factors: factors, directory: directory)
            configuration.keyDerivation = keyDerivation
            configuration.mapsBiometryToPasscode = mapsBiometryToPasscode
            configuration.hardware = hardware
            configuration.sealsPasscodeToHardware = sealsPasscodeToHardware
            try await configure(configuration)
        }

        /// As ``configure(presence:factors:application:directory:keyDerivation:mapsBiometryToPasscode:)``, with every
        /// setting of the vault.
        public static func configure(_ configuration: VaultConfiguration) async throws(KeychainError) {
            try await thread.run { () throws(KeychainError) in
                let settings = Settings(configuration)
                if let other = state.withLock({ $0?.settings }) {
                    guard other == settings else {
                        throw .parameter(
                            "the keychain of this process is configured already, in '\(other.directory)' and with other "
                                + "settings: configure it once, where the program starts")
                    }
                    return
                }
                noteWeakness(of: configuration.hardware, configuration.log)
                let opened = Opened(
                    vault: try Vault.open(configuration), application: configuration.application,
                    hardware: configuration.hardware, log: configuration.log)
                state.withLock { $0 = (opened, settings) }
            }
        }

        /// Forgets the keys of items that need an unlocked keychain, and what contexts keep. Until ``unlock(context:)``
        /// such items answer `errSecInteractionNotAllowed`; what is readable after the first unlock still is.
        ///
        /// - Throws: `notAvailable` before `configure`.
        public static func lock() throws(KeychainError) {
            try current().vault.lock()
        }

        /// Asks for the passcode and makes items readable again that need an unlocked keychain.
        ///
        /// - Throws: `notAvailable` before `configure`; `cancelled`, `authenticationFailed`, `lockedOut` and `interactionNotAllowed` of the
        ///   prompt.
        public static func unlock(context: AuthenticationContext? = nil) async throws(KeychainError) {
            let vault = try current().vault
            try await thread.run(interrupt: { context?.invalidate() }) { () throws(KeychainError) in
                try vault.unlock(context: context)
            }
        }

        /// Asks for the old passcode and then for a new one. Copies of the file from before stay open to the old one.
        ///
        /// - Throws: as ``unlock(context:)``; the old passcode then stays.
        public static func changePasscode(context: AuthenticationContext? = nil) async throws(KeychainError) {
            let vault = try current().vault
            try await thread.run(interrupt: { context?.invalidate() }) { () throws(KeychainError) in
                try vault.changePasscode(context: context)
            }
        }

        /// Asks for the passcode and removes it. **All items "when passcode set" are destroyed**, as on a device.
        ///
        /// - Throws: as ``unlock(context:)``; nothing is removed then.
        public static func removePasscode(context: AuthenticationContext? = nil) async throws(KeychainError) {
            let vault = try current().vault
            try await thread.run(interrupt: { context?.invalidate() }) { () throws(KeychainError) in
                try vault.removePasscode(context: context)
            }
        }

        /// What the configured chip says about itself: whether it limits guesses, and whether it is locked. Never
        /// prompts.
        ///
        /// - Returns: nil where no chip is configured.
        public static func hardwareStatus() async throws(KeychainError) -> HardwareKeystoreStatus? {
            guard let hardware = try current().hardware else { return nil }
            return try await chipThread.run { () throws(KeychainError) in try hardware.status() }
        }

        /// A chip that cannot be reached fails what needs it, and nothing else.
        private static func noteWeakness(of hardware: (any HardwareKeystore)?, _ log: (String) -> Void) {
            guard let hardware else { return }
            do throws(KeychainError) {
                let status = try hardware.status()
                if status.isLockedOut || !status.limitsGuesses { log(status.details) }
            } catch {
                log("the chip '\(hardware.name)' does not answer: \(error)")
            }
        }

        static func current() throws(KeychainError) -> Opened {
            guard let opened = state.withLock({ $0?.opened }) else {
                throw .notAvailable("no keychain: call KeychainVault.configure(presence:) where the program starts")
            }
            return opened
        }

        /// Says once, in debug builds, that the main thread may have to wait for a person. A provider that needs the main
        /// thread to show its prompt would wait for ever; a terminal program may mean it.
        static func noteWait() {
            #if DEBUG
                guard Thread.isMainThread, let log = state.withLock({ $0?.opened.log }) else { return }
                let isFirst = hasNoted.withLock { hasNoted in
                    defer { hasNoted = true }
                    return !hasNoted
                }
                guard isFirst else { return }
                log(
                    "a SecItem or SecKey call waits for a person on the main thread; use Keychain, or a thread of its own"
                )
            #endif
        }

        private static let hasNoted = Mutex(false)

        /// Lets a test begin again, with another vault.
        @_spi(Testing) public static func reset() {
            state.withLock { $0 = nil }
        }

        private static var programName: String {
            let path = CommandLine.arguments.first ?? ""
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            return name.isEmpty ? ProcessInfo.processInfo.processName : name
        }
    }

    extension KeychainVault.Settings {
        init(_ configuration: VaultConfiguration) {
            directory = configuration.directory
            application = configuration.application
            presence = String(reflecting: type(of: configuration.presence))
            factors = configuration.factors.map {
                switch $0 {
                case .passcode: "passcode"
                case .securityKey(let key): String(reflecting: type(of: key))
                }
            }
            mapsBiometryToPasscode = configuration.mapsBiometryToPasscode
            keyDerivation = configuration.keyDerivation
            hardware = configuration.hardware?.name
            sealsPasscodeToHardware = configuration.sealsPasscodeToHardware
        }
    }
#endif
