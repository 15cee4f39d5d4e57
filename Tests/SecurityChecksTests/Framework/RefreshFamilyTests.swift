import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// Refresh tokens of clients: what they outlive, and what ends them.
@Suite("Refresh tokens of security checks")
struct RefreshFamilyTests {
    private static let version = ApplicationVersion(maxTokenExpiration: 300, refreshTokens: true)

    private static func grant(_ stage: CheckStage, _ client: RegisteredClientID, _ scope: String) async throws
        -> CheckGrants.Grant
    {
        guard
            case .granted(let grant) = try await stage.test.realm.grants(by: stage.checks).grant(
                to: client, scope: ApplicationVersion.elements(of: scope))
        else { throw TestFailure() }
        return grant
    }

    private static func begin(
        _ stage: CheckStage, _ client: RegisteredClientID, _ scope: String
    ) async throws -> Secret<String>? {
        try await stage.test.realm.grants(by: stage.checks).beginRefreshing(grant(stage, client, scope))
    }

    /// Nil where it is refused.
    private static func refresh(
        _ stage: CheckStage, _ token: Secret<String>?, _ client: RegisteredClientID
    ) async throws -> CheckGrants.Refreshed? {
        guard let token else { throw TestFailure() }
        let outcome = try await stage.test.realm.grants(by: stage.checks).refresh(
            token, by: client, from: stage.test.client)
        if case .granted(let refreshed)? = outcome { return refreshed }
        return nil
    }

    private static func isGood(
        _ stage: CheckStage, _ refreshed: CheckGrants.Refreshed, _ client: RegisteredClientID
    ) async throws -> Bool {
        let outcome = try await stage.test.realm.grants(by: stage.checks).grant(
            to: client, scope: refreshed.grant.scope, family: refreshed.family)
        if case .granted = outcome { return true }
        return false
    }

    @Test
    func `A token outlives its checks, lives thirty days, and the next one as long again`() async throws {
        let stage = try await CheckStage.make(version: Self.version, [CheckStage.login()])
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Login", ["Login": .login("ada", "ada")]).isGranted)
        var token = try await Self.begin(stage, client, "Login")
        for _ in 0..<3 {
            stage.test.clock.advance(29 * 86_400)
            #expect(try await !stage.isGranted(client, "Login"))
            let refreshed = try #require(try await Self.refresh(stage, token, client))
            #expect(refreshed.grant.expiresAt == stage.test.now + 300 && refreshed.grant.user?.id == "ada")
            #expect(try await Self.isGood(stage, refreshed, client))
            let wider = try await stage.test.realm.grants(by: stage.checks).grant(
                to: client, scope: ["RegisteredClient"], family: refreshed.family)
            if case .granted = wider { Issue.record("good for what it was not asked for") }
            token = refreshed.token
        }
        stage.test.clock.advance(30 * 86_400)
        #expect(try await Self.refresh(stage, token, client) == nil)
    }

