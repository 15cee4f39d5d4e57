import CountersignCore
import Foundation
import StorePostgres
import Synchronization
import TestSupport
import Testing

/// Many writes at once that keep to their rows: what one of them does, waits for or suffers is no other's business.
///
/// The bodies only compute and ask. Where a row has to be locked meanwhile, another session locks it.
extension PostgresTests {
    @Test(arguments: [2, 3, 6])
    func `Each of two hundred writes to rows of their own is done once, and its caller is told its own`(
        _ connections: Int
    ) async throws {
        let (_, store) = try await seeded(200, connections: connections)
        let told = try await each(200) { number in
            try await store.write(.rows) { transaction in
                for key in ["a/\(number)", "b/\(number)"] { try increment(key, in: transaction) }
                return [number, try add(number, in: transaction), try transaction.counter("a/\(number)")?.count]
            }
        }
        #expect(told == (0..<200).map { [$0, 1, 1] })
        #expect(try await attempts(200, in: store) == Array(repeating: 1, count: 200))
        #expect(store.statistics.connectionsMade <= connections)
        await store.close()
    }

    @Test(arguments: [2, 6])
    func `Two hundred writes to one row are all counted, and each caller is told its own count`(_ connections: Int)
        async throws
    {
        let (_, store) = try await seeded(1, connections: connections)
        let told = try await each(200) { number in
            try await store.write(.rows) { [number, try add(0, in: $0)] }
        }
        #expect(told.map { $0[0] } == Array(0..<200))
        #expect(told.map { $0[1] }.sorted() == Array(1...200))
        #expect(try await attempts(1, in: store) == [200])
        await store.close()
    }

    enum HeldWrite: CaseIterable {
        /// Waits with its commit.
        case change
        /// Waits with its first question.
        case reservation
        /// Waits with a question after it has changed something.
        case reservationAfterChange
        /// Waits with its first question, behind an answer that fills the server's buffer: that one comes alone.
        case reservationBehindMuch
    }

    @Test(arguments: HeldWrite.allCases)
    func `A row that another session has locked holds up the writes to it, and nothing else`(_ kind: HeldWrite)
        async throws
    {
        // The two may take two of the connections that are not served together; then one of those is left to writes and one to reads.
        let (database, store) = try await seeded(30, connections: 8)
        let much = FlowRecord(
            digest: Data("much".utf8), userID: nil, purpose: "p", createdAt: Date(microseconds: 1),
            expiresAt: Date(microseconds: 2), body: Data(repeating: 0, count: 100_000))
        #expect(try await store.write { try $0.insert(much) })
        // Connections for writes together are made when there are several to run.
        _ = try await each(200) { number in
            try await store.write(.rows) { try $0.flow(digest: flow(number).digest) != nil }
        }
        let holder = try await LockHolder(of: [1], changing: true, in: database)
        let held = Task {
            try await each(2) { _ in
                try await store.write(.rows) { transaction in
                    if kind == .reservationAfterChange { try add(0, in: transaction) }
                    if kind == .reservationBehindMuch { try transaction.expect(.flow(digest: much.digest)) }
                    if kind != .change { try transaction.reserve([.flow(flow(1).digest)]) }
                    return try add(1, in: transaction)
                }
            }
        }
        try await database.sees(2, sessionsWhere: waitForLock)
        // The holder gives up after a minute where these wait for it.
        let neighbours = try await each(20) { number in
            try await store.write(.rows) { try add(number + 2, in: $0) }
        }
        #expect(neighbours == Array(repeating: 1, count: 20))
        #expect(try await store.write { try add(25, in: $0) } == 1)
        #expect(try await attempts(30, in: store)[0..<3] == [0, 0, 1], "held still")
        try await holder.release()
        #expect(try await held.value.sorted() == [101, 102])
        let own = kind == .reservationAfterChange ? 2 : 0
        #expect(try await attempts(30, in: store)[0..<3] == [own, 102, 1])
        await store.close()
    }

