import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// Which tokens count after a success that they came of was ended, and had again.
@Suite("Successes that tokens came of")
struct PassedCheckTests {
    private struct Idle: CredentialsValidationSecurityCheck {
        let limits = AttemptLimits(successStateExpiration: 3600)
        let inactivityTimeout: TimeInterval = 100

        func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict {
            .right
        }
    }

    /// Asks for nothing.
    private struct Open: SecurityCheck {
        func authorize(_ context: inout SecurityCheckContext) async throws -> SecurityCheckOutcome {
            .success([:], expiresAt: context.now + 600)
        }
    }

    private struct Stage {
        let checks: CheckStage
        let client: RegisteredClientID
        var grants: CheckGrants { checks.test.realm.grants(by: checks.checks) }

        init() async throws {
            checks = try await CheckStage.make([
                CheckStage.login(), CheckStage.pin(), SecurityCheckDefinition("Idle", Idle()),
                SecurityCheckDefinition("Open", Open()),
            ])
            client = try await checks.client()
            for check in ["Login", "Pin", "Idle", "Open"] { #expect(try await pass(check)) }
        }

        func pass(_ check: String) async throws -> Bool {
            let answers: [String: JSONValue] = [
                "Login": .login("ada", "ada"), "Pin": .pin("1234"), "Idle": .pin(""),
            ]
            return try await checks.decide(client, check, answers.filter { $0.key == check }).isGranted
        }

        /// What a token says that is made now.
        func token(_ scope: String) async throws -> Set<String> {
            let scope = ApplicationVersion.elements(of: scope)
            guard
                case .granted(let code) = try await grants.code(
                    for: client, scope: scope, redirectURI: "http://redirect"),
                case .granted(let grant)? = try await grants.redeem(code, by: client, redirectURI: "http://redirect")
            else { throw TestFailure() }
            return Set(grant.passed)
        }

        func counts(_ token: Set<String>?, _ scope: String) async throws -> Bool {
            let scope = ApplicationVersion.elements(of: scope)
            if case .granted = try await grants.grant(to: client, scope: scope, passed: token) { return true }
            return false
        }

        func logOut(_ check: String) async throws {
            #expect(try await grants.logout(check, of: client, by: checks.test.client))
        }
    }

    /// What ends a success.
    enum Ending: CaseIterable {
        case logout, logoutOfWhatAsksNothing, wrongAnswer, otherPerson, idleness

        var check: String {
            switch self {
            case .logout, .wrongAnswer: "Pin"
            case .logoutOfWhatAsksNothing: "Open"
            case .otherPerson: "Login"
            case .idleness: "Idle"
            }
        }
    }

    @Test(arguments: Ending.allCases)
    func `A token of a success that was ended does not count by the next one, even at the same instant`(
        _ ending: Ending
    ) async throws {
        let stage = try await Stage()
        let check = ending.check
        let before = try await stage.token(check)
        #expect(try await stage.counts(before, check))
        switch ending {
        case .logout, .logoutOfWhatAsksNothing: try await stage.logOut(check)
        case .wrongAnswer: _ = try await stage.checks.decide(stage.client, check, [check: .pin("0")])
        case .otherPerson:
            let other: [String: JSONValue] = [check: .login("fred", "fred")]
            #expect(try await stage.checks.decide(stage.client, check, other).isGranted)
            #expect(try await !stage.counts(before, check))
        case .idleness: stage.checks.test.clock.advance(100)
        }
        #expect(try await stage.pass(check))
        #expect(try await !stage.counts(before, check))
        let after = try await stage.token(check)
        #expect(after != before)
        #expect(try await stage.counts(after, check))
        // Where no token is asked about, what is there counts.
        #expect(try await stage.counts(nil, check))
    }

    @Test
    func `A token counts while its successes go on, whatever is asked of them and whatever becomes of others`()
        async throws
    {
        let stage = try await Stage()
        let scope = "Pin Open"
        let token = try await stage.token(scope)
        #expect(token.count == 2)
        try await stage.logOut("Login")
        stage.checks.test.clock.advance(30)
        for check in ["Pin", "Open"] { #expect(try await stage.pass(check)) }
        #expect(try await stage.counts(token, scope))
        #expect(try await stage.counts(token, "Pin"))
        #expect(try await stage.counts(token, "Open"))
        // It came of no login.
        #expect(try await stage.pass("Login"))
        #expect(try await !stage.counts(token, "Pin Login"))
        stage.checks.test.clock.advance(31)
        #expect(try await stage.pass("Pin"))
        #expect(try await !stage.counts(token, "Pin"))
    }
}
