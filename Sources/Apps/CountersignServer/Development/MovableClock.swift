import CountersignCore
import Foundation
import Synchronization

/// A clock, as a rule the machine's, and an offset that tests may move, under `--dev`. The offset is kept in the database, so that it
/// survives a restart.
public final class MovableClock: WallClock {
    private static let document = "development-clock"
    private let offset = Mutex<Int64>(0)
    private let base: any WallClock

    /// A clock that shows what `base` shows, until it is moved.
    public init(base: any WallClock = SystemClock()) {
        self.base = base
    }

    public var now: Date {
        let offset = offset.withLock { $0 }
        return Date(microseconds: base.now.microseconds + offset)
    }

    public var displacement: TimeInterval { Double(offset.withLock { $0 }) / 1_000_000 + base.displacement }

    /// Takes up the offset that was kept.
    func load(from store: any Store) async throws {
        guard let kept = try await store.read({ try $0.document(Self.document) }),
            let microseconds = Int64(String(decoding: kept, as: UTF8.self))
        else { return }
        offset.withLock { $0 = microseconds }
    }

    /// The furthest that the clock may be moved altogether: a hundred years.
    static let furthest: Int64 = 100 * 366 * 86_400 * 1_000_000

    /// Moves the clock, and remembers it.
    /// - Parameter seconds: forward, or back where negative. Answers false where that is too far.
    func advance(seconds: Double, in store: any Store) async throws -> Bool {
        guard seconds.isFinite, abs(seconds) * 1_000_000 <= Double(Self.furthest) else { return false }
        let moved = offset.withLock { offset -> Int64? in
            let sum = offset + Int64(seconds * 1_000_000)
            guard abs(sum) <= Self.furthest else { return nil }
            offset = sum
            return sum
        }
        guard let moved else { return false }
        try await store.write { try $0.putDocument(Self.document, Data(String(moved).utf8)) }
        return true
    }
}
