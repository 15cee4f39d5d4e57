import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore
@testable import SecurityChecks

/// The consequences that section 1.4 of the specification lists, of the pure rules.
@Suite("Attempts at credentials")
struct CredentialsAttemptsTests {
    private let start = Date(microseconds: ManualClock.beginning)
    private let attempts = CredentialsAttempts(
        limits: AttemptLimits(
            maxAttempts: 3, attemptingStateExpiration: 120, successStateExpiration: 60, blockedStateExpiration: 60))

    /// Charges and judges at once.
    private func answer(
        _ isRight: Bool, _ record: inout CheckRecord, after seconds: TimeInterval = 0,
        by attempts: CredentialsAttempts? = nil
    ) -> CredentialsAttempts.Standing {
        let attempts = attempts ?? self.attempts
        let now = start + seconds
        guard attempts.charge(&record, nonce: "nonce", at: now) == .admitted else {
            return attempts.standing(&record, at: now)
        }
        if isRight { attempts.succeed(&record, at: now) } else { _ = attempts.fail(&record, at: now) }
        return attempts.standing(&record, at: now)
    }

    @Test
    func `1: the first contact begins the window, with all attempts`() {
        var record = CheckRecord()
        #expect(attempts.standing(&record, at: start) == .attempting(remaining: 3))
        #expect(record.state.expiresAt(attempts.limits.durations) == start + 120)
    }

    @Test
    func `2: asking again costs nothing and does not begin the window anew`() {
        var record = CheckRecord()
        _ = attempts.standing(&record, at: start)
        #expect(attempts.standing(&record, at: start + 100) == .attempting(remaining: 3))
        #expect(record.state.setAt == start)
    }

    @Test
    func `3: after the window a wrong answer is the first of another`() {
        var record = CheckRecord()
        _ = answer(false, &record)
        #expect(answer(false, &record, after: 119) == .attempting(remaining: 1))
        #expect(answer(false, &record, after: 120) == .attempting(remaining: 2))
    }

    @Test
    func `4: in success a wrong answer ends it, and a right one does not make it longer`() {
        var record = CheckRecord()
        #expect(answer(true, &record) == .success(expiresAt: start + 60))
        #expect(answer(true, &record, after: 30) == .success(expiresAt: start + 60))
        #expect(answer(false, &record, after: 40) == .attempting(remaining: 2))
    }

    @Test
    func `5: while blocked nothing is looked at, and the time does not begin anew`() {
        var record = CheckRecord()
        _ = answer(false, &record)
        _ = answer(false, &record)
        #expect(answer(false, &record, after: 1) == .blocked)
        #expect(attempts.charge(&record, nonce: "nonce", at: start + 30) == .blocked)
        #expect(answer(true, &record, after: 60.9) == .blocked)
        #expect(attempts.standing(&record, at: start + 61) == .attempting(remaining: 3))
    }

    @Test
    func `6: blocked for no time is a fresh challenge at once`() {
        let endless = CredentialsAttempts(limits: AttemptLimits())
        var record = CheckRecord()
        for second in 0..<5 {
            #expect(answer(false, &record, after: Double(second), by: endless) == .attempting(remaining: 1))
        }
        #expect(answer(true, &record, after: 9, by: endless) == .success(expiresAt: start + 9 + 3600))
    }

    @Test
    func `7: an answer before any challenge is looked at`() {
        var record = CheckRecord()
        #expect(answer(true, &record) == .success(expiresAt: start + 60))
        var other = CheckRecord()
        #expect(answer(false, &other) == .attempting(remaining: 2))
    }

    @Test
    func `A limit that was lowered meanwhile blocks`() {
        var record = CheckRecord()
        _ = answer(false, &record)
        _ = answer(false, &record)
        var limits = attempts.limits
        limits.maxAttempts = 2
        #expect(CredentialsAttempts(limits: limits).standing(&record, at: start) == .blocked)
    }

    @Test
    func `One answer is looked at at a time, and one that is lost was no attempt`() {
        var record = CheckRecord()
        #expect(attempts.charge(&record, nonce: "first", at: start) == .admitted)
        #expect(attempts.charge(&record, nonce: "second", at: start + 59) == .conflict)
        #expect(attempts.charge(&record, nonce: "third", at: start + 60) == .admitted)
        #expect(record.usedAttempts == 1)
        #expect(attempts.standing(&record, at: start + 61) == .attempting(remaining: 2))
    }

    @Test
    func `The last answer, lost, does not block, and the next one does`() {
        var record = CheckRecord()
        _ = answer(false, &record)
        _ = answer(false, &record)
        #expect(attempts.charge(&record, nonce: "lost", at: start) == .admitted)
        #expect(attempts.charge(&record, nonce: "next", at: start + 61) == .admitted)
        let isLast = attempts.fail(&record, at: start + 61)
        #expect(isLast)
        #expect(attempts.charge(&record, nonce: "late", at: start + 62) == .blocked)
    }

    @Test
    func `Logging out ends a success, and neither a count nor a block`() {
        var record = CheckRecord()
        _ = answer(true, &record)
        attempts.logOut(&record, at: start)
        #expect(record == CheckRecord())
        _ = answer(false, &record)
        attempts.logOut(&record, at: start)
        #expect(attempts.standing(&record, at: start) == .attempting(remaining: 2))
        _ = answer(false, &record)
        _ = answer(false, &record)
        attempts.logOut(&record, at: start)
        #expect(attempts.standing(&record, at: start) == .blocked)
    }

