import Foundation
import Testing

@testable import CountersignCore

/// "Later", where a second factor is required of a user who has none (`docs/decisions/0430`).
@Suite("Enrolments that are put off")
struct PutOffEnrolmentTests {
    private static let password = Answer.password(Secret(TestRealm.password))

    /// A sign-in that has come to the enrolment of a second factor.
    private func begin(_ test: TestRealm) async throws -> FlowHandle {
        var strict = test.client
        strict.requiresSecondFactor = true
        let handle = try await test.begin(.signIn(TestRealm.email), by: strict)
        #expect(try await test.give(Self.password, to: handle).step == .registration)
        return handle
    }

    private func putOff(_ handle: FlowHandle, _ test: TestRealm) async throws -> Journeys.PutOffOutcome {
        try await test.realm.journeys.putOffEnrolment(
            in: handle, expecting: test.expectation(), for: nil, by: test.client)
    }

    private func delay(_ handle: FlowHandle, _ test: TestRealm) async throws -> EnrolmentDelay? {
        try await test.realm.journeys.delay(of: handle, expecting: test.expectation(), for: nil)
    }

    private func times(_ test: TestRealm) async throws -> Int {
        try await test.realm.accounts.user(email: TestRealm.email)?.profile.putOffEnrolment?.times ?? 0
    }

    @Test(arguments: TestStore.available)
    func `Each day that is put off counts once, and none is admitted beyond the number`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        try await test.changeSettings {
            $0.secondFactors.state = .mandatory
            $0.secondFactors.skippableTimes = 2
        }
        for day in 1...2 {
            let handle = try await begin(test)
            #expect(try await delay(handle, test) == EnrolmentDelay(timesLeft: 3 - day, until: nil))
            #expect(try await putOff(handle, test) == .goesOn)
            let verdict = try await test.give(.claim(nil), to: handle)
            #expect(verdict.isAccomplished, "\(verdict)")
            #expect(try await putOff(handle, test) == .refused)
            #expect(try await times(test) == day)

            // Nothing is asked for the rest of the day, also of tokens that are refreshed.
            let granted = try #require(verdict.signedIn)
            let again = try await test.begin(.signIn(TestRealm.email), by: strict(test))
            #expect(try await test.give(Self.password, to: again).isAccomplished)
            guard
                case .refreshed(let fresh) = try await test.realm.sessions.refresh(
                    granted.refreshToken, of: .testClient, by: strict(test))
            else { throw TestFailure() }
            test.clock.advance(86_400)
            let late = try await test.realm.sessions.refresh(fresh.refreshToken, of: .testClient, by: strict(test))
            #expect(late.refusal == .secondFactorRequired)
        }
        let handle = try await begin(test)
        #expect(try await delay(handle, test) == nil)
        #expect(try await putOff(handle, test) == .refused)
        #expect(try await times(test) == 2)
        let events = try await test.store.read { try $0.auditEvents(of: user.id, after: nil, limit: 100) }
        #expect(events.count { $0.kind == AuditEvent.Kind.factorPutOff } == 2)

