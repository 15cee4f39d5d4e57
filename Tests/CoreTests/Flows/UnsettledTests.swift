import Foundation
import OneTimePassword
import StorePostgres
import TestSupport
import Testing

@testable import CountersignCore

/// The store goes away between the charge of an answer and its settlement.
@Suite("Answers that could not be settled")
struct UnsettledTests {
    private struct Stage {
        let test: TestRealm
        let faults: FaultyStore
        let factor: FactorID
        let source = "192.0.2.1"

        init() async throws {
            faults = FaultyStore(try await TestStore.sqlite.open())
            test = try TestRealm.make(keptIn: faults)
            let user = try await test.addUser()
            factor = try #require(await test.store.read { try $0.factors(of: user.id) }.first).id
        }

        /// Another server on the same database.
        func another() throws -> TestRealm { try TestRealm.make(keptIn: faults, clock: test.clock, seed: 2) }

        func signIn(_ password: String = TestRealm.password, on server: TestRealm? = nil) async throws -> Verdict {
            let server = server ?? test
            return try await server.signIn(password: password, by: server.client(from: source))
        }

        /// A sign-in in whose middle the store goes away, and comes back after it.
        func signIn(_ password: String = TestRealm.password, losing writes: Int?) async throws {
            let faults = faults
            test.hasher.meanwhile { _ in faults.set(.away, for: writes) }
            await #expect(throws: StoreError.self) { try await signIn(password) }
            test.hasher.meanwhile(nil)
            faults.set(nil)
        }

        func count() async throws -> Int? { try await test.counter(CounterKey.factor(factor, .password))?.count }
    }

