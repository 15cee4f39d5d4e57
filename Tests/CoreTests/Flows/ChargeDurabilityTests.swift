import Foundation
import OneTimePassword
import Synchronization
import TestSupport
import Testing

@testable import CountersignCore

/// The charge of a password is on the disk with its settlement (`docs/decisions/0556`).
@Suite("Charges that need not wait for the disk")
struct ChargeDurabilityTests {
    /// Notes how durable writes are to be, and which were undone by what they threw.
    private final class NotingStore: ForwardingStore {
        let base: any Store
        private let noted = Mutex<[String]>([])

        init(_ base: any Store) { self.base = base }

        /// What was noted since this was asked last.
        func take() -> [String] {
            noted.withLock { noted in
                defer { noted = [] }
                return noted
            }
        }

        func write<T: Sendable>(
            _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
            _ body: @escaping @Sendable (any StoreTransaction) throws -> T
        ) async throws -> T {
            do {
                let value = try await base.write(isolation, durability, expecting: rows, body)
                noted.withLock { $0.append("\(durability)") }
                return value
            } catch {
                noted.withLock { $0.append("\(durability) undone") }
                throw error
            }
        }
    }

    private struct NoAdvice: Consultant {
        let steps: Set<ConsultedStep> = [.session]
        func beforeSession(of user: User) async throws {}
        func beforeAttributes(of signUp: SignUpContext) async throws -> [String: JSONValue] { [:] }
        func beforeAccount(of signUp: SignUpContext) async throws -> SignUpAdvice { .take(signUp.attributes) }
    }

    private struct Stage {
        let store: NotingStore
        let test: TestRealm
        let enrolled: EnrolledUser

        init() async throws {
            store = NotingStore(try await TestStore.sqlite.open())
            test = try TestRealm.make(keptIn: store)
            enrolled = try await test.addEnrolledUser()
            _ = store.take()
        }
    }

    @Test(arguments: [TestRealm.email, EmailAddress(kept: "nobody@example.org")])
    func `A password is charged with the next write, its settlement is durable, and so is every refusal`(
        email: EmailAddress
    ) async throws {
        let stage = try await Stage()
        let (test, store) = (stage.test, stage.store)
        let hashed = test.hasher.verified.count
        for _ in 0..<10 {
            #expect(try await test.signIn(email, password: "wrong").reason == .wrongAnswer)
            #expect(store.take() == ["withNext", "atOnce"])
        }
        #expect(try await test.signIn(email).reason == .lockedOut)
        #expect(store.take() == ["withNext undone", "atOnce"])
        // It stands in the log once, and did not hash.
        #expect(try await test.events(.answerRefused).count { $0.reason == Refusal.Reason.lockedOut.rawValue } == 1)
        #expect(test.hasher.verified.count == hashed + 10)
        test.clock.advance(30)
        #expect(try await (test.signIn(email).continuation != nil) == (email == TestRealm.email))
        #expect(store.take() == ["withNext", "atOnce"])
    }

    @Test
    func `What is judged at once is durable at once`() async throws {
        let stage = try await Stage()
        let (test, store) = (stage.test, stage.store)
        let handle = try await test.pending().handle
        _ = store.take()
        let wrong = test.wrongCode(stage.enrolled.totp)
        #expect(try await test.answer(wrong, of: stage.enrolled.factor.id, for: handle).reason == .wrongAnswer)
        #expect(store.take() == ["atOnce"])
    }

    @Test
    func `That an attempt is over is told after a durable write, and where a consultant is asked the charge is one`()
        async throws
    {
        let stage = try await Stage()
        let (test, store) = (stage.test, stage.store)
        let password = Answer.password(Secret(TestRealm.password))
        let consulted = try await test.begin(.signIn(TestRealm.email))
        var expectation = test.expectation(nil)
        expectation.consultant = NoAdvice()
        _ = store.take()
        _ = try await test.realm.authenticator.answer(password, to: .flow(consulted, expectation), by: test.client)
        #expect(store.take() == ["atOnce", "atOnce"])

        let late = try await test.begin(.signIn(TestRealm.email))
        test.clock.advance(86_400)
        _ = store.take()
        #expect(try await test.give(password, to: late).reason == .flowExpired)
        #expect(store.take() == ["withNext undone", "atOnce"])
    }
}
