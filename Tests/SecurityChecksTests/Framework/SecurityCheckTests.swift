import CoreTestSupport
import Foundation
import Synchronization
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// What the door guarantees for all checks.
@Suite("Security checks")
struct SecurityCheckTests {
    private let blocked: [String: JSONValue] = ["failure": .string("Account blocked")]

    @Test
    func `A check that throws, hangs or answers with what is over grants nothing, and the attempt stays counted`()
        async throws
    {
        struct Broken: Error {}
        struct Past: SecurityCheck {
            func authorize(_ context: inout SecurityCheckContext) async throws -> SecurityCheckOutcome {
                .success([:], expiresAt: context.now)
            }
        }
        struct Throwing: SecurityCheck {
            func authorize(_ context: inout SecurityCheckContext) async throws -> SecurityCheckOutcome {
                try context.setState("undeclared")
                return .success([:], expiresAt: .distantFuture)
            }
        }
        let throwing = StagedCheck { _ in throw Broken() }
        // Until the test ends.
        let (held, release) = AsyncStream<Void>.makeStream()
        defer { release.finish() }
        let end = Task.detached { for await _ in held {} }
        let hanging = StagedCheck { _ in
            // Deaf to being cancelled, and so to the limit.
            await end.value
            return .right
        }
        let stage = try await CheckStage.make(
            timeLimit: 1,
            [
                SecurityCheckDefinition("Throws", throwing), SecurityCheckDefinition("Hangs", hanging),
                SecurityCheckDefinition("Past", Past()), SecurityCheckDefinition("State", Throwing()),
            ])
        let client = try await stage.client()
        for name in ["Throws", "Hangs"] {
            for remaining in [2, 1] {
                let decided = try await stage.decide(client, name, [name: .pin("1234")])
                #expect(!decided.isGranted && decided.failures[name] != nil)
                let standing = try await stage.decide(client, name)
                #expect(standing.challenges[name]?["remainingAttempts"] == .integer(Int64(remaining)))
            }
            let last = try await stage.decide(client, name, [name: .pin("1234")])
            #expect(!last.isGranted)
            #expect(try await stage.decide(client, name).failures == [name: blocked])
        }
        for name in ["Past", "State"] {
            let decided = try await stage.decide(client, name)
            #expect(!decided.isGranted && decided.failures.count == 1)
            #expect(try await !stage.isGranted(client, name))
        }
        #expect(throwing.looked.value == 3 && hanging.looked.value == 3)
    }

