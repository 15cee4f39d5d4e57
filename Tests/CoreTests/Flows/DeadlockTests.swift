import Foundation
import OneTimePassword
import StorePostgres
import TestSupport
import Testing

@testable import CountersignCore

/// Transactions that want the same rows lock them in one order, so that PostgreSQL never has to search for deadlocks.
@Suite(.enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
struct DeadlockTests {
    /// A realm on a separate cluster, with its own count of deadlocks.
    private func onItsOwn(_ body: (TestRealm) async throws -> Void) async throws {
        let cluster = try await PostgresCluster.ofItsOwn()
        defer { cluster.end() }
        var options = PostgresStore.Options()
        options.patience = .seconds(120)
        options.attempts = 1000
        let store = try await cluster.emptyDatabase().open(options)
        try await body(TestRealm.make(keptIn: store))
        // What a connection has counted it tells when it goes.
        await store.close()
        try await cluster.run(
            """
            DO $$ BEGIN
                IF (SELECT sum(deadlocks) FROM pg_stat_database) > 0 THEN
                    RAISE 'there were deadlocks: %', (SELECT sum(deadlocks) FROM pg_stat_database);
                END IF;
            END $$
            """)
    }

    @Test
    func `The same right code sent at once, over one pending sign-in and over two, makes no deadlock`() async throws {
        try await onItsOwn { test in
            let enrolled = try await test.addEnrolledUser()
            let client = test.client(from: "192.0.2.1")
            for _ in 0..<25 {
                let handles = [
                    try await test.pending(by: client).handle, try await test.pending(by: client).handle,
                ]
                let code = enrolled.totp.code(at: test.now).stringCode
                let verdicts = try await race(6) { index in
                    try await test.answer(code, of: enrolled.factor.id, for: handles[index % 2], by: client)
                }
                #expect(verdicts.count { $0.isAccomplished } == 1)
                test.clock.advance(30)
            }
        }
    }

    @Test
    func `Devices that answer while they are asked again, and disown each other's sign-ins, make no deadlock`()
        async throws
    {
        try await onItsOwn { test in
            let enrolled = try await test.addEnrolledUser()
            let devices = [TestDevice(), TestDevice()]
            var enrolments: [DeviceEnrolment] = []
            for device in devices { enrolments.append(try await test.enrol(device, of: enrolled.user.id)) }
            let ids = enrolments.map(\.factor.id)
            for _ in 0..<8 {
                var requests: [DeviceRequest] = []
                var handles: [FlowHandle] = []
                for id in ids {
                    // Two applications: a request takes the place of none of another's.
                    var client = test.client
                    client.clientID = ClientID(rawValue: id.rawValue)
                    let handle = try await test.pending(by: client).handle
                    handles.append(handle)
                    _ = try await test.realm.approvals.ask(
                        for: handle, expecting: .any(.signIn), device: id, by: client)
                    requests.append(try await test.request(to: id))
                }
                let (asked, waiting) = (requests, handles)
                _ = try await race(4, meetingBefore: 1) { index in
                    let place = index % 2
                    if index < 2 {
                        let answer = try devices[place].answer(
                            to: asked[place], allows: false, reason: DeviceDecision.disowned, at: test.now)
                        _ = try await test.decide(answer, asked[place].handle)
                    } else {
                        var client = test.client
                        client.clientID = ClientID(rawValue: ids[place].rawValue)
                        _ = try await test.realm.approvals.ask(
                            for: waiting[place], expecting: .any(.signIn), device: ids[place], by: client)
                    }
                }
                test.clock.advance(60)
            }
        }
    }

    @Test
    func `A password that changes while its owner signs in, and factors that go, make no deadlock`() async throws {
        try await onItsOwn { test in
            let enrolled = try await test.addEnrolledUser()
            let client = test.client(from: "192.0.2.1")
            for number in 0..<15 {
                let handle = try await test.pending(by: client).handle
                let code = enrolled.totp.code(at: test.now).stringCode
                _ = try await race(4, meetingBefore: 1) { index in
                    switch index {
                    case 0: _ = try await test.answer(code, of: enrolled.factor.id, for: handle, by: client)
                    case 1:
                        var change = AccountChange()
                        change.email = .some(number % 2 == 0 ? TestRealm.otherEmail : TestRealm.email)
                        _ = try await test.realm.accounts.change(enrolled.user.id, change, by: test.client)
                    case 2: _ = try await test.realm.enrolments.makeRecoveryCode(for: enrolled.user.id, by: test.client)
                    default: _ = try await test.signIn(by: client)
                    }
                }
                var back = AccountChange()
                back.email = .some(TestRealm.email)
                _ = try await test.realm.accounts.change(enrolled.user.id, back, by: test.client)
                test.clock.advance(30)
            }
        }
    }
}
