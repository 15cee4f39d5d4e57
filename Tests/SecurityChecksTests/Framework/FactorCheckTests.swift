import CoreTestSupport
import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// The factors that the core has, as checks after a login of the realm.
@Suite("Factors as security checks")
struct FactorCheckTests {
    private static let login: JSONValue = .object([
        "username": .string("ada@example.org"), "password": .string(TestRealm.password),
    ])

    private static func stage() async throws -> (stage: CheckStage, client: RegisteredClientID) {
        let empty = try await CheckStage.make([])
        let realm = empty.test.realm
        let checks = try SecurityCheckCatalogue([
            SecurityCheckDefinition(
                "Login",
                AccountLoginSecurityCheck(
                    realm: realm, limits: AttemptLimits(maxAttempts: 3, blockedStateExpiration: 60))),
            SecurityCheckDefinition("Totp", TOTPSecurityCheck(realm: realm, after: "Login")),
            SecurityCheckDefinition("Push", PushApprovalSecurityCheck(realm: realm, after: "Login")),
            SecurityCheckDefinition("Mail", EmailCodeSecurityCheck(realm: realm, after: "Login")),
        ])
        let stage = CheckStage(test: empty.test, checks: checks)
        return (stage, try await stage.client())
    }

    private static func code(_ text: String) -> JSONValue { .object(["code": .string(text)]) }

    @Test
    func `An account logs in with its password, gets no session, and is unknown once it is disabled`() async throws {
        let (stage, client) = try await Self.stage()
        let user = try await stage.test.addUser()
        let wrong = JSONValue.object(["username": .string("ada@example.org"), "password": .string("x")])
        #expect(try await !stage.decide(client, "Login", ["Login": wrong]).isGranted)
        let granted = try await stage.decide(client, "Login", ["Login": Self.login])
        #expect(granted.successes["Login"]?["user"]?["id"] == .string(user.id.rawValue))
        let sessions = try await stage.test.store.read { try $0.sessions(of: user.id, limit: 9) }
        #expect(sessions.allSatisfy { $0.revokedAt != nil })
        #expect(try await stage.isGranted(client, "Login"))
        _ = try await stage.test.store.write { transaction in
            guard var present = try transaction.user(user.id) else { return false }
            present.isDisabled = true
            return try transaction.update(present)
        }
        #expect(try await !stage.isGranted(client, "Login"))
    }

    /// Requires a second factor of a user, by the user's role.
    private static func require(of user: User, _ stage: CheckStage) async throws {
        _ = try await stage.test.realm.administrators.grant(.support, to: user.id, by: stage.test.client)
        try await stage.test.changeSettings { $0.secondFactors.requiredRoles = ["support"] }
    }

    @Test
    func `Of whom the realm requires a second factor, a scope that asks for none gives nothing, from now on`()
        async throws
    {
        let (stage, client) = try await Self.stage()
        let enrolled = try await stage.test.addEnrolledUser()
        #expect(try await stage.decide(client, "Login", ["Login": Self.login]).isGranted)
        #expect(try await stage.isGranted(client, "Login"))
        try await Self.require(of: enrolled.user, stage)
        #expect(try await !stage.isGranted(client, "Login"), "It began before the rule.")

        let other = try await stage.client()
        #expect(try await stage.decide(other, "Login", ["Login": Self.login]).challenges.isEmpty)
        #expect(try await !stage.isGranted(other, "Login"))
        let code = enrolled.totp.code(at: stage.test.now).stringCode
        #expect(try await stage.decide(other, "Login Totp", ["Totp": Self.code(code)]).isGranted)
        #expect(try await stage.isGranted(other, "Login Totp"))
        #expect(try await !stage.isGranted(other, "Login"), "The scope has to ask for it.")

        // Others are asked for nothing.
        try await stage.test.changeSettings { $0.secondFactors.requiredRoles = ["auditor"] }
        #expect(try await stage.isGranted(other, "Login"))
        try await stage.test.changeSettings { $0.secondFactors.state = .mandatory }
        #expect(try await !stage.isGranted(other, "Login"))
    }

