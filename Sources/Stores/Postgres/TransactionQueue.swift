import CountersignCore
import Foundation
import StoreSQL

/// What a transaction may do.
enum TransactionKind: Sendable {
    case read
    case write
}

/// Which transactions wait, and which comes next: the rules of the pool, without threads and without a database.
///
/// Transactions run side by side in the order of arrival, but
/// - writes leave one thread to reads, so that writes that wait for each other's rows do not block reads;
/// - a write that lost a race goes before fresh ones. Of those that lost the same row one runs at a time, because they
///   would otherwise fight again; those of other rows run beside it. Where PostgreSQL names no row, they count as one row's;
/// - one that keeps losing is run while no other write does, so that it wins against all others in this process.
///   Against other processes it has luck, time, and as many rounds as fit into its patience.
struct TransactionQueue<Job> {
    typealias Instant = ContinuousClock.Instant

    struct Entry {
        let number: UInt64
        let kind: TransactionKind
        let arrival: Instant
        /// When it is refused rather than kept waiting.
        let deadline: Instant
        /// Races that it lost.
        fileprivate(set) var losses = 0
        /// What it lost the last one for; nil where PostgreSQL does not say.
        fileprivate(set) var row: ContestedRow?
        let job: Job

        fileprivate var isAlone: Bool { losses >= TransactionQueue.lossesBeforeAlone }

        /// When it is refused: earlier while the database cannot be reached.
        func end(in outage: Outage?) -> Instant {
            outage.map { min(deadline, max(arrival, $0.since) + $0.patience) } ?? deadline
        }
    }

    /// A time in which the database cannot be reached.
    struct Outage: Equatable {
        let since: Instant
        /// How long transactions wait for its end.
        let patience: Duration
    }

    enum Admission: Equatable {
        case waits
        case full
        case closed
    }

    /// Races that a write loses in company.
    static var lossesBeforeAlone: Int { 3 }

    /// How many may wait beside those that run.
    let capacity: Int
    /// How many writes run at a time.
    let writers: Int
    private var reads = Line()
    private var writes = Line()
    private var losers: [Entry] = []
    private var running = 0
    private var runningWrites = 0
    /// Rows that losers which run now have lost before. Nil within stands for all losers without a row.
    private var rowsInRepetition: Set<ContestedRow?> = []
    private var isAloneRunning = false
    private var arrivals: UInt64 = 0
    private(set) var isClosed = false

    init(threads: Int, capacity: Int) {
        self.capacity = capacity
        writers = max(1, threads - 1)
    }

    /// How many wait.
    var waiting: Int { reads.count + writes.count + losers.count }

    /// Whether nothing runs or waits, and nothing will.
    var isFinished: Bool { isClosed && waiting == 0 && running == 0 }

    /// When the next one is to be refused.
    func nextDeadline(in outage: Outage?) -> Instant? {
        // Arrivals have ascending deadlines; losers have none of an order.
        var next: Instant?
        func look(_ end: Instant) { next = next.map { min($0, end) } ?? end }
        if let end = reads.firstEnd(in: outage) { look(end) }
        if let end = writes.firstEnd(in: outage) { look(end) }
        for loser in losers { look(loser.end(in: outage)) }
        return next
    }

    mutating func add(_ job: Job, _ kind: TransactionKind, at now: Instant, deadline: Instant) -> Admission {
        guard !isClosed else { return .closed }
        guard waiting < capacity else { return .full }
        arrivals += 1
        let entry = Entry(number: arrivals, kind: kind, arrival: now, deadline: deadline, job: job)
        switch kind {
        case .read: reads.append(entry)
        case .write: writes.append(entry)
        }
        return .waits
    }

    /// The next to run; nil where none may run now.
    mutating func take() -> Entry? {
        switch next {
        case .none: return nil
        case .read: return start(reads.removeFirst())
        case .write: return start(writes.removeFirst())
        case .loser(let place):
            let entry = losers.remove(at: place)
            rowsInRepetition.insert(entry.row)
            isAloneRunning = entry.isAlone
            return start(entry)
        }
    }

    /// Whether `take` would give one.
    var hasNext: Bool { next != nil }

