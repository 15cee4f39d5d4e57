import CoreTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CountersignCore

@Suite("What a request takes for granted")
struct SeenApplicationTests {
    private static let id = ClientID(rawValue: "app")

    private struct Stage {
        let store: CountingStore
        let test: TestRealm
        let seen: SeenApplication

        init() async throws {
            store = CountingStore(try await TestStore.sqlite.open())
            test = try TestRealm.make(keptIn: store)
            let added = try await test.realm.applications.add(
                id: SeenApplicationTests.id, ApplicationRegistration(), by: test.client)
            #expect(added != nil)
            seen = try await test.realm.store.read { transaction in
                guard let application = try transaction.application(SeenApplicationTests.id) else {
                    throw TestFailure()
                }
                return try SeenApplication(application, in: transaction)
            }
        }

        /// Notes something in a write.
        func note(_ word: String) async throws -> String {
            try await test.realm.store.write { transaction in
                try transaction.putDocument("noted", Data(word.utf8))
                return word
            }
        }

        var noted: String? {
            get async throws {
                try await test.realm.store.read { try $0.document("noted") }.map { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    @Test
    func `The first write finds that all is as it was, and nothing is read before it`() async throws {
        let stage = try await Stage()
        let reads = stage.store.reads
        let done = try await stage.test.realm.assuming(stage.seen) { try await stage.note("one") }
        #expect(done == "one" && stage.store.reads == reads)
        #expect(try await stage.noted == "one")
    }

    private static let changes: [@Sendable (TestRealm) async throws -> Void] = [
        { try await $0.changeSettings { $0.tokens.sessionDays = 3 } },
        { test in
            try await test.realm.store.write { transaction in
                guard var application = try transaction.application(SeenApplicationTests.id) else {
                    throw TestFailure()
                }
                application.registration.displayName = "Another"
                guard try transaction.update(application) else { throw TestFailure() }
            }
        },
        { test in
            try await test.realm.store.write { transaction in
                guard var application = try transaction.application(SeenApplicationTests.id) else {
                    throw TestFailure()
                }
                application.registration.isDisabled = true
                guard try transaction.update(application) else { throw TestFailure() }
            }
        },
        { test in
            try await test.realm.store.write { transaction in
                guard try transaction.deleteApplication(SeenApplicationTests.id) else { throw TestFailure() }
            }
        },
        // Another application of the same id.
        { test in
            test.clock.advance(1)
            let now = test.now
            try await test.realm.store.write { transaction in
                let other = Application(
                    id: SeenApplicationTests.id, createdAt: now, registration: ApplicationRegistration())
                guard try transaction.deleteApplication(SeenApplicationTests.id), try transaction.insert(other) else {
                    throw TestFailure()
                }
            }
        },
    ]

    @Test(arguments: changes.indices)
    func `Where anything was changed since, nothing is done`(index: Int) async throws {
        let stage = try await Stage()
        try await Self.changes[index](stage.test)
        let done = try await stage.test.realm.assuming(stage.seen) { try await stage.note("one") }
        let noted = try await stage.noted
        #expect(done == nil && noted == nil)
    }

    @Test
    func `What comes of no write is done again, and so is what fails before one`() async throws {
        struct Fault: Error {}
        let stage = try await Stage()
        let realm = stage.test.realm
        let unseen = try await realm.assuming(stage.seen) { "nobody looked" }
        #expect(unseen == nil)
        let failed: String? = try await realm.assuming(stage.seen) { throw Fault() }
        #expect(failed == nil)
        await #expect(throws: Fault.self) {
            let _: String? = try await realm.assuming(stage.seen) {
                _ = try await stage.note("one")
                throw Fault()
            }
        }
        #expect(try await stage.noted == "one")
    }

    /// Whether an application was seen, whether the settings were changed since, and what runs, in turn.
    private static let ways: [(isSeen: Bool, isChanged: Bool, run: [String])] = [
        (true, false, ["assumed"]), (true, true, ["assumed", "read"]), (false, false, ["read"]),
    ]

    @Test(arguments: ways.indices, [false, true])
    func `What was seen is gone by where it holds, else what is read, and an error after the write is passed on`(
        index: Int, fails: Bool
    ) async throws {
        struct Fault: Error {}
        let (stage, way) = try await (Stage(), Self.ways[index])
        if way.isChanged { try await stage.test.changeSettings { $0.tokens.sessionDays = 3 } }
        var run: [String] = []
        func note(_ word: String) async throws -> String {
            run.append(word)
            _ = try await stage.note(word)
            if fails { throw Fault() }
            return word
        }
        var outcome: String?
        do {
            outcome = try await stage.test.realm.assuming(way.isSeen ? stage.seen : nil) { _ in
                try await note("assumed")
            } otherwise: {
                try await note("read")
            }
        } catch is Fault {
            #expect(fails)
        }
        #expect(run == way.run && outcome == (fails ? nil : way.run.last))
        #expect(try await stage.noted == way.run.last)
    }

    @Test
    func `What was begun goes on, also where something is changed between its writes`() async throws {
        let stage = try await Stage()
        let done = try await stage.test.realm.assuming(stage.seen) {
            _ = try await stage.note("one")
            try await stage.test.changeSettings { $0.tokens.sessionDays = 3 }
            return try await stage.note("two")
        }
        #expect(done == "two")
        #expect(try await stage.noted == "two")
    }

    @Test
    func `A first write that the store runs once more looks once more`() async throws {
        let store = RepeatingStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: store)
        #expect(try await test.realm.applications.add(id: Self.id, ApplicationRegistration(), by: test.client) != nil)
        let seen = try await test.realm.store.read { transaction in
            guard let application = try transaction.application(Self.id) else { throw TestFailure() }
            return try SeenApplication(application, in: transaction)
        }
        func note(_ word: String) async throws -> String? {
            try await test.realm.assuming(seen) {
                try await test.realm.store.write { transaction in
                    try transaction.putDocument("noted", Data(word.utf8))
                    return word
                }
            }
        }
        store.repeatNextWrite {}
        #expect(try await note("one") == "one")
        store.repeatNextWrite { try await test.changeSettings { $0.tokens.sessionDays = 3 } }
        #expect(try await note("two") == nil)
        let noted = try await test.realm.store.read { try $0.document("noted") }
        #expect(noted == Data("one".utf8))
    }
}

/// Runs a transaction twice where a test says so, as stores do after a conflict: what it did the first time is undone.
private final class RepeatingStore: ForwardingStore {
    private struct Undone: Error {}

    let base: any Store
    private let meanwhile = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ base: any Store) {
        self.base = base
    }

    /// - Parameter body: done between the two.
    func repeatNextWrite(_ body: @escaping @Sendable () async throws -> Void) {
        meanwhile.withLock { $0 = body }
    }

    func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        let between = meanwhile.withLock { meanwhile in
            defer { meanwhile = nil }
            return meanwhile
        }
        if let between {
            do {
                try await base.write(isolation, durability, expecting: rows) { transaction -> Void in
                    _ = try body(transaction)
                    throw Undone()
                }
            } catch is Undone {}
            try await between()
        }
        return try await base.write(isolation, durability, expecting: rows, body)
    }
}
