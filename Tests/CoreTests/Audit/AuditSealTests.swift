import CoreTestSupport
import Foundation
import TestSupport
import Testing

@testable import CountersignCore
@testable import StoreSQL
@testable import StoreSQLite

/// What somebody does to the tables who can write them and has no master key.
struct Tampering: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: AuditFault.Kind
    /// Which seal the fault is told of.
    let seal: Int
    /// Whether the id of the event is told.
    let tellsEvent: Bool
    /// - Parameter ids: four events of each of three ranges.
    let statements: @Sendable (_ ids: [String]) -> [String]

    init(
        _ description: String, _ expected: AuditFault.Kind, seal: Int = 2, tellsEvent: Bool = false,
        _ statements: @escaping @Sendable (_ ids: [String]) -> [String]
    ) {
        testDescription = description
        self.expected = expected
        self.seal = seal
        self.tellsEvent = tellsEvent
        self.statements = statements
    }

    private static func insertion(_ id: String, claiming seal: String = "NULL") -> String {
        """
        INSERT INTO audit_events (id, at, kind, details, late_seal) \
        SELECT \(id), at, kind, details, \(seal) FROM audit_events WHERE id = (SELECT MIN(id) FROM audit_events)
        """
    }

    /// Another id of the same microsecond.
    private static func beside(_ id: String) -> String { String(id.prefix(16)) + "0123abcd" }

    static let all = [
        Tampering("another reason", .changed) { ["UPDATE audit_events SET reason = 'x' WHERE id = '\($0[5])'"] },
        Tampering("another user", .changed) { ["UPDATE audit_events SET user_id = 'x' WHERE id = '\($0[5])'"] },
        Tampering("no address", .changed) { ["UPDATE audit_events SET source = NULL WHERE id = '\($0[5])'"] },
        Tampering("another time", .changed) { ["UPDATE audit_events SET at = at + 1 WHERE id = '\($0[5])'"] },
        Tampering("other details", .changed) { ["UPDATE audit_events SET details = '{}' WHERE id = '\($0[5])'"] },
        Tampering("details that go with a user, changed", .changed, tellsEvent: true) {
            [#"UPDATE audit_events SET details = '{"former":"eve@example.org"}' WHERE id = '\#($0[4])'"#]
        },
        Tampering("details that go with a user, though the user is there", .changed, tellsEvent: true) {
            [
                #"UPDATE audit_events SET details = '{"former":"removed with the user"}', "#
                    + "details_nonce = NULL WHERE id = '\($0[4])'"
            ]
        },
        Tampering("another digest of details", .changed) {
            ["UPDATE audit_events SET details_digest = NULL, details_nonce = NULL WHERE id = '\($0[4])'"]
        },
        Tampering("a removed event", .removed, tellsEvent: true) { ["DELETE FROM audit_events WHERE id = '\($0[6])'"] },
        Tampering("a range without its events", .removed) {
            ["DELETE FROM audit_events WHERE id >= '\($0[4])' AND id <= '\($0[7])'"]
        },
        Tampering("an inserted event", .inserted) { [insertion("'\(beside($0[5]))'")] },
        Tampering("an inserted event that says it came late", .inserted) {
            [insertion("'\(beside($0[5]))'", claiming: "3")]
        },
        Tampering("an inserted row without an event's id", .inserted) { [insertion("'\($0[5])x'")] },
        Tampering("two events that changed places", .changed) { ids in
            [
                "UPDATE audit_events SET id = 'x' WHERE id = '\(ids[5])'",
                "UPDATE audit_events SET id = '\(ids[5])' WHERE id = '\(ids[6])'",
                "UPDATE audit_events SET id = '\(ids[6])' WHERE id = 'x'",
            ]
        },
        Tampering("an event that says it came late", .changed, tellsEvent: true) {
            ["UPDATE audit_events SET late_seal = 3 WHERE id = '\($0[5])'"]
        },
        Tampering("a seal of another number of events", .alteredSeal) { _ in
            ["UPDATE audit_seals SET event_count = 3 WHERE number = 2"]
        },
        Tampering("a seal of another time", .alteredSeal) { _ in
            ["UPDATE audit_seals SET sealed_at = sealed_at + 1 WHERE number = 2"]
        },
        Tampering("a removed event that its seal does not list", .alteredSeal) { ids in
            [
                "DELETE FROM audit_events WHERE id = '\(ids[6])'",
                "UPDATE audit_seals SET ids = '\(ids[4])\(ids[5])\(ids[7])' WHERE number = 2",
            ]
        },
        Tampering("a seal whose list is none", .alteredSeal) { _ in
            ["UPDATE audit_seals SET ids = 'x' WHERE number = 2"]
        },
        Tampering("a seal that says its events were pruned", .alteredSeal) { _ in
            ["UPDATE audit_seals SET is_pruned = 1 WHERE number = 2"]
        },
        Tampering("a seal of an unknown key", .unknownKey) { _ in
            ["UPDATE audit_seals SET key_id = '00000000' WHERE number = 2"]
        },
        Tampering("a seal in the place of another", .alteredSeal) { _ in
            ["UPDATE audit_seals SET code = (SELECT code FROM audit_seals WHERE number = 1) WHERE number = 2"]
        },
        Tampering("a removed seal", .brokenChain, seal: 3) { _ in ["DELETE FROM audit_seals WHERE number = 2"] },
        Tampering("a removed beginning", .brokenChain) { ids in
            [
                "DELETE FROM audit_seals WHERE number = 1",
                "DELETE FROM audit_events WHERE id <= '\(ids[3])'",
            ]
        },
        Tampering("an end that was cut off", .cutOff, seal: 3) { ids in
            [
                "DELETE FROM audit_seals WHERE number = 3",
                "DELETE FROM audit_events WHERE id >= '\(ids[8])'",
            ]
        },
        Tampering("a log that was emptied", .cutOff, seal: 3) { _ in
            ["DELETE FROM audit_seals", "DELETE FROM audit_events"]
        },
    ]
}

