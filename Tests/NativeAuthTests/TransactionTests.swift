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
    func `A sign-in by a mailed code takes a write for each of its requests, and no read`() async throws {
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
                    #expect([begun.counted, asked.counted, signedIn.counted] == [[0, 1], [0, 1], [0, 1]])
                }
                test.clock.advance(1)
            }
            let signUp = try await stage.post(
                .signUpStart, ["username": "new@example.org", "challenge_type": "oob redirect"])
            let token = signUp.json["continuation_token"].text ?? ""
            let asked = try await stage.post(
                .signUpChallenge, ["continuation_token": token, "challenge_type": "oob redirect"])
            #expect(asked.counted == [0, 1])
        }
    }

    @Test
    func `What an application is since an earlier request holds for its next one, which uses nothing up`() async throws
    {
        try await TestServer.with { server in
            let client = try await server.application(types: ["oob", "redirect"])
            try await server.account()
            let begun = try await client.signInByCode()
            let id = ClientID(rawValue: client.id)
            func change(_ change: @escaping @Sendable (inout ApplicationRegistration) -> Void) async throws {
                try await server.realm.store.write { transaction in
                    var application = try #require(try transaction.registeredApplication(id))
                    change(&application.registration)
                    #expect(try transaction.update(application))
                }
            }
            let answer: [String: String?] = ["continuation_token": begun.token, "oob": begun.code]
            try await change { $0.challengeTypes = [] }
            for _ in 0..<2 {
                #expect(try await client.initiate().status == 400)
                #expect(try await client.token(.oob, answer).status == 400)
            }
            try await change { $0.challengeTypes = ["oob", "redirect"] }
            #expect(try await client.token(.oob, answer).status == 200)
            // An address that has no account is told where the application reveals it.
            #expect(try await client.initiate("nobody@example.org").status == 200)
            try await change { $0.revealsAddresses = true }
            expectRefused(try await client.initiate("nobody@example.org"), "user_not_found")
        }
    }
}
