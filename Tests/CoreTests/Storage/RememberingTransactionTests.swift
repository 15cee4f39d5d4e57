import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Rows are read once in a transaction")
struct RememberingTransactionTests {
    /// What the transaction remembers of the rows of a sign-in, and what the store says.
    private struct Sight: Equatable {
        var user: User?
        var factor: FactorRecord?
        var factors: [FactorRecord]
        var flow: FlowRecord?
        var session: Session?
        var grant: Grant?

        init(_ scene: Scene, in transaction: any StoreTransaction) throws {
            user = try transaction.user(scene.user)
            factor = try transaction.factor(scene.factor)
            factors = try transaction.factors(of: scene.user)
            flow = try transaction.flow(digest: scene.flow)
            session = try transaction.session(scene.session)
            grant = try transaction.grant(scene.grant)
        }
    }

    private struct Scene: Sendable {
        let user: UserID
        let factor: FactorID
        let flow: Data
        let session: SessionID
        let grant: GrantID
    }

    private func scene(_ test: TestRealm) async throws -> Scene {
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        let code = enrolled.totp.code(at: test.now).stringCode
        let signedIn = try #require(await test.answer(code, of: enrolled.factor.id, for: handle).signedIn)
        return Scene(
            user: enrolled.user.id, factor: enrolled.factor.id, flow: handle.digest, session: signedIn.session.id,
            grant: signedIn.grant.id)
    }

    /// Everything that a transaction writes and then reads again.
    private static let writes: [(name: String, body: @Sendable (Scene, any StoreTransaction, Date) throws -> Bool)] = [
        ("nothing", { _, _, _ in true }),
        (
            "the user",
            { scene, transaction, now in
                guard var user = try transaction.user(scene.user) else { return false }
                user.isDisabled = true
                user.profile.displayName = "Ada"
                user.revokeTokens(at: now)
                return try transaction.update(user)
            }
        ),
        (
            "the user twice",
            { scene, transaction, now in
                guard var user = try transaction.user(scene.user) else { return false }
                user.lastSignInAt = now
                guard try transaction.update(user), let again = try transaction.user(scene.user) else { return false }
                return try transaction.update(again) && again.revision == user.revision + 1
            }
        ),
        (
            "a user of an earlier revision",
            { scene, transaction, _ in
                guard let user = try transaction.user(scene.user), try transaction.update(user) else { return false }
                return try !transaction.update(user)
            }
        ),
        (
            "a sign-in",
            { scene, transaction, now in
                try transaction.touch(scene.user, signedInAt: now + 1.000_000_4, refreshedAt: nil)
                try transaction.touch(scene.user, signedInAt: nil, refreshedAt: now + 2)
                return true
            }
        ),
        (
            "the factor",
            { scene, transaction, now in
                guard var factor = try transaction.factor(scene.factor) else { return false }
                (factor.name, factor.lastUsedAt, factor.payload) = ("Another", now, Data([1, 2]))
                return try transaction.update(factor)
            }
        ),
        ("no factor", { scene, transaction, _ in try transaction.deleteFactor(scene.factor) }),
        (
            "another factor",
            { scene, transaction, now in
                try transaction.insert(
                    FactorRecord(
                        id: FactorID(rawValue: "another"), userID: scene.user, kind: .totp, name: "", createdAt: now,
                        payload: Data([3])))
            }
        ),
        (
            "the flow",
            { scene, transaction, now in
                guard var flow = try transaction.flow(digest: scene.flow) else { return false }
                (flow.attempts, flow.finishedAt, flow.body) = (7, now, Data([4]))
                return try transaction.update(flow)
            }
        ),
        ("no flow", { scene, transaction, _ in try transaction.deleteFlow(digest: scene.flow) }),
        (
            "the session and its grant",
            { scene, transaction, now in
                guard let session = try transaction.session(scene.session) else { return false }
                return try transaction.end(session, at: now)
            }
        ),
        ("no grant", { scene, transaction, _ in try transaction.deleteGrant(scene.grant) }),
        (
            "old sessions",
            { scene, transaction, now in
                try transaction.deleteSessions(expiredBefore: now + 1000 * 86_400, limit: 100) > 0
            }
        ),
        ("no user, and what hangs on it", { scene, transaction, _ in try transaction.deleteUser(scene.user) }),
    ]

