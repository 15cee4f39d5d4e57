import CountersignCore
import Foundation
import OneTimePassword
import Testing

@Suite("A second factor of an account whose address is not proven")
struct SecondFactorOfUnprovenAddressTests {
    /// A user with TOTP changed the address and has not verified the new one yet.
    private func changeAddress(_ test: TestRealm, of enrolled: EnrolledUser) async throws {
        var change = AccountChange()
        change.email = .some(TestRealm.otherEmail)
        _ = try await test.realm.accounts.change(enrolled.user.id, change, by: test.client)
    }

    @Test
    func `A mailbox alone does not get past it by a link`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        try await changeAddress(test, of: enrolled)
        let handle = try #require(await test.mailLink(.signIn(TestRealm.otherEmail)))
        let continuation = try #require(await test.follow(handle).continuation)
        #expect(continuation.factors.map(\.id) == [enrolled.factor.id])
        // The password is of before the proof, and goes all the same.
        #expect(try await test.signIn(TestRealm.otherEmail).reason == .wrongAnswer)
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: continuation.handle).isAccomplished)
    }

    @Test
    func `A mailbox alone does not get past it by a mailed code`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        try await changeAddress(test, of: enrolled)
        let (handle, code) = try await test.mailCode(to: TestRealm.otherEmail)
        #expect(try await test.answer(code, mailedFor: handle).continuation != nil)
    }
}
