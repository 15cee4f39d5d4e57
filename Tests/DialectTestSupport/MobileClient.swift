import CountersignCore
import CountersignServer
import Crypto
import Foundation
import HTTPTypes
import SecurityChecks
import TestSupport
import Testing

/// An installation of an app: its key, and the requests that the vendor's SDK makes.
package struct MobileClient: Sendable {
    package static let base = "/mfp/api"
    /// One key for all whose key does not matter; finding one takes a tenth of a second.
    package static let commonKey = Result { try DevicePrivateKey.freshRSA() }

    package let server: TestServer
    package let key: DevicePrivateKey
    package var application = "com.countersign.dev"
    package var platform = "ios"
    package var version: String? = "1.0.0"
    package var device = "0E6E3B0B-0000-4A58-9E0F-A1B2C3D4E5F6"
    package var id = ""

    /// An unregistered one.
    package init(on server: TestServer, key: DevicePrivateKey? = nil) throws {
        self.server = server
        self.key = try key ?? Self.commonKey.get()
    }

    package static func registered(
        on server: TestServer, application: String = "com.countersign.dev", key: DevicePrivateKey? = nil,
        device: String = "0E6E3B0B-0000-4A58-9E0F-A1B2C3D4E5F6"
    ) async throws -> MobileClient {
        var client = try MobileClient(on: server, key: key)
        client.application = application
        client.device = device
        let reply = try await client.register()
        #expect(reply.status == 201, "\(reply.text)")
        let location = try #require(reply.headers[.location])
        #expect(location.hasPrefix("/mfp/api/registration/clients/"))
        client.id = String(location.dropFirst("/mfp/api/registration/clients/".count))
        return client
    }

    // MARK: Statements

    package func header(kid: String? = nil) throws -> JSON {
        let (_, numbers) = try key.jwk
        var jwk: JSON = ["kty": "RSA"]
        for (name, bytes) in numbers { jwk = jwk.with([name: .string(bytes.base64URL)]) }
        return ["alg": "RS256", "jwk": jwk.with(["kid": kid.map { .string($0) }])]
    }

    package var data: JSON {
        var application: JSON = ["id": .string(application), "clientPlatform": .string(platform)]
        application = application.with(["version": version.map { .string($0) }])
        return [
            "device": ["id": .string(device), "platform": "ios 17.1", "hardware": "iPhone15,2"],
            "application": application, "attributes": ["sdk_protocol_version": 1],
        ]
    }

    package func parts(_ header: JSON, _ payload: JSON) throws -> JSON {
        let input = "\(header.bytes.base64URL).\(payload.bytes.base64URL)"
        return [
            "header": .string(header.bytes.base64URL), "payload": .string(payload.bytes.base64URL),
            "signature": .string(try key.signature(of: input).base64URL),
        ]
    }

    package func assertion(_ id: String? = nil, changes: [String: JSON?] = [:]) throws -> String {
        let now = Int(server.now.timeIntervalSince1970 * 1000)
        let claims: JSON = [
            "iss": .string("\(application)$ios$\(version ?? "")"), "sub": .string(self.id), "aud": "(null)az/v1/token",
            "jti": id.map { .string($0) } ?? .null, "iat": .integer(now), "exp": .integer(now + 60_000),
        ]
        let parts = try parts(header(kid: self.id), claims.with(changes))
        return ["header", "payload", "signature"].map { parts[$0].text ?? "" }.joined(separator: ".")
    }

    // MARK: Requests

    package func json(_ method: HTTPRequest.Method, _ path: String, _ body: JSON) async throws -> Reply {
        try await server.send(
            method, Self.base + path, headers: [.contentType: "application/json; charset=UTF-8"], body: body.bytes)
    }

    package func form(
        _ path: String, _ fields: [(String, String)], headers: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await server.send(
            .post, Self.base + path, headers: headers, body: Array(Self.encoded(fields).utf8))
    }

    package static func encoded(_ fields: [(String, String)]) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        return fields.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
            .joined(separator: "&")
    }

    package func register() async throws -> Reply {
        try await json(.post, "/registration/v1/self", ["signedRegistrationData": parts(header(), data)])
    }

    /// Asks for a scope, with answers by check.
    package func preauthorize(_ scope: String, _ answers: JSON? = nil) async throws -> Reply {
        let body: JSON = ["client_id": .string(id), "scope": .string(scope)]
        return try await json(.post, "/preauth/v1/preauthorize", body.with(["challengeResponse": answers]))
    }

    package func authorization(
        _ scope: String, redirectURI: String = "http://mfpredirecturi", state: String? = nil
    ) async throws -> Reply {
        var fields = [
            ("response_type", "code"), ("client_id", id), ("scope", scope), ("redirect_uri", redirectURI),
        ]
        if let state { fields.append(("state", state)) }
        return try await server.send(.get, "\(Self.base)/az/v1/authorization?\(Self.encoded(fields))")
    }

    package func code(_ scope: String) async throws -> String {
        let reply = try await authorization(scope)
        #expect(reply.status == 302, "\(reply.text)")
        let location = try #require(reply.headers[.location])
        #expect(location.hasPrefix("http://mfpredirecturi?code="), "\(location)")
        return String(location.dropFirst("http://mfpredirecturi?code=".count))
    }

    package func redeem(
        _ code: String, assertion: String? = nil, redirectURI: String = "http://mfpredirecturi"
    ) async throws -> Reply {
        try await form(
            "/az/v1/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
                ("client_assertion", try assertion ?? self.assertion(code)),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_id", id),
            ])
    }

    /// The whole dance behind a preauthorize that has succeeded.
    package func token(_ scope: String) async throws -> (token: String, reply: JSON) {
        let reply = try await redeem(code(scope))
        #expect(reply.status == 200, "\(reply.text)")
        return (try #require(reply.json["access_token"].text), reply.json)
    }

    package func resource(
        _ method: HTTPRequest.Method, _ path: String, token: String?, headers: HTTPFields = [:]
    ) async throws -> Reply {
        var headers = headers
        headers[.authorization] = token.map { "Bearer \($0)" }
        return try await server.send(method, "\(Self.base)/adapters/\(path)", headers: headers, body: [])
    }

    package func logout(_ check: String) async throws -> Reply {
        try await form(
            "/preauth/v1/logout",
            [
                ("security_check", check), ("client_assertion", try assertion()),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ])
    }
}

