import Foundation
import KeychainTypes
import SecretVault

/// `guess DIRECTORY THREADS COUNT ORIGIN`: gives COUNT wrong passcodes on each of THREADS threads, by a clock that runs
/// 100,000 times as fast since ORIGIN. Prints how many were looked at, refused, and something else.
enum Guess {
    static func run(_ arguments: [String]) throws {
        let directory = arguments[0]
        let (threads, count): (Int, Int) = try (parsed(arguments[1]), parsed(arguments[2]))
        let origin = try parsed(arguments[3]) as UInt64
        let wrong = CustomPresence(asksPerson: false) { _ in LockedBytes(Array("a wrong guess".utf8)) }
        var configuration = try Corpus.configuration(directory, presence: wrong, finger: false)
        configuration.clock = hurriedClock(since: origin)
        let final = configuration
        let results = Results()
        let group = DispatchGroup()
        for _ in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                for _ in 0..<count {
                    do throws(KeychainError) {
                        _ = try Vault.open(final)
                        results.add { $0.other += 1 }
                    } catch {
                        switch error {
                        case .authenticationFailed: results.add { $0.judged += 1 }
                        case .lockedOut: results.add { $0.refused += 1 }
                        default: results.add { $0.other += 1 }
                        }
                    }
                }
                group.leave()
            }
        }
        group.wait()
        results.add { print("judged \($0.judged) refused \($0.refused) other \($0.other)") }
    }

    private final class Results: @unchecked Sendable {
        // Proof: the counts are only touched with the lock held.
        struct Counts { var (judged, refused, other) = (0, 0, 0) }
        private var counts = Counts()
        private let lock = NSLock()
        func add(_ change: (inout Counts) -> Void) {
            lock.lock()
            defer { lock.unlock() }
            change(&counts)
        }
    }
}

/// The time since `origin`, in nanoseconds of the machine's clock, made 100,000 times as long: waits end in milliseconds.
public func hurriedClock(since origin: UInt64) -> VaultClock {
    VaultClock(
        sinceBoot: { (VaultClock.system.sinceBoot() - origin) * 100_000 },
        wall: { Date(timeIntervalSince1970: 1_790_000_000) },
        boot: { [UInt8](repeating: 7, count: 16) })
}
