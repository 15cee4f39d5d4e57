import Testing

@testable import StorePostgres
@testable import StoreSQL

@Suite("The queue of waiting transactions")
struct TransactionQueueTests {
    @Test
    func `Transactions run in the order of arrival, but one thread is left to reads`() {
        let queue = filled(threads: 3, writes: ["w1", "w2", "w3"], reads: ["r1"])
        #expect([queue.take()?.job, queue.take()?.job, queue.take()?.job] == ["w1", "w2", "r1"])
        #expect(queue.take() == nil && queue.waiting == 1)
    }

    @Test
    func `A pool of one thread does both`() {
        let queue = filled(threads: 1, writes: ["w1"], reads: ["r1"])
        #expect(queue.writers == 1)
        #expect([queue.take()?.job, queue.take()?.job] == ["w1", "r1"])
    }

    @Test
    func `A write that lost a race goes before fresh ones, and only one such runs at a time`() throws {
        let queue = filled(threads: 5, writes: ["w1", "w2", "w3"])
        let (first, second) = (try #require(queue.take()), try #require(queue.take()))
        queue.lose(second)
        queue.lose(first)
        let again = try #require(queue.take())
        #expect((again.job, again.losses) == ("w1", 1), "the older comes first")
        #expect(queue.take()?.job == "w3", "the other loser stands back")
        #expect(queue.take() == nil)
        queue.finish(again)
        #expect(queue.take()?.job == "w2")
    }

    @Test
    func `Losers of one row run one after the other, beside those of another row and those of none`() throws {
        let queue = filled(threads: 9, writes: ["x1", "x2", "y1", "n1", "n2"])
        let rows: [String: ContestedRow?] = ["x": ContestedRow(key: .text("x")), "y": ContestedRow(key: .text("y"))]
        let taken = try (0..<5).map { _ in try #require(queue.take()) }
        for entry in taken { queue.lose(entry, for: rows[String(entry.job.prefix(1))] ?? nil) }
        _ = queue.add("fresh", .write)
        let again = try (0..<3).map { _ in try #require(queue.take()) }
        #expect(again.map(\.job) == ["x1", "y1", "n1"], "the oldest of each")
        #expect(queue.take()?.job == "fresh")
        #expect(queue.take() == nil)
        queue.finish(again[1])
        #expect(queue.take() == nil, "none other waits for y")
        queue.lose(again[0], for: rows["y"] ?? nil)
        #expect(queue.take()?.job == "x1", "it goes by the row that it lost last")
        #expect(queue.take()?.job == "x2")
        queue.finish(again[2])
        #expect(queue.take()?.job == "n2")
    }

    @Test
    func `What may go together is left to the thread that runs several, as long as it has room`() throws {
        let queue = filled(threads: 3)
        queue.addTogether("t1", "t2", "t3")
        _ = queue.add("w1", .write)
        #expect(queue.takeTogether() == nil, "it has no room")
        queue.room = 2
        #expect([queue.take()?.job, queue.take()?.job] == ["w1", nil], "it has")
        let first = try #require(queue.takeTogether())
        #expect([first.job, queue.takeTogether()?.job] == ["t1", "t2"])
        #expect(queue.takeTogether() == nil && queue.room == 0)
        #expect(queue.take()?.job == "t3", "the other threads have their own number of writes")
        queue.room = 1
        queue.finish(first)
        #expect(queue.takeTogether() == nil && queue.waiting == 0)
    }

    @Test
    func `What begins behind a commit needs no room, and stands back for one that is to run alone`() throws {
        let queue = filled(threads: 3, writes: ["w1"])
        queue.addTogether("t1", "t2", "t3")
        queue.room = 1
        #expect(queue.takeBehind()?.job == "t1" && queue.room == 1)
        #expect([queue.takeTogether()?.job, queue.takeBehind()?.job] == ["t2", "t3"])
        #expect(queue.takeBehind() == nil, "what is for the other threads is left to them")
        #expect(queue.take()?.job == "w1")
        queue.addTogether("l", "t4")
        var loser = try #require(queue.takeBehind())
        for _ in 1..<TransactionQueue<String>.lossesBeforeAlone {
            queue.lose(loser)
            loser = try #require(queue.take())
        }
        queue.lose(loser)
        #expect(loser.job == "l" && queue.takeBehind() == nil && queue.waiting == 2)
    }

    @Test
    func `What may go together waits for the thread that runs several, when that has all its connections`() {
        let queue = filled(threads: 3)
        queue.isComplete = true
        queue.addTogether("t1")
        _ = queue.add("r1", .read)
        #expect([queue.take()?.job, queue.take()?.job] == ["r1", nil])
        queue.isComplete = false
        #expect(queue.take()?.job == "t1")
    }

    @Test
    func `The thread that runs several passes over what is not for it, and the others keep the order`() {
        let queue = filled(threads: 2, writes: ["w1", "w2"])
        queue.addTogether("t1", "t2")
        _ = queue.add("r1", .read)
        queue.room = 1
        #expect(queue.takeTogether()?.job == "t1")
        // It has no more room, and may have more connections.
        #expect([queue.take()?.job, queue.take()?.job, queue.take()?.job] == ["w1", "r1", nil])
        #expect(queue.waiting == 2)
    }

    @Test
    func `What was run together and has to be run by itself comes next, in the order of arrival`() throws {
        let queue = filled(threads: 4)
        queue.addTogether("t1", "t2", "t3")
        queue.room = 2
        let taken = try (0..<2).map { _ in try #require(queue.takeTogether()) }
        queue.single(taken[1])
        queue.single(taken[0])
        queue.room = 2
        #expect(queue.waiting == 3)
        let single = try #require(queue.take())
        #expect((single.job, single.losses) == ("t1", 0))
        #expect([queue.take()?.job, queue.take()?.job] == ["t2", nil], "not taken together again")
        #expect(queue.takeTogether()?.job == "t3")
    }

    @Test
    func `One that is to run alone waits for those that run together, and those for it`() throws {
        let queue = filled(threads: 4)
        queue.addTogether("t1", "t2")
        queue.room = 2
        var loser = try #require(queue.takeTogether())
        for _ in 0..<TransactionQueue<String>.lossesBeforeAlone - 1 {
            queue.lose(loser)
            loser = try #require(queue.take())
        }
        let beside = try #require(queue.takeTogether())
        queue.lose(loser)
        queue.addTogether("t3")
        queue.room = 1
        #expect(queue.take() == nil && queue.takeTogether() == nil, "it waits for the other")
        queue.finish(beside)
        let alone = try #require(queue.take())
        #expect(alone.job == "t1" && queue.takeTogether() == nil)
        queue.finish(alone)
        queue.room = 1
        #expect(queue.takeTogether()?.job == "t3")
    }

    @Test
    func `Losers of many rows leave one thread to reads`() throws {
        let queue = filled(threads: 3, writes: ["a", "b"])
        let first = [try #require(queue.take()), try #require(queue.take())]
        _ = queue.add("c", .write)
        for entry in first { queue.lose(entry, for: ContestedRow(key: .text(entry.job))) }
        _ = queue.add("r", .read)
        #expect([queue.take()?.job, queue.take()?.job, queue.take()?.job] == ["a", "b", "r"])
        #expect(queue.take() == nil)
    }

    @Test
    func `A write that keeps losing runs while no other does, and reads go on`() throws {
        let queue = filled(threads: 5, writes: ["w1", "w2"])
        var loser = try #require(queue.take())
        for _ in 1..<TransactionQueue<String>.lossesBeforeAlone {
            queue.lose(loser)
            loser = try #require(queue.take())
        }
        let other = try #require(queue.take())
        queue.lose(loser)
        #expect(queue.add("w3", .write) == .waits && queue.add("r1", .read) == .waits)
        #expect(queue.take()?.job == "r1", "w1 waits for w2 to end, and w3 for w1")
        #expect(queue.take() == nil)
        queue.finish(other)
        let alone = try #require(queue.take())
        #expect(alone.job == "w1")
        #expect(queue.take() == nil)
        queue.finish(alone)
        #expect(queue.take()?.job == "w3")
    }

    @Test
    func `One too many is refused, but never one that was admitted before`() throws {
        let queue = filled(threads: 2, capacity: 1, writes: ["w1"])
        let first = try #require(queue.take())
        #expect(queue.add("w2", .write) == .waits)
        #expect(queue.add("w3", .write) == .full)
        queue.lose(first)
        #expect(queue.waiting == 2)
        #expect(queue.take()?.job == "w1")
    }

    @Test
    func `Those whose time has passed are taken out, wherever they wait`() throws {
        let queue = Pool(threads: 3, capacity: 9)
        let now = ContinuousClock.now
        _ = queue.add("loses", .write, now + .seconds(2))
        queue.lose(try #require(queue.take()))
        _ = queue.add("late", .write, now + .seconds(1))
        _ = queue.add("reads", .read, now + .seconds(3))
        #expect(queue.nextDeadline == now + .seconds(1))
        #expect(queue.expire(at: now).isEmpty)
        #expect(queue.expire(at: now + .seconds(2)).map(\.job) == ["late", "loses"])
        #expect(queue.nextDeadline == now + .seconds(3))
    }

    @Test
    func `Very many that come and go keep their order, and those whose time has passed are missing alone`() throws {
        let queue = Pool(threads: 1, capacity: 2000)
        let now = ContinuousClock.now
        var taken: [String] = []
        func take(_ count: Int) throws {
            for _ in 0..<count {
                let entry = try #require(queue.take())
                taken.append(entry.job)
                queue.finish(entry)
            }
        }
        for number in 0..<700 {
            let isLate = number == 650
            #expect(queue.add("\(number)", .write, now + (isLate ? .seconds(1) : .seconds(900))) == .waits)
        }
        try take(600)
        #expect(queue.waiting == 100)
        #expect(queue.expire(at: now + .seconds(1)).map(\.job) == ["650"])
        for number in 700..<1400 { _ = queue.add("\(number)", .write, now + .seconds(900)) }
        try take(799)
        #expect(queue.take() == nil && queue.waiting == 0)
        #expect(taken == (0..<1400).filter { $0 != 650 }.map { "\($0)" })
    }

    @Test
    func `A closed queue is finished when what was admitted is`() throws {
        let queue = filled(threads: 2, writes: ["w1"])
        queue.close()
        #expect(queue.add("w2", .write) == .closed)
        let entry = try #require(queue.take())
        queue.lose(entry)
        #expect(!queue.isFinished)
        queue.finish(try #require(queue.take()))
        #expect(queue.isFinished)
    }

    @Test
    func `An outage is waited for from its begin or the arrival, whichever is later, and no longer than the deadline`()
    {
        let now = ContinuousClock.now
        let outage = TransactionQueue<String>.Outage(since: now, patience: .seconds(5))
        let queue = Pool(threads: 2, capacity: 9)
        _ = queue.add("long there", .read, now + .seconds(20), at: now - .seconds(9))
        _ = queue.add("nearly over", .write, now + .seconds(2), at: now - .seconds(8))
        _ = queue.add("fresh", .write, now + .seconds(20), at: now + .seconds(3))
        #expect(queue.nextDeadline(in: outage) == now + .seconds(2))
        #expect(queue.expire(at: now + .seconds(4), in: outage).map(\.job) == ["nearly over"])
        #expect(queue.nextDeadline(in: outage) == now + .seconds(5))
        #expect(queue.expire(at: now + .seconds(7), in: outage).map(\.job) == ["long there"])
        #expect(queue.expire(at: now + .seconds(9), in: nil).isEmpty)
        #expect(queue.expire(at: now + .seconds(9), in: outage).map(\.job) == ["fresh"])
    }

    private func filled(threads: Int, capacity: Int = 9, writes: [String] = [], reads: [String] = []) -> Pool {
        let pool = Pool(threads: threads, capacity: capacity)
        for job in writes { _ = pool.add(job, .write) }
        for job in reads { _ = pool.add(job, .read) }
        return pool
    }

    /// The queue behind a reference, as expectations evaluate no mutating call.
    private final class Pool {
        private var queue: TransactionQueue<String>

        init(threads: Int, capacity: Int) {
            queue = TransactionQueue(threads: threads, capacity: capacity)
        }

        func add(
            _ job: String, _ kind: TransactionKind, _ deadline: ContinuousClock.Instant = .now + .seconds(1000),
            at arrival: ContinuousClock.Instant = .now
        ) -> TransactionQueue<String>.Admission {
            queue.add(job, kind, at: arrival, deadline: deadline)
        }

        func addTogether(_ jobs: String...) {
            for job in jobs {
                _ = queue.add(job, .write, at: .now, deadline: .now + .seconds(1000), goesTogether: true)
            }
        }

        func take() -> TransactionQueue<String>.Entry? { queue.take() }
        func takeTogether() -> TransactionQueue<String>.Entry? { queue.takeTogether() }
        func takeBehind() -> TransactionQueue<String>.Entry? { queue.takeBehind() }
        func single(_ entry: TransactionQueue<String>.Entry) { queue.single(entry) }
        var isComplete: Bool {
            get { queue.isComplete }
            set { queue.isComplete = newValue }
        }
        var room: Int {
            get { queue.room }
            set { queue.room = newValue }
        }
        func finish(_ entry: TransactionQueue<String>.Entry) { queue.finish(entry) }
        func lose(_ entry: TransactionQueue<String>.Entry, for row: ContestedRow? = nil) {
            queue.lose(entry, for: row)
        }
        func expire(
            at now: ContinuousClock.Instant, in outage: TransactionQueue<String>.Outage? = nil
        ) -> [TransactionQueue<String>.Entry] { queue.expire(at: now, in: outage) }
        func close() { queue.close() }
        var nextDeadline: ContinuousClock.Instant? { nextDeadline(in: nil) }
        func nextDeadline(in outage: TransactionQueue<String>.Outage?) -> ContinuousClock.Instant? {
            queue.nextDeadline(in: outage)
        }
        var waiting: Int { queue.waiting }
        var writers: Int { queue.writers }
        var isFinished: Bool { queue.isFinished }
    }
}
