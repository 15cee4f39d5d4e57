import Foundation
import Testing

@testable import CountersignCore

/// How many users a change of the settings concerns (`docs/decisions/0384`).
@Suite("Users whom a change concerns")
struct ConcernedUsersTests {
    private func address(_ number: Int) -> EmailAddress { EmailAddress(kept: "user\(number)@example.org") }

    private func counts(
        _ test: TestRealm, _ change: (inout RealmSettings) -> Void
    ) async throws -> [ConcernedUsers.Effect: Int] {
        var settings = try await test.realm.settings()
        change(&settings)
        let concerned = try await test.realm.accounts.concerned(by: settings)
        #expect(concerned.isWhole)
        return concerned.counts
    }

    @Test(arguments: TestStore.available)
    func `Each rule counts those for whom something becomes different, and nobody else`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        for number in 0..<3 { _ = try await test.addUser(address(number)) }
        _ = try await test.addUser(address(3), password: nil)
        for number in 4..<6 { _ = try await test.addEnrolledUser(address(number)) }
        _ = try await test.realm.accounts.create(
            email: address(6), password: Secret(TestRealm.password), profile: UserProfile(emailVerified: true),
            isDisabled: true, by: test.client
        ).get()

        #expect(try await counts(test) { _ in } == [:])
        #expect(try await counts(test) { $0.secondFactors.state = .mandatory } == [.needsSecondFactor: 4])
        #expect(try await counts(test) { $0.secondFactors.totp?.state = .disabled } == [.losesSecondFactor: 2])
        #expect(
            try await counts(test) {
                $0.secondFactors.totp?.state = .disabled
                $0.secondFactors.state = .mandatory
            } == [.needsSecondFactor: 6])
        #expect(try await counts(test) { $0.passwords.minimumLength = 20 } == [.choosesPassword: 5])
        #expect(try await counts(test) { $0.terms.version = "2026-11" } == [.isAskedTerms: 6])
        #expect(try await counts(test) { $0.tokens.sessionDays = 1 } == [:])

        try await test.changeSettings { $0.secondFactors.totp?.state = .disabled }
        #expect(try await counts(test) { $0.secondFactors.totp?.state = .enabled } == [.regainsFactor: 2])
    }

    @Test func `A look ends at its bound and says so`() async throws {
        let test = try await TestRealm.make()
        for number in 0..<5 { _ = try await test.addUser(address(number)) }
        var settings = try await test.realm.settings()
        settings.passwords.minimumLength = 20
        let some = try await test.realm.accounts.concerned(by: settings, most: 3)
        #expect(some.counts == [.choosesPassword: 3] && some.seen == 3 && !some.isWhole)
        let all = try await test.realm.accounts.concerned(by: settings, most: 6)
        #expect(all.counts == [.choosesPassword: 5] && all.seen == 5 && all.isWhole)
    }
}