extension TestRealm {
    func change(_ statements: [String]) async throws {
        try await store.write { transaction in
            for statement in statements { _ = try sql(transaction).connection.rows(statement, []) }
        }
    }

    @discardableResult
    func log(
        _ kind: AuditEvent.Kind = .signedIn, of user: String? = "ada", back: TimeInterval = 0,
        details: [String: JSONValue] = ["secondFactor": "totp"]
    ) async throws -> String {
        let at = now - back
        let id = AuditEvent.freshID(at: at, random: random)
        try await store.write { transaction in
            try transaction.append(
                AuditEvent(
                    id: id, at: at, kind: kind, userID: user.map { UserID(rawValue: $0) },
                    clientID: ClientID(rawValue: "app"), dialect: .oauth, source: "192.0.2.7", reason: nil,
                    details: details))
        }
        return id
    }

    /// Three sealed ranges of four events; the first of each has details that go with its user.
    func sealThree() async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<3 {
            ids.append(try await log(.emailChanged, details: ["former": "ada@example.org"]))
            for _ in 0..<3 {
                clock.advance(1)
                ids.append(try await log())
            }
            clock.advance(700)
            #expect(try await realm.auditSeals.seal() == 1)
        }
        clock.advance(7200)
        return ids
    }

    func seals() async throws -> [AuditSeal] { try await store.read { try $0.auditSeals(after: 0, limit: 1000) } }

    func verified() async throws -> AuditSeals.Verification { try await realm.auditSeals.verify(after: 0) }
}

