import CoreTestSupport
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import IdentityToolkitServer
import OneTimePassword
import ServerHTTP
import TestSupport
import Testing

/// Endpoints whose first write finds out whether the application and the settings are as an earlier request saw them.
@Suite("Applications that were seen before")
struct SeenApplicationTests {
    private static let unknownKey = "API key not valid. Please pass a valid API key."

    private static func change(
        _ server: TestServer, _ change: @escaping @Sendable (inout ApplicationRegistration) -> Void
    ) async throws {
        let id = ClientID(rawValue: server.key)
        try await server.realm.store.write { transaction in
            guard var application = try transaction.registeredApplication(id) else { throw Unexpected(what: "no app") }
            change(&application.registration)
            guard try transaction.update(application) else { throw Unexpected(what: "changed meanwhile") }
        }
    }

    @Test func `A setting that is changed holds at the next refresh and the next sign-in`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            var token = person.refreshToken
            for lifetime in [3600, 1200, 600] {
                try await server.changeSettings { $0.tokens.idTokenLifetime = lifetime }
                for _ in 0..<2 {
                    let refreshed = try await server.refresh(token)
                    #expect(refreshed.json["expires_in"].text == "\(lifetime)", "\(refreshed.text)")
                    token = try #require(refreshed.json["refresh_token"].text)
                    let signedIn = try await server.signIn(person)
                    #expect(signedIn.json["expiresIn"].text == "\(lifetime)", "\(signedIn.text)")
                }
            }
        }
    }

    @Test func `A disabled application is refused at once, before what is wrong with its request, and uses nothing up`()
        async throws
    {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let token = try #require(try await server.refresh(person.refreshToken).json["refresh_token"].text)
            #expect(try await server.signIn(person).status == 200)
            try await Self.change(server) { $0.isDisabled = true }
            for _ in 0..<2 {
                #expect(try await server.refresh(token).message == Self.unknownKey)
                #expect(try await server.signIn(person).message == Self.unknownKey)
                let malformed = try await server.send(
                    .post, "/v1/token?key=\(server.key)", headers: [.contentType: "application/json"],
                    body: Array("{".utf8))
                #expect(malformed.message == Self.unknownKey, "\(malformed.text)")
            }
            try await Self.change(server) { $0.isDisabled = false }
            #expect(try await server.refresh(token).status == 200)
            let malformed = try await server.send(
                .post, "/v1/token?key=\(server.key)", headers: [.contentType: "application/json"],
                body: Array("{".utf8))
            #expect(malformed.status == 400 && malformed.message != Self.unknownKey, "\(malformed.text)")
        }
    }

    @Test func `A demand for a second factor that an application has since holds for its next refresh`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            for isRequired in [false, true, false] {
                try await Self.change(server) { $0.requiresSecondFactor = isRequired }
                let signedIn = try await server.signIn(person)
                let token = try #require(signedIn.json["idToken"].text, "\(signedIn.text)")
                let audience = try #require(try claims(token)["aud"].text)
                #expect(audience.hasSuffix("/mfa-enrolment") == isRequired)
            }
        }
    }

    @Test func `A refresh of an application that was seen is one write and no read`() async throws {
        let store = CountingStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: store)
        try await test.realm.keyring.prepare()
        let added = try await test.realm.applications.add(
            id: ClientID(rawValue: "app"), ApplicationRegistration(), by: test.client)
        #expect(added != nil)
        let router = Router(context: CountersignRequestContext.self)
        router.add(middleware: FailureMiddleware())
        IdentityToolkit(
            realm: test.realm,
            options: IdentityToolkit.Options(
                projectID: "countersign", isDevelopment: false, isAdministrator: { _ in false },
                publicURL: { "http://localhost" })
        ).addRoutes(to: router)
        try await Application(router: router).test(.router) { client in
            func post(_ path: String, _ body: JSON) async throws -> JSON {
                let response = try await client.executeRequest(
                    uri: "\(path)?key=app", method: .post, headers: [.contentType: "application/json"],
                    body: ByteBuffer(bytes: body.bytes))
                let json = try JSON(parsing: Array(response.body.readableBytesView))
                #expect(response.status == .ok, "\(json)")
                return json
            }
            let signedUp = try await post(
                "/v1/accounts:signUp",
                ["email": "ada@example.com", "password": "correct horse 7 staple", "returnSecureToken": true])
            var token = signedUp["refreshToken"].text ?? ""
            for _ in 0..<2 {
                let before = (store.reads, store.writes)
                let refreshed = try await post(
                    "/v1/token", ["grantType": "refresh_token", "refreshToken": .string(token)])
                token = refreshed["refresh_token"].text ?? ""
                #expect(store.reads == before.0 && store.writes == before.1 + 1)
            }
        }
    }
}