    @Test(arguments: TestStore.available)
    func `What a transaction remembers is what the store says, whatever it wrote`(store: TestStore) async throws {
        for write in Self.writes {
            let test = try await TestRealm.make(on: store)
            let scene = try await scene(test)
            let now = test.now
            let (remembered, said) = try await test.store.write { base in
                let transaction = RememberingTransaction(base, standing: StandingDocuments())
                // All is known before.
                _ = try Sight(scene, in: transaction)
                guard try write.body(scene, transaction, now) else { throw TestFailure() }
                let remembered = try Sight(scene, in: transaction)
                return (remembered, try Sight(scene, in: RememberingTransaction(base, standing: StandingDocuments())))
            }
            #expect(remembered == said, "\(write.name)")
            let later = try await test.store.read { try Sight(scene, in: $0) }
            #expect(remembered == later, "\(write.name)")
        }
    }

    @Test
    func `What is not there is not there until it is inserted`() async throws {
        let test = try await TestRealm.make()
        let (id, now) = (UserID(rawValue: "grace"), test.now)
        let found = try await test.store.write { transaction in
            let before = try transaction.user(id)
            _ = try transaction.insert(User(id: id, email: TestRealm.otherEmail, createdAt: now))
            return (before, try transaction.user(id), try transaction.user(email: TestRealm.otherEmail))
        }
        #expect(found.0 == nil && found.1?.id == id && found.2 == found.1)
    }

    @Test
    func `A grant that is asked for with its session and its user comes as the rows are, the second time too`()
        async throws
    {
        let test = try await TestRealm.make()
        let scene = try await scene(test)
        let (first, rows, second, missing) = try await test.store.write { base in
            let transaction = RememberingTransaction(base, standing: StandingDocuments())
            let none = GrantID(rawValue: "none")
            guard let first = try transaction.heldGrant(scene.grant) else { throw TestFailure() }
            let rows = try Sight(scene, in: transaction)
            var user = first.user
            user.isDisabled = true
            guard try transaction.update(user) else { throw TestFailure() }
            let missing = [try transaction.heldGrant(none) == nil, try transaction.heldGrant(none) == nil]
            return (first, rows, try transaction.heldGrant(scene.grant), missing)
        }
        #expect(first.grant == rows.grant && first.session == rows.session && first.user == rows.user)
        #expect(second?.user.isDisabled == true && second?.user.revision == first.user.revision + 1)
        #expect(second?.grant == first.grant && second?.session == first.session)
        #expect(missing == [true, true])
    }

