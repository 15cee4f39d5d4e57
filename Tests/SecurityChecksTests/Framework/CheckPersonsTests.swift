import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// A success belongs to one user: no other user profits from it.
@Suite("Users of security checks")
struct CheckPersonsTests {
    /// Grants for an hour to the user `ada` of the login it depends on.
    private struct AdaCheck: SecurityCheck {
        var dependencies: [String] { ["Login"] }

        func authorize(_ context: inout SecurityCheckContext) async throws -> SecurityCheckOutcome {
            context.standing(of: "Login").user?.id == "ada"
                ? .success([:], expiresAt: context.now + 3600) : .failure(["failure": .string("not Ada")])
        }
    }

    /// Asks for 1234 after another check that identifies no user.
    private struct FarCheck: CredentialsValidationSecurityCheck {
        let limits = AttemptLimits(maxAttempts: 3, successStateExpiration: 600)
        let dependencies: [String]

        func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict {
            credentials["pin"]?.credentialText == "1234" ? .right : .wrong(nil)
        }
    }

    private static let checks = [
        CheckStage.login(), SecurityCheckDefinition("Near", FarCheck(dependencies: ["Login"])),
        SecurityCheckDefinition("Far", FarCheck(dependencies: ["Near"])), SecurityCheckDefinition("Ada", AdaCheck()),
    ]

    private static func logIn(_ name: String, _ stage: CheckStage, _ client: RegisteredClientID) async throws {
        #expect(try await stage.decide(client, "Login", ["Login": .login(name, name)]).isGranted)
    }

