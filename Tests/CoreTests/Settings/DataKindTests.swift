import Foundation
import TestSupport
import Testing

@testable import CountersignCore

@Suite("What a store's data is for")
struct DataKindTests {
    private static let sample = ClientID(rawValue: "dev-app")
    private static let shared = ClientID(rawValue: "test")
    private static let samples = [sample, shared]
    /// Another application may be called `test`.
    @Sendable private static func isSample(_ application: Application) -> Bool {
        application.id != shared || application.registration.displayName == "published"
    }

    private func claim(_ kind: DataKind, _ store: any Store) async throws -> DataKind.Finding {
        try await kind.claim(store, samples: Self.samples, isSample: Self.isSample)
    }

    private func find(_ store: any Store) async throws -> DataKind.Finding {
        try await DataKind.find(in: store, samples: Self.samples, isSample: Self.isSample)
    }

    @Test(arguments: TestStore.available, DataKind.allCases)
    func `The first start decides, and every later one is told`(store: TestStore, kind: DataKind) async throws {
        let store = try await store.open()
        #expect(try await find(store) == .unused)
        #expect(try await claim(kind, store) == .unused)
        for later in DataKind.allCases {
            #expect(try await claim(later, store) == .marked(kind))
        }
        #expect(try await find(store).kind == kind)
    }

    @Test(arguments: TestStore.available)
    func `Of many first starts at once, one decides`(store: TestStore) async throws {
        let store = try await store.open()
        let findings = try await withThrowingTaskGroup(of: DataKind.Finding.self) { tasks in
            for number in 0..<8 {
                tasks.addTask { try await claim(number.isMultiple(of: 2) ? .development : .production, store) }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(findings.count { $0 == .unused } == 1)
        let kind = try #require(try await find(store).kind)
        #expect(findings.allSatisfy { $0 == .unused || $0 == .marked(kind) })
    }

    @Test
    func `Data without a mark is for development where it has a sample, and is marked by a start of its kind alone`()
        async throws
    {
        for (ids, name, expected) in [
            (["shop"], nil, DataKind.production), (["shop", "dev-app"], nil, .development),
            (["test"], nil, .production), (["test"], "published", .development),
        ] as [([String], String?, DataKind)] {
            let test = try await TestRealm.make()
            for id in ids {
                _ = try await test.realm.applications.add(
                    id: ClientID(rawValue: id), ApplicationRegistration(displayName: name), by: test.client)
            }
            let other: DataKind = expected == .production ? .development : .production
            let refused = try await claim(other, test.store)
            #expect(refused.kind == expected, "\(ids)")
            guard case .unmarked = try await find(test.store) else {
                Issue.record("A start that is refused marked the data of \(ids).")
                continue
            }
            #expect(try await claim(expected, test.store).kind == expected)
            #expect(try await find(test.store) == .marked(expected))
        }
    }

    @Test
    func `Once its samples are removed, data of before is for production`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.realm.applications.add(id: Self.sample, ApplicationRegistration(), by: test.client)
        _ = try await test.addUser()
        #expect(try await claim(.production, test.store) == .unmarked(samples: [Self.sample]))
        _ = try await test.realm.applications.remove(Self.sample, by: test.client)
        #expect(try await claim(.production, test.store) == .unmarked(samples: []))
        #expect(try await find(test.store) == .marked(.production))
    }

    @Test
    func `A mark that this version does not know is neither`() async throws {
        let test = try await TestRealm.make()
        try await test.store.write { try $0.putDocument(DataKind.document, Data("staging".utf8)) }
        #expect(try await claim(.production, test.store) == .unknown("staging"))
        #expect(try await find(test.store) == .unknown("staging"))
    }
}

@Suite("The administrator's token")
struct AdministratorTokenTests {
    @Test(arguments: TestStore.available)
    func `Servers that start at once have one token`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        #expect(try await test.realm.administratorToken.current() == nil)
        let tokens = try await withThrowingTaskGroup(of: String.self) { tasks in
            for number in 0..<8 {
                tasks.addTask { try await test.realm.administratorToken.settle(Secret("token \(number)")).reveal() }
            }
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(try await test.realm.administratorToken.current()?.reveal() == tokens.first)
        // What lies in the store does not show it.
        let token = try #require(tokens.first)
        let sealed = try await test.store.read { try $0.sealedSecret(AdministratorToken.name) }
        #expect(sealed?.range(of: Data(token.utf8)) == nil)
    }

