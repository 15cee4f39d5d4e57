import Foundation
import KeychainTypes
import SecretVault

/// A vault with one item of each kind, whose contents are known: what attackers are let loose on.
public struct Corpus {
    public struct Expectation {
        public let access: AccessControl
        public let secrets: Set<[UInt8]>
    }

    public static let passcode = "correct horse battery"
    public static let applicationPassword = "the application's own"

    public static let accesses: [(String, AccessControl)] = {
        func access(_ accessibility: Accessibility, _ constraints: AccessControl.Constraints) -> AccessControl {
            try! AccessControl(accessibility, constraints)
        }
        return [
            ("plain", access(.whenUnlocked, [])), ("device", access(.whenUnlockedThisDeviceOnly, [])),
            ("after", access(.afterFirstUnlock, [])), ("akpu", access(.whenPasscodeSetThisDeviceOnly, [])),
            ("passcode", access(.whenUnlocked, .devicePasscode)),
            ("presence", access(.whenPasscodeSetThisDeviceOnly, .userPresence)),
            ("password", access(.afterFirstUnlock, .applicationPassword)),
            ("both", access(.whenUnlocked, [.devicePasscode, .applicationPassword])),
            ("signing", access(.whenUnlocked, [.privateKeyUsage, .userPresence])),
            ("key", access(.whenUnlocked, .privateKeyUsage)),
            ("biometry", access(.whenPasscodeSetThisDeviceOnly, .biometryCurrentSet)),
            ("either", access(.whenUnlocked, [.biometryAny, .devicePasscode, .or])),
            ("all", access(.whenUnlocked, [.biometryAny, .devicePasscode, .and])),
        ]
    }()

    /// The first and the second secret that an item had.
    public static func secret(_ name: String, _ version: Int) -> [UInt8] {
        Array("the secret of \(name), version \(version), which nobody may see".utf8)
    }

    /// Answers right; refuses when it is told that the answer was wrong.
    public static let rightAnswers = CustomPresence { request in
        if request.triesLeftAfterWrongAnswer != nil { throw PresenceError.unavailable("no other answer") }
        if case .applicationPassword = request.kind { return LockedBytes(Array(applicationPassword.utf8)) }
        return LockedBytes(Array(passcode.utf8))
    }

    /// A finger that is always on the sensor.
    public struct Finger: SecurityKeyFactor {
        let name: String
        public init(_ name: String = "finger") { self.name = name }
        public var role: SecurityKeyRole { .biometry }
        public func enrolment() throws(PresenceError) -> [UInt8]? { Array(name.utf8) }
        public func keyMaterial(salt: [UInt8], reason: String?) throws(PresenceError) -> LockedBytes {
            LockedBytes((0..<32).map { UInt8(name.utf8.count) &+ salt[$0] &* 3 })
        }
    }

    public static func configuration(
        _ directory: String, presence: any PresenceProvider = rightAnswers, finger: Bool = true
    ) throws -> VaultConfiguration {
        var configuration = try VaultConfiguration(
            application: "tests", presence: presence,
            factors: finger ? [.passcode, .securityKey(Finger())] : [.passcode], directory: directory)
        configuration.keyDerivation = .weakForTests
        configuration.log = { _ in }
        return configuration
    }

    public static func fill(_ vault: Vault) throws {
        for (name, access) in accesses {
            try vault.add(item(name, access, version: 1), context: passwordContext())
        }
    }

    public static func item(_ name: String, _ access: AccessControl, version: Int) -> NewItem {
        NewItem(
            itemClass: "genp", uniqueKey: Array(name.utf8), attributes: ["acct": .string(name)],
            secret: LockedBytes(secret(name, version)), access: access)
    }

    public static func passwordContext() -> AuthenticationContext {
        let context = AuthenticationContext()
        context.setApplicationPassword(LockedBytes(Array(applicationPassword.utf8)))
        return context
    }

    /// What an attacker would be glad of: `nil` when there is nothing of the kind.
    public static func breach(of vault: Vault) -> String? {
        guard let items = try? vault.items(ofClass: "genp") else { return nil }
        for item in items {
            guard case .string(let name)? = item.attributes["acct"],
                let access = accesses.first(where: { $0.0 == name })?.1
            else { return "an item that no writer made" }
            guard item.access == access else { return "\(name) has another access control" }
            let silent = AuthenticationContext(interactionAllowed: false)
            if let secret = try? vault.read(item.id, context: silent) {
                if access.asksForFactor { return "\(name) is read and the user was not asked" }
                if !isKnown(secret, name) { return "\(name) reads as something else" }
            }
            if (try? vault.use(item.id, context: silent) { _ in }) != nil, access.asksForFactor {
                return "\(name) is used and the user was not asked"
            }
            if let secret = try? vault.read(item.id, context: passwordContext()) {
                if access.constraints.contains(.privateKeyUsage) { return "\(name) gives its key out" }
                if !isKnown(secret, name) { return "\(name) reads as something else" }
            }
            if access.constraints.contains(.privateKeyUsage) {
                let isRight = try? vault.use(item.id, context: passwordContext()) { isKnown($0, name) }
                if isRight == false { return "\(name) is used as something else" }
            }
        }
        return nil
    }

    private static func isKnown(_ bytes: LockedBytes, _ name: String) -> Bool {
        let bytes = bytes.withBytes { Array($0) }
        return bytes == secret(name, 1) || bytes == secret(name, 2)
    }
}

/// A clock that goes on by 400 s whenever it is looked at, so that no lockout lasts.
public func hastyClock() -> VaultClock {
    final class Ticks: @unchecked Sendable {
        // Proof: `ticks` is only touched with the lock held.
        private let lock = NSLock()
        private var ticks: UInt64 = 1
        func next() -> UInt64 {
            lock.lock()
            defer { lock.unlock() }
            ticks += 400_000_000_000
            return ticks
        }
    }
    let ticks = Ticks()
    return VaultClock(
        sinceBoot: { ticks.next() }, wall: { Date(timeIntervalSince1970: 1_790_000_000) },
        boot: { [UInt8](repeating: 7, count: 16) })
}

/// The same numbers for the same seed (SplitMix64).
public struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    public init(_ seed: UInt64) { state = seed }
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