    @Test
    func `There are none where the application's version does not say so, and none any more when it ceases to`()
        async throws
    {
        let stage = try await CheckStage.make([CheckStage.pin()])
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted)
        #expect(try await Self.begin(stage, client, "Pin") == nil)
        func set(_ version: ApplicationVersion) async throws {
            _ = try await stage.test.realm.applications.change(CheckStage.application, by: stage.test.client) {
                $0.versions = [version]
            }
        }
        try await set(Self.version)
        let token = try await Self.begin(stage, client, "Pin")
        let refreshed = try #require(try await Self.refresh(stage, token, client))
        #expect(try await Self.isGood(stage, refreshed, client))
        try await set(ApplicationVersion())
        #expect(try await !Self.isGood(stage, refreshed, client))
        #expect(try await Self.refresh(stage, refreshed.token, client) == nil)
    }

    /// What ends a family, while the checks' successes hold and after.
    enum Ending: CaseIterable {
        case logout, wrongAnswer, blocked, otherPerson, otherPersonBehind, status, removal, newCheck
    }

    @Test(
        arguments: Ending.allCases)
    func `Logging out, wrong answers, another person, and whatever puts the client away end them`(_ ending: Ending)
        async throws
    {
        for isExpired in [false, true] {
            // A wrong answer ends a success; where there is none it ends nothing.
            if ending == .wrongAnswer, isExpired { continue }
            let stage = try await CheckStage.make(
                version: Self.version,
                [CheckStage.login(), CheckStage.pin(), SecurityCheckDefinition("Step", StepCheck())])
            let client = try await stage.client()
            let answers: [String: JSONValue] = [
                "Login": .login("ada", "ada"), "Pin": .pin("1234"), "Step": .pin("1234"),
            ]
            let isBehind = ending == .otherPersonBehind
            let scope = isBehind ? "Step" : "Login Pin"
            #expect(try await stage.decide(client, "Login Pin Step", answers).isGranted)
            let first = try #require(try await Self.refresh(stage, Self.begin(stage, client, scope), client))
            let second = try #require(try await Self.refresh(stage, Self.begin(stage, client, scope), client))
            if isExpired { stage.test.clock.advance(700) }
            #expect(try await Self.isGood(stage, first, client))
            let realm = stage.test.realm
            switch ending {
            case .logout:
                #expect(try await realm.grants(by: stage.checks).logout("Pin", of: client, by: stage.test.client))
            case .wrongAnswer: _ = try await stage.decide(client, "Pin", ["Pin": .pin("0")])
            case .blocked: for _ in 0..<3 { _ = try await stage.decide(client, "Pin", ["Pin": .pin("0")]) }
            case .otherPerson, .otherPersonBehind:
                #expect(try await stage.decide(client, "Login", ["Login": .login("fred", "fred")]).isGranted)
                // Also when the other's login is over.
                stage.test.clock.advance(61)
            case .status:
                _ = try await realm.clients.setStatus(.lost, of: ClientReference(to: client), by: stage.test.client)
            case .removal:
                #expect(try await realm.clients.remove(ClientReference(to: client), by: stage.test.client))
            case .newCheck:
                var version = Self.version
                version.mandatoryScope = "Step"
                let changed = version
                _ = try await realm.applications.change(CheckStage.application, by: stage.test.client) {
                    $0.versions = [changed]
                }
            }
            #expect(try await !Self.isGood(stage, first, client), "\(ending) \(isExpired)")
            #expect(try await Self.refresh(stage, second.token, client) == nil, "\(ending) \(isExpired)")
        }
    }

    /// Asks for 1234 after a login.
    private struct StepCheck: CredentialsValidationSecurityCheck {
        let limits = AttemptLimits(maxAttempts: 3, successStateExpiration: 60)
        let dependencies = ["Login"]

        func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict {
            credentials["pin"]?.credentialText == "1234" ? .right : .wrong(nil)
        }
    }

    @Test
    func
        `A logout ends the tokens of all applications that share the check, and is remembered for as long as they live`()
        async throws
    {
        var version = Self.version
        version.sharedChecks = ["Login"]
        let shared = version
        let stage = try await CheckStage.make(version: shared, [CheckStage.login()])
        let other = ClientID(rawValue: "com.example.other")
        _ = try await stage.test.realm.applications.add(
            id: other, ApplicationRegistration(versions: [shared]), by: stage.test.client)
        let (first, second) = (try await stage.client(), try await stage.client(of: other))
        #expect(try await stage.decide(first, "Login", ["Login": .login("ada", "ada")]).isGranted)
        let token = try await Self.begin(stage, second, "Login")
        stage.test.clock.advance(3600)
        let grants = stage.test.realm.grants(by: stage.checks)
        #expect(try await grants.logout("Login", of: first, by: stage.test.client))
        stage.test.clock.advance(29 * 86_400)
        let now = stage.test.now
        _ = try await stage.test.store.write { try $0.deleteFlows(expiredBefore: now, limit: 100) }
        #expect(try await Self.refresh(stage, token, second) == nil)
    }

    @Test
    func `A logout while the application has none is remembered for when it has them again`() async throws {
        let stage = try await CheckStage.make(version: Self.version, [CheckStage.pin()])
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted)
        let token = try await Self.begin(stage, client, "Pin")
        for version in [ApplicationVersion(), Self.version] {
            _ = try await stage.test.realm.applications.change(CheckStage.application, by: stage.test.client) {
                $0.versions = [version]
            }
            if version.refreshTokens { continue }
            let grants = stage.test.realm.grants(by: stage.checks)
            #expect(try await grants.logout("Pin", of: client, by: stage.test.client))
            stage.test.clock.advance(29 * 86_400)
            let now = stage.test.now
            _ = try await stage.test.store.write { try $0.deleteFlows(expiredBefore: now, limit: 100) }
        }
        #expect(try await Self.refresh(stage, token, client) == nil)
    }

    @Test
    func `A token is its client's, good once, and the whole family's end when it comes again too late`() async throws {
        let stage = try await CheckStage.make(version: Self.version, [CheckStage.pin()])
        let (client, other) = (try await stage.client(), try await stage.client())
        #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted)
        let first = try #require(try await Self.begin(stage, client, "Pin"))
        for text in [
            "", ".", "a.b", first.reveal() + "x", String(first.reveal().dropLast()) + "\0", "\(first.reveal()).x",
        ] {
            guard !text.hasPrefix(first.reveal().prefix(10)) || text.contains("\0") || text.hasSuffix(".x") else {
                continue
            }
            #expect(try await Self.refresh(stage, Secret(text), client) == nil)
        }
        #expect(try await Self.refresh(stage, first, other) == nil)
        let second = try #require(try await Self.refresh(stage, first, client))
        #expect(second.token.reveal() != first.reveal())
        // The answer was lost.
        stage.test.clock.advance(59)
        #expect(try await Self.refresh(stage, first, client)?.token.reveal() == second.token.reveal())
        stage.test.clock.advance(1)
        #expect(try await Self.refresh(stage, first, client) == nil)
        #expect(try await Self.refresh(stage, second.token, client) == nil)
        #expect(try await !Self.isGood(stage, second, client))
        #expect(try await stage.test.events(.refreshTokenReused).count == 1)
    }

    @Test(arguments: TestStore.available)
    func `One token sent twenty times at once has one successor`(store: TestStore) async throws {
        let stage = try await CheckStage.make(on: store, version: Self.version, [CheckStage.pin()])
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted)
        let token = try await Self.begin(stage, client, "Pin")
        let outcomes = try await race(20, meetingBefore: 1) { _ in
            try await Self.refresh(stage, token, client)?.token.reveal()
        }
        let successors = Set(outcomes.compactMap { $0 })
        #expect(successors.count == 1)
        let successor = try #require(successors.first)
        #expect(try await Self.refresh(stage, Secret(successor), client) != nil)
    }

    @Test
    func `A refresh token is in no log, and not in the store as it is`() async throws {
        let stage = try await CheckStage.make(version: Self.version, [CheckStage.pin()])
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted)
        let token = try #require(try await Self.begin(stage, client, "Pin"))
        let part = try #require(token.reveal().split(separator: ".").last)
        let rows = try await stage.test.store.read { transaction in
            try RefreshFamily.parts(of: token).flatMap {
                try transaction.clientRecord(.refreshFamily, digest: CheckRow.refresh($0.id))
            }
        }
        let row = try #require(rows)
        #expect(!row.body.contains(Data(part.utf8)) && row.kind == .refreshFamily)
    }
}

extension Data {
    fileprivate func contains(_ other: Data) -> Bool { range(of: other) != nil }
}
