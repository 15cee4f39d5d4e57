import CountersignCore
import Foundation
import StoreSQLite
import Synchronization
import TestSupport
import Testing

@testable import StoreSQL

@Suite("Queries")
struct QueryPlanTests {
    @Test
    func `No query reads a whole table, but those that list the few signing keys or count`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let plans = Mutex<[String]>([])
        let (id, instant) = (UserID(rawValue: "u"), Date(microseconds: 1))
        try await store.write { transaction in
            guard let real = transaction as? SQLTransaction else { throw NotSQL() }
            let transaction = SQLTransaction(
                Explaining(connection: real.connection) { plan in plans.withLock { $0.append(plan) } })
            let factor = FactorRecord(
                id: FactorID(rawValue: "f"), userID: id, kind: .totp, name: "", createdAt: instant, payload: Data())
            let flow = FlowRecord(
                digest: Data(), userID: id, purpose: "", createdAt: instant, expiresAt: instant, body: Data())
            let session = Session(
                id: SessionID(rawValue: "s"), userID: id, dialect: .admin, tokenEpoch: 0, createdAt: instant,
                expiresAt: instant, proofs: [])
            let grant = Grant(
                id: GrantID(rawValue: "g"), sessionID: session.id, userID: id, clientID: ClientID(rawValue: "c"),
                dialect: .admin, createdAt: instant, expiresAt: instant,
                refresh: RefreshTokenState(currentDigest: Data()))
            let code = AuthorizationCodeRecord(
                digest: Data([1]), userID: id, createdAt: instant, expiresAt: instant, body: Data())
            let application = Application(
                id: ClientID(rawValue: "c"), createdAt: instant, registration: ApplicationRegistration())
            let message = OutboxMessage(
                id: "m", channel: .email, recipient: "", createdAt: instant, nextAttemptAt: instant,
                sealedContent: Data())
            _ = try transaction.insert(user("u"))
            _ = try transaction.user(id)
            _ = try transaction.user(email: EmailAddress(kept: "a@b"))
            _ = try transaction.user(phoneNumber: PhoneNumber(kept: "+15555550100"))
            _ = try transaction.users(after: id, limit: 1)
            _ = try transaction.users(among: [id])
            _ = try transaction.users(deletionDueBy: instant, limit: 1)
            _ = try transaction.update(user("u", email: "a@b"))
            try transaction.touch(id, signedInAt: instant, refreshedAt: instant)
            _ = try transaction.insert(factor)
            _ = try transaction.factor(factor.id)
            _ = try transaction.factors(of: id)
            _ = try transaction.update(factor)
            _ = try transaction.deleteFactor(factor.id)
            _ = try transaction.insert(flow)
            _ = try transaction.flow(digest: flow.digest)
            _ = try transaction.flow(digest: flow.digest, beside: [])
            _ = try transaction.update(flow)
            _ = try transaction.flows(of: id, limit: 1)
            _ = try transaction.openFlow(offering: factor.id, at: instant)
            for kind in ClientRecord.Kind.allCases {
                let record = ClientRecord(
                    kind: kind, digest: Data(), userID: id, createdAt: instant, expiresAt: instant, body: Data())
                _ = try transaction.insert(record)
                _ = try transaction.clientRecord(kind, digest: record.digest)
                _ = try transaction.clientRecords(kind, ListRange(record.digest, limit: 1))
                _ = try transaction.clientRecords(kind, of: id, limit: 1)
                _ = try transaction.update(record)
                _ = try transaction.deleteClientRecord(kind, digest: record.digest)
                _ = try transaction.deleteClientRecords(kind, expiredBefore: instant, limit: 1)
            }
            _ = try transaction.deleteFlow(digest: flow.digest)
            _ = try transaction.deleteFlows(expiredBefore: instant, limit: 1)
            _ = try transaction.insert(session)
            _ = try transaction.session(session.id)
            _ = try transaction.sessions(of: id, limit: 1)
            for isBackwards in [false, true] {
                let place = SessionPlace(createdAt: instant, id: session.id)
                _ = try transaction.sessions(of: id, ListRange(place, isBackwards: isBackwards, limit: 1))
                _ = try transaction.machineTokens(ListRange("t", isBackwards: isBackwards, limit: 1))
            }
            _ = try transaction.sessions(of: id, epoch: 0, expiringAfter: instant, limit: 1)
            _ = try transaction.update(session)
            _ = try transaction.insert(grant)
            _ = try transaction.grant(grant.id)
            _ = try transaction.grants(of: session.id, limit: 1)
            for place in [nil, GrantPlace(createdAt: instant, id: grant.id)] {
                _ = try transaction.grants(of: application.id, before: place, limit: 1)
            }
            _ = try transaction.grants(of: id, limit: 1)
            _ = try transaction.holders(ofGrantsOf: session.id)
            _ = try transaction.holders(ofGrantsOf: id)
            _ = try transaction.update(grant)
            _ = try transaction.deleteGrant(grant.id)
            _ = try transaction.deleteGrants(expiredBefore: instant, limit: 1)
            _ = try transaction.deleteSessions(expiredBefore: instant, limit: 1)
            _ = try transaction.insert(code)
            _ = try transaction.authorizationCode(digest: code.digest)
            _ = try transaction.redeemAuthorizationCode(digest: code.digest, at: instant, making: grant.id)
            _ = try transaction.deleteAuthorizationCode(digest: code.digest)
            _ = try transaction.deleteAuthorizationCodes(expiredBefore: instant, limit: 1)
            _ = try transaction.insert(application)
            _ = try transaction.application(application.id)
            _ = try transaction.applications(after: application.id, limit: 1)
            _ = try transaction.applications(beginningWith: "c", ListRange(limit: 1))
            _ = try transaction.update(application)
            for place in [nil, RegistrationPlace(createdAt: instant, id: application.id)] {
                _ = try transaction.selfRegistered(ListRange(place, limit: 1))
            }
            _ = try transaction.unusedRegistrations(before: instant, limit: 1)
            _ = try transaction.applications(secretsEndingAfter: instant, before: instant, limit: 1)
            try transaction.keepRegistration(application.id)
            try transaction.note(ApplicationUse(application: application.id, dialect: .oauth, at: instant))
            _ = try transaction.applicationUses(of: [application.id])
            _ = try transaction.deleteApplication(application.id)
            let group = GroupName(kept: "g")
            _ = try transaction.insert(UserGroup(name: group, summary: "", createdAt: instant))
            _ = try transaction.addMember(id, to: group, at: instant)
            _ = try transaction.update(UserGroup(name: group, summary: "s", createdAt: instant))
            _ = try transaction.group(group)
            _ = try transaction.groups(ListRange(group, limit: 1))
            _ = try transaction.groups(beginningWith: "g", ListRange(limit: 1))
            _ = try transaction.groups(of: id, limit: 1)
            _ = try transaction.members(of: group, ListRange(id, limit: 1))
            _ = try transaction.removeMember(id, from: group)
            _ = try transaction.deleteGroup(group)
            _ = try transaction.put(Administrator(userID: id, role: .owner, grantedBy: nil, createdAt: instant))
            _ = try transaction.administrator(id)
            _ = try transaction.administrators(after: id, limit: 1)
            _ = try transaction.administrator(with: .owner, beside: id)
            _ = try transaction.deleteAdministrator(id)
            let machine = MachineToken(
                id: "t", digest: Data([1]), name: "", scopes: [.all], createdBy: nil, createdAt: instant,
                expiresAt: instant)
            _ = try transaction.insert(machine)
            _ = try transaction.machineToken(digest: machine.digest)
            _ = try transaction.machineTokens(after: "t", limit: 1)
            try transaction.touchMachineToken("t", usedAt: instant)
            _ = try transaction.deleteMachineToken("t")
            try transaction.put(AttemptCounter(key: "k", since: instant))
            _ = try transaction.counter("k")
            try transaction.deleteCounter("k")
            _ = try transaction.deleteCounters(idleBefore: instant, limit: 1)
            try transaction.writeCounters()
            _ = try transaction.auditEvents(of: nil, after: "1", limit: 1)
            _ = try transaction.auditEvents(of: id, after: "1", limit: 1)
            _ = try transaction.auditEvents(of: id, before: "1", limit: 1)
            _ = try transaction.auditEvents(of: nil, before: "1", limit: 1)
            _ = try transaction.auditEvents(ofKinds: [.mailFailed], from: .bound(instant), before: .end, limit: 1)
            _ = try transaction.counters(ListRange("k", limit: 1))
            try transaction.replaceAuditDetails(of: id, .emailChanged, with: [:])
            _ = try transaction.deleteAuditEvents(before: instant, after: "1", limit: 1)
            for onlyTimely in [false, true] {
                _ = try transaction.auditRows(after: "1", through: "2", onlyTimely: onlyTimely, limit: 1)
            }
            _ = try transaction.auditRow("1")
            _ = try transaction.markAuditRow(
                AuditRow(
                    id: "1", at: 1, kind: "", userID: nil, clientID: nil, dialect: nil, source: nil, reason: nil,
                    details: "", nonce: "", digest: ""))
            try transaction.forgetNonce(of: "1")
            _ = try transaction.takeUpAuditRow("1", in: 1)
            _ = try transaction.hasAuditEvent(of: id, .userDeleted, after: "1")
            _ = try transaction.deleteAuditRows(through: "1", sealedBy: 1, limit: 1)
            let seal = AuditSeal(
                number: 1, keyID: "", after: "", through: "1", sealedAt: instant, looked: 0, count: 0, ids: "",
                late: "",
                nonce: nil, content: "", previous: "", isPruned: false, code: "c")
            _ = try transaction.insert(seal)
            _ = try transaction.auditSeal(1)
            _ = try transaction.auditSeals(after: 1, limit: 1)
            _ = try transaction.auditSeals(after: 1, notSignedBy: "k", limit: 1)
            _ = try transaction.lastAuditSeal()
            _ = try transaction.auditSeal(reaching: "1")
            _ = try transaction.update(seal, from: "c")
            try transaction.deleteAuditSeals(before: 1)
            _ = try transaction.insert(message)
            _ = try transaction.outboxMessages(limit: 1)
            _ = try transaction.outboxMessages(to: "d", by: .push, createdSince: instant, limit: 1)
            _ = try transaction.outboxMessages(by: .push, dueAt: instant, limit: 1)
            _ = try transaction.factorIDs(among: [FactorID(rawValue: "f")])
            _ = try transaction.flowRevisions(among: [Data([1])])
            _ = try transaction.outboxArrivals(by: .push, createdSince: instant, limit: 1)
            _ = try transaction.countOutboxMessages(waitingFor: .push)
            _ = try transaction.update(message, after: 0)
            _ = try transaction.deleteOutboxMessage(message.id, after: 0)
            _ = try transaction.deleteOutboxMessages(by: .push, createdBefore: instant, limit: 1)
            _ = try transaction.outboxMessages(of: id, recipient: "a@b", limit: 1)
            try transaction.assignOutboxMessages(to: "a@b", of: id)
            try transaction.deleteOutboxMessages(of: id, recipient: "a@b")
            _ = try transaction.deleteOutboxMessages(createdBefore: instant, limit: 1)
            try transaction.putDocument("d", Data())
            _ = try transaction.document("d")
            try transaction.putSealedSecret("s", Data())
            _ = try transaction.sealedSecret("s")
            try transaction.deleteSealedSecret("s")
            for place in SealedPlace.allCases {
                _ = try transaction.sealedRows(in: place, after: "00", except: Data(), limit: 1)
                _ = try transaction.replaceSealed(Data(), at: SealedAddress(place, key: "00"), with: Data())
            }
            _ = try transaction.deleteUser(id)
        }
        let scans = plans.withLock { $0 }.filter { plan in
            plan.hasPrefix("SCAN") && !plan.contains(" USING ") && !plan.contains(" CONSTANT ROW")
        }
        #expect(scans == [])
        #expect(plans.withLock { $0.count } > 40)
    }

    /// A device asks for its own requests again and again: by the index of the channel it would read those of all devices each time.
    @Test func `The messages to one recipient are found by the recipient`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let plans = Mutex<[String]>([])
        try await store.write { transaction in
            guard let real = transaction as? SQLTransaction else { throw NotSQL() }
            let transaction = SQLTransaction(
                Explaining(connection: real.connection) { plan in plans.withLock { $0.append(plan) } })
            _ = try transaction.outboxMessages(
                to: "d", by: .push, createdSince: Date(microseconds: 1), limit: 1)
        }
        let found = plans.withLock { $0 }
        let index = "outbox_messages_of_recipient (recipient=? AND created_at>?)"
        #expect(found.contains { $0.contains(index) }, "\(found)")
    }

    /// Both ends of a list and both directions from a place cost the same, however many rows there are.
    @Test func `Every list is read in both directions by one index, and nothing is sorted: keycloak#44860`()
        async throws
    {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let plans = Mutex<[String]>([])
        let lists = Mutex(0)
        try await store.write { transaction in
            guard let real = transaction as? SQLTransaction else { throw NotSQL() }
            let transaction = SQLTransaction(
                Explaining(connection: real.connection) { plan in plans.withLock { $0.append(plan) } })
            let instant = Date(microseconds: 1)
            func each<Key: Sendable, Row>(_ key: Key, _ read: (ListRange<Key>) throws -> [Row]) throws {
                for place in [nil, key] {
                    for isBackwards in [false, true] {
                        _ = try read(ListRange(place, isBackwards: isBackwards, limit: 1))
                        lists.withLock { $0 += 1 }
                    }
                }
            }
            let (id, group, client) = (UserID(rawValue: "u"), GroupName(kept: "g"), ClientID(rawValue: "c"))
            try each(group) { try transaction.groups($0) }
            try each(id) { try transaction.members(of: group, $0) }
            try each(id) { try transaction.administrators($0) }
            try each(client) { try transaction.applications($0) }
            try each(RegistrationPlace(createdAt: instant, id: client)) { try transaction.selfRegistered($0) }
            try each(GrantPlace(createdAt: instant, id: GrantID(rawValue: "g"))) {
                try transaction.grants(of: client, $0)
            }
            try each(GrantPlace(createdAt: instant, id: GrantID(rawValue: "g"))) {
                try transaction.grants(of: id, to: client, $0)
            }
            try each(GrantPlace(createdAt: instant, id: GrantID(rawValue: "g"))) {
                try transaction.grants(of: id, $0)
            }
            try each(GrantPlace(createdAt: instant, id: GrantID(rawValue: "g"))) {
                try transaction.grants(of: SessionID(rawValue: "s"), $0)
            }
            try each(SessionPlace(createdAt: instant, id: SessionID(rawValue: "s"))) {
                try transaction.sessions(of: id, epoch: 0, expiringAfter: instant, $0)
            }
            try each("k") { try transaction.counters($0) }
            _ = try transaction.countUsers(after: nil, limit: 2)
            for kind in ClientRecord.Kind.allCases { try each(Data([1])) { try transaction.clientRecords(kind, $0) } }
            try each("1") { try transaction.auditEvents(of: nil, $0) }
            try each("1") { try transaction.auditEvents(of: id, $0) }
            for index in UserIndex.allCases {
                try each(UserPlace(key: "1", id: id)) {
                    try transaction.users(UserRange(index, from: $0.key, isBackwards: $0.isBackwards, limit: 1))
                }
            }
        }
        #expect(lists.withLock { $0 } == 80)
        let found = plans.withLock { $0 }
        #expect(found.count >= 80)
        #expect(found.filter { !$0.hasPrefix("SEARCH") } == [])
        // A user's own grants, and not those of all users of an application.
        #expect(found.count { $0.contains("grants_of_user") } == 8, "\(found)")
        #expect(found.count { $0.contains("sessions_of_user") } == 4, "\(found)")
    }
}

/// Asks how each statement would be run before it is.
private struct Explaining: SQLConnection {
    let connection: any SQLConnection
    let note: (String) -> Void

    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws {
        try explain(statement, parameters)
        try connection.query(statement, parameters, read)
    }

    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        try explain(statement, parameters)
        return try connection.execute(statement, parameters)
    }

    private func explain(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        for row in try connection.rows("EXPLAIN QUERY PLAN \(statement.text)", parameters) {
            if case .text(let step) = row.values.last { note("\(step): \(statement.text)") }
        }
    }
}
