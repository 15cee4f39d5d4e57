import Foundation

/// What a password hash costs, and how many may be computed and wait at once.
public struct Argon2idParameters: Sendable, Hashable {
    /// KiB that one hash fills; 8 to 1,048,576 (1 GiB). `threads` times this is what hashing takes at its peak.
    public var memoryKiB: Int

    /// Passes over that memory; 1 to 64.
    public var operations: Int

    /// Threads that hash; 1 to 256.
    public var threads: Int

    /// Hashes that may be admitted at once, running and waiting together; at least 1. One more is refused.
    public var queueLimit: Int

    /// - Parameters:
    ///   - memoryKiB: 19 MiB unless said otherwise: with two passes the first choice of OWASP's Password Storage Cheat
    ///     Sheet. libsodium's own "interactive" (64 MiB) would let a burst of sign-ins on 16 cores take a gigabyte.
    ///   - operations: passes over the memory.
    ///   - threads: as many as the machine has cores unless said otherwise; more would only share them.
    ///   - queueLimit: 1,024 for each thread unless said otherwise: some half a minute of waiting, which clients have the
    ///     patience for, so that a burst is served rather than refused (docs/decisions/0022-bursts-wait.md).
    public init(memoryKiB: Int = 19 * 1024, operations: Int = 2, threads: Int? = nil, queueLimit: Int? = nil) {
        let threads = threads ?? Self.processors
        self.memoryKiB = memoryKiB
        self.operations = operations
        self.threads = threads
        self.queueLimit = queueLimit ?? 1024 * max(1, min(threads, 256))
    }

    /// Foundation reads two files of the system for each question.
    private static let processors = min(256, max(1, ProcessInfo.processInfo.activeProcessorCount))

    /// The least that Argon2id allows. It protects nothing; it keeps tests fast.
    public static func weakest(threads: Int? = nil, queueLimit: Int? = nil) -> Argon2idParameters {
        Argon2idParameters(memoryKiB: 8, operations: 1, threads: threads, queueLimit: queueLimit)
    }

    /// What is wrong with the values, for the operator; nil where nothing is.
    var fault: String? {
        if !Self.memoryRangeKiB.contains(memoryKiB) { return "memory must be between 8 KiB and 1 GiB" }
        if !Self.operationsRange.contains(operations) { return "operations must be between 1 and 64" }
        if !Self.threadsRange.contains(threads) { return "threads must be between 1 and 256" }
        if queueLimit < 1 { return "the queue limit must be at least 1" }
        return nil
    }

    /// What `memoryKiB` may be. Stored hashes outside of it are not compared either: an imported one could otherwise
    /// ask for all memory there is.
    public static let memoryRangeKiB = 8...1_048_576
    /// What `operations` may be, here and in stored hashes.
    public static let operationsRange = 1...64
    /// What `threads` may be.
    public static let threadsRange = 1...256
}