    @Test(arguments: [nil, 1])
    func `Twelve right passwords in an outage lock no user out`(lostWrites: Int?) async throws {
        let stage = try await Stage()
        for _ in 0..<12 { try await stage.signIn(losing: lostWrites) }
        #expect(try await stage.signIn().isAccomplished)
        #expect(try await stage.count() == nil)
        if lostWrites == 1 { #expect(try await stage.test.answers(from: stage.source) == 0) }
        #expect(try await stage.test.events(.signedIn).count == 1)
    }

    @Test
    func `What one server could not give back, another counts until its lease is over and no longer`() async throws {
        let stage = try await Stage()
        let faults = stage.faults
        let meeting = Meeting(of: 10)
        stage.test.hasher.meanwhile { _ in
            await meeting.arriveAndWait()
            faults.set(.away)
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask { _ = await #expect(throws: StoreError.self) { try await stage.signIn() } }
            }
        }
        faults.set(nil)
        let another = try stage.another()
        #expect(try await stage.signIn(on: another).reason == .lockedOut)
        stage.test.clock.advance(89)
        #expect(try await stage.count() == 10)
        stage.test.clock.advance(1)
        #expect(try await stage.signIn(on: another).isAccomplished)
        #expect(try await stage.count() == nil)
    }

    @Test
    func `A charge whose commit has an unknown outcome is none`() async throws {
        let stage = try await Stage()
        for _ in 0..<12 {
            stage.faults.set(.silent, for: 1)
            await #expect(throws: StoreError.self) { try await stage.signIn() }
        }
        #expect(stage.test.hasher.verified.isEmpty)
        #expect(try await stage.signIn().isAccomplished)
    }

    @Test
    func `A settlement that was committed after all gives nothing back twice`() async throws {
        let stage = try await Stage()
        let faults = stage.faults
        stage.test.hasher.meanwhile { _ in faults.set(.silent, for: 1) }
        await #expect(throws: StoreError.self) { try await stage.signIn() }
        stage.test.hasher.meanwhile(nil)
        #expect(try await stage.test.events(.signedIn).count == 1)
        for number in 1...10 {
            #expect(try await stage.signIn("wrong").reason == .wrongAnswer)
            #expect(try await stage.count() == number)
        }
        #expect(try await stage.signIn().reason == .lockedOut)
    }

    @Test(arguments: [nil, 1])
    func `Wrong passwords stay counted, whatever of them could not be written`(lostWrites: Int?) async throws {
        let stage = try await Stage()
        for _ in 0..<10 { try await stage.signIn("wrong", losing: lostWrites) }
        #expect(try await stage.signIn().reason == .lockedOut)
        // Also when no lease is left.
        stage.test.clock.advance(29)
        #expect(try await stage.signIn().reason == .lockedOut)
        #expect(try await stage.count() == 10)
    }

    @Test
    func `An answer whose charge lapsed while it was looked at is told only where it is admitted anew`() async throws {
        let stage = try await Stage()
        let test = stage.test
        let another = try stage.another()
        test.hasher.meanwhile { _ in
            test.clock.advance(OpenCharge.lease)
            for _ in 0..<10 {
                let verdict = try await another.signIn(password: "wrong")
                #expect(verdict.reason == .wrongAnswer)
            }
        }
        #expect(try await stage.signIn().reason == .lockedOut)
        #expect(try await stage.count() == 10)
        #expect(try await test.events(.signedIn).isEmpty)
        // Where it is, it counts.
        test.clock.advance(30)
        test.hasher.meanwhile { _ in
            test.clock.advance(OpenCharge.lease)
            let verdict = try await another.signIn()
            #expect(verdict.isAccomplished)
        }
        #expect(try await stage.signIn("wrong").reason == .wrongAnswer)
        #expect(try await stage.count() == 1)
    }

    @Test
    func `A right code that could not be written down is no answer of its flow either`() async throws {
        let faults = FaultyStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: faults)
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        for _ in 0..<12 {
            let code = enrolled.totp.code(at: test.now).stringCode
            faults.set(.away, for: 1)
            await #expect(throws: StoreError.self) {
                try await test.answer(code, of: enrolled.factor.id, for: handle)
            }
        }
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: handle).isAccomplished)
    }

    @Test
    func `A wrong code is counted and a right one used up where the store did not say that it has committed`()
        async throws
    {
        let faults = FaultyStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: faults)
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        let wrong = test.wrongCode(enrolled.totp)
        for number in 1...4 {
            faults.set(.silent, for: 1)
            await #expect(throws: StoreError.self) {
                try await test.answer(wrong, of: enrolled.factor.id, for: handle)
            }
            let counter = try await test.counter(CounterKey.factor(enrolled.factor.id, .totp))
            #expect(counter?.count == number && counter?.open.isEmpty == true)
            #expect(try await test.store.read { try $0.flow(digest: handle.digest)?.attempts } == number)
        }
        faults.set(.silent, for: 1)
        let right = enrolled.totp.code(at: test.now).stringCode
        await #expect(throws: StoreError.self) { try await test.answer(right, of: enrolled.factor.id, for: handle) }
        #expect(try await test.answer(right, of: enrolled.factor.id, for: handle).reason == .flowFinished)
        let other = try await test.pending().handle
        #expect(try await test.answer(right, of: enrolled.factor.id, for: other).reason == .replayed)
    }

    @Test(
        .enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
    func `With a table of PostgreSQL away, twelve right passwords are our failure and none is counted`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let test = try TestRealm.make(keptIn: await database.open())
        try await test.addUser()
        try await database.run("ALTER TABLE sessions RENAME TO sessions_away")
        for _ in 0..<12 {
            await #expect(throws: StoreError.self) { try await test.signIn(by: test.client(from: "192.0.2.1")) }
        }
        #expect(try await test.signIn(password: "wrong").reason == .wrongAnswer)
        try await database.run("ALTER TABLE sessions_away RENAME TO sessions")
        #expect(try await test.signIn(by: test.client(from: "192.0.2.1")).isAccomplished)
        #expect(try await test.answers(from: "192.0.2.1") == 0)
    }
}