    @Test
    func `A body that asks after a change that is not done is told both`() async throws {
        let (_, store) = try await seeded(200, connections: 6)
        let told = try await each(200) { number in
            try await store.write(.rows) { transaction in
                // Every other one is there.
                let isInserted = try transaction.insert(flow(number % 2 == 0 ? number : 1000 + number))
                return [isInserted ? 1 : 0, try transaction.flow(digest: flow(number).digest)?.attempts]
            }
        }
        #expect(told == (0..<200).map { [$0 % 2, 0] })
        await store.close()
    }

    /// The row is locked for others that wait for an answer, each by a connection of the same thread.
    @Test
    func `A body that throws before its reservation is sent holds up no other`() async throws {
        struct Refused: Error {}
        let (_, store) = try await seeded(1, connections: 6)
        let told = try await each(200) { number -> Int? in
            do {
                return try await store.write(.rows) { transaction in
                    try transaction.reserve([.flow(flow(0).digest)])
                    if number % 2 == 1 { throw Refused() }
                    return try transaction.flow(digest: flow(0).digest)?.attempts
                }
            } catch is Refused {
                return -1
            }
        }
        #expect(told == (0..<200).map { $0 % 2 == 1 ? -1 : 0 })
        #expect(store.statistics.silences == 0)
        await store.close()
    }

    @Test
    func `What a body does only when it is run for the second time is not done where that run does not count`()
        async throws
    {
        let (_, store) = try await seeded(200, connections: 6)
        _ = try await each(200) { number in
            let runs = Mutex(0)
            return try await store.write(.rows) { transaction in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                let isFound = try transaction.flow(digest: flow(number).digest) != nil
                if isFound, run == 2 {
                    _ = try transaction.insert(flow(1000 + number))
                    _ = try transaction.flow(digest: flow(2000 + number).digest)
                }
                return isFound
            }
        }
        let added = try await store.read { transaction in
            try (1000..<1200).filter { try transaction.flow(digest: flow($0).digest) != nil }
        }
        #expect(added == [])
        await store.close()
    }

    @Test
    func `A body that throws undoes its own changes alone, and its caller alone is told`() async throws {
        struct Refused: Error { let number: Int }
        let (_, store) = try await seeded(100, connections: 6)
        let told = try await each(100) { number in
            do {
                return try await store.write(.rows) { transaction in
                    let refused = Refused(number: number)
                    if number % 4 == 1 { throw refused }
                    try increment("c/\(number)", in: transaction)
                    try add(number, in: transaction)
                    if number % 4 == 2 { throw refused }
                    _ = try transaction.flow(digest: flow(number).digest)
                    if number % 4 == 3 { throw refused }
                    return number
                }
            } catch let error as Refused {
                return -error.number
            }
        }
        #expect(told == (0..<100).map { $0 % 4 == 0 ? $0 : -$0 })
        #expect(try await attempts(100, in: store) == (0..<100).map { $0 % 4 == 0 ? 1 : 0 })
        #expect(try await counts(100, in: store) == (0..<100).map { $0 % 4 == 0 ? 1 : 0 })
        await store.close()
    }

