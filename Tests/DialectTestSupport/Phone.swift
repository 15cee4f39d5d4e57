import CountersignCore
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A mobile device as the vendor's SDK makes one: its key, its ways of signing, its requests.
package struct Phone: Sendable {
    package let key: DevicePrivateKey
    package var identifier = "8E2D0F6C-0B8E-4F7B-9B5E-0D4B1F1C7B11"
    /// What was typed into the app.
    package var base = "http://127.0.0.1:8080"
    /// `/appliance-mfa`, or nothing in older SDKs.
    package var layout = "/appliance-mfa"

    package init(_ key: DevicePrivateKey = .freshP256()) {
        self.key = key
    }

    package static func rsa() throws -> Phone { Phone(try .freshRSA()) }

    package var jwk: JSON {
        get throws {
            let (texts, numbers) = try key.jwk
            return .object(texts.merging(numbers.mapValues(\.base64URL)) { $1 }.mapValues { .string($0) })
        }
    }

    package var registration: JSON {
        get throws {
            [
                "identifier": .string(identifier), "name": "Ada's iPhone", "public_key": try jwk,
                "push_credentials": ["service": "APNS", "token": "A0B1C2"],
            ]
        }
    }

    package func token(_ claims: JSON, header: JSON? = nil) throws -> String {
        let input = [header ?? ["alg": .string(key.algorithm), "typ": "JWT"], claims].map { $0.bytes.base64URL }
            .joined(separator: ".")
        return "\(input).\(try key.signature(of: input).base64URL)"
    }

    /// What the SDK signs, with its fractional times.
    package func claims(
        for push: JSON, allows: Bool = true, reason: String? = nil, number: String? = nil, at now: Date
    ) -> JSON {
        let issuedAt = now.timeIntervalSince1970 + 0.86
        let claims: JSON = [
            "sub": push["mfa"]["c"], "iss": .string(identifier),
            "aud": .string("\(base)\(layout)/api/resolve-transaction"), "iat": .number(issuedAt),
            "exp": .number(issuedAt + 30), "auth0_guardian_method": "push", "auth0_guardian_accepted": .bool(allows),
        ]
        return claims.with(
            ["auth0_guardian_reason": reason.map { .string($0) }, "countersign_number": number.map { .string($0) }])
    }

    package func resolve(_ push: JSON, with statement: String, on server: TestServer) async throws -> Reply {
        try await server.send(
            .post, "\(layout)/api/resolve-transaction",
            headers: [
                .authorization: "Bearer \(push["mfa"]["txtkn"].text ?? "")", .contentType: "application/json",
            ], body: JSON.object(["challenge_response": .string(statement)]).bytes)
    }

    package func allow(_ push: JSON, number: String? = nil, on server: TestServer) async throws -> Reply {
        try await resolve(push, with: token(claims(for: push, number: number, at: server.now)), on: server)
    }

    package func reject(_ push: JSON, reason: String?, on server: TestServer) async throws -> Reply {
        try await resolve(
            push, with: token(claims(for: push, allows: false, reason: reason, at: server.now)), on: server)
    }
}

/// A device that has enrolled.
package struct Enrolled: Sendable {
    package let phone: Phone
    package let answer: JSON

    package init(phone: Phone, answer: JSON) {
        self.phone = phone
        self.answer = answer
    }

    package var id: String { answer["id"].text ?? "" }
    package var token: String { answer["token"].text ?? "" }

    /// What waits for it.
    package func pushes(on server: TestServer, wait: Int = 0) async throws -> [JSON] {
        let reply = try await server.send(
            .get, "/appliance-mfa/api/device-accounts/\(id)/notifications?wait=\(wait)",
            headers: [.authorization: "Bearer \(token)"])
        #expect(reply.status == 200 || reply.status == 204, "\(reply.text)")
        return reply.json["notifications"].elements
    }

    package func push(on server: TestServer) async throws -> JSON {
        try #require(await pushes(on: server).last)
    }
}

extension TestServer {
    package static let password = "analytical engine"

    package func management(_ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil) async throws -> Reply {
        var headers = administrator
        if body != nil { headers[.contentType] = "application/json" }
        return try await send(method, "/api/v2/\(path)", headers: headers, body: body?.bytes)
    }

    /// A user with a proven address; answers `auth0|…`.
    package func addUser(_ email: String = "ada@example.org") async throws -> String {
        let reply = try await management(
            .post, "users", ["email": .string(email), "password": .string(Self.password), "email_verified": true])
        #expect(reply.status == 201, "\(reply.text)")
        return try #require(reply.json["user_id"].text)
    }

    package func ticket(for user: String) async throws -> String {
        let reply = try await management(
            .post, "guardian/enrollments/ticket", ["user_id": .string(user), "factor": "push-notification"])
        #expect(reply.status == 201, "\(reply.text)")
        return try #require(reply.json["ticket_id"].text)
    }

    package func enroll(_ phone: Phone, ticket: String, changes: [String: JSON?] = [:]) async throws -> Reply {
        try await send(
            .post, "\(phone.layout)/api/enroll",
            headers: [.authorization: "Ticket id=\"\(ticket)\"", .contentType: "application/json"],
            body: phone.registration.with(changes).bytes)
    }

    package func enrolled(_ phone: Phone = Phone(), of user: String) async throws -> Enrolled {
        let reply = try await enroll(phone, ticket: ticket(for: user))
        #expect(reply.status == 201, "\(reply.text)")
        return Enrolled(phone: phone, answer: reply.json)
    }

    // MARK: OAuth

    package func oauth(_ members: JSON) async throws -> Reply {
        try await send(
            .post, "/oauth/token", headers: [.contentType: "application/json"],
            body: members.with(["client_id": .string(key)]).bytes)
    }

    package func passwordGrant(
        _ email: String = "ada@example.org", password: String = password, scope: String = "openid email offline_access"
    ) async throws -> Reply {
        try await oauth([
            "grant_type": "password", "username": .string(email), "password": .string(password),
            "scope": .string(scope),
        ])
    }

    package func mfaToken(_ email: String = "ada@example.org") async throws -> String {
        let reply = try await passwordGrant(email)
        #expect(reply.status == 403 && reply.json["error"] == "mfa_required", "\(reply.text)")
        return try #require(reply.json["mfa_token"].text)
    }

    // MARK: The browser

    package func browser(_ path: String, bearer: String, _ body: JSON = [:]) async throws -> Reply {
        try await send(
            .post, "/appliance-mfa/api/\(path)",
            headers: [.authorization: "Bearer \(bearer)", .contentType: "application/json"], body: body.bytes)
    }
}

/// Refused, in the dialect's form.
package func expectRefused(
    _ reply: Reply, _ status: Int, _ code: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == status, "\(reply.text)", sourceLocation: sourceLocation)
    #expect(reply.json["errorCode"].text == code, "\(reply.text)", sourceLocation: sourceLocation)
    #expect(reply.json["statusCode"].int == status, sourceLocation: sourceLocation)
    for member in ["error", "message", "description"] {
        #expect(reply.json[member].text?.isEmpty == false, "\(member)", sourceLocation: sourceLocation)
    }
    #expect(
        reply.headers[.contentType]?.hasPrefix("application/json") == true, sourceLocation: sourceLocation)
}