    /// Called when one that was taken is over.
    mutating func finish(_ entry: Entry) {
        running -= 1
        if entry.kind == .write { runningWrites -= 1 }
        if entry.losses > 0 {
            rowsInRepetition.remove(entry.row)
            if entry.isAlone { isAloneRunning = false }
        }
    }

    /// Called when one that was taken lost a race and is to run again. The queue takes it back even where it is full or
    /// closed: it was admitted before.
    /// - Parameter row: what it lost the race for; nil where that is not known.
    mutating func lose(_ entry: Entry, for row: ContestedRow?) {
        finish(entry)
        var entry = entry
        entry.losses += 1
        entry.row = row
        // The one that has tried longest comes first.
        let place = losers.firstIndex { $0.number > entry.number } ?? losers.endIndex
        losers.insert(entry, at: place)
    }

    /// Takes out those whose time is over.
    mutating func expire(at now: Instant, in outage: Outage?) -> [Entry] {
        func isOver(_ entry: Entry) -> Bool { entry.end(in: outage) <= now }
        let expired = (reads.entries + writes.entries + losers).filter(isOver)
        guard !expired.isEmpty else { return [] }
        reads.removeAll(where: isOver)
        writes.removeAll(where: isOver)
        losers.removeAll(where: isOver)
        return expired
    }

    /// Admits no more.
    mutating func close() {
        isClosed = true
    }

    /// Those that came and wait, in the order of arrival. Taking the first moves none of the others: that is done where all who come and
    /// go wait for each other.
    private struct Line {
        /// Nil in front are places of those that were taken, so that nothing keeps what they hold.
        private var places: [Entry?] = []
        /// The place of the first.
        private var head = 0

        /// Places that are left empty in front, however few wait.
        private static var mostEmpty: Int { 256 }

        var count: Int { places.count - head }
        var entries: [Entry] { places[head...].compactMap { $0 } }
        var firstNumber: UInt64? { head < places.count ? places[head]?.number : nil }

        func firstEnd(in outage: Outage?) -> Instant? { head < places.count ? places[head]?.end(in: outage) : nil }

        mutating func append(_ entry: Entry) {
            places.append(entry)
        }

        /// Nil where none waits.
        mutating func removeFirst() -> Entry? {
            guard head < places.count else { return nil }
            let first = places[head]
            places[head] = nil
            head += 1
            // As many are moved as were taken before, at most.
            if head >= Self.mostEmpty, 2 * head >= places.count {
                places.removeFirst(head)
                head = 0
            }
            return first
        }

        mutating func removeAll(where isOver: (Entry) -> Bool) {
            places = entries.filter { !isOver($0) }
            head = 0
        }
    }

    private enum Place {
        case read, write
        case loser(Int)
    }

    private var next: Place? {
        // The one that has tried longest, of a row that no other tries for.
        let loser = isAloneRunning ? nil : losers.firstIndex { !rowsInRepetition.contains($0.row) }
        let waitsToBeAlone = loser.map { losers[$0].isAlone } ?? false
        if let loser, waitsToBeAlone ? runningWrites == 0 : runningWrites < writers { return .loser(loser) }
        // Fresh writes stand back for one that is to run alone.
        let writesMayRun = !isAloneRunning && !waitsToBeAlone && runningWrites < writers
        switch (reads.firstNumber, writesMayRun ? writes.firstNumber : nil) {
        case (let read?, let write?): return read < write ? .read : .write
        case (_?, nil): return .read
        case (nil, _?): return .write
        case (nil, nil): return nil
        }
    }

    private mutating func start(_ entry: Entry?) -> Entry? {
        guard let entry else { return nil }
        running += 1
        if entry.kind == .write { runningWrites += 1 }
        return entry
    }
}

extension TransactionQueue.Entry: Sendable where Job: Sendable {}

/// A row for which transactions fought, as far as telling it from others goes: a hash of its key, which may be secret or
/// personal and is not kept. Two rows of one hash are repeated one after the other, and no worse.
struct ContestedRow: Hashable, Sendable {
    private let hash: Int

    /// - Parameter key: the first parameter of the statement that lost. In every statement that changes or locks rows
    ///   it is the key of the row, or of the first of them.
    init?(key: SQLValue?) {
        switch key {
        case .text(let text): hash = text.hashValue
        case .blob(let bytes): hash = bytes.hashValue
        case .integer, .null, nil: return nil
        }
    }
}