    @Test
    func `A body may ask by what it was told before, and sees what it has changed itself`() async throws {
        struct Told: Sendable, Equatable {
            var asked: [Int?] = []
            var path: [Int] = []
            var attempts: [Int?] = []
            var isInserted = false
            var count: Int?
        }
        // Each of four names the next: 0, 1, 2, 3; 4, 5, 6, 7; and so on.
        let (_, store) = try await seeded(160, connections: 6)
        let told = try await each(40) { chain in
            try await store.write(.rows) { transaction in
                var told = Told()
                let (end, new) = (4 * chain + 3, 1000 + chain)
                try transaction.expect(.flow(digest: flow(end).digest))
                told.asked.append(try transaction.flow(digest: flow(new).digest)?.attempts)
                told.asked.append(try transaction.flow(digest: flow(end).digest, beside: []).flow?.attempts)
                var next = 4 * chain
                while next <= end, let flow = try transaction.flow(digest: flow(next).digest) {
                    told.path.append(next)
                    next = Int(String(decoding: flow.body, as: UTF8.self)) ?? .max
                }
                // The same question after the change has another answer.
                try add(end, in: transaction)
                told.attempts.append(try transaction.flow(digest: flow(end).digest)?.attempts)
                told.attempts.append(try add(end, in: transaction))
                told.attempts.append(try transaction.flow(digest: flow(end).digest)?.attempts)
                guard try transaction.insert(flow(new)) else { throw NotDone() }
                told.isInserted = try transaction.flow(digest: flow(new).digest) != nil
                for _ in 0..<2 { try increment("c/\(chain)", in: transaction) }
                told.count = try transaction.counter("c/\(chain)")?.count
                return told
            }
        }
        for (chain, told) in told.enumerated() {
            let expected = Told(
                asked: [nil, 0], path: Array(4 * chain..<4 * chain + 4), attempts: [1, 2, 2], isInserted: true, count: 2
            )
            #expect(told == expected, "chain \(chain)")
        }
        #expect(try await attempts(160, in: store) == (0..<160).map { $0 % 4 == 3 ? 2 : 0 })
        #expect(try await counts(40, in: store) == Array(repeating: 2, count: 40))
        await store.close()
    }

    @Test
    func `What goes beyond its rows is run again as if it ran alone, beside those that keep to theirs`() async throws {
        let (_, store) = try await seeded(60, connections: 6)
        let added = try await together(60) { number in
            try await store.write(.rows) { transaction in
                try increment("c/\(number)", in: transaction)
                try add(number, in: transaction)
                switch number % 5 {
                case 0:
                    // Of those that find none one adds the first.
                    guard try transaction.signingKeys().isEmpty else { return false }
                    return try transaction.insert(
                        SigningKeyRecord(
                            id: "\(number)", algorithm: .es256, createdAt: Date(microseconds: 0),
                            sealedPrivateKey: Data()))
                case 1:
                    try transaction.putDocument("d/\(number)", flow(number).digest)
                    return false
                default: return false
                }
            }
        }
        #expect(added == 1)
        #expect(try await store.read { try $0.signingKeys() }.count == 1)
        #expect(try await attempts(60, in: store) == Array(repeating: 1, count: 60))
        #expect(try await counts(60, in: store) == Array(repeating: 1, count: 60))
        for number in stride(from: 1, to: 60, by: 5) {
            #expect(try await store.read { try $0.document("d/\(number)") } == flow(number).digest)
        }
        await store.close()
    }

    /// The first three writes wait for rows when the connections are ended for the first time; so the others are not over by then.
    @Test
    func `Where an administrator ends all connections, what was told done is there, and what was told not is not`()
        async throws
    {
        let (kills, connections) = (5, 6)
        let (database, store) = try await seeded(100, connections: connections)
        let holder = try await LockHolder(of: [0, 1, 2], in: database)
        let writes = Task {
            try await each(100) { number in
                try await outcome {
                    try await store.write(.rows) { transaction in
                        try increment("c/\(number)", in: transaction)
                        try add(number, in: transaction)
                    }
                }
            }
        }
        try await database.sees(1, sessionsWhere: waitForLock)
        try await database.endConnections()
        try await holder.release()
        for _ in 1..<kills { try await database.endConnections() }
        let outcomes = try await writes.value
        let (attempts, counts) = (try await attempts(100, in: store), try await counts(100, in: store))
        #expect(attempts == counts, "all of a write is there, or nothing")
        for (number, outcome) in outcomes.enumerated() {
            #expect(outcome.fits(attempts[number]), "\(number): \(outcome), \(attempts[number]) times")
        }
        // One commit a connection may have been under way.
        #expect(outcomes.count { $0 == .unknown } <= kills * connections)
        let again = try await each(100) { number in
            try await store.write(.rows) { try add(number, in: $0) }
        }
        #expect(again == attempts.map { $0 + 1 })
        await store.close()
    }

