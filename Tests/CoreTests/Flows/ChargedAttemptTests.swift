import Foundation
import Testing

@testable import CountersignCore

/// Answers that are no part of a flow: what the door does with them, whatever module they are of.
@Suite("Attempts of modules above the core")
struct ChargedAttemptTests {
    /// Five wrong answers, and no end.
    private struct Five: AnswerLimit {
        func charge(
            _ counter: AttemptCounter?, key: String, at now: Date, as charge: String?
        ) -> LockoutPolicy.Charge {
            var counter = counter ?? AttemptCounter(key: key, since: now)
            counter.dropLapsed(at: now)
            guard counter.count < 5 else { return .disabled }
            counter.add(charge, at: now)
            return .admitted(counter)
        }
    }

    /// The number 7, as a means of proof. No number is no decision yet.
    private struct Number: ProofMethod {
        var judged = Counted()
        var meanwhile: @Sendable () async throws -> Void = {}

        let kind = FactorKind(rawValue: "number")
        let traits = ProofTraits(role: .answer, assurance: .knowledge)

        func judge(
            _ number: Int?, against material: ProofMaterial<NoContent, NoContent>, by permit: JudgingPermit
        ) async throws -> Judgement<NoContent> {
            judged.add()
            try await meanwhile()
            guard let number else { return .wrong(.approvalPending) }
            return number == 7 ? .right : .wrong(.wrongAnswer)
        }
    }

    /// Guesses the number. It keeps a count of its own in a document.
    private struct Guess: ChargedAttempt {
        enum Outcome: Sendable, Equatable { case right, wrong, undecided, refused(Refusal.Reason), busy, superseded }

        var method = Number()
        var response: Int?
        var client: ClientContext
        var now: Date
        var counters = ["guesses"]
        var isSuperseded = false

        static let document = "open guess"
        var auditDetails: [String: JSONValue] { ["purpose": .string("guess")] }

        func admit(_ charge: String, in transaction: any StoreTransaction) throws -> AttemptAdmission<Outcome> {
            .admitted(counted: counters.map { Allowance(Five(), $0) }, busy: .busy) {
                try transaction.putDocument(Self.document, Data(charge.utf8))
                return true
            }
        }

        func settle(
            _ judgement: Judgement<NoContent>, _ charge: String, in transaction: any StoreTransaction
        ) throws -> AttemptSettlement<Outcome> {
            if isSuperseded { return .superseded(.superseded) }
            try transaction.putDocument(Self.document, Data())
            switch judgement {
            case .right: return .settled(.right, .returned)
            case .wrong(let refusal), .alarming(let refusal, _):
                return refusal.reason == .approvalPending ? .settled(.undecided, .returned) : .settled(.wrong, .kept)
            }
        }

        func release(_ charge: String, _ end: ChargeEnd, in transaction: any StoreTransaction) throws {
            try transaction.putDocument(Self.document, Data("released".utf8))
        }

        func outcome(of refusal: Refusal) -> Outcome { .refused(refusal.reason) }
    }

    private struct Outage: Error {}

    private struct Stage {
        let test: TestRealm
        let faults: FaultyStore

        init(on store: TestStore = .sqlite) async throws {
            faults = FaultyStore(try await store.open())
            test = try TestRealm.make(keptIn: faults)
        }

        func guess(
            _ number: Int?, from source: String? = nil, meanwhile: @escaping @Sendable () async throws -> Void = {}
        ) -> Guess {
            Guess(
                method: Number(meanwhile: meanwhile), response: number,
                client: source.map(test.client(from:)) ?? test.client, now: test.now)
        }

        func attempt(_ guess: Guess) async throws -> Guess.Outcome { try await test.realm.authenticator.attempt(guess) }

        func count(_ key: String = "guesses") async throws -> Int { try await test.counter(key)?.count ?? 0 }

