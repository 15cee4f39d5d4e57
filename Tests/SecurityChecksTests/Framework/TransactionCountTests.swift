import CoreTestSupport
import Foundation
import TestSupport
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// How many transactions a request may take. Each write waits for the disk.
@Suite("Transactions of security checks")
struct TransactionCountTests {
    private struct Stage {
        let store: CountingStore
        let checks: CheckStage
        let client: RegisteredClientID

        init(_ version: ApplicationVersion = ApplicationVersion()) async throws {
            store = CountingStore(try await TestStore.sqlite.open())
            let test = try TestRealm.make(keptIn: store)
            _ = try await test.realm.applications.add(
                id: CheckStage.application, ApplicationRegistration(versions: [version]), by: test.client)
            checks = CheckStage(test: test, checks: try SecurityCheckCatalogue([CheckStage.pin()]))
            client = try await checks.client()
        }

        /// Reads and writes of the body.
        func counted(_ body: () async throws -> Void) async throws -> [Int] {
            let before = (store.reads, store.writes)
            try await body()
            return [store.reads - before.0, store.writes - before.1]
        }
    }

    @Test
    func `From a PIN to what its token is made of it is four transactions, and two of them write`() async throws {
        let stage = try await Stage()
        let grants = stage.checks.test.realm.grants(by: stage.checks.checks)
        let counted = try await stage.counted {
            #expect(try await stage.checks.decide(stage.client, "Pin", ["Pin": .pin("1234")]).isGranted)
            let reply = try await grants.reply(to: stage.client, scope: ["Pin"], redirectURI: "here")
            guard case .granted(let code)? = reply?.code else { throw TestFailure() }
            let signer = try await stage.checks.test.realm.clients.signer(stage.client, in: stage.checks.checks)
            #expect(signer?.client.id == stage.client)
            guard case .granted(let grant)? = try await grants.redeem(code, by: stage.client, redirectURI: "here")
            else { throw TestFailure() }
            #expect(grant.tokenSettings != nil)
        }
        #expect(counted == [2, 2])
    }

    @Test
    func `A wrong PIN is counted, judged and told in one transaction, and each costs an attempt`() async throws {
        let stage = try await Stage()
        for left in [2, 1] {
            let counted = try await stage.counted {
                let decided = try await stage.checks.decide(stage.client, "Pin", ["Pin": .pin("0000")])
                #expect(decided.challenges["Pin"]?["remainingAttempts"] == .integer(Int64(left)))
            }
            #expect(counted == [0, 1])
        }
        let last = try await stage.checks.decide(stage.client, "Pin", ["Pin": .pin("0000")])
        #expect(last.failures["Pin"] != nil)
        let blocked = try await stage.counted {
            let decided = try await stage.checks.decide(stage.client, "Pin", ["Pin": .pin("1234")])
            #expect(!decided.isGranted)
        }
        #expect(blocked == [0, 1])
    }

    @Test
    func `Whether a token still counts is one read`() async throws {
        let stage = try await Stage()
        let grants = stage.checks.test.realm.grants(by: stage.checks.checks)
        #expect(try await stage.checks.decide(stage.client, "Pin", ["Pin": .pin("1234")]).isGranted)
        let counted = try await stage.counted {
            for _ in 0..<3 {
                guard case .granted = try await grants.grant(to: stage.client, scope: ["Pin"]) else {
                    throw TestFailure()
                }
            }
        }
        #expect(counted == [3, 0])
        // What is remembered of the client does not outlive a change.
        _ = try await stage.checks.test.realm.clients.setStatus(
            .lost, of: ClientReference(to: stage.client), by: stage.checks.test.client)
        guard case .refused(.deviceDisabled(.lost)) = try await grants.grant(to: stage.client, scope: ["Pin"]) else {
            throw TestFailure()
        }
    }

    @Test
    func `A check is judged once for each request that its scope guards`() async throws {
        struct Asked: SecurityCheck {
            let asked = Counted()

            func authorize(_ context: inout SecurityCheckContext) async throws -> SecurityCheckOutcome {
                .success([:], expiresAt: context.now + 60)
            }

            func isStillGranted(in context: SecurityCheckContext) -> Bool {
                asked.add()
                return true
            }
        }
        let check = Asked()
        let stage = try await CheckStage.make([SecurityCheckDefinition("Asked", check)])
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Asked").isGranted)
        let before = check.asked.value
        #expect(try await stage.isGranted(client, "Asked"))
        #expect(check.asked.value == before + 1)
    }

    @Test
    func `A version that is changed holds at the next request`() async throws {
        let stage = try await Stage()
        let grants = stage.checks.test.realm.grants(by: stage.checks.checks)
        #expect(try await stage.checks.decide(stage.client, "Pin", ["Pin": .pin("1234")]).isGranted)
        guard case .granted = try await grants.grant(to: stage.client, scope: ["Pin"]) else { throw TestFailure() }
        let disabled = ApplicationVersion(access: .disabled(message: "Update.", downloadLink: nil))
        _ = try await stage.store.write { transaction in
            guard var application = try transaction.application(CheckStage.application) else { return false }
            application.registration.versions = [disabled]
            return try transaction.update(application)
        }
        guard case .refused(.applicationDisabled) = try await grants.grant(to: stage.client, scope: ["Pin"]) else {
            throw TestFailure()
        }
    }
}

@Suite("Transactions of a sign-in by a mailed code")
struct MailedCodeTransactionTests {
    @Test
    func `From an address to a session it is three writes: the attempt, its code, and what the right code makes`()
        async throws
    {
        let store = CountingStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: store)
        _ = try await test.addUser(password: nil)
        // The tenant is made at its first use.
        _ = try await test.realm.tenant()
        let before = store.writes
        let handle = try await test.begin(.signIn(TestRealm.email))
        let code = try await test.askForCode(handle)
        #expect(store.writes == before + 2)
        #expect(try await test.give(code: code, to: handle).signedIn != nil)
        #expect(store.writes == before + 3)
    }
}
