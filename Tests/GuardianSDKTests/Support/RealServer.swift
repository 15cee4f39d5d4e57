import ClientHTTP
import CountersignServer
import Foundation
import ServerTestSupport
import Testing

@testable import Guardian

/// The real server in this process, on a port of its own, and who is around it: an administrator and a browser.
struct RealServer: Sendable {
    let url: URL
    let adminToken: String

    static func run(_ body: @escaping @Sendable (RealServer) async throws -> Void) async throws {
        try await ServerInProcess.run(in: "guardian-sdk") { url, opened in
            let adminToken = try String(contentsOfFile: opened.directory.adminTokenPath, encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            try await body(RealServer(url: url, adminToken: adminToken))
        }
    }

    /// What an app gives as `forDomain:`.
    var domain: String { url.absoluteString }

    func send(
        _ method: String, _ path: String, _ body: Json? = nil, authorization: String
    ) async throws -> (status: Int, json: Json) {
        let target = try #require(URL(string: "\(url.absoluteString)/\(path)"))
        let answer = try await HTTPClient().send(
            method, target, headers: ["Authorization": authorization, "Content-Type": "application/json"],
            body: body.map { try JSONEncoder().encode($0) })
        return (answer.status, (try? JSONDecoder().decode(Json.self, from: answer.body)) ?? .null)
    }

    func management(_ method: String, _ path: String, _ body: Json? = nil) async throws -> Json {
        let answer = try await send(method, "api/v2/\(path)", body, authorization: "Bearer \(adminToken)")
        #expect((200..<300).contains(answer.status), "\(answer)")
        return answer.json
    }

    static let email = "ada@example.org"
    private static let password = "analytical engine"

    /// A user with a proven address; answers `auth0|…`.
    func addUser() async throws -> String {
        let user = try await management(
            "POST", "users",
            .object([
                "email": .string(Self.email), "password": .string(Self.password), "email_verified": .bool(true),
            ]))
        return try #require(user["user_id"]?.stringValue)
    }

    /// The ticket of an invitation.
    func ticket(for user: String) async throws -> String {
        let ticket = try await management(
            "POST", "guardian/enrollments/ticket",
            .object(["user_id": .string(user), "factor": .string("push-notification")]))
        return try #require(ticket["ticket_id"]?.stringValue)
    }

    /// What the QR code says that the invitation's page shows.
    func enrollmentURI(for user: String) async throws -> String {
        let started = try await send(
            "POST", "appliance-mfa/api/start-flow", .object([:]),
            authorization: "Ticket id=\"\(ticket(for: user))\"")
        return try #require(started.json["enrollment_uri"]?.stringValue, "\(started)")
    }

    /// A sign-in that waits for a device.
    struct SignIn: Sendable {
        let server: RealServer
        let mfaToken: String
        let code: String
        /// The number to type, where one was asked for.
        let number: String?

        /// What the app that waits is told: `id_token` or an `error`.
        func outcome() async throws -> Json {
            let grant = "http://auth0.com/oauth/grant-type/mfa-oob"
            return try await server.oauth([
                "grant_type": .string(grant), "mfa_token": .string(mfaToken), "oob_code": .string(code),
            ])
        }
    }

    func signIn(askingForNumber: Bool = false) async throws -> SignIn {
        let first = try await oauth([
            "grant_type": .string("password"), "username": .string(Self.email), "password": .string(Self.password),
            "scope": .string("openid"),
        ])
        let mfaToken = try #require(first["mfa_token"]?.stringValue, "\(first)")
        var challenge: [String: Json] = [
            "client_id": .string("dev-app"), "challenge_type": .string("oob"), "mfa_token": .string(mfaToken),
        ]
        if askingForNumber { challenge["binding_method"] = .string("prompt") }
        let asked = try await send("POST", "mfa/challenge", .object(challenge), authorization: "none").json
        return SignIn(
            server: self, mfaToken: mfaToken, code: try #require(asked["oob_code"]?.stringValue, "\(asked)"),
            number: asked["number"]?.stringValue)
    }

    func oauth(_ members: [String: Json]) async throws -> Json {
        let body = members.merging(["client_id": .string("dev-app")]) { own, _ in own }
        return try await send("POST", "oauth/token", .object(body), authorization: "none").json
    }

    /// This process as a device of the user's.
    func enrolled(
        _ user: String, key: (any SigningKey)? = nil
    ) async throws -> EnrolledDevice {
        let key = try key ?? DataP256PrivateKey.new()
        return try await Guardian.enroll(
            forDomain: domain, usingTicket: ticket(for: user), notificationToken: "", signingKey: key,
            verificationKey: key.verificationKey()
        ).start()
    }

    /// The request that waits for a device.
    func notification(for device: EnrolledDevice) async throws -> any Guardian.Notification {
        let waiting = try await Guardian.api(forDomain: domain).device(of: device).notifications(waitingUpTo: 5).start()
        return try #require(waiting.notifications.last)
    }
}
