import CSodium
import KeychainTypes

/// What guessing a passcode costs: Argon2id (RFC 9106) with one lane. Stored beside each salt.
public struct KeyDerivation: Sendable, Hashable {
    /// Passes over the memory, 1…16.
    public let operations: UInt32
    /// Bytes of memory, a multiple of 1024.
    public let memory: UInt64

    /// - Throws: ``KeychainError/parameter(_:)`` below 2 passes or 19 MiB (OWASP's minimum), above 16 passes or 1 GiB.
    public init(operations: UInt32, memory: UInt64) throws(KeychainError) {
        self.init(unchecked: operations, memory)
        guard Self.accepted.contains(self), memory % 1024 == 0 else {
            throw .parameter("Argon2id takes 2 to 16 operations and 19 MiB to 1 GiB of memory, in whole KiB")
        }
    }

    private init(unchecked operations: UInt32, _ memory: UInt64) {
        self.operations = operations
        self.memory = memory
    }

    /// 3 passes over 256 MiB: most of a second for each answer. The default.
    public static let moderate = Self(unchecked: 3, 256 << 20)
    /// 2 passes over 64 MiB: about a tenth of a second, for machines with little memory and long passphrases.
    public static let interactive = Self(unchecked: 2, 64 << 20)
    /// Costs an attacker nothing. A vault made with it opens only where the configuration says the same.
    public static let weakForTests = Self(unchecked: 1, 8 << 10)

    /// What is believed when read from a file: below, a stolen vault would be cheap to guess; above, a prepared file
    /// would exhaust memory or time.
    struct Bounds: Sendable {
        let operations: ClosedRange<UInt32>
        let memory: ClosedRange<UInt64>
        /// What a header may ask for, which is paid before anything tells who wrote it: bytes of memory, and passes
        /// times bytes.
        var headerMemory: UInt64 = 1 << 30
        var headerWork: UInt64 = 16 << 30

        func allowsInHeader(_ derivation: KeyDerivation) -> Bool {
            contains(derivation) && derivation.memory <= headerMemory && derivation.work <= headerWork
        }

        func contains(_ derivation: KeyDerivation) -> Bool {
            operations.contains(derivation.operations) && memory.contains(derivation.memory)
        }
    }

    static let accepted = Bounds(operations: 2...16, memory: (19 << 20)...(1 << 30))
    /// Adds what ``weakForTests`` makes.
    static let acceptedInTests = Bounds(operations: 1...16, memory: (8 << 10)...(1 << 30))

    /// A header may ask for what this derivation costs or ``moderate`` does, whichever is more.
    var boundsForReading: Bounds {
        var bounds = self == .weakForTests ? Self.acceptedInTests : Self.accepted
        bounds.headerMemory = max(memory, Self.moderate.memory)
        bounds.headerWork = max(work, Self.moderate.work)
        return bounds
    }

    /// Time is proportional to it. At most 16 GiB for what ``Bounds`` contain.
    private var work: UInt64 { UInt64(operations) * memory }

    /// The parameters as read from a file, not yet judged.
    static func stored(operations: UInt32, memory: UInt64) -> Self { Self(unchecked: operations, memory) }
}

enum Argon2id {
    static let saltSize = 16
    static let outputSize = 32

    static func derive(
        _ passcode: LockedBytes, salt: [UInt8], _ cost: KeyDerivation
    ) throws(KeychainError) -> LockedBytes {
        precondition(Sodium.isReady && salt.count == saltSize)
        var status: Int32 = -1
        let key = LockedBytes(count: outputSize) { output in
            status = passcode.withBytes { passcode in
                crypto_pwhash(
                    output.start.assumingMemoryBound(to: UInt8.self), UInt64(outputSize),
                    // Not nil for a passcode without bytes: sodium_malloc gives an address for those too.
                    passcode.start.assumingMemoryBound(to: CChar.self), UInt64(passcode.count), salt,
                    UInt64(cost.operations), Int(cost.memory), crypto_pwhash_ALG_ARGON2ID13)
            }
        }
        Sodium.wipeStack(64 << 10)
        guard status == 0 else {
            throw .notAvailable("there is no memory for Argon2id: \(cost.memory >> 20) MiB are needed")
        }
        return key
    }
}