    @Test
    func `Setting the state that holds changes nothing, and an undeclared one is an error`() throws {
        let durations: [String: TimeInterval] = ["on": 10, "off": 5]
        var state = ExternalizableState()
        #expect(state.current(durations, at: start) == "expired" && state.expiresAt(durations) == nil)
        try state.set("on", durations, at: start)
        try state.set("on", durations, at: start + 9)
        #expect(state.current(durations, at: start + 9.9) == "on")
        #expect(state.current(durations, at: start + 10) == "expired")
        try state.set("on", durations, at: start + 10)
        #expect(state.expiresAt(durations) == start + 20)
        #expect(throws: ExternalizableState.UnknownState.self) { try state.set("broken", durations, at: start) }
        // 25 days and more are no overflow.
        #expect(AttemptLimits(successStateExpiration: 40 * 86_400).durations["success"] == 3_456_000)
    }

    @Test
    func `What was kept by the first version is still read`() throws {
        let first = #"{"version":1,"state":{"name":"attempting","setAt":800000000},"usedAttempts":2,"fields":{}}"#
        let record = try JSONDecoder().decode(CheckRecord.self, from: Data(first.utf8))
        #expect(record.usedAttempts == 2 && record.state.name == "attempting" && record.judging == nil)
        #expect(try JSONDecoder().decode(CheckRecord.self, from: Data("{}".utf8)) == CheckRecord())
        let full = """
            {"version":1,"state":{"name":"success","setAt":800000000},"usedAttempts":1,"fields":{"a":1},"message":"m",\
            "judging":{"lot":"l","since":800000001},"user":{"id":"ada","displayName":"Ada","authenticatedAt":800000000,\
            "authenticatedBy":"Login","attributes":{}},"accessedAt":800000002,"grantedUntil":800000003,"person":"p",\
            "behind":{"Login":{"id":"ada","account":"a","accountEpoch":2}},"era":5,"lastUser":"ada","leftAt":800000004}
            """
        let read = try JSONDecoder().decode(CheckRecord.self, from: Data(full.utf8))
        #expect(read.judging?.nonce == "l" && read.generation == 5 && read.lastUser == "ada" && read.person == "p")
        #expect(read.dependencyUsers["Login"]?.accountEpoch == 2 && read.user?.id == "ada" && read.message == "m")
        // What is written has the names of before, which earlier programs read.
        let written = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(read))
        let expected = try JSONDecoder().decode(JSONValue.self, from: Data(full.utf8))
        guard case .object(let members) = written, case .object(let names) = expected else { throw TestFailure() }
        #expect(Set(members.keys) == Set(names.keys) && members["judging"]?["lot"] == .string("l"))
        let family = """
            {"version":1,"client":"c","scope":["Pin"],"passed":{"Pin":{"era":7,"user":{"id":"ada"},\
            "behind":{"Login":{"id":"ada"}}}},"checks":{},"current":"part","rotatedAt":800000000}
            """
        let stored = try JSONDecoder().decode(RefreshFamily.self, from: Data(family.utf8))
        #expect(stored.passed["Pin"]?.generation == 7 && stored.passed["Pin"]?.dependencyUsers["Login"]?.id == "ada")
        let version = try JSONDecoder().decode(ApplicationVersion.self, from: Data("{}".utf8))
        #expect(version == ApplicationVersion())
        let registration = try JSONDecoder().decode(ApplicationRegistration.self, from: Data("{}".utf8))
        #expect(registration.versions.isEmpty)
    }

    @Test
    func `Properties read from later layers, and all that is wrong is told`() throws {
        let definition = SecurityCheckDefinition("Pin", properties: ["pinCode": "1234", "maxAttempts": "3"]) {
            PINSecurityCheck(&$0)
        }
        let catalogue = try SecurityCheckCatalogue([definition], configuration: ["Pin": ["maxAttempts": "4"]])
        let version = ApplicationVersion(securityCheckConfigurations: ["Pin": ["blockedStateExpirationSec": "9"]])
        let check = try #require(catalogue.check("Pin", for: version) as? PINSecurityCheck)
        #expect(check.limits == AttemptLimits(maxAttempts: 4, blockedStateExpiration: 9))
        #expect(
            catalogue.check("Pin", for: ApplicationVersion(securityCheckConfigurations: ["Pin": ["maxAttempts": "x"]]))
                == nil)

        let letters = try SecurityCheckCatalogue([definition], configuration: ["Pin": ["pinCode": "abcd"]])
        #expect(letters.warnings == ["Pin: PIN code contains non-numeric characters"])
        let faults = #expect(throws: SecurityCheckCatalogue.Fault.self) {
            try SecurityCheckCatalogue(
                [
                    SecurityCheckDefinition("Pin", properties: ["pinCode": "123"]) { PINSecurityCheck(&$0) },
                    SecurityCheckDefinition("RegisteredClient", PINSecurityCheck(pin: Secret("1234"))),
                    SecurityCheckDefinition("a b", PINSecurityCheck(pin: Secret("1234"))),
                    SecurityCheckDefinition("Lost", StepUpPINSecurityCheck(after: "Nobody") { _ in nil }),
                    SecurityCheckDefinition("Self", StepUpPINSecurityCheck(after: "Self") { _ in nil }),
                ], configuration: ["Unknown": [:]])
        }
        #expect(faults?.faults.count == 6, "\(faults?.faults ?? [])")
    }
}
