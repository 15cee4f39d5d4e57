import CoreTestSupport
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NativeAuthServer
import NativeAuthWire
import ServerHTTP
import TestSupport
import Testing

/// How many transactions a request takes. Each read changes threads, and each write waits for the disk.
@Suite("Transactions of native authentication")
struct TransactionTests {
    private struct Stage {
        let store: CountingStore
        let client: any TestClientProtocol

        /// The answer's members, and the reads and writes that it took.
        func post(_ endpoint: Endpoint, _ fields: [String: String]) async throws -> (json: JSON, counted: [Int]) {
            let before = (store.reads, store.writes)
            let form = fields.merging(["client_id": "app"]) { own, _ in own }
            let response = try await client.executeRequest(
                uri: NativeAuth.normalize("/contoso.onmicrosoft.com" + endpoint.path), method: .post,
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: NativeClient.form(form)))
            let json = try JSON(parsing: Array(response.body.readableBytesView))
            #expect(response.status == .ok, "\(json)")
            return (json, [store.reads - before.0, store.writes - before.1])
        }
    }

    @Test
    func `A sign-in by a mailed code takes a read and a write for each of its requests`() async throws {
        let store = CountingStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: store)
        try await test.realm.keyring.prepare()
        let added = try await test.realm.applications.add(
            id: ClientID(rawValue: "app"), ApplicationRegistration(challengeTypes: ["oob", "redirect"]),
            by: test.client)
        #expect(added != nil)
        try await test.addUser(password: nil)
        let router = Router(context: CountersignRequestContext.self)
        router.add(middleware: FailureMiddleware())
        NativeAuth(realm: test.realm, options: NativeAuth.Options(publicURL: { "http://localhost" }))
            .addRoutes(to: router)
        try await Application(router: router).test(.router) { client in
            let stage = Stage(store: store, client: client)
            // The keys and the tenant are read at the first.
            for isFirst in [true, false] {
                let begun = try await stage.post(
                    .initiate, ["username": TestRealm.email.canonical, "challenge_type": "oob redirect"])
                let asked = try await stage.post(
                    .challenge,
                    [
                        "continuation_token": begun.json["continuation_token"].text ?? "",
                        "challenge_type": "oob redirect",
                    ])
                let code = try await test.mails().last?.content.values["code"] ?? ""
                let signedIn = try await stage.post(
                    .token,
                    [
                        "continuation_token": asked.json["continuation_token"].text ?? "", "grant_type": "oob",
                        "oob": code, "scope": "openid offline_access",
                    ])
                #expect(signedIn.json["id_token"].text != nil && signedIn.json["refresh_token"].text != nil)
                if !isFirst {
                    #expect([begun.counted, asked.counted, signedIn.counted] == [[1, 1], [1, 1], [1, 1]])
                }
                test.clock.advance(1)
            }
        }
    }
}