    @Test
    func `A refresh token of such a scope is no more, and one of a scope that asks for the factor goes on`()
        async throws
    {
        let (stage, client) = try await Self.stage()
        let enrolled = try await stage.test.addEnrolledUser()
        _ = try await stage.test.realm.applications.change(CheckStage.application, by: stage.test.client) {
            $0.versions = [ApplicationVersion(maxTokenExpiration: 300, refreshTokens: true)]
        }
        let code = enrolled.totp.code(at: stage.test.now).stringCode
        #expect(
            try await stage.decide(client, "Login Totp", ["Login": Self.login]).challenges.keys.sorted() == ["Totp"])
        #expect(try await stage.decide(client, "Login Totp", ["Totp": Self.code(code)]).isGranted)
        let grants = stage.test.realm.grants(by: stage.checks)
        var tokens: [String: Secret<String>] = [:]
        for scope in ["Login", "Login Totp"] {
            guard
                case .granted(let grant) = try await grants.grant(
                    to: client, scope: ApplicationVersion.elements(of: scope))
            else { throw TestFailure() }
            tokens[scope] = try await grants.beginRefreshing(grant)
        }
        try await Self.require(of: enrolled.user, stage)
        for (scope, isGood) in [("Login", false), ("Login Totp", true)] {
            let token = try #require(tokens[scope])
            let outcome = try await grants.refresh(token, by: client, from: stage.test.client)
            if case .granted? = outcome { #expect(isGood, "\(scope)") } else { #expect(!isGood, "\(scope)") }
        }
    }

    @Test
    func `A removed account takes its client with it`() async throws {
        let (stage, client) = try await Self.stage()
        let user = try await stage.test.addUser()
        _ = try await stage.decide(client, "Login", ["Login": Self.login])
        #expect(try await stage.test.realm.accounts.delete(user.id, by: stage.test.client))
        guard case .refused(.unknownClient) = try await stage.ask(client, "RegisteredClient") else {
            return #expect(Bool(false), "the client is still there")
        }
    }

    @Test
    func `A code of the authenticator is asked for after the login, and counts once`() async throws {
        let (stage, client) = try await Self.stage()
        let enrolled = try await stage.test.addEnrolledUser()
        let code = enrolled.totp.code(at: stage.test.now).stringCode
        // Not before the login.
        #expect(try await stage.decide(client, "Totp", ["Totp": Self.code(code)]).failures["Totp"] != nil)
        let asked = try await stage.decide(client, "Login Totp", ["Login": Self.login])
        #expect(asked.challenges.keys.sorted() == ["Totp"] && asked.successes.keys.sorted() == ["Login"])
        let wrong = try await stage.decide(
            client, "Login Totp", ["Totp": Self.code(stage.test.wrongCode(enrolled.totp))])
        #expect(wrong.challenges["Totp"]?["remainingAttempts"] == .integer(4))
        #expect(try await stage.decide(client, "Login Totp", ["Totp": Self.code(code)]).isGranted)

        let other = try await stage.client()
        _ = try await stage.decide(other, "Login", ["Login": Self.login])
        let replayed = try await stage.decide(other, "Login Totp", ["Totp": Self.code(code)])
        #expect(!replayed.isGranted)
    }

    @Test
    func `A code is mailed with the challenge, once for many at the same time, and counts`() async throws {
        let (stage, client) = try await Self.stage()
        try await stage.test.addUser()
        _ = try await stage.decide(client, "Login", ["Login": Self.login])
        let outcomes = try await race(10, meetingBefore: 2) { _ in try await stage.ask(client, "Login Mail") }
        #expect(outcomes.count == 10)
        let mails = try await stage.test.mails().filter { $0.content.template == "code" }
        #expect(mails.count == 1)
        let code = try #require(mails.last?.content.values["code"])
        let wrong = try await stage.decide(
            client, "Login Mail", ["Mail": Self.code(code == "00000000" ? "1" : "00000000")])
        #expect(wrong.challenges["Mail"]?["remainingAttempts"] == .integer(4))
        #expect(try await stage.decide(client, "Login Mail", ["Mail": Self.code(code)]).isGranted)
    }

    @Test
    func `A device is asked with the challenge; waiting costs nothing, a no is a wrong answer, a yes grants`()
        async throws
    {
        let (stage, client) = try await Self.stage()
        let user = try await stage.test.addUser()
        let device = TestDevice()
        let enrolment = try await stage.test.enrol(device, of: user.id)
        _ = try await stage.decide(client, "Login", ["Login": Self.login])
        for allows in [false, true] {
            let asked = try await stage.decide(client, "Login Push")
            #expect(asked.challenges["Push"] != nil)
            for _ in 0..<3 {
                let waiting = try await stage.decide(client, "Login Push", ["Push": .object([:])])
                #expect(waiting.challenges["Push"]?["errorMsg"] == .string("The request has not been answered yet"))
            }
            let request = try await stage.test.request(to: enrolment.factor.id)
            let statement = try device.answer(to: request, allows: allows, at: stage.test.now)
            _ = try await stage.test.decide(statement, request.handle)
            let decided = try await stage.decide(client, "Login Push", ["Push": .object([:])])
            #expect(decided.isGranted == allows)
        }
    }
}
