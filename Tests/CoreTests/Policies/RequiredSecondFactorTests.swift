import Foundation
import Testing

@testable import CountersignCore

/// A second factor that is required of some: members of groups, and users with a role (`docs/decisions/0475`).
@Suite("Second factors that are required of some")
struct RequiredSecondFactorTests {
    private static let password = Answer.password(Secret(TestRealm.password))

    private func address(_ number: Int) -> EmailAddress { EmailAddress(kept: "user\(number)@example.org") }

    private func step(_ address: EmailAddress, _ test: TestRealm) async throws -> JourneyStep? {
        let handle = try await test.begin(.signIn(address))
        return try await test.give(Self.password, to: handle).step
    }

    @Test(arguments: TestStore.available)
    func `Members of a named group, and users with a named role, enrol one; others do not`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let (member, support, other) = (
            try await test.addUser(address(1)), try await test.addUser(address(2)), try await test.addUser(address(3))
        )
        let staff = try #require(GroupName("staff"))
        _ = try await test.realm.groups.add(staff, summary: "", by: test.client)
        _ = try await test.realm.groups.addMember(member.id, to: staff, by: test.client)
        _ = try await test.realm.administrators.grant(.support, to: support.id, by: test.client)
        for number in 1...3 { #expect(try await step(address(number), test) == nil, "Nobody is named.") }

        // Whom it would concern is said before.
        var settings = try await test.realm.settings()
        settings.secondFactors.requiredGroups = ["staff", "gone"]
        #expect(try await test.realm.accounts.concerned(by: settings).counts == [.needsSecondFactor: 1])
        settings.secondFactors.requiredRoles = ["support", "auditor"]
        #expect(try await test.realm.accounts.concerned(by: settings).counts == [.needsSecondFactor: 2])

        // What was opened before goes on only until its token is traded.
        let open = try await test.begin(.signIn(address(1)))
        let granted = try #require(try await test.give(Self.password, to: open).signedIn)
        let chosen = settings.secondFactors
        try await test.changeSettings { $0.secondFactors = chosen }
        let late = try await test.realm.sessions.refresh(granted.refreshToken, of: .testClient, by: test.client)
        #expect(late.refusal == .secondFactorRequired)
        #expect(try await step(address(1), test) == .registration)
        #expect(try await step(address(2), test) == .registration)
        #expect(try await step(address(3), test) == nil)

        // Who comes into the group later is one of them, and who leaves it is none. What that lifts is said before, and expected.
        let (groups, administrators) = (test.realm.groups, test.realm.administrators)
        #expect(try await administrators.requiresSecondFactor(onlyOf: support.id))
        #expect(try await !administrators.requiresSecondFactor(onlyOf: member.id))
        for user in [other, support] { _ = try await groups.addMember(user.id, to: staff, by: test.client) }
        #expect(
            try await groups.removal(of: member.id, from: staff).get()
                == .init(isChanged: true, liftsSecondFactor: true))
        #expect(
            try await groups.removal(of: support.id, from: staff).get()
                == .init(isChanged: true, liftsSecondFactor: false), "The role goes on.")
        #expect(try await !administrators.requiresSecondFactor(onlyOf: support.id), "The group goes on.")
        #expect(
            try await groups.removeMember(member.id, from: staff, lifting: false, by: test.client)
                == .failure(.isOtherwise))
        #expect(try await groups.groups(of: member.id) == [staff])
        #expect(
            try await groups.removeMember(member.id, from: staff, lifting: true, by: test.client).get()
                .liftsSecondFactor)
        #expect(
            try await groups.removal(of: member.id, from: staff).get()
                == .init(isChanged: false, liftsSecondFactor: false))
        let left = try await test.events(.groupMemberRemoved)
        #expect(left.map { $0.details["liftsSecondFactor"] } == [.bool(true)])
        #expect(try await step(address(3), test) == .registration)
        #expect(try await step(address(1), test) == nil)
    }

    @Test func `A member without one may put it off where the settings say so`() async throws {
        let test = try await TestRealm.make()
        let member = try await test.addUser(address(1))
        _ = try await test.realm.administrators.grant(.support, to: member.id, by: test.client)
        try await test.changeSettings {
            $0.secondFactors.requiredRoles = ["support"]
            $0.secondFactors.skippableTimes = 1
        }
        let handle = try await test.begin(.signIn(address(1)))
        #expect(try await test.give(Self.password, to: handle).step == .registration)
        let outcome = try await test.realm.journeys.putOffEnrolment(
            in: handle, expecting: test.expectation(), for: nil, by: test.client)
        #expect(outcome == .goesOn)
        #expect(try await step(address(1), test) == nil)
    }
}