extension TestServer {
    /// A token of the confidential client.
    package func confidentialToken(_ scope: String = "authorization.introspect") async throws -> String {
        let reply = try await send(
            .post, "/mfp/api/az/v1/token",
            headers: [
                .authorization: "Basic \(Data("test:test".utf8).base64EncodedString())",
                .contentType: "application/x-www-form-urlencoded",
            ],
            body: Array(MobileClient.encoded([("grant_type", "client_credentials"), ("scope", scope)]).utf8))
        #expect(reply.status == 200, "\(reply.text)")
        return try #require(reply.json["access_token"].text)
    }

    package func introspect(_ token: String) async throws -> JSON {
        let reply = try await send(
            .post, "/mfp/api/az/v1/introspection",
            headers: [
                .authorization: "Bearer \(try await confidentialToken())",
                .contentType: "application/x-www-form-urlencoded",
            ], body: Array("token=\(token)".utf8))
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json
    }

    /// Registers another version of an application, in place of what it had.
    package func setVersions(_ versions: [ApplicationVersion], of id: String = "com.countersign.dev") async throws {
        _ = try await realm.applications.change(
            ClientID(rawValue: id), by: .commandLine
        ) { $0.versions = versions }
    }
}

// MARK: What checks said

/// 401, with exactly these challenges and success of the clock; answers the document.
@discardableResult
package func expectChallenges(
    _ reply: Reply, _ challenges: JSON, sourceLocation: SourceLocation = #_sourceLocation
) -> JSON {
    #expect(reply.status == 401, "\(reply.text)", sourceLocation: sourceLocation)
    #expect(reply.headers[.wwwAuthenticate] == "MFP-Challenge", sourceLocation: sourceLocation)
    #expect(reply.json["challenges"] == challenges, "\(reply.text)", sourceLocation: sourceLocation)
    #expect(
        reply.json["successes"]["clockSynchronization"]["serverTimeStamp"].int != nil, sourceLocation: sourceLocation)
    return reply.json
}

/// 403, with exactly these failures.
package func expectFailures(_ reply: Reply, _ failures: JSON, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(reply.status == 403, "\(reply.text)", sourceLocation: sourceLocation)
    #expect(reply.json == ["failures": failures], "\(reply.text)", sourceLocation: sourceLocation)
}

/// 200; answers the successes but for the clock's.
@discardableResult
package func expectGranted(_ reply: Reply, sourceLocation: SourceLocation = #_sourceLocation) -> JSON {
    #expect(reply.status == 200, "\(reply.text)", sourceLocation: sourceLocation)
    return reply.json["successes"].with(["clockSynchronization": nil])
}

package func hmac(_ text: String, _ secret: String) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: Data(secret.utf8))))
}
