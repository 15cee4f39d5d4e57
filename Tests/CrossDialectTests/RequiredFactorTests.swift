import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import OneTimePassword
import TestSupport
import Testing

/// A second factor that is required of groups and roles (`docs/decisions/0475`), at every door through which users come in, go on, and get one.
@Suite("Second factors of groups and roles, in every protocol")
struct RequiredFactorTests {
    /// What a request leads to.
    enum Outcome: Equatable, Sendable {
        /// Tokens that applications and back ends take.
        case tokens
        /// What allows enrolling a second factor, and nothing else.
        case enrolment(String)
        case refused

        var isEnrolment: Bool { if case .enrolment = self { true } else { false } }
    }

    /// A protocol, as Bob uses it, who has a password and nothing else.
    struct Door: Sendable, CustomTestStringConvertible {
        let name: String
        /// Whether a session of before the rule goes on, for enrolling alone; else it is refused.
        var keepsOlder = false
        /// Whether its users enrol a factor with what a sign-in leads to; else they are refused.
        var enrols = true
        /// Signs in.
        let signIn: @Sendable (Scene) async throws -> Outcome
        /// Signs in, before anything is required; with what the session goes on.
        let begin: @Sendable (Scene) async throws -> String
        /// Goes on with that.
        let goOn: @Sendable (Scene, String) async throws -> Outcome
        /// Enrols a factor; whether there are tokens then.
        var enrol: @Sendable (Scene, String) async throws -> Bool = { _, _ in false }
        var testDescription: String { name }
    }

    enum Rule: String, CaseIterable, Sendable {
        case group, role
    }

    private static func require(_ rule: Rule, of user: User, at server: TestServer) async throws {
        switch rule {
        case .group:
            let staff = try #require(GroupName("staff"))
            _ = try await server.realm.groups.add(staff, summary: "", by: .testAdministrator)
            _ = try await server.realm.groups.addMember(user.id, to: staff, by: .testAdministrator)
        case .role: _ = try await server.realm.administrators.grant(.support, to: user.id, by: .testAdministrator)
        }
        try await server.realm.changeSettings(by: .testAdministrator) { settings in
            switch rule {
            case .group: settings.secondFactors.requiredGroups = ["staff"]
            case .role: settings.secondFactors.requiredRoles = ["support"]
            }
        }
    }

    private static let doors = [identityToolkit, guardian, nativeAuth, nativeAuthWithout]

    @Test(arguments: doors, Rule.allCases)
    func `Whom a rule names gets no further by a password alone, and enrols where the protocol can`(
        door: Door, rule: Rule
    ) async throws {
        try await Scene.with { scene in
            let before = try await door.begin(scene)
            #expect(try await door.signIn(scene) == .tokens)
            #expect(try await door.goOn(scene, before) == .tokens)
            let older = try await door.begin(scene)
            try await Self.require(rule, of: scene.bob, at: scene.server)

            let late = try await door.goOn(scene, older)
            #expect(door.keepsOlder ? late.isEnrolment : late == .refused, "\(late)")
            let signedIn = try await door.signIn(scene)
            switch signedIn {
            case .enrolment(let handle): #expect(try await door.enrol(scene, handle))
            case .refused: #expect(!door.enrols)
            case .tokens: Issue.record("The password alone was enough.")
            }
        }
    }