    /// Writers note the epoch that they read and do not change, as what is sealed notes its key. Who ends an epoch sees all of it.
    @Test
    func `A write that excludes all others sees the whole of what it puts an end to`() async throws {
        let (_, store) = try await seeded(0, connections: 6)
        let writers = UserID(rawValue: "u")
        #expect(try await store.write { try $0.insert(user("u")) })
        @Sendable func epoch(_ transaction: any StoreTransaction) throws -> Int {
            try transaction.document("epoch").flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
        }
        let ends: [[Int]] = try await each(72) { number in
            guard number % 12 == 11 else {
                try await store.write(.rows) { transaction in
                    let epoch = try epoch(transaction)
                    for half in [2 * number, 2 * number + 1] {
                        guard try transaction.insert(flow(half, of: writers, body: epoch)) else { throw NotDone() }
                    }
                }
                return []
            }
            return try await store.write(.exclusive) { transaction in
                let epoch = try epoch(transaction)
                let seen = try transaction.flows(of: writers, limit: 1000).count
                try transaction.putDocument("epoch", Data("\(epoch + 1)".utf8))
                return [epoch, seen]
            }
        }
        let bodies = try await store.read { try $0.flows(of: writers, limit: 1000) }
            .compactMap { Int(String(decoding: $0.body, as: UTF8.self)) }
        #expect(bodies.count == 2 * 66)
        let ended = ends.filter { !$0.isEmpty }.sorted { $0[0] < $1[0] }
        #expect(ended.map { $0[0] } == Array(0..<6), "one after the other")
        for end in ended {
            #expect(bodies.count { $0 <= end[0] } == end[1], "epoch \(end[0])")
        }
        await store.close()
    }

    @Test
    func `Reads go on while writes come all the time, and see what was told done before`() async throws {
        var options = PostgresStore.Options.patient
        options.patience = .seconds(60)
        let (_, store) = try await seeded(32, connections: 2, options)
        let done = Mutex(Array(repeating: 0, count: 32))
        let isOver = Mutex(false)
        let lanes = Task {
            try await each(32) { lane in
                while !isOver.withLock({ $0 }) {
                    let attempts = try await store.write(.rows) { try add(lane, in: $0) }
                    done.withLock { $0[lane] = attempts }
                }
            }
        }
        defer { isOver.withLock { $0 = true } }
        try await eventually { done.withLock { !$0.contains(0) } }
        for _ in 0..<50 {
            let before = done.withLock { $0 }
            let seen = try await attempts(4, in: store)
            #expect(zip(seen, before).allSatisfy { $0 >= $1 }, "\(seen) after \(before)")
        }
        isOver.withLock { $0 = true }
        _ = try await lanes.value
        #expect(try await attempts(32, in: store) == done.withLock { $0 })
        await store.close()
    }

    @Test
    func `Writes that wait when the store is closed are done or told that they are not`() async throws {
        let (database, store) = try await seeded(60, connections: 6)
        let holder = try await LockHolder(of: [0, 1, 2], in: database)
        let writes = Task {
            try await each(60) { number in
                try await outcome { try await store.write(.rows) { _ = try add(number, in: $0) } }
            }
        }
        try await database.sees(1, sessionsWhere: waitForLock)
        async let closed: Void = store.close()
        // Reads have a connection of their own: they are done until the store is about to close.
        try await eventuallyDone {
            let read = try await outcome { _ = try await store.read { try $0.counter("k") } }
            if read != .refused { throw NotDone() }
        }
        try await holder.release()
        await closed
        let outcomes = try await writes.value
        #expect(outcomes.contains(.done), "one was under way")
        let after = try await outcome { try await store.write(.rows) { _ = try add(0, in: $0) } }
        #expect(after == .refused)
        await store.close()
        let next = try await database.open()
        #expect(try await attempts(60, in: next) == outcomes.map { $0 == .done ? 1 : 0 })
        #expect(!outcomes.contains(.unknown))
        await next.close()
    }

