import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore

/// When applications were last used (`docs/decisions/0438`).
@Suite("Uses of applications")
struct ApplicationUseTests {
    private static let id = ClientID(rawValue: "app")
    private static let secret = "a secret of 24 characters"

    private static func make(on store: TestStore = .sqlite) async throws -> TestRealm {
        try await make(TestRealm.make(on: store))
    }

    private static func make(_ test: TestRealm) async throws -> TestRealm {
        var registration = ApplicationRegistration()
        registration.setSecret(Secret(secret))
        _ = try await test.realm.applications.add(id: id, registration, by: test.client)
        try await test.addUser()
        return test
    }

    private static func written(_ test: TestRealm) async throws -> [ApplicationUse] {
        try await test.store.read { try $0.applicationUses(of: [id]) }.sorted {
            $0.dialect.rawValue < $1.dialect.rawValue
        }
    }

    @Test(arguments: TestStore.available)
    func `A sign-in and a refresh are uses, which are written by maintenance, once an hour`(_ store: TestStore)
        async throws
    {
        let test = try await Self.make(on: store)
        let signedInAt = test.now
        let token = try #require(await test.signIn().signedIn).refreshToken
        #expect(try await Self.written(test).isEmpty)
        // This process knows it before.
        #expect(try await test.realm.applicationUses.list(of: [Self.id])[Self.id]?.map(\.at) == [signedInAt])
        try await test.realm.maintenance.run()
        let first = ApplicationUse(application: Self.id, dialect: .identityToolkit, at: signedInAt)
        #expect(try await Self.written(test) == [first])

        test.clock.advance(ApplicationUses.granularity - 1)
        let next = try #require(
            try await test.realm.sessions.refresh(token, of: .testClient, by: test.client).refreshed
        ).refreshToken
        try await test.realm.maintenance.run()
        #expect(try await Self.written(test) == [first])

