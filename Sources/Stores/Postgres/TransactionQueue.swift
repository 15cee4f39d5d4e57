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
///   Against other processes it has luck, time, and as many rounds as fit into its patience;
/// - writes that may be run together are left to the thread that runs several at once, as long as it has room or all its connections. It
///   passes over the others, which have threads of their own.
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
        /// Whether it is being run so.
        fileprivate(set) var isTogether = false
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
    /// How many writes run at a time, beside those that are run together.
    let writers: Int
    /// How many more writes the thread that runs several would begin now.
    var room = 0
    /// Whether it has all its connections, so that what may go together waits for one of them.
    var isComplete = false
    private var reads = Line()
    private var writes = Line()
    /// Writes that may be run together.
    private var together = Line()
    private var losers: [Entry] = []
    /// Writes that were run together and have to be run by themselves, the one that came first in front.
    private var singles: [Entry] = []
    private var running = 0
    private var runningWrites = 0
    /// Those of them that are run together.
    private var runningTogether = 0
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
    var waiting: Int { reads.count + writes.count + together.count + losers.count + singles.count }

    /// Whether nothing runs or waits, and nothing will.
    var isFinished: Bool { isClosed && waiting == 0 && running == 0 }

    /// When the next one is to be refused.
    func nextDeadline(in outage: Outage?) -> Instant? {
        // Arrivals have ascending deadlines; losers have none of an order.
        var next: Instant?
        func look(_ end: Instant) { next = next.map { min($0, end) } ?? end }
        if let end = reads.firstEnd(in: outage) { look(end) }
        if let end = writes.firstEnd(in: outage) { look(end) }
        if let end = together.firstEnd(in: outage) { look(end) }
        for loser in losers { look(loser.end(in: outage)) }
        for single in singles { look(single.end(in: outage)) }
        return next
    }

    /// - Parameter goesTogether: whether one thread may run it together with others.
    mutating func add(
        _ job: Job, _ kind: TransactionKind, at now: Instant, deadline: Instant, goesTogether: Bool = false
    ) -> Admission {
        guard !isClosed else { return .closed }
        guard waiting < capacity else { return .full }
        arrivals += 1
        let entry = Entry(
            number: arrivals, kind: kind, arrival: now, deadline: deadline, job: job)
        switch kind {
        case .read: reads.append(entry)
        case .write where goesTogether: together.append(entry)
        case .write: writes.append(entry)
        }
        return .waits
    }

    /// The next to run by itself; nil where none may run now.
    mutating func take() -> Entry? {
        switch next {
        case .none: return nil
        case .read: return start(reads.removeFirst())
        case .write: return start(writes.removeFirst())
        case .together: return start(together.removeFirst())
        case .single: return start(singles.removeFirst())
        case .loser(let place):
            let entry = losers.remove(at: place)
            rowsInRepetition.insert(entry.row)
            isAloneRunning = entry.isAlone
            return start(entry)
        }
    }

    /// Whether `take` would give one.
    var hasNext: Bool { next != nil }

    /// The next for the thread that runs several; nil where it has no room, and where none may run now.
    mutating func takeTogether() -> Entry? {
        guard room > 0, let entry = takeBehind() else { return nil }
        room -= 1
        return entry
    }

    /// The next to begin where one that was run together commits, for which no room is needed; nil where none may run now.
    mutating func takeBehind() -> Entry? {
        guard hasMoreTogether, var entry = together.removeFirst() else { return nil }
        entry.isTogether = true
        runningTogether += 1
        return start(entry)
    }

    /// Whether `takeTogether` would give one.
    var hasNextTogether: Bool { room > 0 && hasMoreTogether }

    /// Whether it would if there were room.
    var hasMoreTogether: Bool { together.count > 0 && writesMayRun }

    /// Called when one that was run together is to be run by itself; nothing of it was done. The queue takes it back even where it is full or
    /// closed.
    mutating func single(_ entry: Entry) {
        finish(entry)
        var entry = entry
        entry.isTogether = false
        let place = singles.firstIndex { $0.number > entry.number } ?? singles.endIndex
        singles.insert(entry, at: place)
    }

    /// Called when one that was taken is over.
    mutating func finish(_ entry: Entry) {
        running -= 1
        if entry.kind == .write { runningWrites -= 1 }
        if entry.isTogether { runningTogether -= 1 }
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
        entry.isTogether = false
        entry.losses += 1
        entry.row = row
        // The one that has tried longest comes first.
        let place = losers.firstIndex { $0.number > entry.number } ?? losers.endIndex
        losers.insert(entry, at: place)
    }

    /// Takes out those whose time is over.
    mutating func expire(at now: Instant, in outage: Outage?) -> [Entry] {
        func isOver(_ entry: Entry) -> Bool { entry.end(in: outage) <= now }
        let expired = (reads.entries + writes.entries + together.entries + losers + singles).filter(isOver)
        guard !expired.isEmpty else { return [] }
        reads.removeAll(where: isOver)
        writes.removeAll(where: isOver)
        together.removeAll(where: isOver)
        losers.removeAll(where: isOver)
        singles.removeAll(where: isOver)
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
        case read, write, together, single
        case loser(Int)
    }

    /// The loser that may run, as far as other losers go: the one that has tried longest, of a row that no other tries for.
    private var firstLoser: Int? {
        isAloneRunning ? nil : losers.firstIndex { !rowsInRepetition.contains($0.row) }
    }

    /// Whether fresh writes may run: they stand back for one that is to run alone.
    private var writesMayRun: Bool { !isAloneRunning && !(firstLoser.map { losers[$0].isAlone } ?? false) }

    private var next: Place? {
        let isFree = runningWrites - runningTogether < writers
        if let loser = firstLoser, losers[loser].isAlone ? runningWrites == 0 : isFree { return .loser(loser) }
        let mayWrite = writesMayRun && isFree
        if mayWrite, !singles.isEmpty { return .single }
        // What may go together is left to the thread that runs several.
        let isLeft = isComplete || room > 0
        var next: (place: Place, number: UInt64)?
        func look(_ place: Place, _ number: UInt64?) {
            if let number, next.map({ number < $0.number }) ?? true { next = (place, number) }
        }
        look(.read, reads.firstNumber)
        if mayWrite { look(.write, writes.firstNumber) }
        if mayWrite, !isLeft { look(.together, together.firstNumber) }
        return next?.place
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
