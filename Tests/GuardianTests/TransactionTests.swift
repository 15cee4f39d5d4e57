import CoreTestSupport
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ServerHTTP
import TestSupport
import Testing
import WebPages

@testable import GuardianServer

/// How many transactions a request takes. Each read changes threads, and each write waits for the disk.
@Suite("Transactions of Guardian")
struct TransactionTests {
    private static let base = "http://localhost"

    @Test
    func `A device is asked in one write, and without a read where the application was seen before`() async throws {
        let store = CountingStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: store)
        try await test.realm.keyring.prepare()
        let caller = ClientContext(
            clientID: ClientID(rawValue: "app"), dialect: .guardian, limitedSource: nil, source: "127.0.0.1")
        let added = try await test.realm.applications.add(
            id: caller.clientID, ApplicationRegistration(), by: caller)
        #expect(added != nil)
        _ = try await test.enrol(TestDevice(), of: test.addUser().id)
        let guardian = Guardian(
            realm: test.realm, options: Guardian.Options(isAdministrator: { _ in false }, baseURLs: { [Self.base] }))
        let router = Router(context: CountersignRequestContext.self)
        router.add(middleware: FailureMiddleware())
        let addresses = PageAddresses(published: { [Self.base] }, takesLoopback: true)
        try guardian.addRoutes(to: router, site: PageSite(addresses: addresses))
        try await Application(router: router).test(.router) { client in
            for wasSeen in [false, true] {
                let pending = try await test.pending(by: caller)
                let token = try await guardian.mfaToken(for: pending.handle, until: test.now + 60)
                let body: JSON = ["client_id": "app", "challenge_type": "oob", "mfa_token": .string(token)]
                let before = (store.reads, store.writes)
                let response = try await client.executeRequest(
                    uri: "/mfa/challenge", method: .post, headers: [.contentType: "application/json"],
                    body: ByteBuffer(bytes: body.bytes))
                let counted = [store.reads - before.0, store.writes - before.1]
                let json = try JSON(parsing: Array(response.body.readableBytesView))
                #expect(response.status == .ok && json["oob_code"].text != nil, "\(json)")
                #expect(wasSeen ? counted == [0, 1] : counted[0] > 0, "\(counted)")
            }
        }
    }
}