    @Test
    func `Another takes its place, and the log says so without it`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.realm.administratorToken.settle(Secret("the first"))
        try await test.realm.administratorToken.replace(with: Secret("the second"), by: test.client)
        #expect(try await test.realm.administratorToken.current()?.reveal() == "the second")
        #expect(try await test.realm.administratorToken.settle(Secret("the third")).reveal() == "the second")
        let events = try await test.events(.adminTokenReplaced)
        #expect(events.count == 1 && !"\(events)".contains("second"))
    }

    @Test(arguments: TestStore.available)
    func `Its last use is known to this process at once, and to others by maintenance, once an hour`(store: TestStore)
        async throws
    {
        let kept = try await store.open()
        let clock = ManualClock()
        let test = try TestRealm.make(keptIn: kept, clock: clock)
        let other = try TestRealm.make(keptIn: kept, clock: clock).realm
        let token = test.realm.administratorToken
        _ = try await token.settle(Secret("the first"))
        #expect(try await token.lastUse() == nil)
        let first = clock.now
        token.noteUse()
        #expect(try await token.lastUse() == first)
        #expect(try await other.administratorToken.lastUse() == nil)
        try await test.realm.maintenance.run()
        #expect(try await other.administratorToken.lastUse() == first)

        clock.advance(AdministratorToken.useGranularity - 1)
        token.noteUse()
        try await test.realm.maintenance.run()
        #expect(try await other.administratorToken.lastUse() == first)
        clock.advance(1)
        token.noteUse()
        try await test.realm.maintenance.run()
        #expect(try await other.administratorToken.lastUse() == clock.now)
        // A server whose clock is behind takes nothing back.
        clock.advance(-600)
        other.administratorToken.noteUse()
        try await other.maintenance.run()
        #expect(try await token.lastUse() == clock.now + 600)

        // Another one was not used yet, whatever this process saw of the one from before.
        token.noteUse()
        try await token.replace(with: Secret("the second"), by: test.client)
        #expect(try await token.lastUse() == nil)
        try await test.realm.maintenance.run()
        #expect(try await other.administratorToken.lastUse() == nil)
    }

    @Test
    func `Every shape in which its last use was kept is read`() async throws {
        let test = try await TestRealm.make()
        for (kept, use) in [
            (#"{"at":1700000000000000}"#, Date(microseconds: 1_700_000_000_000_000)), ("{}", nil),
        ] {
            try await test.store.write { try $0.putDocument(AdministratorToken.useDocument, Data(kept.utf8)) }
            #expect(try await test.realm.administratorToken.lastUse() == use)
        }
    }
}

@Suite("What servers share beside their users")
struct SharedDocumentsTests {
    @Test
    func `The first application is one for all servers`() async throws {
        let test = try await TestRealm.make()
        let first = try await test.realm.applications.settleFirst(ClientID(rawValue: "one"))
        #expect(first.rawValue == "one")
        #expect(try await test.realm.applications.settleFirst(ClientID(rawValue: "two")) == first)
    }

    @Test
    func `What a server was started with is one read, and one write where something of it is new`() async throws {
        let store = CountingStore(try await TestStore.sqlite.open())
        let realm = try TestRealm.make(keptIn: store).realm
        let address = PublicAddress(url: "https://login.example.com", isConfigured: true)
        var deployment = Deployment(
            isDevelopment: false, isEncrypted: true, mail: .none, hashMemory: 19 * 1024, hashPasses: 2)
        for isNew in [true, false, true] {
            if isNew { deployment.hashPasses += 1 }
            let (reads, writes) = (store.reads, store.writes)
            try await realm.note(address, deployment)
            #expect(store.reads == reads + 1)
            #expect(store.writes == writes + (isNew ? 1 : 0))
            #expect(try await realm.deployment() == deployment)
            #expect(try await realm.publicAddress() == address)
        }
        try await realm.note(PublicAddress(url: "https://other.example.com", isConfigured: true))
        #expect(try await realm.deployment() == deployment)
    }

    @Test
    func `Where clients reach the servers is what the last start said`() async throws {
        let test = try await TestRealm.make()
        #expect(try await test.realm.publicAddress() == nil)
        let address = PublicAddress(url: "https://login.example.com", isConfigured: true)
        try await test.realm.note(address)
        #expect(try await test.realm.publicAddress() == address)
        try await test.store.write { try $0.putDocument("public-address", Data("[]".utf8)) }
        #expect(try await test.realm.publicAddress() == nil)
    }
}
