import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import OneTimePassword
import SecurityChecks
import Testing

/// A server with all protocols, two applications that take part in each of them, and people.
struct Scene: Sendable {
    let server: TestServer
    /// The application that asks, in every protocol.
    let application: NativeClient
    /// Another, which takes part in the same protocols.
    let other: NativeClient
    /// One that requires a second factor.
    let strict: NativeClient
    /// Has a password, an authenticator, a device and a recovery code.
    let ada: User
    let totp: TOTP
    let totpID: String
    let phone: Enrolled
    /// Has a password alone.
    let bob: User
    /// Has no password: is mailed codes.
    let cleo: User
    /// Identity Toolkit's, of Ada and of Bob.
    let idTokens: (ada: String, bob: String)
    let mobile: MobileClient

    static let bob = "bob@example.org"
    static let cleo = "cleo@example.org"
    static let confidential = "site"
    static let secret = "s3cret"

    static func with(_ body: @Sendable (Scene) async throws -> Void) async throws {
        try await TestServer.with(.development) { server in
            try await body(make(on: server))
        }
    }

    private static func make(on server: TestServer) async throws -> Scene {
        let scopes = ["api", "openid", "offline_access"]
        let application = try await server.application(scopes: scopes)
        let other = try await server.application(scopes: scopes)
        let strict = try await server.application(requiresMFA: true)
        var site = ApplicationRegistration()
        site.setSecret(Secret(secret))
        _ = try await server.realm.applications.add(
            id: ClientID(rawValue: confidential), site, by: .testAdministrator)
        let ada = try await server.account()
        let bob = try await server.account(bob)
        let cleo = try await server.account(cleo, password: nil)
        let idTokens = (
            ada: try await idToken(NativeClient.email, server), bob: try await idToken(Self.bob, server)
        )
        let totp = try await server.authenticator(of: ada)
        let phone = try await server.enrolled(of: "auth0|\(ada.id)")
        let factors = try await server.realm.accounts.userAndFactors(ada.id)?.factors ?? []
        let totpID = try #require(factors.first { $0.kind == .totp }?.id.rawValue)
        try await server.setVersions([
            ApplicationVersion(scopeElementMapping: ["accessRestricted": "PinCodeAttempts"], refreshTokens: true)
        ])
        let mobile = try await MobileClient.registered(on: server)
        return Scene(
            server: server, application: application, other: other, strict: strict, ada: ada, totp: totp,
            totpID: totpID, phone: phone, bob: bob, cleo: cleo, idTokens: idTokens, mobile: mobile)
    }

    private static func idToken(_ email: String, _ server: TestServer) async throws -> String {
        let reply = try await server.post(
            "/v1/accounts:signInWithPassword",
            ["email": .string(email), "password": .string(NativeClient.password), "returnSecureToken": true])
        return try #require(reply.json["idToken"].text, "\(reply.text)")
    }

    /// Ada's present code, and one that is never right.
    var code: String { totp.code(at: server.now).stringCode }
    static let madeUpCode = "12345678"

    // MARK: Requests

    func json(
        _ path: String, _ body: JSON, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .post
    ) async throws -> Reply {
        var headers = headers
        headers[.contentType] = "application/json"
        return try await server.send(method, path, headers: headers, body: body.bytes)
    }

    func get(_ path: String, _ items: [String: String] = [:], _ headers: HTTPFields = [:]) async throws -> Reply {
        let query = items.isEmpty ? "" : "?" + NativeClient.form(items)
        return try await server.send(.get, path + query, headers: headers)
    }

    func form(_ path: String, _ fields: [String: String]) async throws -> Reply {
        try await server.send(
            .post, path, headers: [.contentType: "application/x-www-form-urlencoded"],
            body: Array(NativeClient.form(fields).utf8))
    }

    /// Native authentication, as an application asks that names no requests: what it sends again is a new request.
    func native(_ endpoint: Endpoint, of application: String, _ fields: [String: String]) async throws -> Reply {
        var client = NativeClient(server: server, id: application)
        client.requestID = nil
        return try await client.post(endpoint, fields)
    }

    /// `/oauth/token` and `/mfa/challenge`, as the application asks.
    func oauth(_ path: String = "/oauth/token", of application: String, _ members: JSON) async throws -> Reply {
        var members = members.with(["client_id": .string(application)])
        if application == Self.confidential { members = members.with(["client_secret": .string(Self.secret)]) }
        return try await json(path, members)
    }

    func bearer(_ token: String) -> HTTPFields { [.authorization: "Bearer \(token)"] }
    func ticket(_ id: String) -> HTTPFields { [.authorization: "Ticket id=\"\(id)\""] }

    /// The newest code that was mailed.
    func mailedCode(to email: String) async throws -> String {
        try #require(await application.codes(to: email).last)
    }
}
