public import Foundation
public import KeychainTypes

/// What may be asked of a person, or of a thing that a person holds.
public enum Factor: Sendable {
    case passcode
    case securityKey(any SecurityKeyFactor)
}

/// How a process opens its vault, and what the vault may ask for.
public struct VaultConfiguration: Sendable {
    /// The vault's folder; made with mode 0700 where it is missing. A symbolic link is refused.
    public var directory: String
    /// Shown in prompts.
    public let application: String
    public var presence: any PresenceProvider
    /// Without ``Factor/passcode``, a new vault is created without a passcode: any reader of its files can read its
    /// items, and items that need a factor or "when passcode set" are refused.
    public var factors: [Factor]
    /// The cost of guesses at a new passcode; an existing vault keeps its own until the passcode changes. One that costs
    /// more than this and more than ``KeyDerivation/moderate``, in memory or in passes times memory, is not opened.
    public var keyDerivation = KeyDerivation.moderate
    /// Lets the passcode stand in for biometry where no biometric factor is configured. Weaker than what the item asks
    /// for: for demonstrations and hosts without biometry. Each use is logged.
    public var mapsBiometryToPasscode = false
    /// Destroys the vault after so many wrong passcodes in a row; nil never does. At least 4.
    public var wipesAfterWrongPasscodes: Int?
    /// A chip that seals the vault's key and makes keys that never leave it.
    public var hardware: (any HardwareKeystore)?
    /// Seals the key of a new passcode to ``hardware``, so that the file alone cannot be guessed at.
    public var sealsPasscodeToHardware = false
    public var clock = VaultClock.system
    /// Hears of whatever weakens the vault or needs a person's eye. Standard error unless set. No secret is in a text.
    public var log: @Sendable (String) -> Void = { text in
        try? FileHandle.standardError.write(contentsOf: Data("keychain: \(text)\n".utf8))
    }
    /// Called before each system call of a write; a test stops or kills there.
    package var faults: (@Sendable (WriteStep) throws -> Void)?

    /// - Parameters:
    ///   - application: The name of the folder under `$XDG_DATA_HOME` (else `~/.local/share`): 1…100 bytes without "/".
    ///   - directory: The vault's folder where it is not `$XDG_DATA_HOME/<application>/keychain`.
    /// - Throws: ``KeychainError/parameter(_:)`` for a name that is not a folder's.
    public init(
        application: String, presence: any PresenceProvider, factors: [Factor] = [.passcode], directory: String? = nil
    ) throws(KeychainError) {
        guard (1...100).contains(application.utf8.count), application != ".", application != "..",
            !application.unicodeScalars.contains(where: { $0 == "/" || $0.value < 0x20 || $0.value == 0x7F })
        else { throw .parameter("the application's name must be usable as a folder's name: 1 to 100 bytes, no '/'") }
        self.application = application
        self.presence = presence
        self.factors = factors
        if let directory {
            guard directory.hasPrefix("/") else { throw .parameter("the vault's directory must be an absolute path") }
            self.directory = directory
        } else {
            self.directory = Self.dataHome() + "/" + application + "/keychain"
        }
    }

    /// The XDG base directory for data; a relative path there is to be ignored, says the specification.
    private static func dataHome() -> String {
        let environment = ProcessInfo.processInfo.environment
        if let home = environment["XDG_DATA_HOME"], home.hasPrefix("/") { return home }
        return NSHomeDirectory() + "/.local/share"
    }

    var hasPasscodeFactor: Bool {
        factors.contains { if case .passcode = $0 { true } else { false } }
    }

    func securityKey(_ role: SecurityKeyRole) -> (any SecurityKeyFactor)? {
        for case .securityKey(let factor) in factors where factor.role == role { return factor }
        return nil
    }
}

/// The clocks, so that tests move them.
public struct VaultClock: Sendable {
    /// Nanoseconds since the machine started, counted during suspension too.
    public var sinceBoot: @Sendable () -> UInt64
    /// What a person's clock shows.
    public var wall: @Sendable () -> Date
    /// 16 bytes that are others after a restart of the machine.
    public var boot: @Sendable () -> [UInt8]

    public init(
        sinceBoot: @escaping @Sendable () -> UInt64, wall: @escaping @Sendable () -> Date,
        boot: @escaping @Sendable () -> [UInt8]
    ) {
        self.sinceBoot = sinceBoot
        self.wall = wall
        self.boot = boot
    }

    public static let system = VaultClock(
        sinceBoot: {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        },
        wall: { Date() },
        boot: { currentBoot })

    private static let currentBoot: [UInt8] = {
        let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        let id = UUID(uuidString: text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? UUID()
        return withUnsafeBytes(of: id.uuid) { Array($0) }
    }()
}