    @Test
    func `A transaction that was undone leaves nothing behind`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        await #expect(throws: TestFailure.self) {
            try await test.store.write { transaction in
                guard var user = try transaction.user(user.id) else { return }
                user.isDisabled = true
                _ = try transaction.update(user)
                var settings = try transaction.settings()
                settings.signUp.isOpen.toggle()
                try transaction.putSettings(settings)
                _ = try transaction.settings()
                throw TestFailure()
            }
        }
        #expect(try await test.user(user.id) == user)
        #expect(try await test.realm.settings() == RealmSettings())
    }

    // MARK: Two servers

    /// Each has a store of its own, so that neither hears of the other's writes but from the file or the database.
    private func twoServers(on store: TestStore) async throws -> (TestRealm, TestRealm) {
        let stores = try await store.openTwo()
        let here = try TestRealm.make(keptIn: stores.0)
        return (here, try TestRealm.make(keptIn: stores.1, clock: here.clock, seed: 2))
    }

    @Test(arguments: TestStore.available)
    func `A setting that another process changes holds at the next request`(store: TestStore) async throws {
        let (here, there) = try await twoServers(on: store)
        for days in [1, 300, 1, 20] {
            // Both have it decoded.
            _ = try await (here.realm.settings(), there.realm.settings())
            try await there.changeSettings { $0.tokens.sessionDays = days }
            #expect(try await here.realm.settings().tokens.sessionDays == days)
        }
        let tenants = try await (here.realm.tenant(), there.realm.tenant())
        #expect(tenants.0 == tenants.1)
    }

    private func seen(_ id: ClientID, by test: TestRealm) async throws -> SeenApplication {
        try await test.realm.store.read { transaction in
            guard let application = try transaction.application(id) else { throw TestFailure() }
            return try SeenApplication(application, in: transaction)
        }
    }

    /// Whether a write is done that takes for granted what was seen.
    private func writes(_ seen: SeenApplication?, by test: TestRealm) async throws -> Bool {
        let known = try #require(seen)
        let done = try await test.realm.assuming(known) {
            try await test.realm.store.write { transaction in
                try transaction.putDocument("noted", Data([1]))
                return true
            }
        }
        return done ?? false
    }

    @Test(arguments: TestStore.available)
    func `What another process changes of an application or the settings is no longer taken for granted`(
        store: TestStore
    ) async throws {
        let (here, there) = try await twoServers(on: store)
        let (id, applications) = (here.client.clientID, SeenApplications())
        let added = try await here.realm.applications.add(id: id, ApplicationRegistration(), by: here.client)
        #expect(added != nil)
        for name in ["One", "Another"] {
            applications.note(try await seen(id, by: here))
            #expect(try await writes(applications.application(id), by: here))
            _ = try await there.realm.applications.change(id, by: there.client) { $0.displayName = name }
            #expect(try await !writes(applications.application(id), by: here))
            let present = try await seen(id, by: here)
            #expect(present.application.registration.displayName == name)
            applications.note(present)
            #expect(try await writes(applications.application(id), by: here))
            try await there.changeSettings { $0.tokens.sessionDays += 1 }
            #expect(try await !writes(applications.application(id), by: here))
        }
    }

    @Test(arguments: TestStore.available)
    func `A user whom another process disables is refused at the next request`(store: TestStore) async throws {
        let (here, there) = try await twoServers(on: store)
        let enrolled = try await here.addEnrolledUser()
        let handle = try await here.pending().handle
        let code = enrolled.totp.code(at: here.now).stringCode
        let signedIn = try #require(await here.answer(code, of: enrolled.factor.id, for: handle).signedIn)
        let refreshed = try await here.realm.sessions.refresh(
            signedIn.refreshToken, of: .testClient, by: here.client)
        let token = try #require(refreshed.refreshed).refreshToken
        #expect(try await !here.user(enrolled.user.id).isDisabled)
        var change = AccountChange()
        change.isDisabled = true
        _ = try await there.realm.accounts.change(enrolled.user.id, change, by: there.client)
        let refused = try await here.realm.sessions.refresh(token, of: .testClient, by: here.client)
        #expect(refused.refusal == .userDisabled)
        #expect(try await here.user(enrolled.user.id).isDisabled)
    }

    // MARK: Documents

    @Test(arguments: TestStore.available)
    func `Settings that are read while others change them are never older than the change`(store: TestStore)
        async throws
    {
        let shared = try await store.open()
        let here = try TestRealm.make(keptIn: shared)
        let there = try TestRealm.make(keptIn: shared, clock: here.clock, seed: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var last = 0
                    while last < 40 {
                        let seen = try await here.realm.settings().tokens.sessionDays
                        guard seen < 400 else { continue }
                        #expect(seen >= last)
                        last = max(last, seen)
                    }
                }
            }
            group.addTask {
                for days in 1...40 {
                    try await there.changeSettings { $0.tokens.sessionDays = days }
                    #expect(try await here.realm.settings().tokens.sessionDays == days)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test
    func `What cannot be decoded is not remembered`() throws {
        let standing = StandingDocuments()
        #expect(throws: TestFailure.self) {
            try standing.decoded("a", Data([1])) { _ -> Int in throw TestFailure() }
        }
        #expect(standing.decoded("a", Data([1])) { Int($0[0]) } == 1)
        #expect(standing.decoded("a", Data([1])) { _ in 2 } == 1)
        #expect(standing.decoded("a", Data([3])) { Int($0[0]) } == 3)
        #expect(standing.decoded("b", Data([3])) { _ in 4 } == 4)
        for name in 0..<1000 { _ = standing.decoded("\(name)", Data([1])) { _ in name } }
        #expect(standing.decoded("5", Data([1])) { _ in 5 } == 5)
    }
}