    @Test
    func
        `What one person has proven after a login, near or far and by whatever kind of check, belongs to no other person`()
        async throws
    {
        let stage = try await CheckStage.make(Self.checks)
        let client = try await stage.client()
        try await Self.logIn("ada", stage, client)
        let all = try await stage.decide(
            client, "Login Near Far Ada", ["Near": .pin("1234"), "Far": .pin("1234")])
        #expect(all.isGranted)
        for name in ["Near", "Far", "Ada"] { #expect(try await stage.isGranted(client, name), "\(name)") }
        // The same person again keeps it all.
        try await Self.logIn("ada", stage, client)
        for name in ["Near", "Far", "Ada"] { #expect(try await stage.isGranted(client, name), "\(name)") }

        try await Self.logIn("fred", stage, client)
        for name in ["Near", "Far", "Ada"] { #expect(try await !stage.isGranted(client, name), "\(name)") }
        let rest = try await stage.decide(client, "Near Far Ada")
        #expect(Set(rest.challenges.keys) == ["Near", "Far"] && Set(rest.failures.keys) == ["Ada"])
    }

    @Test
    func `What the registered user proved before any login does not belong to the next person either`() async throws {
        let stage = try await CheckStage.make(Self.checks)
        let client = try await stage.client()
        try await Self.logIn("ada", stage, client)
        #expect(try await stage.test.realm.grants(by: stage.checks).logout("Login", of: client, by: stage.test.client))
        #expect(try await stage.decide(client, "Near", ["Near": .pin("1234")]).isGranted)
        try await Self.logIn("ada", stage, client)
        #expect(try await stage.isGranted(client, "Near"))
        try await Self.logIn("fred", stage, client)
        #expect(try await !stage.isGranted(client, "Near"))
    }

    /// Right, when a test says so.
    private struct GatedCheck: CredentialsValidationSecurityCheck {
        let limits = AttemptLimits(maxAttempts: 3, successStateExpiration: 600)
        let dependencies = ["Login"]
        let isLooking = Meeting(of: 2)
        let goesOn = Meeting(of: 2)

        func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict {
            await isLooking.arriveAndWait()
            await goesOn.arriveAndWait()
            return .right
        }
    }

    @Test
    func `An answer that was judged for one person counts for none, where another has logged in meanwhile`()
        async throws
    {
        let check = GatedCheck()
        let stage = try await CheckStage.make([CheckStage.login(), SecurityCheckDefinition("Near", check)])
        let client = try await stage.client()
        try await Self.logIn("ada", stage, client)
        async let outcome = stage.ask(client, "Near", ["Near": .pin("Ada's")])
        await check.isLooking.arriveAndWait()
        try await Self.logIn("fred", stage, client)
        await check.goesOn.arrive()
        guard case .conflict = try await outcome else { return #expect(Bool(false), "it was granted") }
        #expect(try await !stage.isGranted(client, "Near"))
    }

    private static let other = ClientID(rawValue: "com.example.other")

    /// Two applications of one device that share a login.
    private static func sharing(
        _ definitions: [SecurityCheckDefinition]
    ) async throws -> (CheckStage, RegisteredClientID, RegisteredClientID) {
        let version = ApplicationVersion(sharedChecks: ["Login"])
        let stage = try await CheckStage.make(version: version, definitions)
        _ = try await stage.test.realm.applications.add(
            id: other, ApplicationRegistration(versions: [version]), by: stage.test.client)
        return (stage, try await stage.client(), try await stage.client(of: other))
    }

    @Test
    func `A login that applications share is one person's for all of them, also for what only one of them has proven`()
        async throws
    {
        let (stage, first, second) = try await Self.sharing(Self.checks)
        try await Self.logIn("ada", stage, first)
        let proven = try await stage.decide(second, "Login Near Far Ada", ["Near": .pin("1234"), "Far": .pin("1234")])
        #expect(proven.isGranted)
        try await Self.logIn("fred", stage, first)
        #expect(try await stage.isGranted(second, "Login"))
        for name in ["Near", "Far", "Ada"] { #expect(try await !stage.isGranted(second, name), "\(name)") }
        let asked = try await stage.decide(second, "Login Near")
        #expect(asked.successes["Login"]?["user"]?["id"] == .string("fred"))
        #expect(asked.challenges["Near"]?["remainingAttempts"] == .integer(3))
    }

    @Test
    func `Logging out of a shared login also forgets the user that another application of the device remembers`()
        async throws
    {
        for isLeft in [false, true] {
            let (stage, first, second) = try await Self.sharing([CheckStage.login(remembered: 600)])
            let credentials: [String: JSONValue] = ["Login": .login("ada", "ada", remember: true)]
            #expect(try await stage.decide(second, "Login", credentials).isGranted)
            stage.test.clock.advance(61)
            let grants = stage.test.realm.grants(by: stage.checks)
            if isLeft { #expect(try await grants.logout("Login", of: first, by: stage.test.client)) }
            #expect(try await stage.decide(second, "Login").isGranted == !isLeft)
            guard isLeft else { continue }
            // The next user who logs in is remembered again.
            stage.test.clock.advance(1)
            #expect(try await stage.decide(second, "Login", credentials).isGranted)
            stage.test.clock.advance(61)
            #expect(try await stage.decide(second, "Login").isGranted)
        }
    }

    @Test
    func `A check remembers only the users that it has recognised itself`() async throws {
        let stage = try await CheckStage.make([
            CheckStage.login(remembered: 600), CheckStage.login("Other", remembered: 600),
        ])
        let client = try await stage.client()
        for (check, name) in [("Login", "ada"), ("Other", "fred")] {
            #expect(try await stage.decide(client, check, [check: .login(name, name, remember: true)]).isGranted)
        }
        stage.test.clock.advance(61)
        let remembered = try await stage.decide(client, "Other")
        #expect(remembered.isGranted && remembered.successes["Other"]?["user"]?["id"] == .string("fred"))
        #expect(try await !stage.decide(client, "Login").isGranted)
    }

    @Test
    func `A new password ends what the account had proven with the old one, and being remembered`() async throws {
        let empty = try await CheckStage.make([])
        let realm = empty.test.realm
        let stage = CheckStage(
            test: empty.test,
            checks: try SecurityCheckCatalogue([
                SecurityCheckDefinition(
                    "Login",
                    AccountLoginSecurityCheck(
                        realm: realm, limits: AttemptLimits(maxAttempts: 3, successStateExpiration: 60),
                        rememberMeDuration: 86_400)),
                SecurityCheckDefinition("Near", FarCheck(dependencies: ["Login"])),
            ]))
        let client = try await stage.client()
        let user = try await stage.test.addUser()
        func logIn(_ password: String) async throws -> CheckAuthorization {
            let login: JSONValue = .object([
                "username": .string("ada@example.org"), "password": .string(password), "rememberMe": .bool(true),
            ])
            return try await stage.decide(client, "Login Near", ["Login": login, "Near": .pin("1234")])
        }
        #expect(try await logIn(TestRealm.password).isGranted)
        stage.test.clock.advance(61)
        #expect(try await stage.decide(client, "Login").isGranted, "remembered")
        #expect(try await stage.isGranted(client, "Near"))
        var change = AccountChange()
        change.password = Secret("another long password")
        guard case .changed = try await realm.accounts.change(user.id, change, by: stage.test.client) else {
            throw TestFailure()
        }
        #expect(try await !stage.isGranted(client, "Login"))
        #expect(try await !stage.isGranted(client, "Near"), "what was proven after the login goes with it")
        #expect(try await !stage.decide(client, "Login").isGranted, "an old password is not remembered")
        #expect(try await logIn("another long password").isGranted)
    }

    @Test(arguments: TestStore.available)
    func `A removed account takes along what checks and refresh tokens have of it`(store: TestStore) async throws {
        let empty = try await CheckStage.make(on: store, version: ApplicationVersion(refreshTokens: true), [])
        let realm = empty.test.realm
        let stage = CheckStage(
            test: empty.test,
            checks: try SecurityCheckCatalogue([
                SecurityCheckDefinition("Login", AccountLoginSecurityCheck(realm: realm))
            ]))
        let client = try await stage.client()
        let user = try await stage.test.addUser()
        let login: JSONValue = .object([
            "username": .string("ada@example.org"), "password": .string(TestRealm.password),
        ])
        #expect(try await stage.decide(client, "Login", ["Login": login]).isGranted)
        let grants = realm.grants(by: stage.checks)
        guard case .granted(let grant) = try await grants.grant(to: client, scope: ["Login"]),
            let token = try await grants.beginRefreshing(grant), let (family, _) = RefreshFamily.parts(of: token)
        else { throw TestFailure() }
        func kept() async throws -> Int {
            try await stage.test.store.read { transaction in
                let records: [(ClientRecord.Kind, Data)] = [
                    (.checkState, CheckRow.state("Login", of: "client/\(client.rawValue)")),
                    (.refreshFamily, CheckRow.refresh(family)), (.registration, CheckRow.registration(client)),
                ]
                return try records.count { try transaction.clientRecord($0, digest: $1) != nil }
            }
        }
        #expect(try await kept() == 3)
        #expect(try await realm.accounts.delete(user.id, by: stage.test.client))
        #expect(try await kept() == 0)
    }

    @Test
    func `Durations and ends of any size grant for as long as can be told, or not at all`() async throws {
        struct Endless: SecurityCheck {
            let end: TimeInterval
            func authorize(_ context: inout SecurityCheckContext) async throws -> SecurityCheckOutcome {
                .success([:], expiresAt: Date(timeIntervalSince1970: end))
            }
        }
        func pin(_ seconds: TimeInterval) -> SecurityCheckDefinition {
            SecurityCheckDefinition(
                "Pin",
                PINSecurityCheck(
                    pin: Secret("1234"),
                    limits: AttemptLimits(
                        maxAttempts: 1, attemptingStateExpiration: seconds, successStateExpiration: seconds,
                        blockedStateExpiration: seconds)))
        }
        for (size, isGranted) in [
            (TimeInterval.infinity, true), (.greatestFiniteMagnitude, true), (.nan, false), (-1, false),
        ] {
            let stage = try await CheckStage.make([
                pin(size), SecurityCheckDefinition("Endless", Endless(end: size)),
            ])
            let client = try await stage.client()
            #expect(try await stage.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted == isGranted, "\(size)")
            #expect(try await stage.isGranted(client, "Pin") == isGranted, "\(size)")
            #expect(try await stage.decide(client, "Endless").isGranted == isGranted, "\(size)")
            #expect(try await stage.isGranted(client, "Endless") == isGranted, "\(size)")
            _ = try await stage.decide(client, "Pin", ["Pin": .pin("0")])
            #expect(try await !stage.isGranted(client, "Pin"), "\(size)")
        }
    }

    @Test
    func `An attempt that was not looked at begins no wait for a person`() {
        for (limits, free) in [
            (AttemptLimits(maxAttempts: 3, blockedStateExpiration: 60), 3), (AttemptLimits(maxAttempts: 1), 10),
        ] {
            let attempts = CredentialsAttempts(limits: limits)
            let now = Date(timeIntervalSince1970: 1_790_000_000)
            var counter: AttemptCounter?
            for _ in 1..<free {
                guard case .admitted(let admitted) = attempts.chargePerson(counter, key: "k", at: now) else { break }
                counter = admitted
            }
            guard case .admitted(let last) = attempts.chargePerson(counter, key: "k", at: now, as: "a") else {
                Issue.record("not admitted")
                continue
            }
            #expect(last.count == free && last.blockedUntil != nil)
            var back = last
            let wasOpen = back.end("a", .returned)
            #expect(wasOpen && back.count == free - 1 && back.blockedUntil == nil)
            guard case .admitted(let next) = attempts.chargePerson(last, key: "k", at: now + OpenCharge.lease) else {
                Issue.record("not admitted after the lease")
                continue
            }
            #expect(next.count == free)
        }
    }
}
