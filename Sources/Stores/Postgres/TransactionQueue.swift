import CountersignCore

/// What a transaction may do.
enum TransactionKind: Sendable {
    case read
    case write
}

/// Which transactions wait, and which comes next: the rules of the pool, without threads and without a database.
///
/// Transactions run side by side in the order of arrival, but
/// - writes leave one thread to reads, so that writes that wait for each other's rows do not block reads;
/// - a write that lost a race goes before fresh ones, and only one such runs at a time: those that fought for a row
///   would otherwise fight again;
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
    private var reads: [Entry] = []
    private var writes: [Entry] = []
    private var losers: [Entry] = []
    private var running = 0
    private var runningWrites = 0
    private var isLoserRunning = false
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
        ([reads.first, writes.first].compactMap { $0 } + losers).map { $0.end(in: outage) }.min()
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
        case .loser:
            let entry = losers.removeFirst()
            isLoserRunning = true
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
            isLoserRunning = false
            isAloneRunning = false
        }
    }

    /// Called when one that was taken lost a race and is to run again. The queue takes it back even where it is full or
    /// closed: it was admitted before.
    mutating func lose(_ entry: Entry) {
        finish(entry)
        var entry = entry
        entry.losses += 1
        // The one that has tried longest comes first.
        let place = losers.firstIndex { $0.number > entry.number } ?? losers.endIndex
        losers.insert(entry, at: place)
    }

    /// Takes out those whose time is over.
    mutating func expire(at now: Instant, in outage: Outage?) -> [Entry] {
        func isOver(_ entry: Entry) -> Bool { entry.end(in: outage) <= now }
        let expired = (reads + writes + losers).filter(isOver)
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

    private enum Place { case read, write, loser }

    private var next: Place? {
        let loserIsNext = !losers.isEmpty && !isLoserRunning
        if loserIsNext, let loser = losers.first, loser.isAlone ? runningWrites == 0 : runningWrites < writers {
            return .loser
        }
        // Fresh writes stand back for one that is to run alone.
        let writesMayRun = !isAloneRunning && !(loserIsNext && losers[0].isAlone) && runningWrites < writers
        switch (reads.first, writesMayRun ? writes.first : nil) {
        case (let read?, let write?): return read.number < write.number ? .read : .write
        case (_?, nil): return .read
        case (nil, _?): return .write
        case (nil, nil): return nil
        }
    }

    private mutating func start(_ entry: Entry) -> Entry {
        running += 1
        if entry.kind == .write { runningWrites += 1 }
        return entry
    }
}

extension TransactionQueue.Entry: Sendable where Job: Sendable {}