        test.clock.advance(1)
        _ = try #require(try await test.realm.sessions.refresh(next, of: .testClient, by: test.client).refreshed)
        try await test.realm.maintenance.run()
        #expect(try await Self.written(test).map(\.at) == [test.now])
    }

    @Test
    func `A right secret is a use of its protocol; a wrong one, a name alone and a refused answer are none`()
        async throws
    {
        let test = try await Self.make()
        _ = try await test.realm.applications.add(
            id: ClientID(rawValue: "public"), ApplicationRegistration(), by: test.client)
        var client = test.client
        client.dialect = .oauth
        func authenticate(_ id: String, _ secret: String?) async throws {
            _ = try await test.realm.applications.authenticate(
                ClientCredentials(clientID: id, secret: secret.map { Secret($0) }),
                expecting: ClientExpectation(Set(ClientAuthenticationMethod.allCases)), by: client)
        }
        try await authenticate("app", "another secret, which is wrong")
        try await authenticate("app", nil)
        try await authenticate("public", nil)
        try await authenticate("nobody", Self.secret)
        _ = try await test.signIn(password: "wrong")
        let ids = ["app", "public", "nobody"].map(ClientID.init(rawValue:))
        #expect(try await test.realm.applicationUses.list(of: ids).isEmpty)
        try await authenticate("app", Self.secret)
        _ = try #require(await test.signIn().signedIn)
        test.clock.advance(2)
        try await authenticate("app", Self.secret)
        let uses = try await test.realm.applicationUses.list(of: ids)
        #expect(uses.keys.map(\.rawValue) == ["app"])
        #expect(uses[Self.id]?.map(\.dialect) == [.oauth, .identityToolkit], "The latest first.")
    }

    @Test
    func `What could not be written is written the next time, and nothing of an application that is gone`() async throws
    {
        let faults = FaultyStore(try await TestStore.sqlite.open())
        let test = try await Self.make(TestRealm.make(keptIn: faults))
        _ = try #require(await test.signIn().signedIn)
        test.realm.applicationUses.note(ClientID(rawValue: "gone"), by: .securityChecks)
        let notes = test.realm.useNotes
        faults.set(.away)
        await #expect(throws: StoreError.self) { try await test.realm.applicationUses.flush() }
        #expect(notes.waiting().map(\.key.application.rawValue) == ["app", "gone"])
        faults.set(nil)
        try await test.realm.applicationUses.flush()
        #expect(notes.waiting().isEmpty)
        #expect(try await Self.written(test).count == 1)
        #expect(try await test.store.read { try $0.applicationUses(of: [ClientID(rawValue: "gone")]) }.isEmpty)
    }

    @Test
    func `A sign-in of which an application got nothing does not keep its registration, and one with a grant does`()
        async throws
    {
        let test = try await Self.make()
        let id = ClientID(rawValue: "stranger")
        var registration = ApplicationRegistration()
        registration.oauth.origin = .registered(
            SelfRegistration(
                at: test.now, token: nil, source: nil, allowance: RegistrationAllowance(),
                accessTokenDigest: Data([1])))
        let stranger = Application(id: id, createdAt: test.now, registration: registration)
        _ = try await test.store.write { try $0.insert(stranger) }
        let end = test.now + 86_400
        @Sendable func isWaiting() async throws -> Bool {
            try await test.store.read { try $0.unusedRegistrations(before: end, limit: 9) } == [id]
        }
        var client = test.client
        client.clientID = id
        let onPage = try #require(await test.signIn(by: client).signedIn)
        _ = try #require(await test.realm.sessions.begin(inBrowser: onPage))
        try await test.realm.applicationUses.flush()
        #expect(try await isWaiting())
        // Within the hour of the first.
        test.clock.advance(5)
        _ = try #require(await test.signIn(by: client).signedIn)
        try await test.realm.applicationUses.flush()
        #expect(try await !isWaiting())
    }

    @Test
    func `A user's use within the hour of an application's own is noted too, as it keeps a registration`() {
        let clock = ManualClock()
        let notes = UseNotes(clock: clock)
        let key = UseNotes.Key(application: Self.id, dialect: .oauth)
        notes.note([key], ofUsers: false)
        let first = notes.waiting()
        // While the first is being written.
        notes.note([key], ofUsers: true)
        notes.wrote(first, kept: [])
        #expect(notes.waiting().map(\.note.isOfUser) == [true])
        notes.wrote(notes.waiting(), kept: [key])
        notes.note([key], ofUsers: true)
        notes.note([key], ofUsers: false)
        #expect(notes.waiting().isEmpty)
        clock.advance(ApplicationUses.granularity)
        notes.note([key], ofUsers: false)
        #expect(notes.waiting().map(\.note.at) == [clock.now])
    }

    @Test
    func `A use without a grant is noted again within the hour, and one that came while it was written is not lost`() {
        let notes = UseNotes(clock: ManualClock())
        let key = UseNotes.Key(application: Self.id, dialect: .oauth)
        notes.note([key], ofUsers: true)
        let first = notes.waiting()
        notes.wrote(first, kept: [])
        #expect(notes.waiting().isEmpty)
        notes.note([key], ofUsers: true)
        #expect(notes.waiting().map(\.note.isOfUser) == [true])
        notes.wrote(notes.waiting(), kept: [key])
        notes.note([key], ofUsers: true)
        #expect(notes.waiting().isEmpty)
    }

    @Test(arguments: TestStore.available)
    func `What was noted of an application that is removed is not its successor's`(_ store: TestStore) async throws {
        let test = try await Self.make(on: store)
        @Sendable func remove() async throws {
            #expect(try await test.store.write { try $0.deleteApplication(Self.id) })
        }
        // It was written, and another one was not yet.
        test.realm.applicationUses.note(Self.id, by: .oauth)
        try await test.realm.applicationUses.flush()
        test.realm.applicationUses.note(Self.id, by: .guardian)
        try await remove()
        #expect(test.realm.useNotes.waiting().isEmpty)
        test.clock.advance(1)
        _ = try await test.realm.applications.add(id: Self.id, ApplicationRegistration(), by: test.client)
        // What another server saw of the first one is not written either.
        let earlier = ApplicationUse(
            application: Self.id, dialect: .nativeAuth, at: test.now - ApplicationUses.clockDifference - 1)
        try await test.store.write { try $0.note(earlier) }
        try await test.realm.applicationUses.flush()
        #expect(try await Self.written(test).isEmpty)
        // Within the hour of the first one's use.
        test.realm.applicationUses.note(Self.id, by: .oauth)
        try await test.realm.applicationUses.flush()
        #expect(try await Self.written(test).map(\.at) == [test.now])
    }

    @Test(arguments: TestStore.available)
    func `A server whose clock is behind notes what it saw of an application that another has just made`(
        _ store: TestStore
    ) async throws {
        let test = try await Self.make(on: store)
        let made = test.now
        test.clock.advance(-120)
        _ = try #require(await test.signIn().signedIn)
        try await test.realm.applicationUses.flush()
        #expect(try await Self.written(test).map(\.at) == [made])
        test.clock.advance(ApplicationUses.granularity)
        _ = try #require(await test.signIn().signedIn)
        try await test.realm.applicationUses.flush()
        #expect(try await Self.written(test).map(\.at) == [test.now])
    }

    @Test
    func `However many applications are used, what is noted of them is bounded`() {
        let clock = ManualClock()
        let notes = UseNotes(clock: clock)
        func key(_ number: Int) -> UseNotes.Key {
            UseNotes.Key(application: ClientID(rawValue: "\(number)"), dialect: .oauth)
        }
        for number in 0...UseNotes.most { notes.note([key(number)], ofUsers: true) }
        let all = notes.waiting()
        #expect(all.count == UseNotes.most)
        notes.wrote(all, kept: Set(all.map(\.key)))
        #expect(notes.waiting().isEmpty)
        // Those of the hour are known no more, and written once more.
        notes.note([key(UseNotes.most)], ofUsers: true)
        notes.wrote(notes.waiting(), kept: [key(UseNotes.most)])
        notes.note([key(0), key(UseNotes.most)], ofUsers: true)
        #expect(notes.waiting().map(\.key) == [key(0)])
    }
}