@Suite("Seals of the log")
struct AuditSealTests {
    @Test(arguments: TestStore.available)
    func `What has settled is sealed in the order of its ids, and holds`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let early = try await test.log()
        // Neither what may still come before it nor a range that is not due is sealed.
        test.clock.advance(80)
        #expect(try await test.realm.auditSeals.seal() == 0)
        try await test.log()
        test.clock.advance(15)
        #expect(try await test.realm.auditSeals.seal() == 1)
        let seal = try #require(try await test.seals().first)
        #expect(seal.ids == early && seal.count == 1 && seal.through == early)
        #expect(try await test.realm.auditSeals.seal() == 0)
        let status = try await test.realm.auditSeals.status()
        #expect(status.seal == 1 && status.digest == seal.link && status.fault == nil)
        #expect(status.sealedThrough == AuditEvent.date(ofID: early) && status.waitingSince == test.now - 15)
        let whole = try await test.verified()
        #expect(whole.seals == 1 && whole.events == 1 && whole.late == 0 && whole.fault == nil && whole.next == nil)
        #expect(whole.from == status.sealedThrough && whole.through == status.sealedThrough)
    }

    @Test(arguments: Tampering.all)
    func `Whatever is changed by who has no master key is found where it is`(_ tampering: Tampering) async throws {
        let test = try await TestRealm.make()
        let ids = try await test.sealThree()
        let untouched = try await test.verified()
        #expect(untouched.seals == 3 && untouched.events == 12 && untouched.fault == nil)
        #expect(try await test.realm.auditSeals.check() == nil)
        #expect(try await test.realm.auditSeals.status().checkedThrough == AuditEvent.date(ofID: ids[11]))

        try await test.change(tampering.statements(ids))
        let found = try await test.verified()
        #expect(found.fault?.kind == tampering.expected && found.fault?.seal == tampering.seal)
        let told = found.fault?.ids ?? []
        #expect(!tampering.tellsEvent || (told.count == 1 && ids[4...7].contains(told[0])), "\(told)")

        // Maintenance finds it on its way, also that of a server that was started afterwards, and says it once.
        let other = try TestRealm.make(keptIn: test.store, clock: test.clock, seed: 2)
        let fresh = try await other.verified()
        #expect(fresh.fault?.kind == tampering.expected && fresh.fault?.seal == tampering.seal)
        for realm in [other.realm, test.realm] {
            let fault = try await realm.auditSeals.check()
            #expect(fault?.kind == tampering.expected && fault?.seal == tampering.seal)
            #expect(try await realm.auditSeals.status().fault == fault)
            #expect(try await realm.auditSeals.fault() == fault)
        }
        #expect(try await test.events(.faultFound).map(\.reason) == [tampering.expected.rawValue])
    }

    @Test
    func `A seal by who has another key is none`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.sealThree()
        var forged = try await test.seals()[1]
        let code = forged.code
        // With the name of the right one.
        let (foreign, id) = (try Sealer.MasterKey(bytes: Secret(Array(repeating: 9, count: 32))), forged.keyID)
        forged.sign(with: foreign)
        forged.keyID = id
        let put = forged
        #expect(try await test.store.write { try $0.update(put, from: code) })
        #expect(try await test.verified().fault?.kind == .alteredSeal)
    }

    @Test
    func `What came late is taken up by a later seal, and is sealed there`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.sealThree()
        try await test.log()
        test.clock.advance(100)
        #expect(try await test.realm.auditSeals.seal() == 1)
        // A transaction of five minutes.
        test.clock.advance(200)
        let late = try await test.log(.emailChanged, back: 301, details: ["former": "ada@example.org"])
        #expect(try await test.verified().fault == nil)
        test.clock.advance(700)
        #expect(try await test.realm.auditSeals.seal() == 1)
        #expect(try await test.seals().last?.late == late)
        let whole = try await test.verified()
        #expect(whole.fault == nil && whole.late == 1 && whole.events == 14)

        // It is sealed as every other is.
        for (source, expected) in [("'192.0.2.8'", AuditFault.Kind.changed), ("'192.0.2.7'", nil)] {
            try await test.change(["UPDATE audit_events SET source = \(source) WHERE id = '\(late)'"])
            let fault = try await test.verified().fault
            #expect(fault?.kind == expected && fault?.seal == expected.map { _ in 5 })
        }

        // Late ones are looked for once. What comes afterwards was dated back.
        try await test.log(back: 1002)
        test.clock.advance(3600)
        let found = try await test.verified().fault
        #expect(found?.kind == .inserted && found?.seal == 4)
    }

    @Test
    func `While a clock that went ahead is caught up, events are taken up as they come`() async throws {
        let test = try await TestRealm.make()
        test.clock.advance(86_400)
        try await test.log()
        test.clock.advance(100)
        #expect(try await test.realm.auditSeals.seal() == 1)
        test.clock.advance(-86_400)
        for _ in 0..<3 {
            for _ in 0..<2 { try await test.log() }
            test.clock.advance(700)
            #expect(try await test.realm.auditSeals.seal() == 1)
            #expect(try await test.verified().fault == nil)
        }
        test.clock.advance(40_000)
        let whole = try await test.verified()
        #expect(whole.fault == nil && whole.late == 6)
    }

    @Test(arguments: TestStore.available)
    func `Pruning takes whole ranges and leaves the last of their seals`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.changeSettings { $0.audit.retentionDays = 10 }
        let ids = try await test.sealThree()
        // Ten days after a time between the first range and the second.
        test.clock.advance(10 * 86_400 - 9309 + 300)
        try await test.realm.maintenance.run()
        // The first range is too old, and no event of the others goes before its time.
        var seals = try await test.seals()
        #expect(seals.first?.isPruned == true && seals.first?.ids == "" && seals.first?.nonce == nil)
        let kept = try await test.store.read {
            try $0.auditRows(after: "", through: ids[11], onlyTimely: false, limit: 100)
        }
        #expect(kept.map(\.id) == Array(ids[4...]))
        #expect(try await test.verified().fault == nil)
        // Longer retention accuses nobody of what went before.
        try await test.changeSettings { $0.audit.retentionDays = 400 }
        #expect(try await test.verified().fault == nil)
        #expect(try await test.realm.auditSeals.check() == nil)

        try await test.changeSettings { $0.audit.retentionDays = 1 }
        test.clock.advance(2 * 86_400)
        try await test.realm.maintenance.run()
        seals = try await test.seals()
        #expect(seals.count { $0.isPruned } == 1 && seals.first?.isPruned == true)
        let rest = try await test.store.read {
            try $0.auditRows(after: "", through: ids[11], onlyTimely: false, limit: 100)
        }
        #expect(rest.isEmpty)
        #expect(try await test.realm.auditSeals.check() == nil)
        // The beginning cannot be moved.
        try await test.log()
        test.clock.advance(100)
        #expect(try await test.realm.auditSeals.seal() == 1)
        let number = try #require(seals.first).number
        try await test.change(["DELETE FROM audit_seals WHERE number = \(number)"])
        #expect(try await test.verified().fault?.kind == .brokenChain)
    }

    @Test
    func `An old server that removes single events of a range accuses nobody`() async throws {
        let test = try await TestRealm.make()
        try await test.changeSettings { $0.audit.retentionDays = 10 }
        let ids = try await test.sealThree()
        test.clock.advance(10 * 86_400 - 9309 + 1)
        // As a program of schema 21 does.
        try await test.change(["DELETE FROM audit_events WHERE id = '\(ids[0])'"])
        #expect(try await test.verified().fault == nil)
        // What the log keeps still is missed.
        test.clock.advance(-5 * 86_400)
        #expect(try await test.verified().fault?.ids == [ids[0]])
    }

    @Test(arguments: TestStore.available, [false, true])
    func `What went with a removed user neither breaks the chain nor stays in it`(
        store: TestStore, isOldServer: Bool
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        var change = AccountChange()
        change.email = .some(EmailAddress(kept: "countess@example.org"))
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        try await test.log(.emailChanged, of: user.id.rawValue, details: ["former": "ada@example.org"])
        test.clock.advance(100)
        #expect(try await test.realm.auditSeals.seal() == 1)
        func rows() async throws -> [AuditRow] {
            try await test.store.read { try $0.auditRows(after: "", through: "g", onlyTimely: true, limit: 100) }
                .filter { $0.kind == "user.email-changed" }
        }
        let sealed = try await rows()
        #expect(!sealed.isEmpty && sealed.allSatisfy { $0.nonce != nil && $0.digest != nil })
        #expect(try await test.realm.accounts.delete(user.id, by: test.client))
        if isOldServer {
            // A program of schema 21 leaves the nonce, of which it knows nothing.
            for row in sealed {
                try await test.change([
                    "UPDATE audit_events SET details_nonce = '\(row.nonce ?? "")' WHERE id = '\(row.id)'"
                ])
            }
        }
        #expect(try await test.verified().fault == nil)
        #expect(try await test.realm.auditSeals.check() == nil)
        let left = try await rows()
        #expect(left.allSatisfy { $0.nonce == nil && $0.digest != nil && !$0.details.contains("@") })
        #expect(try await test.verified().fault == nil)
    }

    @Test(arguments: TestStore.available)
    func `Another master key gives seals its code, and the one before is not needed`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.realm.checkMasterKey()
        _ = try await test.sealThree()
        let digest = try #require(try await test.realm.auditSeals.status().digest)
        func realm(_ bytes: UInt8...) throws -> Realm {
            let keys = try bytes.map { try Sealer.MasterKey(bytes: Secret(Array(repeating: $0, count: 32))) }
            let random = SeededRandom(seed: 99)
            let sealer = Sealer(keys: MasterKeys(keys[0], Array(keys.dropFirst())), random: random)
            return Realm(store: test.store, clock: test.clock, random: random, sealer: sealer, hasher: test.hasher)
        }
        let both = try realm(8, 7)
        let (old, new) = (both.sealer.keys.all[1], both.sealer.keys.all[0])
        // One seal was altered before: it does not become right.
        try await test.change(["UPDATE audit_seals SET event_count = 5 WHERE number = 3"])
        #expect(try await both.masterKeyReplacement.replace(old, with: new, by: test.client))
        #expect(try await both.masterKeyReplacement.uses().sealed == 2)
        #expect(try await realm(8).auditSeals.verify(after: 0).fault?.kind == .unknownKey)
        #expect(try await both.masterKeyReplacement.resealAll() == 2)
        #expect(try await both.masterKeyReplacement.uses().isNone)
        let alone = try realm(8)
        let found = try await alone.auditSeals.verify(after: 0)
        #expect(found.seals == 2 && found.fault?.seal == 3)
        try await test.change(["UPDATE audit_seals SET event_count = 4 WHERE number = 3"])
        _ = try await both.masterKeyReplacement.resealAll()
        #expect(try await alone.auditSeals.verify(after: 0).fault == nil)
        // The chain is the same one, and goes on under the new key.
        #expect(try await alone.auditSeals.judge(head: 3, digest) == nil)
        test.clock.advance(100)
        #expect(try await alone.auditSeals.seal() == 1)
        #expect(try await alone.auditSeals.verify(after: 0).fault == nil)
        #expect(try await test.seals().allSatisfy { $0.keyID == new.id })
    }

    @Test(arguments: TestStore.available)
    func `Servers that seal at once make each seal once, and every event is in one`(store: TestStore) async throws {
        let base = try await store.open()
        let clock = ManualClock()
        let servers = try (1...4).map { try TestRealm.make(keptIn: base, clock: clock, seed: UInt64($0)) }
        for round in 0..<5 {
            for server in servers { for _ in 0..<3 { try await server.log() } }
            clock.advance(100)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for server in servers { group.addTask { _ = try await server.realm.auditSeals.seal() } }
                try await group.waitForAll()
            }
            let seals = try await servers[0].seals()
            #expect(seals.map(\.number) == Array(1...(round + 1)))
            #expect(seals.reduce(0) { $0 + $1.count } == 12 * (round + 1))
        }
        #expect(try await servers[3].verified().fault == nil)
    }

    @Test
    func `A long log of before is sealed a bounded number of events at a time, and checked likewise`() async throws {
        let test = try await TestRealm.make()
        let count = 2 * SealDraft.most + 7
        let (now, random, client) = (test.now, test.random, test.client)
        try await test.store.write { transaction in
            for number in 0..<count {
                let at = now + Double(number) / 1000
                try transaction.append(
                    AuditEvent(
                        id: AuditEvent.freshID(at: at, random: random), at: at, kind: .signedIn, userID: nil,
                        context: client))
            }
        }
        test.clock.advance(200)
        #expect(try await test.realm.auditSeals.seal() == 3)
        #expect(try await test.seals().map(\.count) == [SealDraft.most, SealDraft.most, 7])
        // Two parts, by the events in them.
        try await test.realm.auditSeals.check()
        #expect(try await test.realm.auditSeals.status().wholeAt == nil)
        for _ in 0..<2 { try await test.realm.auditSeals.check() }
        let status = try await test.realm.auditSeals.status()
        #expect(status.checkedThrough == status.sealedThrough && status.wholeAt != nil)
        // A verification in parts is the same as one of the whole.
        let first = try await test.realm.auditSeals.verify(after: 0, mostEvents: 500)
        #expect(first.seals == 1 && first.next == 1)
        let rest = try await test.realm.auditSeals.verify(after: 1)
        #expect(rest.seals == 2 && rest.next == nil && rest.fault == nil)
    }

    @Test
    func `A range that does not hold is told until it holds again, or an administrator has looked at it`() async throws
    {
        let test = try await TestRealm.make()
        let ids = try await test.sealThree()
        let seals = test.realm.auditSeals
        try await test.change([
            "UPDATE audit_events SET reason = 'x' WHERE id = '\(ids[1])'",
            "UPDATE audit_events SET reason = 'y' WHERE id = '\(ids[9])'",
        ])
        #expect(try await seals.check()?.seal == 1)
        #expect(try await seals.status().checkedThrough == nil)
        try await test.change(["UPDATE audit_events SET reason = NULL WHERE id = '\(ids[1])'"])
        for _ in 0..<2 { try await seals.check() }
        #expect(try await seals.status().fault?.seal == 3)
        #expect(try await seals.fault()?.seal == 3)
        #expect(try await seals.status().checkedThrough == AuditEvent.date(ofID: ids[7]))
        #expect(try await !seals.accept(1, by: test.client))
        #expect(try await seals.accept(3, by: test.client))
        #expect(try await seals.check() == nil)
        #expect(try await test.events(.faultAccepted).map(\.details["fault"]) == ["changed"])
        // Whoever reads the whole log is told of it all the same.
        #expect(try await test.verified().fault?.seal == 3)
        #expect(try await test.events(.faultFound).count == 2)
    }

    @Test
    func `A document of what was checked that nobody can read is begun again`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.sealThree()
        try await test.store.write { try $0.putDocument(AuditCheck.document, Data("{".utf8)) }
        #expect(try await test.realm.auditSeals.check() == nil)
        #expect(try await test.realm.auditSeals.status().checkedThrough != nil)
    }

    @Test
    func `Events of before there were seals are sealed after the migration`() async throws {
        let path = try TestRun.place(for: "seals").path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let old = try await SQLiteStore.open(
            path: path, options: .init(), migrations: Migrations(Array(Migrations.all.steps.prefix(21))))
        let clock = ManualClock()
        let former = try TestRealm.make(keptIn: old, clock: clock)
        for _ in 0..<3 { try await former.log() }
        try await old.close()
        let new = try await SQLiteStore.open(path: path)
        let test = try TestRealm.make(keptIn: new, clock: clock, seed: 5)
        clock.advance(100)
        #expect(try await test.realm.auditSeals.seal() == 1)
        let whole = try await test.verified()
        #expect(whole.events == 3 && whole.fault == nil)
        try await new.close()
    }
}