    @Test(arguments: Rule.allCases)
    func `Whom a rule does not name is asked for nothing`(rule: Rule) async throws {
        try await Scene.with { scene in
            try await Self.require(rule, of: scene.ada, at: scene.server)
            for door in Self.doors { #expect(try await door.signIn(scene) == .tokens, "\(door.name)") }
        }
    }

    // MARK: Identity Toolkit

    private static func toolkitSignIn(_ scene: Scene) async throws -> JSON {
        let reply = try await scene.json(
            "/v1/accounts:signInWithPassword?key=\(scene.application.id)",
            ["email": .string(Scene.bob), "password": .string(NativeClient.password), "returnSecureToken": true])
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json
    }

    /// The audience tells.
    private static func outcome(ofIDToken token: JSON) throws -> Outcome {
        let text = try #require(token.text)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = try #require([UInt8](base64URL: String(parts[1])))
        let audience = try JSON(parsing: bytes)["aud"].text
        return audience?.hasSuffix("/mfa-enrolment") == true ? .enrolment(text) : .tokens
    }

    private static let identityToolkit = Door(name: "Identity Toolkit", keepsOlder: true) { scene in
        try outcome(ofIDToken: try await toolkitSignIn(scene)["idToken"])
    } begin: { scene in
        try #require(try await toolkitSignIn(scene)["refreshToken"].text)
    } goOn: { scene, token in
        let reply = try await scene.json(
            "/v1/token?key=\(scene.application.id)", ["grant_type": "refresh_token", "refresh_token": .string(token)])
        #expect(reply.status == 200, "\(reply.text)")
        return try outcome(ofIDToken: reply.json["id_token"])
    } enrol: { scene, token in
        // It does nothing else.
        let other = try await scene.json(
            "/v1/accounts:update?key=\(scene.application.id)", ["idToken": .string(token), "displayName": "Bob"])
        #expect(other.message?.hasPrefix("OPERATION_NOT_ALLOWED") == true, "\(other.text)")
        let started = try await scene.json(
            "/v2/accounts/mfaEnrollment:start?key=\(scene.application.id)",
            ["idToken": .string(token), "totpEnrollmentInfo": [:]])
        let info = started.json["totpSessionInfo"]
        let totp = try TOTP(secret: Base32.decode(try #require(info["sharedSecretKey"].text, "\(started.text)")))
        let done = try await scene.json(
            "/v2/accounts/mfaEnrollment:finalize?key=\(scene.application.id)",
            [
                "idToken": .string(token), "displayName": "Phone",
                "totpVerificationInfo": [
                    "sessionInfo": info["sessionInfo"],
                    "verificationCode": .string(totp.code(at: scene.server.now).stringCode),
                ],
            ])
        return try outcome(ofIDToken: done.json["idToken"]) == .tokens
    }

    // MARK: Guardian

    private static func guardianSignIn(_ scene: Scene) async throws -> Reply {
        try await scene.oauth(
            of: scene.application.id,
            [
                "grant_type": "password", "username": .string(Scene.bob), "password": .string(NativeClient.password),
                "scope": "offline_access openid",
            ])
    }

    private static let guardian = Door(name: "Guardian") { scene in
        let reply = try await guardianSignIn(scene)
        if reply.status == 200 { return .tokens }
        return reply.json["error"] == "mfa_required"
            ? .enrolment(try #require(reply.json["mfa_token"].text)) : .refused
    } begin: { scene in
        try #require(try await guardianSignIn(scene).json["refresh_token"].text)
    } goOn: { scene, token in
        let reply = try await scene.oauth(
            of: scene.application.id, ["grant_type": "refresh_token", "refresh_token": .string(token)])
        return reply.status == 200 ? .tokens : .refused
    } enrol: { scene, token in
        let associated = try await scene.json(
            "/mfa/associate", ["authenticator_types": ["otp"]], scene.bearer(token))
        let secret = try #require(associated.json["secret"].text, "\(associated.text)")
        let code = try TOTP(secret: Base32.decode(secret)).code(at: scene.server.now).stringCode
        let reply = try await scene.oauth(
            of: scene.application.id,
            [
                "grant_type": "http://auth0.com/oauth/grant-type/mfa-otp", "mfa_token": .string(token),
                "otp": .string(code),
            ])
        return reply.status == 200
    }

    // MARK: Native authentication

    private static func nativeSignIn(_ scene: Scene, _ capabilities: String?) async throws -> Reply {
        var fields = ["username": Scene.bob, "challenge_type": NativeClient.everything]
        fields["capabilities"] = capabilities
        let begun = try await scene.native(.initiate, of: scene.application.id, fields)
        return try await scene.native(
            .token, of: scene.application.id,
            [
                "continuation_token": begun.token ?? "", "grant_type": "password", "password": NativeClient.password,
                "scope": "openid offline_access",
            ])
    }

    private static func outcome(ofNative reply: Reply) throws -> Outcome {
        if reply.status == 200, reply.json["access_token"].text != nil { return .tokens }
        return reply.suberror == "registration_required" ? .enrolment(try #require(reply.token)) : .refused
    }

    private static func nativeRefresh(_ scene: Scene, _ token: String) async throws -> Outcome {
        let reply = try await scene.native(
            .token, of: scene.application.id, ["grant_type": "refresh_token", "refresh_token": token])
        return try outcome(ofNative: reply)
    }

    private static let nativeAuth = Door(name: "native authentication") { scene in
        try outcome(ofNative: try await nativeSignIn(scene, NativeClient.capabilities))
    } begin: { scene in
        try #require(try await nativeSignIn(scene, NativeClient.capabilities).json["refresh_token"].text)
    } goOn: { scene, token in
        try await nativeRefresh(scene, token)
    } enrol: { scene, token in
        let id = scene.application.id
        let offered = try await scene.native(.registerIntrospect, of: id, ["continuation_token": token])
        #expect(offered.status == 200, "\(offered.text)")
        let mailbox = "bob.second@example.org"
        let asked = try await scene.native(
            .registerChallenge, of: id,
            [
                "continuation_token": offered.token ?? "", "challenge_type": "oob", "challenge_channel": "email",
                "challenge_target": mailbox,
            ])
        #expect(asked.status == 200, "\(asked.text)")
        let proven = try await scene.native(
            .registerContinue, of: id,
            [
                "continuation_token": asked.token ?? "", "grant_type": "oob",
                "oob": try await scene.mailedCode(to: mailbox),
            ])
        #expect(proven.status == 200, "\(proven.text)")
        let reply = try await scene.native(
            .token, of: id,
            [
                "continuation_token": proven.token ?? "", "grant_type": "continuation_token", "username": Scene.bob,
                "scope": "openid offline_access",
            ])
        return try outcome(ofNative: reply) == .tokens
    }

    private static let nativeAuthWithout = Door(
        name: "native authentication of a client that registers none", enrols: false
    ) { scene in
        try outcome(ofNative: try await nativeSignIn(scene, nil))
    } begin: { scene in
        try #require(try await nativeSignIn(scene, nil).json["refresh_token"].text)
    } goOn: { scene, token in
        try await nativeRefresh(scene, token)
    }
}
