import KeychainTypes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Locked memory that may be written for as long as a closure runs, and is wiped after it.
enum LockedScratch {
    static func with<Result, Failure: Error>(
        _ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Result?
        let memory = try LockedBytes(count: count) { (memory: UnsafeMutableRawBufferPointer) throws(Failure) in
            result = try body(memory)
        }
        return withExtendedLifetime(memory) {
            guard let result else { preconditionFailure("the closure ran") }
            return result
        }
    }
}

extension LockedBytes {
    /// Copies the first `count` bytes of `memory`.
    convenience init(_ memory: UnsafeMutableRawBufferPointer, count: Int) {
        self.init(count: count) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count])) }
    }

    /// Whether both hold the same bytes. Takes as long for any two of one length.
    func isSame(as other: LockedBytes) -> Bool {
        withBytes { own in
            other.withBytes { others in
                guard own.count == others.count else { return false }
                var difference: UInt8 = 0
                for index in own.indices { difference |= own[index] ^ others[index] }
                return difference == 0
            }
        }
    }
}

/// When a wait ends.
struct Deadline {
    private let instant: ContinuousClock.Instant

    init(after duration: Duration) { instant = .now + duration }

    var secondsLeft: Int { max(0, Int((instant - .now).components.seconds)) }

    /// For `poll`: at least one while time is left, so that a wait never spins.
    var millisecondsLeft: Int32 {
        let (seconds, attoseconds) = (instant - .now).components
        if seconds < 0 || attoseconds < 0 { return 0 }
        return Int32(
            clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue &+ attoseconds / 1_000_000_000_000_000
                &+ 1)
    }

    /// Waits until one of `descriptors` has something to read (or hung up).
    /// - Returns: `false` when the time is over.
    func wait(_ descriptors: inout [pollfd]) -> Bool {
        while true {
            let ready = poll(&descriptors, nfds_t(descriptors.count), millisecondsLeft)
            if ready > 0 { return true }
            if ready == 0 && millisecondsLeft == 0 { return false }
            if ready < 0 && errno != EINTR && errno != EAGAIN { return true }
        }
    }
}
