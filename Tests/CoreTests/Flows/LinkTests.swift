import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Mailed links")
struct LinkTests {
    // MARK: All of them

    @Test(arguments: FlowPurpose.linked)
    func `A link is good for one success`(purpose: FlowPurpose) async throws {
        let test = try await TestRealm.make()
        let handle = try #require(await test.mailLink(for: purpose, to: test.addUser()))
        let password = purpose == .resetPassword ? "difference engine" : nil
        #expect(try await test.follow(handle, newPassword: password).isAccomplished)
        #expect(try await test.follow(handle, newPassword: password).reason == .flowFinished)
    }

    @Test(arguments: FlowPurpose.linked)
    func `A link lives an hour, one that verifies an address three days`(purpose: FlowPurpose) async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let handles = [
            try #require(await test.mailLink(for: purpose, to: user)),
            try #require(await test.mailLink(for: purpose, to: user)),
        ]
        let lifetime = purpose == .verifyEmail ? 3 * 86_400.0 : 3600
        let password = purpose == .resetPassword ? "difference engine" : nil
        test.clock.advance(lifetime - 1)
        let verdict = try await test.follow(handles[0], newPassword: password)
        #expect(verdict.isAccomplished)
        test.clock.advance(1)
        #expect(try await test.follow(handles[1], newPassword: password).reason == .flowExpired)
    }

    @Test
    func `Links that were mailed before a revocation are dead, but for the proof of an address`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: false)
        var handles: [FlowPurpose: FlowHandle] = [:]
        for purpose in FlowPurpose.linked { handles[purpose] = try await test.mailLink(for: purpose, to: user) }
        var change = AccountChange()
        change.revokesTokensAt = test.now
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        for (purpose, handle) in handles {
            let verdict = try await test.follow(handle, newPassword: "difference engine")
            #expect(verdict.reason == (purpose == .verifyEmail ? nil : .flowExpired), "\(purpose)")
        }
    }

    @Test
    func `Guesses at handles count against no user`() async throws {
        let test = try await TestRealm.make()
        let handle = try #require(await test.mailLink(.signIn(TestRealm.email)))
        for index in 0..<30 { #expect(try await test.follow(FlowHandle("\(index)")).reason == .unknownFlow) }
        for _ in 0..<30 {
            let verdict = try await test.follow(handle, claiming: TestRealm.otherEmail)
            #expect(verdict.reason == .wrongAnswer)
        }
        #expect(try await test.follow(handle, claiming: TestRealm.email).isAccomplished)
    }

    @Test
    func `Neither a handle nor its text is anywhere in the store`() async throws {
        let test = try await TestRealm.make()
        let handle = try #require(await test.mailLink(.signIn(TestRealm.email)))
        let record = try #require(await test.store.read { try $0.flow(digest: handle.digest) })
        let text = Data(handle.token.reveal().utf8)
        let message = try #require(await test.mails().first).message
        for kept in [record.digest, record.body, message.sealedContent] { #expect(kept.range(of: text) == nil) }
        #expect("\(handle) \(String(reflecting: handle))".contains(handle.token.reveal()) == false)
    }

    // MARK: Verifying an address

    @Test
    func `A verification link proves the address it was mailed to`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: false)
        let handle = try #require(await test.mailLink(.verifyEmail(user.id)))
        #expect(try await test.follow(handle, [.verifyEmail]).isAccomplished)
        let verified = try await test.user(user.id)
        #expect(verified.profile.emailVerified)
        #expect(verified.tokenEpoch == user.tokenEpoch)
    }

    @Test
    func `A verification link does not prove the address that the user has by then`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: false)
        let handle = try #require(await test.mailLink(.verifyEmail(user.id)))
        var change = AccountChange()
        change.email = .some(TestRealm.otherEmail)
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await test.follow(handle).reason == .unknownFlow)
        #expect(try await !test.user(user.id).profile.emailVerified)
    }

    @Test
    func `There is nothing to verify without a user or without an address`() async throws {
        let test = try await TestRealm.make()
        let sent = try await test.realm.mailings.sendLink(.verifyEmail(UserID(rawValue: "x")), by: test.client)
        #expect(sent.refusal?.reason == .userNotFound)
        let user = try await test.realm.accounts.create(email: nil, password: nil, by: test.client).get()
        let other = try await test.realm.mailings.sendLink(.verifyEmail(user.id), by: test.client)
        #expect(other.refusal?.reason == .unexpectedAnswer)
    }

    // MARK: Resetting a password

    @Test
    func `A reset changes the password, proves the address, and ends sessions and other flows`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: false)
        let session = try #require(await test.signIn().signedIn)
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        let others = [
            try #require(await test.mailLink(.resetPassword(TestRealm.email))),
            try #require(await test.mailLink(.signIn(TestRealm.email))),
            try #require(await test.mailLink(.changeEmail(user.id, to: TestRealm.otherEmail))),
        ]
        let code = try await test.mailCode()
        test.clock.advance(5)
        guard case .accomplished(.passwordReset) = try await test.follow(link, newPassword: "difference engine") else {
            Issue.record("not reset")
            return
        }
        let after = try await test.user(user.id)
        #expect(after.profile.emailVerified)
        #expect(after.passwordChangedAt == test.now)
        #expect(after.tokenEpoch == user.tokenEpoch + 1)
        #expect(try await test.signIn().reason == .wrongAnswer)
        #expect(try await test.signIn(password: "difference engine").isAccomplished)
        #expect(
            try await test.realm.sessions.refresh(session.refreshToken, of: .testClient, by: test.client).refusal
                == .ended)
        for other in others {
            #expect(try await test.follow(other, newPassword: "steam engines").reason == .flowExpired)
        }
        #expect(try await test.answer(code.code, mailedFor: code.handle).reason == .flowExpired)
    }

    @Test
    func `A new password that is too weak uses nothing up`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        for _ in 0..<20 {
            let refusal = try await test.follow(link, newPassword: "short").refusal
            #expect(refusal == Refusal(.weakPassword, passwordFault: .tooShort(minimum: 8)))
        }
        #expect(try await test.follow(link, newPassword: "ada@example.org").refusal?.passwordFault == .containsAddress)
        #expect(test.hasher.hashed == 1)
        #expect(try await test.signIn().isAccomplished)
        #expect(try await test.follow(link, newPassword: "difference engine").isAccomplished)
    }

    @Test
    func `A reset link without a new password resets nothing, and can be used afterwards`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        #expect(try await test.follow(link).refusal != nil)
        #expect(try await test.signIn().isAccomplished)
        #expect(try await test.follow(link, newPassword: "difference engine").isAccomplished)
    }

    @Test
    func `A new password is not hashed for a link that was never mailed`() async throws {
        let test = try await TestRealm.make()
        for _ in 0..<10 {
            #expect(try await test.follow(FlowHandle("x"), newPassword: "difference engine").reason == .unknownFlow)
        }
        #expect(test.hasher.hashed == 0)
    }

    @Test
    func `A reset leaves the second factor, which is asked for afterwards`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.addEnrolledUser()
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        #expect(try await test.follow(link, newPassword: "difference engine").isAccomplished)
        #expect(try await test.signIn(password: "difference engine").continuation != nil)
    }

    @Test
    func `A reset gives a password to an account that had none`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser(password: nil)
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        #expect(try await test.follow(link, newPassword: "difference engine").isAccomplished)
        #expect(try await test.signIn(password: "difference engine").isAccomplished)
    }

    // MARK: Changing an address

    @Test
    func `A link to a new address changes to it, proves it, and ends sessions`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: false)
        let session = try #require(await test.signIn().signedIn)
        let link = try #require(await test.mailLink(.changeEmail(user.id, to: TestRealm.otherEmail)))
        #expect(try await test.mails().last?.message.recipient == TestRealm.otherEmail.canonical)
        #expect(try await test.follow(link, [.changeEmail]).isAccomplished)
        let after = try await test.user(user.id)
        #expect(after.email == TestRealm.otherEmail)
        #expect(after.profile.emailVerified)
        #expect(
            try await test.realm.sessions.refresh(session.refreshToken, of: .testClient, by: test.client).refusal
                == .ended)
        #expect(try await test.events(.emailChanged).first?.details["former"] == "ada@example.org")
    }

    @Test
    func `An address that another user took meanwhile stays theirs`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let link = try #require(await test.mailLink(.changeEmail(user.id, to: TestRealm.otherEmail)))
        let other = try await test.addUser(TestRealm.otherEmail)
        #expect(try await test.follow(link).reason == .addressTaken)
        #expect(try await test.realm.accounts.user(email: TestRealm.otherEmail)?.id == other.id)
        #expect(try await test.user(user.id).email == TestRealm.email)
    }

    @Test
    func `A link of before its user was disabled changes no address, while the user is, nor afterwards`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let link = try #require(await test.mailLink(.changeEmail(user.id, to: TestRealm.otherEmail)))
        var change = AccountChange()
        for (isDisabled, reason) in [(true, Refusal.Reason.userDisabled), (false, .flowExpired)] {
            change.isDisabled = isDisabled
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
            #expect(try await test.follow(link, [.changeEmail]).reason == reason)
        }
        #expect(try await test.user(user.id).email == TestRealm.email)
    }

    // MARK: Signing in

    @Test
    func `A sign-in link signs in, and counts as proof of the address`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let handle = try #require(await test.mailLink(.signIn(TestRealm.email)))
        let signedIn = try #require(await test.follow(handle, [.signIn]).signedIn)
        #expect(signedIn.user.id == user.id)
        #expect(!signedIn.isNewUser)
        #expect(signedIn.evidence.proofs.map(\.kind) == [.email])
        // The address was proven before: the password stays.
        #expect(try await test.signIn().isAccomplished)
    }

    @Test
    func `A sign-in link makes an account where people may sign up`() async throws {
        let test = try await TestRealm.make()
        let handle = try #require(await test.mailLink(.signIn(TestRealm.email)))
        let signedIn = try #require(await test.follow(handle).signedIn)
        #expect(signedIn.isNewUser)
        #expect(signedIn.user.email == TestRealm.email)
        #expect(signedIn.user.profile.emailVerified)
        #expect(signedIn.user.profile.providers == ["emailLink"])
    }

    @Test
    func `A sign-in link makes no account where sign-up is closed, before or after it was mailed`() async throws {
        let test = try await TestRealm.make()
        let early = try #require(await test.mailLink(.signIn(TestRealm.email)))
        try await test.changeSettings { $0.signUp.isOpen = false }
        #expect(try await test.mailLink(.signIn(TestRealm.email)) == nil)
        #expect(try await test.mails().count == 1)
        #expect(try await test.follow(early).reason == .signUpClosed)
        #expect(try await test.store.read { try $0.countUsers() } == 0)
        try await test.addUser()
        let late = try #require(await test.mailLink(.signIn(TestRealm.email)))
        #expect(try await test.follow(late).isAccomplished)
    }

    @Test
    func `What a stranger set up on an unproven address is gone when its owner follows a link`() async throws {
        let test = try await TestRealm.make()
        let outcome = try await test.realm.accounts.signUp(
            email: TestRealm.email, password: Secret("stranger's own"), by: test.client)
        guard case .signedUp(let stranger) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let own = try #require(await test.mailLink(.changeEmail(stranger.user.id, to: TestRealm.otherEmail)))
        let handle = try #require(await test.mailLink(.signIn(TestRealm.email)))
        let owner = try #require(await test.follow(handle).signedIn)
        #expect(owner.user.id == stranger.user.id)
        #expect(owner.user.profile.emailVerified)
        #expect(try await test.signIn(password: "stranger's own").reason == .wrongAnswer)
        #expect(
            try await test.realm.sessions.refresh(stranger.refreshToken, of: .testClient, by: test.client).refusal
                == .ended)
        #expect(try await test.follow(own).reason == .flowExpired)
        let refusal = try await test.refusal(
            ofTokenFor: owner.user.id, epoch: stranger.session.tokenEpoch, issuedAt: test.now.seconds)
        #expect(refusal == .revoked)
        #expect(
            try await test.realm.sessions.refresh(owner.refreshToken, of: .testClient, by: test.client).refreshed != nil
        )
    }

    @Test
    func `A sign-in link asks a user with TOTP for a code, within five minutes`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try #require(await test.mailLink(.signIn(TestRealm.email)))
        let continuation = try #require(await test.follow(handle).continuation)
        #expect(try await test.follow(handle).reason == .flowFinished)
        test.clock.advance(299)
        let code = enrolled.totp.code(at: test.now).stringCode
        let signedIn = try #require(
            await test.answer(code, of: enrolled.factor.id, for: continuation.handle).signedIn)
        #expect(signedIn.evidence.proofs.map(\.kind) == [.email, .totp])
        #expect(signedIn.evidence.proofs.map(\.isSecondFactor) == [false, true])
    }

    @Test
    func `Refused sign-in links of an application that requires a second factor make no account`() async throws {
        let test = try await TestRealm.make()
        var client = test.client
        client.requiresSecondFactor = true
        let handle = try #require(await test.mailLink(.signIn(TestRealm.email), by: client))
        #expect(try await test.follow(handle).reason == .secondFactorRequired)
        #expect(try await test.store.read { try $0.countUsers() } == 0)
    }
}
