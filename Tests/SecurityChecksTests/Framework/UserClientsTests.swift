import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// What administrators see of a user's clients, and how a block is lifted.
@Suite("Clients of a user")
struct UserClientsTests {
    private static let version = ApplicationVersion(
        scopeElementMapping: ["pay": "Pin"], maxTokenExpiration: 300, refreshTokens: true)
    private static let login: JSONValue = .object([
        "username": .string("ada@example.org"), "password": .string(TestRealm.password),
    ])

    private static let grace = EmailAddress("grace@example.org").unsafelyUnwrapped

    private static func stage() async throws -> CheckStage {
        let empty = try await CheckStage.make(version: version, [])
        let limits = AttemptLimits(maxAttempts: 3, successStateExpiration: 3600, blockedStateExpiration: 600)
        return CheckStage(
            test: empty.test,
            checks: try SecurityCheckCatalogue([
                CheckStage.pin(),
                SecurityCheckDefinition(
                    "Login", AccountLoginSecurityCheck(realm: empty.test.realm, limits: limits)),
            ]))
    }

    private static func block(_ stage: CheckStage, _ client: RegisteredClientID) async throws {
        for _ in 0..<3 { _ = try await stage.decide(client, "pay", ["Pin": .pin("0000")]) }
    }

    @Test func `A user's clients are listed with their open checks, and no others`() async throws {
        let stage = try await Self.stage()
        let user = try await stage.test.addUser()
        let other = try await stage.test.addUser(Self.grace)
        let (client, strange) = (try await stage.client(), try await stage.client())
        #expect(try await stage.test.realm.clients.clients(of: user.id).clients.isEmpty)
        #expect(try await stage.decide(client, "Login", ["Login": Self.login]).isGranted)
        try await Self.block(stage, client)
        try await Self.block(stage, strange)
        let now = stage.test.now
        let found = try await stage.test.realm.clients.clients(of: user.id)
        #expect(found.isWhole && found.clients.map(\.client.reference) == [ClientReference(to: client)])
        #expect(found.clients.first?.isBound == true)
        #expect(
            found.clients.first?.checks == [
                OpenCheck(name: "Login", state: "success", until: now + 3600, isShared: false),
                OpenCheck(name: "Pin", state: "blocked", until: now + 60, isShared: false),
            ])
        #expect(try await stage.test.realm.clients.clients(of: other.id).clients.isEmpty)
        #expect(try await stage.test.realm.clients.openChecks(of: ClientReference(to: strange))?.map(\.name) == ["Pin"])
        stage.test.clock.advance(61)
        #expect(
            try await stage.test.realm.clients.clients(of: user.id).clients.first?.checks.map(\.name) == ["Login"])
        stage.test.clock.advance(3600)
        let later = try await stage.test.realm.clients.clients(of: user.id)
        #expect(later.clients.count == 1 && later.clients.first?.checks.isEmpty == true)
    }

    @Test func `The open checks of all clients are listed by application, check and state, page by page`()
        async throws
    {
        let stage = try await Self.stage()
        let user = try await stage.test.addUser()
        let (client, strange) = (try await stage.client(), try await stage.client())
        let clients = stage.test.realm.clients
        func list(_ filter: OpenCheckFilter = OpenCheckFilter()) async throws -> Set<String> {
            let page = try await clients.openChecks(ListRange(limit: 10), filter: filter)
            #expect(page.next == nil && page.previous == nil)
            return Set(page.rows.map { "\($0.check.name) \($0.check.state) \($0.client.reference.text)" })
        }
        #expect(try await list() == [])
        #expect(try await stage.decide(client, "Login", ["Login": Self.login]).isGranted)
        try await Self.block(stage, client)
        try await Self.block(stage, strange)
        let (own, other) = (ClientReference(to: client).text, ClientReference(to: strange).text)
        let all: Set = ["Login success \(own)", "Pin blocked \(own)", "Pin blocked \(other)"]
        #expect(try await list() == all)
        #expect(try await list(OpenCheckFilter(state: "blocked")) == all.filter { $0.contains("blocked") })
        #expect(try await list(OpenCheckFilter(check: "Login")) == ["Login success \(own)"])
        #expect(try await list(OpenCheckFilter(application: "other.app")) == [])

        // One by one, on to the end and back.
        var pages = [try await clients.openChecks(ListRange(limit: 1))]
        while case .row(let key)? = pages.last?.next, pages.count < 9 {
            pages.append(try await clients.openChecks(ListRange(key, limit: 1)))
        }
        let keys = pages.flatMap(\.rows).map { "\($0.check.name) \($0.check.state) \($0.client.reference.text)" }
        #expect(keys.count == 3 && Set(keys) == all)
        guard case .row(let key)? = pages.last?.previous else { throw TestFailure() }
        let back = try await clients.openChecks(ListRange(key, isBackwards: true, limit: 1))
        #expect(back.rows.map(\.check) == pages.dropLast().last?.rows.map(\.check))

        // A success of a user who may not act any more is none, and a block that is over none either.
        _ = try await stage.test.store.write { transaction in
            guard var present = try transaction.user(user.id) else { return false }
            present.revokeTokens(at: stage.test.now)
            return try transaction.update(present)
        }
        #expect(try await list() == all.filter { $0.contains("blocked") })
        stage.test.clock.advance(61)
        #expect(try await list() == [])
    }

    @Test func `A success of a user who may not act any more is not open`() async throws {
        let stage = try await Self.stage()
        let user = try await stage.test.addUser()
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Login", ["Login": Self.login]).isGranted)
        _ = try await stage.test.store.write { transaction in
            guard var present = try transaction.user(user.id) else { return false }
            present.revokeTokens(at: stage.test.now)
            return try transaction.update(present)
        }
        let found = try await stage.test.realm.clients.clients(of: user.id)
        #expect(found.clients.map(\.checks) == [[]])
    }

    @Test func `A client that another user took over is listed as long as the first user's check is open`() async throws
    {
        let stage = try await Self.stage()
        let (user, other) = (try await stage.test.addUser(), try await stage.test.addUser(Self.grace))
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Login", ["Login": Self.login]).isGranted)
        _ = try await stage.test.realm.clients.changeContext(of: client) { context in
            context.registeredUser?.account = other.id
        }
        let found = try await stage.test.realm.clients.clients(of: user.id)
        #expect(found.clients.map(\.isBound) == [false] && found.clients.first?.checks.map(\.name) == ["Login"])
        let theirs = try await stage.test.realm.clients.clients(of: other.id)
        #expect(theirs.clients.map(\.isBound) == [true])
        stage.test.clock.advance(3601)
        #expect(try await stage.test.realm.clients.clients(of: user.id).clients.isEmpty)
    }

    @Test func `An unblocked client has all its tries again, and the log says who did it`() async throws {
        let stage = try await Self.stage()
        let client = try await stage.client()
        let clients = stage.test.realm.clients
        let reference = ClientReference(to: client)
        #expect(try await clients.unblock("Pin", of: reference, by: stage.test.client) == .notBlocked)
        try await Self.block(stage, client)
        #expect(try await stage.decide(client, "pay", ["Pin": .pin("1234")]).failures["Pin"] != nil)
        #expect(try await clients.unblock("Login", of: reference, by: stage.test.client) == .notBlocked)
        #expect(try await clients.unblock("Pin", of: reference, by: stage.test.client) == .unblocked)
        #expect(try await clients.unblock("Pin", of: reference, by: stage.test.client) == .notBlocked)
        let asked = try await stage.decide(client, "pay")
        #expect(asked.challenges["Pin"]?["remainingAttempts"] == .integer(3))
        #expect(try await stage.decide(client, "pay", ["Pin": .pin("1234")]).isGranted)
        let nobody = ClientReference("nobody")
        #expect(try await clients.unblock("Pin", of: nobody, by: stage.test.client) == .unknownClient)
        let events = try await stage.test.realm.auditLog.events(limit: 100)
        #expect(events.count { $0.kind == .securityCheckUnblocked && $0.details["check"] == .string("Pin") } == 1)
    }

    @Test func `A block that is lifted brings no refresh token back`() async throws {
        let stage = try await Self.stage()
        let client = try await stage.client()
        let grants = stage.test.realm.grants(by: stage.checks)
        #expect(try await stage.decide(client, "pay", ["Pin": .pin("1234")]).isGranted)
        guard case .granted(let grant) = try await grants.grant(to: client, scope: ["pay"]),
            let token = try await grants.beginRefreshing(grant)
        else { throw TestFailure() }
        try await Self.block(stage, client)
        #expect(
            try await stage.test.realm.clients.unblock(
                "Pin", of: ClientReference(to: client), by: stage.test.client) == .unblocked)
        if case .granted? = try await grants.refresh(token, by: client, from: stage.test.client) {
            Issue.record("the token of before was taken")
        }
    }
}