        func open() async throws -> String? {
            try await test.store.read { try $0.document(Guess.document) }.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test
    func `A wrong answer stays counted, a right one and one that is not decided cost nothing`() async throws {
        let stage = try await Stage()
        #expect(try await stage.attempt(stage.guess(1, from: "192.0.2.1")) == .wrong)
        #expect(try await stage.count() == 1)
        #expect(try await stage.test.answers(from: "192.0.2.1") == 1)
        #expect(try await stage.attempt(stage.guess(7, from: "192.0.2.1")) == .right)
        #expect(try await stage.attempt(stage.guess(nil, from: "192.0.2.1")) == .undecided)
        #expect(try await stage.count() == 1)
        #expect(try await stage.test.answers(from: "192.0.2.1") == 1)
    }

    @Test
    func `Where one limit refuses, no other is counted, and the refusal counts against the source and is logged`()
        async throws
    {
        let stage = try await Stage()
        for _ in 0..<5 {
            var guess = stage.guess(1)
            guess.counters = ["second"]
            #expect(try await stage.attempt(guess) == .wrong)
        }
        var guess = stage.guess(7, from: "192.0.2.1")
        guess.counters = ["guesses", "second"]
        #expect(try await stage.attempt(guess) == .refused(.authenticatorDisabled))
        #expect(guess.method.judged.value == 0)
        #expect(try await stage.count() == 0)
        #expect(try await stage.test.answers(from: "192.0.2.1") == 1)
        let events = try await stage.test.events(.answerRefused)
        #expect(events.map(\.reason) == [Refusal.Reason.authenticatorDisabled.rawValue])
        #expect(events.first?.details["purpose"] == .string("guess"))
        #expect(try await stage.open() == "", "what the refused attempt would have written is not there")
    }

    @Test
    func `A source that is out of answers is told so, and nothing is counted or logged`() async throws {
        let stage = try await Stage()
        let limit = RateLimit.answersPerSource.count
        for index in 0..<limit {
            var guess = stage.guess(1, from: "192.0.2.1")
            guess.counters = ["guesses of \(index)"]
            #expect(try await stage.attempt(guess) == .wrong)
        }
        #expect(try await stage.attempt(stage.guess(7, from: "192.0.2.1")) == .refused(.sourceLimited))
        #expect(try await stage.count() == 0)
        #expect(try await stage.test.events(.answerRefused).isEmpty)
        #expect(try await stage.attempt(stage.guess(7, from: "192.0.2.2")) == .right)
    }

    @Test
    func `An answer that could not be judged by our own fault is no attempt`() async throws {
        let stage = try await Stage()
        let guess = stage.guess(1, from: "192.0.2.1") { throw Outage() }
        await #expect(throws: Outage.self) { try await stage.attempt(guess) }
        #expect(try await stage.count() == 0)
        #expect(try await stage.test.answers(from: "192.0.2.1") == 0)
        #expect(try await stage.open() == "released")
    }

    @Test
    func `A charge whose place another attempt took is left to its lease`() async throws {
        let stage = try await Stage()
        var guess = stage.guess(1)
        guess.isSuperseded = true
        #expect(try await stage.attempt(guess) == .superseded)
        #expect(try await stage.count() == 1)
        stage.test.clock.advance(OpenCharge.lease)
        #expect(try await stage.attempt(stage.guess(7)) == .right)
        #expect(try await stage.count() == 0)
    }

    @Test
    func `In an outage a right answer is no attempt and a wrong one counts, as soon as the next is charged`()
        async throws
    {
        let stage = try await Stage()
        let faults = stage.faults
        for (number, expected) in [(7, 0), (1, 1)] {
            let guess = stage.guess(number) { faults.set(.away) }
            await #expect(throws: StoreError.self) { try await stage.attempt(guess) }
            faults.set(nil)
            #expect(try await stage.count() == 1, "the charge is open")
            #expect(try await stage.attempt(stage.guess(7)) == .right)
            #expect(try await stage.count() == expected)
        }
    }

    @Test
    func `An answer is told only where it is counted: a charge that has lapsed meanwhile is charged anew`() async throws
    {
        let stage = try await Stage()
        let slow = stage.guess(1) {
            // Another request, later than the lease, finds the charge lapsed and drops it.
            stage.test.clock.advance(OpenCharge.lease + 1)
            let outcome = try await stage.attempt(stage.guess(2))
            let count = try await stage.count()
            #expect(outcome == .wrong && count == 1)
        }
        #expect(try await stage.attempt(slow) == .wrong)
        #expect(try await stage.count() == 2)

        let late = stage.guess(7) {
            stage.test.clock.advance(OpenCharge.lease + 1)
            for _ in 0..<3 { _ = try await stage.attempt(stage.guess(2)) }
        }
        #expect(try await stage.attempt(late) == .refused(.authenticatorDisabled), "nobody learns that it was right")
        #expect(try await stage.count() == 5)
        #expect(try await stage.open() == "released")
    }

    @Test(arguments: TestStore.available)
    func `Fifty wrong answers at once are judged five times`(store: TestStore) async throws {
        let stage = try await Stage(on: store)
        let judged = Counted()
        let outcomes = try await race(50) { index in
            var guess = stage.guess(index + 100)
            guess.method.judged = judged
            return try await stage.attempt(guess)
        }
        #expect(judged.value == 5)
        #expect(outcomes.count { $0 == .wrong } == 5)
        #expect(try await stage.count() == 5)
    }
}
