import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CountersignServer

@Suite("Audiences of access tokens")
struct AudienceTests {
    private static let site = ClientID(rawValue: "site")
    private static let administrator = ClientContext(
        clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)

    /// A confidential application with these audiences.
    private func addSite(_ server: TestServer, _ audiences: [String]?) async throws {
        var registration = ApplicationRegistration(audiences: audiences)
        registration.setSecret(Secret("s3cret"))
        _ = try await server.realm.applications.add(id: Self.site, registration, by: Self.administrator)
    }

    private func set(_ server: TestServer, _ audiences: [String]?) async throws {
        _ = try await server.realm.applications.change(Self.site, by: Self.administrator) { $0.audiences = audiences }
    }

    private func post(_ server: TestServer, _ path: String, _ members: JSON) async throws -> Reply {
        let client: [String: JSON?] = ["client_id": "site", "client_secret": "s3cret"]
        return try await server.send(
            .post, path, headers: [.contentType: "application/json"], body: members.with(client).bytes)
    }

    private func signIn(_ server: TestServer, _ audience: String?, password: String = TestServer.password) async throws
        -> Reply
    {
        try await post(
            server, "/oauth/token",
            JSON.object([
                "grant_type": "password", "username": "ada@example.org", "password": .string(password),
                "scope": "openid offline_access",
            ]).with(["audience": audience.map { .string($0) }]))
    }

    private func audience(_ reply: Reply) throws -> String? {
        let part = try #require(reply.json["access_token"].text, "\(reply.text)").split(separator: ".")[1]
        return try JSON(parsing: #require([UInt8](base64URL: part)))["aud"].text
    }

    private func expectUnknown(
        _ reply: Reply, _ audience: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(reply.status == 403, "\(reply.text)", sourceLocation: sourceLocation)
        #expect(
            reply.json == ["error": "access_denied", "error_description": .string("Service not found: \(audience)")],
            sourceLocation: sourceLocation)
    }

    @Test
    func `Tokens are for the audiences that the application has and for the server's own, and for no other`()
        async throws
    {
        let bases = ["https://login.example.com", "http://127.0.0.1:8080"]
        try await TestServer.with(publicURLs: ["https://login.example.com/"]) { server in
            try await addSite(server, ["https://api", "urn:stock"])
            _ = try await server.addUser()
            for known in ["https://api", "urn:stock"]
                + bases.flatMap({ ["\($0)/userinfo", "\($0)/mfa/", "\($0)/api/v2/"] })
            {
                #expect(try await audience(signIn(server, known)) == known)
            }
            #expect(try await audience(signIn(server, nil)) == "https://login.example.com/userinfo")
            for unknown in [
                "https://api/", "https://API", "*", "https://evil.example/mfa/", "https://login.example.com/",
            ] {
                expectUnknown(try await signIn(server, unknown), unknown)
                // Said before the password is looked at: it tells nothing about it.
                expectUnknown(try await signIn(server, unknown, password: "wrong"), unknown)
            }
        }
    }

    @Test
    func `A new application has none, and * stands for any`() async throws {
        try await TestServer.with { server in
            try await addSite(server, [])
            _ = try await server.addUser()
            expectUnknown(try await signIn(server, "https://api"), "https://api")
            try await set(server, ["*"])
            #expect(try await audience(signIn(server, "https://api")) == "https://api")
            #expect(try await server.countersign.registrationWarnings().isEmpty)
        }
        try await TestServer.with(.development) { server in
            let development = try await server.realm.applications.application(ClientID(rawValue: "dev-app"))
            #expect(development?.registration.audiences == ["*"])
        }
    }

    @Test
    func `An application of before there was a list keeps any until one is set, and administrators are told`()
        async throws
    {
        try await TestServer.with { server in
            try await addSite(server, nil)
            _ = try await server.addUser()
            #expect(try await audience(signIn(server, "https://anything")) == "https://anything")
            let warnings = try await server.countersign.registrationWarnings()
            #expect(warnings.count == 1 && warnings[0].contains("for any audience, as none was ever set: site."))
            try await set(server, [])
            expectUnknown(try await signIn(server, "https://anything"), "https://anything")
            #expect(try await server.countersign.registrationWarnings().isEmpty)
        }
    }

    @Test
    func `A refresh token is refused while its audience is not the application's, and is as good as before afterwards`()
        async throws
    {
        try await TestServer.with { server in
            try await addSite(server, ["https://api"])
            _ = try await server.addUser()
            let token = try await signIn(server, "https://api").json["refresh_token"]
            let refresh: JSON = ["grant_type": "refresh_token", "refresh_token": token]
            try await set(server, [])
            for _ in 0..<3 {
                expectUnknown(try await post(server, "/oauth/token", refresh), "https://api")
                try await server.advance(60)
            }
            try await set(server, ["https://api"])
            #expect(try await audience(post(server, "/oauth/token", refresh)) == "https://api")
        }
    }

    @Test
    func `Neither a second factor nor a device gets a token for an audience that was taken away meanwhile`()
        async throws
    {
        try await TestServer.with { server in
            try await addSite(server, ["https://api"])
            let user = try await server.addUser()
            let device = try await server.enrolled(of: user)
            let pending = try await signIn(server, "https://api").json["mfa_token"]
            let hint: JSON = ["format": "iss_sub", "iss": "http://127.0.0.1:8080/", "sub": .string(user)]
            let request: JSON = [
                "scope": "openid", "login_hint": .string(String(decoding: hint.bytes, as: UTF8.self)),
                "audience": "https://api",
            ]
            let begun = try await post(server, "/bc-authorize", request)
            #expect(begun.status == 200, "\(begun.text)")
            _ = try await device.phone.allow(device.push(on: server), on: server)
            try await set(server, [])
            let polled = try await post(
                server, "/oauth/token",
                ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": begun.json["auth_req_id"]])
            expectUnknown(polled, "https://api")
            let recovered = try await post(
                server, "/oauth/token",
                [
                    "grant_type": "http://auth0.com/oauth/grant-type/mfa-recovery-code", "mfa_token": pending,
                    "recovery_code": device.answer["recovery_code"],
                ])
            expectUnknown(recovered, "https://api")
            // Nothing was used up.
            try await set(server, ["https://api"])
            #expect(
                try await audience(
                    post(
                        server, "/oauth/token",
                        ["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": begun.json["auth_req_id"]]))
                    == "https://api")
            try await set(server, [])
            // And no device is asked about one.
            expectUnknown(try await post(server, "/bc-authorize", request), "https://api")
            #expect(try await device.pushes(on: server).isEmpty)
        }
    }
}