        // More are left where the rule admits more.
        try await test.changeSettings { $0.secondFactors.skippableTimes = 3 }
        #expect(try await delay(handle, test)?.timesLeft == 1)
    }

    private func strict(_ test: TestRealm) -> ClientContext {
        var strict = test.client
        strict.requiresSecondFactor = true
        return strict
    }

    @Test(arguments: TestStore.available)
    func `Ten tabs that put it off at once take one day and pay for one`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        _ = try await test.addUser()
        try await test.changeSettings {
            $0.secondFactors.state = .mandatory
            $0.secondFactors.skippableTimes = 1
        }
        var handles: [FlowHandle] = []
        for _ in 0..<10 { handles.append(try await begin(test)) }
        let tabs = handles
        let outcomes = try await race(10, meetingBefore: 1) { try await putOff(tabs[$0], test) }
        #expect(outcomes.allSatisfy { $0 == .goesOn }, "\(outcomes)")
        #expect(try await times(test) == 1)
        test.clock.advance(86_400)
        #expect(try await putOff(begin(test), test) == .refused)
    }

    @Test func `The last day counts to its end, and what was put off ends with the rule`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.addUser()
        let day = String(test.now.formatted(.iso8601).prefix(10))
        try await test.changeSettings {
            $0.secondFactors.state = .mandatory
            $0.secondFactors.skippableUntil = day
        }
        let handle = try await begin(test)
        let until = try #require(try await delay(handle, test)?.until)
        #expect(until > test.now && until <= test.now + 86_400)
        #expect(until.formatted(.iso8601).hasSuffix("T00:00:00Z"))
        #expect(try await putOff(handle, test) == .goesOn)
        test.clock.advance(until.timeIntervalSince(test.now) - 1)
        let last = try await test.begin(.signIn(TestRealm.email), by: strict(test))
        #expect(try await test.give(Self.password, to: last).isAccomplished)
        test.clock.advance(1)
        let over = try await begin(test)
        #expect(try await delay(over, test) == nil)
        #expect(try await putOff(over, test) == .refused)
        try await test.changeSettings { $0.secondFactors.skippableUntil = "2027-13-40" }
        #expect(try await delay(over, test) == nil)
        try await test.changeSettings {
            $0.secondFactors.skippableUntil = "2030-01-01"
            $0.secondFactors.skippableTimes = 0
        }
        #expect(try await delay(over, test) == nil)
    }

    @Test func `A user with a second factor puts nothing off, and is asked for it on a day that was put off`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        try await test.changeSettings {
            $0.secondFactors.state = .mandatory
            $0.secondFactors.skippableTimes = 5
        }
        let handle = try await begin(test)
        let late = try await begin(test)
        #expect(try await putOff(handle, test) == .goesOn)
        _ = try await test.enrol(user)
        #expect(try await delay(late, test) == nil)
        #expect(try await putOff(late, test) == .refused)
        let asked = try await test.begin(.signIn(TestRealm.email), by: strict(test))
        #expect(try await test.give(Self.password, to: asked).step == .secondFactor)
        #expect(try await test.give(.claim(nil), to: handle).step == .secondFactor)
    }

    @Test func `Users whom the rule lets wait are counted before it is changed`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.addUser()
        func effects(_ change: (inout RealmSettings) -> Void) async throws -> [ConcernedUsers.Effect: Int] {
            var settings = try await test.realm.settings()
            change(&settings)
            return try await test.realm.accounts.concerned(by: settings).counts
        }
        let mandatory: @Sendable (inout RealmSettings) -> Void = {
            $0.secondFactors.state = .mandatory
            $0.secondFactors.skippableTimes = 3
        }
        #expect(try await effects { $0.secondFactors.skippableTimes = 3 } == [:])
        #expect(try await effects(mandatory) == [.needsSecondFactor: 1, .mayPutOff: 1])
        try await test.changeSettings(mandatory)
        #expect(try await effects { $0.secondFactors.skippableTimes = 2 } == [:])
        #expect(try await effects { $0.secondFactors.skippableTimes = nil } == [.cannotPutOff: 1])
        #expect(try await effects { $0.secondFactors.skippableUntil = "2020-01-01" } == [.cannotPutOff: 1])
    }

    @Test func `What was put off is kept with the user, and days are days of the calendar`() throws {
        var profile = UserProfile()
        #expect(try UserProfile(stored: profile.stored) == profile)
        #expect(try !String(decoding: profile.stored, as: UTF8.self).contains("putOff"))
        profile.putOffEnrolment(at: Date(microseconds: 1_790_000_010_000_000))
        profile.putOffEnrolment(at: Date(microseconds: 1_790_000_020_000_000))
        #expect(profile.putOffEnrolment?.times == 2)
        #expect(try UserProfile(stored: profile.stored) == profile)
        #expect(try JSONDecoder().decode(UserProfile.self, from: profile.stored) == profile)
        #expect(try UserProfile(stored: JSONEncoder().encode(profile)) == profile)
        for text in ["2026-12-03", "2028-02-29"] { #expect(SecondFactorSettings.isDay(text), "\(text)") }
        for text in ["2026-02-29", "2026-13-01", "2026-12-3", "2026-12-03T", "26-12-0003", "２０２６-12-03", "", "none"] {
            #expect(!SecondFactorSettings.isDay(text), "\(text)")
        }
    }
}
