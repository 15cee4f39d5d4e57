import CountersignCore
import Dispatch
import Foundation

extension StoreConformance {
    /// What a body of a check throws on purpose.
    private struct Refusal: Error, Equatable {
        var number = 0
    }

    static let transactions: [Check] = [
        Check("A body that throws leaves nothing, and its error is passed on") { store in
            do {
                try await store.write { transaction in
                    _ = try transaction.insert(Sample.user("u"))
                    try transaction.putDocument("d", Data([1]))
                    throw Refusal(number: 42)
                }
            } catch let refusal as Refusal {
                try requireEqual(refusal, Refusal(number: 42), "the error")
                let left = try await store.read { (try $0.countUsers(), try $0.document("d")) }
                try requireEqual(left.0, 0, "the users left")
                try requireEqual(left.1, nil, "the document left")
                try require(try await store.write { try $0.insert(Sample.user("u")) }, "the id is free afterwards")
                return
            }
            throw Failure("the error was lost")
        },

        Check("A write that goes with the next is seen by who comes after it, and one that throws is undone") { store in
            for isolation in [Isolation.rows, .full, .exclusive] {
                let number = try await store.write(isolation, .withNext) { transaction in
                    let number = (try transaction.document("d")?.first ?? 0) + 1
                    try transaction.putDocument("d", Data([number]))
                    return number
                }
                try requireEqual(try await store.read { try $0.document("d") }, Data([number]), "what was written")
            }
            do {
                try await store.write(.rows, .withNext) { transaction in
                    try transaction.putDocument("d", Data([9]))
                    throw Refusal(number: 7)
                }
            } catch let refusal as Refusal {
                try requireEqual(refusal, Refusal(number: 7), "the error")
                try requireEqual(try await store.read { try $0.document("d") }, Data([3]), "what is left")
                return
            }
            throw Failure("the error was lost")
        },

        Check("Of many writes at once, those that throw are undone and the others stand") { store in
            let count = 60
            let refused = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<count {
                    group.addTask {
                        do {
                            try await store.write { transaction in
                                _ = try transaction.insert(Sample.user("\(number)"))
                                if number % 3 == 0 { throw Refusal(number: number) }
                            }
                            return nil
                        } catch let refusal as Refusal {
                            return refusal.number
                        }
                    }
                }
                return try await group.reduce(into: Set<Int>()) { set, number in
                    if let number { set.insert(number) }
                }
            }
            let expected = Set((0..<count).filter { $0 % 3 == 0 })
            try requireEqual(refused, expected, "the writes that threw")
            let kept = try await store.read { try $0.users(after: nil, limit: count) }.map(\.id.rawValue)
            try requireEqual(
                Set(kept), Set((0..<count).filter { $0 % 3 != 0 }.map(String.init)), "the users of the others")
        },

