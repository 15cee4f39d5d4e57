import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// A realm with an application and checks, and clients of it.
struct CheckStage: Sendable {
    let test: TestRealm
    let checks: SecurityCheckCatalogue

    static let application = ClientID(rawValue: "com.example.app")

    static func make(
        on store: TestStore = .sqlite, version: ApplicationVersion = ApplicationVersion(),
        timeLimit: TimeInterval = 600,
        _ definitions: [SecurityCheckDefinition]
    ) async throws -> CheckStage {
        let test = try await TestRealm.make(on: store)
        _ = try await test.realm.applications.add(
            id: application, ApplicationRegistration(versions: [version]), by: test.client)
        return CheckStage(test: test, checks: try SecurityCheckCatalogue(definitions, timeLimit: timeLimit))
    }

    /// A key that signs nothing here.
    static func key() throws -> ClientKey {
        let header = #"{"alg":"HS256","key":"0123456789abcdef0123456789abcdef"}"#
        let statement = try ClientKey.Statement(
            header: Array(header.utf8).base64URL, payload: Array("{}".utf8).base64URL, signature: "AA")
        return try ClientKey(of: statement, accepting: .sharedSecrets)
    }

    func client(
        device: String = "4F1F7A9C-0001-4A58-9E0F-A1B2C3D4E5F6", of application: ClientID = application
    ) async throws -> RegisteredClientID {
        let outcome = try await test.realm.clients.register(
            device: .init(id: device, platform: "ios 17", hardware: "iPhone"),
            application: .init(id: application.rawValue, clientPlatform: "ios", version: "1.0.0"), key: Self.key(),
            by: test.client)
        guard case .registered(let registration) = outcome else {
            Issue.record("\(outcome)")
            throw TestFailure()
        }
        return registration.id
    }

    func ask(
        _ id: RegisteredClientID, _ scope: String, _ answers: [String: JSONValue] = [:], by client: ClientContext? = nil
    ) async throws -> CheckAuthorizationOutcome {
        try await test.realm.authenticator.authorize(
            CheckInquiry(client: id, scope: ApplicationVersion.elements(of: scope), answers: answers), by: checks,
            from: client ?? test.client)
    }

    /// What was decided.
    func decide(
        _ id: RegisteredClientID, _ scope: String, _ answers: [String: JSONValue] = [:]
    ) async throws -> CheckAuthorization {
        let outcome = try await ask(id, scope, answers)
        guard case .decided(let decided) = outcome else {
            Issue.record("\(outcome)")
            throw TestFailure()
        }
        return decided
    }

    func isGranted(_ id: RegisteredClientID, _ scope: String) async throws -> Bool {
        if case .granted = try await test.realm.grants(by: checks).grant(
            to: id, scope: ApplicationVersion.elements(of: scope))
        {
            return true
        }
        return false
    }

    static func pin(_ name: String = "Pin", showsHint: Bool = false) -> SecurityCheckDefinition {
        SecurityCheckDefinition(
            name,
            PINSecurityCheck(
                pin: Secret("1234"),
                limits: AttemptLimits(maxAttempts: 3, successStateExpiration: 60, blockedStateExpiration: 60)))
    }

    /// Right where name and password are the same.
    static func login(
        _ name: String = "Login",
        limits: AttemptLimits = AttemptLimits(
            maxAttempts: 3, successStateExpiration: 60, blockedStateExpiration: 10), remembered: TimeInterval = 0
    ) -> SecurityCheckDefinition {
        SecurityCheckDefinition(
            name,
            UserLoginSecurityCheck(limits: limits, rememberMeDuration: remembered) { username, password in
                username == password.reveal() ? .right(displayName: username) : .wrong()
            })
    }
}

extension JSONValue {
    static func pin(_ text: String) -> JSONValue { .object(["pin": .string(text)]) }

    static func login(_ name: String, _ password: String, remember: Bool = false) -> JSONValue {
        .object(["username": .string(name), "password": .string(password), "rememberMe": .bool(remember)])
    }
}

/// A check that does what a test says.
struct StagedCheck: CredentialsValidationSecurityCheck {
    var limits = AttemptLimits(maxAttempts: 3, blockedStateExpiration: 60)
    let looked = Counted()
    let verdict: @Sendable (JSONValue) async throws -> CredentialsVerdict

    func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict {
        looked.add()
        return try await verdict(credentials)
    }
}
