import CountersignCore
import Dispatch
import Testing

@testable import PasswordHashing

/// What happens while every hashing thread is busy. A gate in the hook before each hash holds the threads, so that
/// nothing here depends on how long a hash takes.
@Suite(.timeLimit(.minutes(20))) struct AdmissionTests {
    /// Stops the hashing threads at the start of a hash, and says that one has arrived there.
    private struct Gate {
        private let entrances = DispatchSemaphore(value: 0)
        private let arrivals: AsyncStream<Void>
        private let arrive: AsyncStream<Void>.Continuation

        init() {
            (arrivals, arrive) = AsyncStream.makeStream()
        }

        var hook: @Sendable () -> Void {
            { [entrances, arrive] in
                arrive.yield()
                entrances.wait()
            }
        }

        func waitForArrivals(_ count: Int) async {
            var iterator = arrivals.makeAsyncIterator()
            for _ in 0..<count { await iterator.next() }
        }

        func open(for count: Int) {
            for _ in 0..<count { entrances.signal() }
        }
    }

    private let gate = Gate()

    private func hasher(threads: Int, queueLimit: Int) throws -> Argon2idHasher {
        try Argon2idHasher(
            .weakest(threads: threads, queueLimit: queueLimit), random: SystemRandom(), willHash: gate.hook)
    }

    @Test func `One more than the limit is refused until there is room again`() async throws {
        let hasher = try hasher(threads: 2, queueLimit: 2)
        let running = (0..<2).map { number in Task { try await hasher.hash(Secret("\(number)")) } }
        await gate.waitForArrivals(2)

        let overload = await #expect(throws: PasswordHashingOverload.self) { try await hasher.hash(Secret("third")) }
        #expect(try #require(overload).retryAfter >= 1)
        await #expect(throws: PasswordHashingOverload.self) {
            try await hasher.verify(Secret("third"), against: hasher.decoy)
        }

        gate.open(for: 3)
        for task in running { _ = try await task.value }
        // A job still counts for the instant between its answer and its thread's return.
        await until { hasher.load == 0 }
        _ = try await hasher.hash(Secret("third"))
    }

    @Test func `Imported hashes wait in the same queue and count against the same limit`() async throws {
        let hasher = try hasher(threads: 1, queueLimit: 2)
        let vector = try #require(ImportedVector.digests.first)
        let text = try vector.imported().text
        let running = Task { try await hasher.verify(Secret(vector.password), against: text) }
        await gate.waitForArrivals(1)
        let waiting = Task { try await hasher.verify(Secret(vector.password), against: text) }
        await until { hasher.load == 2 }

        await #expect(throws: PasswordHashingOverload.self) {
            try await hasher.verify(Secret(vector.password), against: text)
        }
        await #expect(throws: PasswordHashingOverload.self) { try await hasher.hash(Secret("third")) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }

        gate.open(for: 1)
        #expect(try await running.value)
        hasher.shutDown()
        let error = await #expect(throws: PasswordHashingError.self) {
            try await hasher.verify(Secret(vector.password), against: text)
        }
        #expect(error?.code == .closed)
    }

    @Test func `A task cancelled while it waits leaves the queue`() async throws {
        let hasher = try hasher(threads: 1, queueLimit: 2)
        let running = Task { try await hasher.hash(Secret("running")) }
        await gate.waitForArrivals(1)
        let waiting = Task { try await hasher.hash(Secret("waiting")) }
        await until { hasher.load == 2 }

        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let next = Task { try await hasher.hash(Secret("next")) }
        await until { hasher.load == 2 }

        gate.open(for: 2)
        #expect(try await hasher.verifyUngated(Secret("running"), against: running.value))
        #expect(try await hasher.verifyUngated(Secret("next"), against: next.value))
    }

    @Test func `A task that was cancelled before is not admitted`() async throws {
        let hasher = try hasher(threads: 1, queueLimit: 2)
        let never = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await hasher.hash(Secret("never"))
        }
        never.cancel()
        await #expect(throws: CancellationError.self) { try await never.value }
        #expect(hasher.load == 0)
    }

    @Test func `A task cancelled while its hash runs still gets it`() async throws {
        let hasher = try hasher(threads: 1, queueLimit: 2)
        let running = Task { try await hasher.hash(Secret("running")) }
        await gate.waitForArrivals(1)
        running.cancel()
        gate.open(for: 1)
        #expect(try await hasher.verifyUngated(Secret("running"), against: running.value))
    }

    @Test func `After shut down what was admitted is done and the rest is refused`() async throws {
        let hasher = try hasher(threads: 1, queueLimit: 5)
        let running = Task { try await hasher.hash(Secret("running")) }
        await gate.waitForArrivals(1)
        hasher.shutDown()
        hasher.shutDown()
        let error = await #expect(throws: PasswordHashingError.self) { try await hasher.hash(Secret("late")) }
        #expect(error?.code == .closed)
        gate.open(for: 1)
        #expect(try await hasher.verifyUngated(Secret("running"), against: running.value))
    }

    @Test func `Threads that the system does not start are an error, and those that it started end`() async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        #expect(throws: OwnThread.Shortage.self) {
            try HashingThreads(count: 3, queueLimit: 1, seconds: 1) { name, body throws(OwnThread.Shortage) in
                if name == "password-3" { throw OwnThread.Shortage() }
                try OwnThread.start(name) {
                    body()
                    end.yield()
                }
            }
        }
        var started = 2
        for await _ in ends {
            started -= 1
            if started == 0 { break }
        }
    }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}

extension Argon2idHasher {
    /// Compares on this thread, past the gate.
    fileprivate func verifyUngated(_ password: Secret<String>, against hash: String) async throws -> Bool {
        Sodium.verify(Array(password.reveal().utf8), against: hash)
    }
}