    @Test(
        arguments: TestStore.available)
    func `A server that died while a check looked has granted nothing, and a minute later its attempt is given back`(
        store: TestStore
    ) async throws {
        let seen = Mutex<(after: CheckStage, client: RegisteredClientID)?>(nil)
        let check = StagedCheck { _ in
            guard let (after, client) = seen.withLock({ $0 }) else { throw TestFailure() }
            // The server in whose midst this is is not heard of again: all that there is now is what is in the store.
            #expect(try await !after.isGranted(client, "Pin"))
            guard case .conflict = try await after.ask(client, "Pin", ["Pin": .pin("1234")]) else {
                Issue.record("An answer was looked at while another one is.")
                throw TestFailure()
            }
            after.test.clock.advance(61)
            let standing = try await after.decide(client, "Pin")
            // Its outcome was not disclosed (decision 109).
            #expect(standing.challenges["Pin"]?["remainingAttempts"] == .integer(3))
            // And if it was only very slow, what it found out comes too late.
            return .right
        }
        let stage = try await CheckStage.make(on: store, [SecurityCheckDefinition("Pin", check)])
        let client = try await stage.client()
        let after = CheckStage(
            test: stage.test, checks: try SecurityCheckCatalogue([SecurityCheckDefinition("Pin", check)]))
        seen.withLock { $0 = (after, client) }
        let outcome = try await stage.ask(client, "Pin", ["Pin": .pin("1234")])
        if case .decided(let decided) = outcome { #expect(!decided.isGranted) }
        #expect(try await !after.isGranted(client, "Pin"))
        #expect(check.looked.value == 1)
    }

    @Test func `A check is described with where each value comes from, and no text is told`() throws {
        let definition = SecurityCheckDefinition("Pin", properties: ["pinCode": "1234", "maxAttempts": "3"]) {
            PINSecurityCheck(&$0)
        }
        let catalogue = try SecurityCheckCatalogue(
            [definition, SecurityCheckDefinition("Enrolled", IsEnrolledSecurityCheck(duration: 60))],
            configuration: ["Pin": ["maxAttempts": "4", "maxAtempts": "1234"]])
        func told(_ properties: [SecurityCheckConfiguration.Property]) -> [String] {
            properties.map { "\($0.name) \($0.value ?? "–") \($0.source.rawValue)" }
        }
        let pin = try #require(catalogue.describe("Pin"))
        #expect(pin.kind == .credentials && pin.type == "PINSecurityCheck" && pin.isImmediate && pin.maxAttempts == 4)
        #expect(pin.stateDurations == ["attempting": 120, "success": 3600, "blocked": 0])
        #expect(
            told(pin.properties) == [
                "pinCode – definition", "maxAttempts 4 server", "attemptingStateExpirationSec 120 check",
                "successStateExpirationSec 3600 check", "blockedStateExpirationSec 0 check", "showsHint false check",
            ])
        #expect(told(pin.unread) == ["maxAtempts – server"])
        let version = ApplicationVersion(
            securityCheckConfigurations: ["Pin": ["pinCode": "9876", "maxAttempts": "1234x", "showsHint": "TRUE"]])
        let own = try #require(catalogue.describe("Pin", for: version))
        #expect(
            told(own.properties.filter { $0.source == .application }) == [
                "pinCode – application", "maxAttempts – application", "showsHint true application",
            ])
        // Who may be shown what is wrong may not be shown the value: a PIN stands in the wrong place too.
        #expect(own.faults == ["maxAttempts is no whole number of 0 or more"] && pin.faults.isEmpty)
        let enrolled = try #require(catalogue.describe("Enrolled"))
        #expect(enrolled.kind == .condition && enrolled.maxAttempts == nil && enrolled.properties.isEmpty)
        #expect(enrolled.stateDurations == ["enrolled": 60])
        #expect(catalogue.describe("Gone") == nil)
    }

    @Test
    func `Credentials of a wrong type are a wrong answer`() async throws {
        let stage = try await CheckStage.make([CheckStage.pin(), CheckStage.login()])
        for credentials: JSONValue in [
            .string("1234"), .array([.integer(1)]), .bool(true), .object(["pin": .object([:])]),
            .object(["pin": .null]),
            .object(["username": .array([]), "password": .bool(true)]), .number(1.5),
        ] {
            let client = try await stage.client()
            for name in ["Pin", "Login"] {
                let decided = try await stage.decide(client, name, [name: credentials])
                #expect(decided.challenges[name]?["remainingAttempts"] == .integer(2), "\(credentials)")
            }
        }
    }

    @Test(arguments: TestStore.available)
    func `Fifty wrong PINs of one client at once are looked at three times`(store: TestStore) async throws {
        let check = StagedCheck { _ in .wrong("no") }
        let stage = try await CheckStage.make(on: store, [SecurityCheckDefinition("Pin", check)])
        let client = try await stage.client()
        // One is judged at a time, so clients repeat until none is judged any more.
        var conflicts = 1
        while conflicts > 0 {
            let outcomes = try await race(50, meetingBefore: 1) { _ in
                try await stage.ask(client, "Pin", ["Pin": .pin("0000")])
            }
            conflicts = outcomes.count { if case .conflict = $0 { true } else { false } }
        }
        #expect(check.looked.value == 3)
        #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1")]).failures == ["Pin": blocked])
    }

    @Test(
        arguments: TestStore.available)
    func `Fifty wrong passwords for one person from fifty clients at once are looked at three times`(store: TestStore)
        async throws
    {
        let looked = Counted()
        let stage = try await CheckStage.make(
            on: store,
            [
                SecurityCheckDefinition(
                    "Login",
                    UserLoginSecurityCheck(limits: AttemptLimits(maxAttempts: 3, blockedStateExpiration: 60)) { _, _ in
                        looked.add()
                        return .wrong()
                    })
            ])
        var clients: [RegisteredClientID] = []
        for _ in 0..<50 { clients.append(try await stage.client()) }
        let all = clients
        let outcomes = try await race(50, meetingBefore: 1) { index in
            try await stage.decide(all[index], "Login", ["Login": .login("ada", "wrong\(index)")])
        }
        #expect(looked.value == 3)
        #expect(outcomes.count { $0.failures["Login"] == blocked } >= 47)
        #expect(outcomes.allSatisfy { !$0.isGranted })
    }

    @Test
    func `Registering again or logging out gives no new tries against the same person's check`() async throws {
        let stage = try await CheckStage.make([CheckStage.login()])
        let first = try await stage.client()
        for _ in 0..<2 { _ = try await stage.decide(first, "Login", ["Login": .login("ada", "x")]) }
        #expect(try await stage.test.realm.grants(by: stage.checks).logout("Login", of: first, by: stage.test.client))

        let second = try await stage.client()
        #expect(try await stage.decide(second, "Login").challenges["Login"]?["remainingAttempts"] == .integer(3))
        #expect(try await stage.decide(second, "Login", ["Login": .login("Ada", "x")]).failures["Login"] == blocked)
        let third = try await stage.client()
        #expect(try await stage.decide(third, "Login", ["Login": .login("ada", "ada")]).failures["Login"] == blocked)
        // Another person is another matter.
        #expect(try await stage.decide(third, "Login", ["Login": .login("bob", "bob")]).isGranted)
        stage.test.clock.advance(10)
        #expect(try await stage.decide(third, "Login", ["Login": .login("ada", "ada")]).isGranted)
    }

    @Test
    func `Where a check never blocks, guessing at one person slows down all the same`() async throws {
        let stage = try await CheckStage.make([CheckStage.login(limits: AttemptLimits())])
        for _ in 0..<9 {
            let client = try await stage.client()
            let decided = try await stage.decide(client, "Login", ["Login": .login("ada", "x")])
            #expect(decided.challenges["Login"]?["remainingAttempts"] == .integer(1))
        }
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Login", ["Login": .login("ada", "x")]).failures["Login"] == blocked)
        #expect(try await stage.decide(client, "Login", ["Login": .login("ada", "ada")]).failures["Login"] == blocked)
        stage.test.clock.advance(30)
        #expect(try await stage.decide(client, "Login", ["Login": .login("ada", "ada")]).isGranted)
    }

    @Test
    func `A source that has used up its answers is not looked at`() async throws {
        let check = StagedCheck { _ in .wrong("no") }
        let stage = try await CheckStage.make([SecurityCheckDefinition("Pin", check)])
        let source = stage.test.client(from: "192.0.2.9")
        for _ in 0..<RateLimit.answersPerSource.count {
            _ = try await stage.ask(stage.client(), "Pin", ["Pin": .pin("0")], by: source)
        }
        #expect(check.looked.value == 100)
        let outcome = try await stage.ask(stage.client(), "Pin", ["Pin": .pin("0")], by: source)
        guard case .limited = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(check.looked.value == 100)
    }

    @Test
    func `Logging out while a right answer is looked at leaves no user logged in`() async throws {
        let meeting = Meeting(of: 2)
        let after = Meeting(of: 2)
        let check = StagedCheck { _ in
            await meeting.arriveAndWait()
            await after.arriveAndWait()
            return .right
        }
        let stage = try await CheckStage.make([SecurityCheckDefinition("Pin", check)])
        let client = try await stage.client()
        async let outcome = stage.ask(client, "Pin", ["Pin": .pin("1234")])
        await meeting.arriveAndWait()
        #expect(try await stage.test.realm.grants(by: stage.checks).logout("Pin", of: client, by: stage.test.client))
        await after.arrive()
        guard case .conflict = try await outcome else { return #expect(Bool(false), "it was granted") }
        #expect(try await !stage.isGranted(client, "Pin"))
        #expect(try await stage.decide(client, "Pin").challenges["Pin"]?["remainingAttempts"] == .integer(2))
    }

    @Test
    func `So many scope elements are looked at, and no more`() async throws {
        let elements = (0...CheckInquiry.mostElements).map { "element\($0)" }
        let version = ApplicationVersion(
            scopeElementMapping: Dictionary(uniqueKeysWithValues: elements.map { ($0, "") }))
        let stage = try await CheckStage.make(version: version, [])
        let client = try await stage.client()
        #expect(try await stage.decide(client, elements.dropLast().joined(separator: " ")).isGranted)
        guard case .unknownScope = try await stage.ask(client, elements.joined(separator: " ")) else {
            return #expect(Bool(false), "all were looked at")
        }
    }

    @Test(arguments: TestStore.available)
    func `Twenty logouts at once all end it, and none is an error`(store: TestStore) async throws {
        let stage = try await CheckStage.make(on: store, [CheckStage.login(remembered: 600)])
        let client = try await stage.client()
        let credentials: [String: JSONValue] = ["Login": .login("ada", "ada", remember: true)]
        #expect(try await stage.decide(client, "Login", credentials).isGranted)
        let grants = stage.test.realm.grants(by: stage.checks)
        let outcomes = try await race(20, meetingBefore: 1) { _ in
            try await grants.logout("Login", of: client, by: stage.test.client)
        }
        #expect(outcomes.allSatisfy { $0 })
        #expect(try await !stage.isGranted(client, "Login"))
        #expect(try await !stage.decide(client, "Login").isGranted)
    }

    @Test(
        arguments: TestStore.available)
    func `A right and a wrong answer at once: the last that was looked at counts, and both were charged`(
        store: TestStore
    ) async throws {
        let stage = try await CheckStage.make(on: store, [CheckStage.pin()])
        for _ in 0..<5 {
            let client = try await stage.client()
            let outcomes = try await race(2, meetingBefore: 1) { index in
                try await stage.ask(client, "Pin", ["Pin": .pin(index == 0 ? "1234" : "0000")])
            }
            let conflicts = outcomes.count { if case .conflict = $0 { true } else { false } }
            let isGranted = try await stage.isGranted(client, "Pin")
            if conflicts == 0 {
                // Both were looked at, one after the other.
                let left = try await stage.decide(client, "Pin").challenges["Pin"]?["remainingAttempts"]
                #expect(isGranted || left == .integer(2))
            } else {
                #expect(conflicts == 1)
                guard
                    case .decided(let decided)? = outcomes.first(where: {
                        if case .decided = $0 { true } else { false }
                    })
                else { throw TestFailure() }
                #expect(decided.isGranted == isGranted)
            }
        }
    }

    @Test
    func `A code is good once, for its client and its address, and for no longer than a minute`() async throws {
        let stage = try await CheckStage.make(
            version: ApplicationVersion(maxTokenExpiration: 30), [CheckStage.pin()])
        let grants = stage.test.realm.grants(by: stage.checks)
        let (client, other) = (try await stage.client(), try await stage.client())
        func code() async throws -> String {
            guard case .granted(let code) = try await grants.code(for: client, scope: ["Pin"], redirectURI: "here")
            else { throw TestFailure() }
            return code
        }
        guard case .notGranted = try await grants.code(for: client, scope: ["Pin"], redirectURI: "here") else {
            return #expect(Bool(false), "a code for nothing")
        }
        #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted)
        let first = try await code()
        #expect(try await grants.redeem(first, by: other, redirectURI: "here") == nil)
        #expect(try await grants.redeem(first, by: client, redirectURI: "there") == nil)
        guard case .granted(let grant)? = try await grants.redeem(first, by: client, redirectURI: "here") else {
            return #expect(Bool(false), "refused")
        }
        #expect(grant.scope == ["Pin"] && grant.expiresAt == stage.test.now + 30)
        #expect(try await grants.redeem(first, by: client, redirectURI: "here") == nil)

        let late = try await code()
        stage.test.clock.advance(60)
        #expect(try await grants.redeem(late, by: client, redirectURI: "here") == nil)
    }

    @Test(arguments: TestStore.available)
    func `One code sent twenty times at once is good for one token`(store: TestStore) async throws {
        let stage = try await CheckStage.make(on: store, [CheckStage.pin()])
        let grants = stage.test.realm.grants(by: stage.checks)
        let client = try await stage.client()
        _ = try await stage.decide(client, "Pin", ["Pin": .pin("1234")])
        guard case .granted(let code) = try await grants.code(for: client, scope: ["Pin"], redirectURI: "here") else {
            throw TestFailure()
        }
        let outcomes = try await race(20, meetingBefore: 1) { _ in
            try await grants.redeem(code, by: client, redirectURI: "here")
        }
        #expect(outcomes.count { $0 != nil } == 1)
    }

    @Test
    func `Applications on one device share a login where both say so, and end it together`() async throws {
        let sharing = ApplicationVersion(sharedChecks: ["Login"])
        let stage = try await CheckStage.make(version: sharing, [CheckStage.login()])
        let otherApplication = ClientID(rawValue: "com.example.other")
        let lonely = ClientID(rawValue: "com.example.lonely")
        for (id, version) in [(otherApplication, sharing), (lonely, ApplicationVersion())] {
            _ = try await stage.test.realm.applications.add(
                id: id, ApplicationRegistration(versions: [version]), by: stage.test.client)
        }
        let first = try await stage.client()
        let second = try await stage.client(of: otherApplication)
        let alone = try await stage.client(of: lonely)
        let elsewhere = try await stage.client(device: "4F1F7A9C-0002-4A58-9E0F-A1B2C3D4E5F6", of: otherApplication)
        #expect(try await stage.decide(first, "Login", ["Login": .login("ada", "ada")]).isGranted)
        let shared = try await stage.decide(second, "Login")
        #expect(shared.isGranted && shared.successes["Login"]?["user"]?["id"] == .string("ada"))
        #expect(try await !stage.decide(alone, "Login").isGranted)
        #expect(try await !stage.decide(elsewhere, "Login").isGranted)
        #expect(try await stage.test.realm.grants(by: stage.checks).logout("Login", of: first, by: stage.test.client))
        #expect(try await !stage.isGranted(second, "Login"))
        // An id that could be guessed shares nothing.
        let (short, sameShort) = (
            try await stage.client(device: "1"), try await stage.client(device: "1", of: otherApplication)
        )
        #expect(try await stage.decide(short, "Login", ["Login": .login("ada", "ada")]).isGranted)
        #expect(try await !stage.decide(sameShort, "Login").isGranted)
    }

    @Test
    func `An unused success ends sooner, and one in use lasts`() async throws {
        struct Idle: CredentialsValidationSecurityCheck {
            let limits = AttemptLimits(successStateExpiration: 3600)
            let inactivityTimeout: TimeInterval = 100
            func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict
            {
                .right
            }
        }
        let stage = try await CheckStage.make([SecurityCheckDefinition("Idle", Idle())])
        let client = try await stage.client()
        #expect(try await stage.decide(client, "Idle", ["Idle": .pin("")]).isGranted)
        for _ in 0..<3 {
            stage.test.clock.advance(90)
            #expect(try await stage.decide(client, "Idle").isGranted)
        }
        stage.test.clock.advance(100)
        #expect(try await !stage.isGranted(client, "Idle"))
    }

    @Test
    func `A client id and a code are in no log, and not in the store as they are`() async throws {
        let stage = try await CheckStage.make([CheckStage.pin()])
        let client = try await stage.client()
        #expect("\(client)" == "<client>")
        _ = try await stage.decide(client, "Pin", ["Pin": .pin("9999")])
        let events = try await stage.test.realm.auditLog.events(limit: 100)
        #expect(events.contains { $0.kind == .clientRegistered } && events.contains { $0.kind == .answerRefused })
        let text = String(decoding: try JSONEncoder().encode(events), as: UTF8.self)
        #expect(!text.contains(client.rawValue) && !text.contains("9999"))
        // As a handle of any other kind it is unknown.
        let status = try await stage.test.realm.authenticator.status(
            of: FlowHandle(client.rawValue), expecting: .any(.signIn))
        guard case .unknown = status else { return #expect(Bool(false), "\(status)") }
    }
}