        Check("What a transaction said that it will ask for is told as it is when it asks") { store in
            let flow = Sample.flow("f", of: "u")
            try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u"))
                _ = try transaction.insert(Sample.factor("p", of: "u"))
                _ = try transaction.insert(flow)
                for key in ["a", "K"] {
                    try transaction.put(AttemptCounter(key: key, count: 1, since: Sample.instant()))
                }
            }
            for isolation in [Isolation.rows, .full] {
                let attempts = try await store.write(isolation) { transaction in
                    try transaction.expect(.flow(digest: flow.digest))
                    try transaction.expect(.factor(FactorID(rawValue: "p")))
                    try transaction.expect(.counters(["a", "b"]))
                    try transaction.expect(.heldGrant(GrantID(rawValue: "none")))
                    try transaction.expect(.presentTime)
                    // The sign for kelvin: equal to the letter for Swift, and the key of another row.
                    try transaction.expect(.counters(["\u{212A}", "c"]))
                    try transaction.readCounters(["K", "c"])
                    try requireEqual(try transaction.counter("K")?.count, 1, "the counter whose name looks the same")
                    // Nothing that is told later is of before a change.
                    guard var seen = try transaction.flow(digest: flow.digest) else { throw Failure("no flow") }
                    seen.attempts += 1
                    try require(try transaction.update(seen), "the flow is changed")
                    let held = try transaction.flow(digest: flow.digest, beside: [])
                    try requireEqual(held.flow?.attempts, seen.attempts, "the attempts of the flow")
                    try requireEqual(held.user?.id.rawValue, "u", "the user of the flow")
                    try requireEqual(
                        try transaction.factor(FactorID(rawValue: "p"))?.name, "Factor p", "the factor")
                    try transaction.readCounters(["a", "b"])
                    try requireEqual(try transaction.counter("a")?.count, 1, "the counter that is there")
                    try requireEqual(try transaction.counter("b"), nil, "the counter that is not")
                    try require(try transaction.heldGrant(GrantID(rawValue: "none")) == nil, "there is no grant")
                    return seen.attempts
                }
                let kept = try await store.read { try $0.flow(digest: flow.digest)?.attempts }
                try requireEqual(kept, attempts, "the attempts that are kept")
            }
        },

        Check("A transaction sees what it wrote itself") { store in
            let seen = try await store.write { transaction in
                _ = try transaction.insert(Sample.user("u", email: "u@example.org"))
                return (
                    try transaction.user(email: EmailAddress(kept: "u@example.org"))?.id, try transaction.countUsers()
                )
            }
            try requireEqual(seen.0, UserID(rawValue: "u"), "the user")
            try requireEqual(seen.1, 1, "the number of users")
        },

        Check("A read sees one snapshot, whatever is committed meanwhile, and keeps no write waiting") { store in
            try await store.write { try $0.put(AttemptCounter(key: "k", count: 1, since: Sample.instant())) }
            let pause = Pause()
            let reader = Task {
                defer { pause.abandon() }
                return try await store.read { transaction in
                    let before = try transaction.counter("k")?.count
                    try pause.body()
                    return [before, try transaction.counter("k")?.count]
                }
            }
            await pause.reached()
            try await store.write { try $0.put(AttemptCounter(key: "k", count: 2, since: Sample.instant())) }
            pause.end()
            try requireEqual(try await reader.value, [1, 1], "what the reader saw before and after the write")
            try requireEqual(try await store.read { try $0.counter("k") }?.count, 2, "what the next reader sees")
        },

        Check("Uncommitted writes are not visible") { store in
            let pause = Pause()
            let writer = Task {
                defer { pause.abandon() }
                try await store.write { transaction in
                    _ = try transaction.insert(Sample.user("u"))
                    try pause.body()
                }
            }
            await pause.reached()
            try requireEqual(try await store.read { try $0.countUsers() }, 0, "the users that a reader sees")
            pause.end()
            try await writer.value
            try requireEqual(try await store.read { try $0.countUsers() }, 1, "the users after the commit")
        },

        Check("A read that writes is an error, and writes nothing") { store in
            var accepted = true
            do {
                _ = try await store.read { try $0.insert(Sample.user("u")) }
            } catch is StoreError {
                accepted = false
            }
            try require(!accepted, "the read was let write")
            try requireEqual(try await store.read { try $0.countUsers() }, 0, "the users")
        },

        Check("A write whose task is cancelled is done all the same, and the store goes on") { store in
            let writer = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await store.write { try $0.insert(Sample.user("u")) }
            }
            try require(try await writer.value, "the write was done")
            try requireEqual(try await store.read { try $0.countUsers() }, 1, "the users")
        },
    ]
}

/// Holds a body in the middle until the check has done something else. Bodies run outside the threads that serve tasks,
/// so that blocking one is harmless; and it gives up after ten seconds.
private struct Pause: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Called inside the body.
    func body() throws {
        continuation.yield()
        guard semaphore.wait(timeout: .now() + 10) == .success else {
            throw StoreConformance.Failure("a transaction kept another waiting")
        }
    }

    /// Returns when the body is in its middle, or failed before.
    func reached() async {
        for await _ in stream { return }
    }

    func end() {
        semaphore.signal()
    }

    func abandon() {
        continuation.finish()
    }
}