    @Test
    func `Bodies that take their time make no neighbour fail`() async throws {
        let (_, store) = try await seeded(40, connections: 6, PostgresStore.Options())
        let told = try await each(40) { number in
            try await store.write(.rows) { transaction in
                if number % 16 == 0 { compute(for: .milliseconds(50)) }
                let attempts = try add(number, in: transaction)
                if number % 16 == 8 { compute(for: .milliseconds(50)) }
                return attempts
            }
        }
        #expect(told == Array(repeating: 1, count: 40))
        #expect(try await attempts(40, in: store) == told)
        await store.close()
    }

    /// The server does not end the wait for the row by itself: it has ten minutes for a statement.
    @Test
    func `A connection that is not answered is given up in time, however busy its neighbours are`() async throws {
        var options = PostgresStore.Options.patient
        options.transactionTimeout = .seconds(1)
        let (database, store) = try await seeded(30, connections: 6, options)
        // Connections for writes together are made when there are several to run.
        _ = try await each(200) { number in
            try await outcome { try await store.write(.rows) { _ = try add(number % 20 + 10, in: $0) } }
        }
        let holder = try await LockHolder(of: [0], in: database)
        let isOver = Mutex(false)
        let held = Task {
            defer { isOver.withLock { $0 = true } }
            return try await outcome {
                try await store.write(.rows) { transaction in
                    try transaction.reserve([.flow(flow(0).digest)])
                    try add(0, in: transaction)
                }
            }
        }
        _ = try await each(8) { number in
            let end = ContinuousClock.now + .seconds(40)
            while !isOver.withLock({ $0 }), ContinuousClock.now < end {
                _ = try await outcome { try await store.write(.rows) { _ = try add(number + 1, in: $0) } }
            }
        }
        #expect(isOver.withLock { $0 }, "while the neighbours went on")
        try await holder.release()
        #expect(try await held.value == .refused)
        await store.close()
    }

    /// The changes of two are answered while the body of a third computes, for longer than the time in which they have to be.
    @Test
    func `An answer that came in time counts, however late it is looked at for a neighbour's body`() async throws {
        var options = PostgresStore.Options.patient
        options.statementTimeout = .seconds(1)
        let (database, store) = try await seeded(30, connections: 6, options)
        for round in 0..<3 {
            let (first, second, third) = (10 * round, 10 * round + 1, 10 * round + 2)
            let holder = try await LockHolder(of: [first, second], in: database)
            let waiting = Task {
                try await each(2) { number in
                    try await outcome { try await store.write(.rows) { _ = try add(first + number, in: $0) } }
                }
            }
            try await database.sees(2, sessionsWhere: waitForLock)
            let isComputing = Mutex(false)
            let computing = Task {
                try await outcome {
                    try await store.write(.rows) { transaction in
                        try add(third, in: transaction)
                        let isFirst = isComputing.withLock { isComputing in
                            defer { isComputing = true }
                            return !isComputing
                        }
                        if isFirst { compute(for: .milliseconds(1800)) }
                    }
                }
            }
            try await eventually { isComputing.withLock { $0 } }
            try await holder.release()
            let outcomes = try await waiting.value + [computing.value]
            // A slow machine's server may not answer in time, but not each time.
            guard outcomes == [.done, .done, .done] || round == 2 else { continue }
            #expect(outcomes == [.done, .done, .done])
            #expect(try await attempts(30, in: store)[first...third] == [1, 1, 1])
            break
        }
        await store.close()
    }
}

// MARK: Writes
