import DialectTestSupport
import Foundation
import HTTPTypes
import JWTKit
import SwiftASN1
import Testing
import X509

@testable import CountersignCore
@testable import CountersignServer

@Suite("Session cookies and public keys")
struct SessionCookieTests {
    private func cookie(_ server: TestServer, _ body: JSON, tenant: String = "") async throws -> Reply {
        try await server.post(
            "/v1/projects/countersign\(tenant):createSessionCookie", body, headers: server.administrator)
    }

    @Test(
        arguments: ["", "/tenants/t"])
    func `A cookie has the claims of the ID token, another issuer, its own time and no type`(tenant: String)
        async throws
    {
        try await TestServer.with { server in
            let person = try await server.signUp()
            try await server.advance(100)
            let reply = try await cookie(
                server, ["idToken": .string(person.idToken), "validDuration": "600"], tenant: tenant)
            let text = try #require(reply.json["sessionCookie"].text, "\(reply.text)")
            let (of, cookie) = (try claims(person.idToken), try claims(text))
            #expect(cookie["iss"] == "https://session.firebase.google.com/countersign")
            #expect(cookie["iat"].int == Int(server.now.seconds))
            #expect(cookie["exp"].int == Int(server.now.seconds) + 600)
            for name in of.names where !["iss", "iat", "exp"].contains(name) { #expect(cookie[name] == of[name]) }
            #expect(cookie.names == of.names)
            #expect(try header(text).names == ["alg", "kid"])
            #expect(try await server.realm.keyring.verified(text) != nil)
        }
    }

    @Test
    func `Under --dev a cookie is as unsigned as an ID token`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await server.signUp()
            let text = try #require(
                try await cookie(server, ["idToken": .string(person.idToken)]).json["sessionCookie"].text)
            #expect(try header(text) == ["alg": "none"])
            #expect(text.hasSuffix("."))
            #expect(try header(person.idToken) == ["alg": "none", "typ": "JWT"])
            #expect(try await server.lookup(text).message == "INVALID_ID_TOKEN")
        }
    }

    @Test(
        arguments: [
            (JSON.string("300"), true), ("1209600", true), (300, true), ("299", false), ("1209601", false),
            ("0", false),
            ("-1", false), ("9223372036854775807", false), (nil, true),
        ])
    func `Five minutes to fourteen days, and fourteen days where nothing is said`(duration: JSON, isTaken: Bool)
        async throws
    {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await cookie(server, ["idToken": .string(person.idToken), "validDuration": duration])
            if isTaken {
                let cookie = try claims(try #require(reply.json["sessionCookie"].text, "\(reply.text)"))
                let lifetime = (cookie["exp"].int ?? 0) - (cookie["iat"].int ?? 0)
                #expect([300, 1_209_600].contains(lifetime))
            } else {
                expectRefused(reply, "INVALID_DURATION", .errors)
            }
        }
    }

    @Test
    func `Only an ID token that counts gets one`() async throws {
        try await TestServer.with { server in
            expectRefused(try await cookie(server, [:]), "MISSING_ID_TOKEN", .errors)
            expectRefused(try await cookie(server, ["idToken": "x"]), "INVALID_ID_TOKEN", .errors)
            let person = try await server.signUp()
            let good = try await cookie(server, ["idToken": .string(person.idToken)])
            let text = try #require(good.json["sessionCookie"].text)
            expectRefused(try await cookie(server, ["idToken": .string(text)]), "INVALID_ID_TOKEN", .errors)
            _ = try await server.administer(":update", ["localId": .string(person.localID), "validSince": "1"])
            #expect(try await cookie(server, ["idToken": .string(person.idToken)]).status == 200)
            _ = try await server.administer(":update", ["localId": .string(person.localID), "disableUser": true])
            expectRefused(try await cookie(server, ["idToken": .string(person.idToken)]), "USER_DISABLED", .errors)
        }
    }

    @Test(arguments: TestServer.Mode.allCases)
    func `No endpoint takes a cookie for an ID token`(mode: TestServer.Mode) async throws {
        try await TestServer.with(mode) { server in
            let person = try await server.verifiedPerson()
            let text = try #require(
                try await cookie(server, ["idToken": .string(person.idToken)]).json["sessionCookie"].text)
            let token = JSON.string(text)
            for (path, body) in [
                ("/v1/accounts:lookup", [:]), ("/v1/accounts:update", ["displayName": "x"]),
                ("/v1/accounts:delete", [:]),
                ("/v1/accounts:sendOobCode", ["requestType": "VERIFY_EMAIL"]),
                ("/v2/accounts/mfaEnrollment:start", ["totpEnrollmentInfo": [:]]),
                ("/v2/accounts/mfaEnrollment:withdraw", ["mfaEnrollmentId": "x"]),
                ("/v1/accounts:signUp", ["email": "x@example.com", "password": "whatever it is"]),
            ] as [(String, JSON)] {
                #expect(
                    try await server.post(path, body.with(["idToken": token])).message == "INVALID_ID_TOKEN", "\(path)")
            }
        }
    }

    @Test(
        arguments: [
            "/v1/publicKeys", "/identitytoolkit/v3/relyingparty/publicKeys",
            "/www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys",
            "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
            "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
        ], SigningAlgorithm.allCases)
    func `Keys are published as certificates that verify tokens, for all clients`(
        path: String, algorithm: SigningAlgorithm
    ) async throws {
        try await TestServer.with { server in
            try await server.changeSettings { $0.tokens.algorithm = algorithm }
            let person = try await server.signUp()
            let reply = try await server.send(.get, path)
            #expect(reply.status == 200)
            #expect(reply.headers[.cacheControl]?.contains("max-age=") == true)
            #expect(reply.json.names.count == 2)
            let kid = try #require(try header(person.idToken)["kid"].text)
            let certificate = try Certificate(pemEncoded: try #require(reply.json[kid].text))
            #expect(certificate.publicKey.isValidSignature(certificate.signature, for: certificate))
            let keys = JWTKeyCollection()
            switch algorithm {
            case .es256: await keys.add(ecdsa: try ES256PublicKey(certificate: try #require(reply.json[kid].text)))
            case .rs256:
                await keys.add(
                    rsa: try Insecure.RSA.PublicKey(certificatePEM: try #require(reply.json[kid].text)),
                    digestAlgorithm: .sha256)
            }
            let claims = try await keys.verify(person.idToken, as: TokenClaims.self)
            #expect(claims.string("sub") == person.localID)
        }
    }

    @Test
    func `The same keys are there as a JWKS under Google's name`() async throws {
        try await TestServer.with { server in
            let google = try await server.send(.get, "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")
            let ours = try await server.send(.get, "/.well-known/jwks.json")
            #expect(google.json == ours.json && google.json["keys"].elements.count == 2)
        }
    }

    @Test
    func `A rotated key's certificate stays as long as the longest cookie`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let text = try #require(
                try await cookie(server, ["idToken": .string(person.idToken)]).json["sessionCookie"].text)
            _ = try await server.realm.keyring.rotate(by: .commandLine)
            let kid = try #require(try header(text)["kid"].text)
            try await server.advance(14 * 86_400)
            #expect(try await server.send(.get, "/v1/publicKeys").json[kid] != .null)
            #expect(try await server.realm.keyring.verified(text) != nil)
            try await server.advance(601)
            #expect(try await server.send(.get, "/v1/publicKeys").json[kid] == .null)
        }
    }
}
