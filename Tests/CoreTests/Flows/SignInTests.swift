import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Signing in")
struct SignInTests {
    // MARK: One factor

    @Test
    func `A right password signs in where nothing else is asked for`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let signedIn = try #require(await test.signIn().signedIn)
        #expect(signedIn.user.id == user.id)
        #expect(signedIn.user.lastSignInAt == test.now)
        #expect(!signedIn.isNewUser)
        #expect(signedIn.evidence.proofs.map(\.kind) == [.password])
        #expect(signedIn.evidence.authenticatedAt == test.now)
        #expect(signedIn.evidence.secondFactor == nil)
        #expect(try await test.events(.signedIn).map(\.userID) == [user.id])
    }

    @Test
    func `The spelling of an address does not matter`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let email = try #require(EmailAddress(" ADA@Example.ORG "))
        #expect(try await test.signIn(email).isAccomplished)
    }

    @Test
    func `A wrong password is refused and logged, without the password`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        #expect(try await test.signIn(password: "hunter22").refusal == Refusal(.wrongAnswer))
        let event = try #require(await test.events(.answerRefused).first)
        #expect(event.userID == user.id)
        #expect(event.reason == "wrongAnswer")
        #expect(!"\(event)".contains("hunter22"))
        #expect(try await test.user(user.id).lastSignInAt == nil)
    }

    @Test
    func `An account without password, an unknown address and a wrong password look alike over fifteen attempts`()
        async throws
    {
        let test = try await TestRealm.make()
        try await test.addUser()
        let linkOnly = EmailAddress(kept: "link@example.org")
        try await test.addUser(linkOnly, password: nil)
        let addresses = [TestRealm.email, linkOnly, EmailAddress(kept: "nobody@example.org")]
        for attempt in 1...15 {
            if attempt > 12 { test.clock.advance(60) }
            let before = test.hasher.verified.count
            var refusals: [Refusal?] = []
            for address in addresses { refusals.append(try await test.signIn(address, password: "wrong").refusal) }
            #expect(Set(refusals.map { $0.map { "\($0)" } }).count == 1, "attempt \(attempt): \(refusals)")
            let looks = refusals[0]?.reason == .wrongAnswer ? 3 : 0
            #expect(test.hasher.verified.count == before + looks, "attempt \(attempt)")
        }
    }

    @Test
    func `Only an application that reveals addresses is told that one has no account`() async throws {
        let test = try await TestRealm.make()
        var client = test.client
        client.revealsAddresses = true
        try await test.addUser()
        #expect(try await test.signIn(password: "wrong", by: client).reason == .wrongAnswer)
        #expect(try await test.signIn(TestRealm.otherEmail, by: client).reason == .unknownUser)
        #expect(try await test.signIn(TestRealm.otherEmail).reason == .wrongAnswer)
    }

    @Test
    func `That a user is disabled is told only to who knows the password`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        var change = AccountChange()
        change.isDisabled = true
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await test.signIn(password: "wrong").reason == .wrongAnswer)
        #expect(try await test.signIn().reason == .userDisabled)
    }

    @Test
    func `An application that requires a second factor refuses users who have none`() async throws {
        let test = try await TestRealm.make()
        var client = test.client
        client.requiresSecondFactor = true
        let user = try await test.addUser()
        #expect(try await test.signIn(by: client).reason == .secondFactorRequired)
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 10) }.isEmpty)
        _ = try await test.enrol(user)
        #expect(try await test.signIn(by: client).continuation != nil)
    }

    // MARK: Two factors

    @Test
    func `A user with TOTP gets a session only for the password and a code`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let before = try await test.user(enrolled.user.id).lastSignInAt
        test.clock.advance(60)
        let continuation = try await test.pending()
        #expect(continuation.factors == [try #require(await test.store.read { try $0.factor(enrolled.factor.id) })])
        #expect(try await test.user(enrolled.user.id).lastSignInAt == before)
        test.clock.advance(10)
        let code = enrolled.totp.code(at: test.now).stringCode
        let signedIn = try #require(
            await test.answer(code, of: enrolled.factor.id, for: continuation.handle).signedIn)
        #expect(signedIn.evidence.proofs.map(\.kind) == [.password, .totp])
        #expect(signedIn.evidence.secondFactor?.factorID == enrolled.factor.id)
        #expect(signedIn.evidence.authenticatedAt == test.now)
        #expect(try await test.user(enrolled.user.id).lastSignInAt == test.now)
    }

    @Test(
        arguments: [
            (" %3 %3 ", true), ("%3-%3", false), ("+%6", false), ("", false), ("%3", false), ("%6%6", false),
        ])
    func `A code may be typed with spaces, and not with anything else`(form: String, isTaken: Bool) async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let code = enrolled.totp.code(at: test.now).stringCode
        let typed = form.replacingOccurrences(of: "%6", with: code)
            .replacing("%3", with: code.prefix(3), maxReplacements: 1)
            .replacing("%3", with: code.suffix(3))
        let verdict = try await test.answer(typed, of: enrolled.factor.id, for: test.pending().handle)
        #expect(verdict.isAccomplished == isTaken)
    }

    @Test
    func `A pending credential lives as long as it was given`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let first = try await test.pending().handle
        test.clock.advance(299)
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: first).isAccomplished)
        let second = try await test.pending().handle
        test.clock.advance(300)
        let later = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(later, of: enrolled.factor.id, for: second).reason == .flowExpired)
    }

    @Test
    func `A pending credential is good for one success`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        let codes = [0.0, 30].map { enrolled.totp.code(at: test.now + $0).stringCode }
        #expect(try await test.answer(codes[0], of: enrolled.factor.id, for: handle).isAccomplished)
        #expect(try await test.answer(codes[1], of: enrolled.factor.id, for: handle).reason == .flowFinished)
    }

    @Test
    func `A flow of another purpose or another user is as unknown as a made-up one`() async throws {
        let test = try await TestRealm.make()
        let ada = try await test.addEnrolledUser()
        let other = try await test.addUser(TestRealm.otherEmail)
        let pending = try await test.pending().handle
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        let offer = try await test.offer(to: other.id).handle
        let code = ada.totp.code(at: test.now).stringCode
        let right = Answer.code(Secret(code), factor: ada.factor.id)
        let door = test.realm.authenticator
        func reason(
            _ answer: Answer, _ handle: FlowHandle, _ expectation: FlowExpectation
        ) async throws -> Refusal.Reason? {
            try await door.answer(answer, to: .flow(handle, expectation), by: test.client).reason
        }
        #expect(try await reason(right, FlowHandle("made up"), .any(.signIn)) == .unknownFlow)
        #expect(try await reason(right, FlowHandle(""), .any(.signIn)) == .unknownFlow)
        #expect(try await reason(right, pending, .any(.enrolFactor)) == .unknownFlow)
        #expect(try await reason(right, pending, .any(.signIn, user: other.id)) == .unknownFlow)
        #expect(try await reason(.link(newPassword: nil), link, .any(.verifyEmail, .signIn)) == .unknownFlow)
        #expect(
            try await reason(.enrolmentCode(Secret("123456"), name: ""), offer, .any(.enrolFactor, user: ada.user.id))
                == .unknownFlow)
        // None of that used anything up.
        #expect(try await reason(right, pending, .any(.signIn, user: ada.user.id)) == nil)
    }

    @Test
    func `An answer of a kind that the flow does not wait for is refused and not counted`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        let answers: [Answer] = [
            .password(Secret(TestRealm.password)), .link(), .mailedCode(Secret("12345678")),
            .enrolmentCode(Secret("123456"), name: ""), .customToken(Secret("a.b.c"), audience: "a"),
        ]
        for answer in answers {
            let verdict = try await test.realm.authenticator.answer(
                answer, to: .flow(handle, .any(.signIn)), by: test.client)
            #expect(verdict.reason == .unexpectedAnswer)
        }
        #expect(try await test.store.read { try $0.flow(digest: handle.digest) }?.attempts == 0)
        for answer in answers.dropFirst().dropLast() {
            let opening = FlowOpening(subject: .email(TestRealm.email), terms: GrantTerms())
            let verdict = try await test.realm.authenticator.answer(answer, to: .opening(opening), by: test.client)
            #expect(verdict.reason == .unexpectedAnswer)
        }
    }

    @Test
    func `The handle of a mailed code is no link, and that of a link waits for no code`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let code = try await test.mailCode()
        #expect(try await test.follow(code.handle).reason == .unexpectedAnswer)
        let link = try #require(await test.mailLink(.signIn(TestRealm.email)))
        #expect(try await test.answer("12345678", mailedFor: link).reason == .unexpectedAnswer)
    }

    @Test
    func `Another user's factor, a withdrawn one, a password and a made-up one are unknown`() async throws {
        let test = try await TestRealm.make()
        let ada = try await test.addEnrolledUser()
        let other = try await test.addEnrolledUser(TestRealm.otherEmail)
        let handle = try await test.pending().handle
        let password = try #require(
            await test.store.read { try $0.factors(of: ada.user.id) }.first { $0.kind == .password })
        let code = other.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: other.factor.id, for: handle).reason == .unknownFactor)
        #expect(try await test.answer(TestRealm.password, of: password.id, for: handle).reason == .unknownFactor)
        #expect(try await test.answer(code, of: FactorID(rawValue: "x"), for: handle).reason == .unknownFactor)
        _ = try await test.store.write { try $0.deleteFactor(ada.factor.id) }
        let right = ada.totp.code(at: test.now).stringCode
        #expect(try await test.answer(right, of: ada.factor.id, for: handle).reason == .unknownFactor)
    }

    @Test
    func `A password change between the factors kills the pending credential`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        var change = AccountChange()
        change.password = Secret("difference engine")
        _ = try await test.realm.accounts.change(enrolled.user.id, change, by: test.client)
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: handle).reason == .flowExpired)
    }

    @Test
    func `A user who is disabled or deleted between the factors gets no session`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        var change = AccountChange()
        change.isDisabled = true
        _ = try await test.realm.accounts.change(enrolled.user.id, change, by: test.client)
        let wrong = test.wrongCode(enrolled.totp)
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(wrong, of: enrolled.factor.id, for: handle).reason == .wrongAnswer)
        #expect(try await test.answer(code, of: enrolled.factor.id, for: handle).reason == .userDisabled)
        _ = try await test.realm.accounts.delete(enrolled.user.id, by: test.client)
        #expect(try await test.answer(code, of: enrolled.factor.id, for: handle).reason == .unknownFlow)
    }

    @Test
    func `A factor that is switched off is not asked for, and does not answer what was asked before`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        try await test.changeSettings { $0.secondFactors.totp?.state = .disabled }
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: handle).reason == .factorNotOffered)
        #expect(try await test.signIn().isAccomplished)
        try await test.changeSettings { $0.secondFactors.totp = nil }
        #expect(try await test.signIn().isAccomplished)
    }

    @Test
    func `A flow tells where it stands without counting`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        func status(_ purpose: FlowPurpose = .signIn) async throws -> String {
            let status = try await test.realm.authenticator.status(of: handle, expecting: .any(purpose))
            return "\(status)".prefix { $0.isLetter }.description
        }
        for _ in 0..<20 { #expect(try await status() == "open") }
        #expect(try await status(.resetPassword) == "unknown")
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: handle).isAccomplished)
        #expect(try await status() == "finished")
    }
}
