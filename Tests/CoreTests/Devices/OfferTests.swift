import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Offers to enrol")
struct OfferTests {
    private func offer(
        _ test: TestRealm, during handle: FlowHandle, kinds: [FactorKind]? = nil
    ) async throws -> DeviceTicket {
        try await #require(
            test.realm.enrolments.beginDevice(during: handle, expecting: .any(.signIn), kinds: kinds, by: test.client)
                .ticket)
    }

    private func code(_ test: TestRealm, _ ticket: DeviceTicket) throws -> String {
        try TOTP(secret: #require(ticket.totpSecret).reveal()).code(at: test.now).stringCode
    }

    private func confirm(
        _ test: TestRealm, _ code: String, _ handle: FlowHandle, _ purpose: FlowPurpose = .signIn, later: Bool = false
    ) async throws -> Verdict {
        try await test.realm.authenticator.answer(
            .enrolmentCode(Secret(code), name: "phone"),
            to: .flow(handle, .any(purpose, isFetchedLater: later)), by: test.client)
    }

    @Test
    func
        `The first code of an app that was offered completes the sign-in, once, with the recovery code that was shown`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let handle = try await test.enrolling().handle
        #expect(try await confirm(test, "000000", handle).reason == .unexpectedAnswer)
        let ticket = try await offer(test, during: handle, kinds: [.totp])
        #expect(ticket.kinds == [.totp])
        let totp = try TOTP(secret: #require(ticket.totpSecret).reveal())
        #expect(try await confirm(test, test.wrongCode(totp), handle).reason == .wrongAnswer)
        #expect(try await test.realm.enrolments.secondFactors(of: user.id).isEmpty)

        let signedIn = try #require(await confirm(test, code(test, ticket), handle).signedIn)
        #expect(signedIn.evidence.secondFactor?.kind == .totp)
        let factors = try await test.realm.enrolments.secondFactors(of: user.id)
        #expect(factors.map(\.id) == [ticket.factorID] && factors[0].name == "phone")
        #expect(try await test.events(.factorEnrolled).count == 1)
        #expect(try await confirm(test, code(test, ticket), handle).reason == .flowFinished)
        // The device of the same offer comes too late.
        #expect(try await test.register(TestDevice(), with: ticket.handle).reason == .factorNotOffered)

        // The code counted; the one on paper is good.
        let next = try await test.pending().handle
        #expect(try await test.answer(code(test, ticket), of: ticket.factorID, for: next).reason == .replayed)
        let paper = try #require(ticket.recoveryCode)
        let recovery = try #require(
            await test.realm.accounts.userAndFactors(user.id)?.factors.first { $0.kind == .recoveryCode })
        #expect(try await test.answer(paper.reveal(), of: recovery.id, for: next).signedIn != nil)
    }

    @Test
    func `Of a device and an app that were offered together one is enrolled, whichever comes first`() async throws {
        for deviceFirst in [false, true] {
            let test = try await TestRealm.make()
            let user = try await test.addUser()
            let handle = try await test.enrolling().handle
            let ticket = try await offer(test, during: handle)
            #expect(ticket.kinds == [.push, .totp])
            if deviceFirst {
                let enrolment = try #require(await test.register(TestDevice(), with: ticket.handle).enrolment)
                #expect(enrolment.recoveryCode?.reveal() == ticket.recoveryCode?.reveal())
                #expect(try await confirm(test, code(test, ticket), handle).reason == .factorLimitReached)
            } else {
                #expect(try await confirm(test, code(test, ticket), handle).signedIn != nil)
                #expect(try await test.register(TestDevice(), with: ticket.handle).reason != nil)
            }
            #expect(try await test.realm.enrolments.secondFactors(of: user.id).count == 1)
        }
    }

    @Test
    func `An offer of before the user enrolled something else is good for nothing`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let early = try await test.enrolling().handle
        let ticket = try await offer(test, during: early)
        try await test.enrol(TestDevice(), of: user.id)
        #expect(try await confirm(test, code(test, ticket), early).reason == .factorLimitReached)
        #expect(try await test.register(TestDevice(), with: ticket.handle).reason == .factorLimitReached)
        #expect(try await test.realm.enrolments.secondFactors(of: user.id).count == 1)
    }

    @Test
    func `A code that a page was given is fetched by the application`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let handle = try await test.enrolling().handle
        let ticket = try await offer(test, during: handle)
        guard
            case .accomplished(.proven(let decision, nil)) = try await confirm(
                test, code(test, ticket), handle, later: true)
        else {
            Issue.record("not proven")
            return
        }
        #expect(decision.kind == .totp)
        #expect(try await test.claim(handle).signedIn != nil)
    }

    @Test(arguments: TestStore.available)
    func `Fifty right codes at once enrol one app and open one session`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let handle = try await test.enrolling().handle
        let ticket = try await offer(test, during: handle)
        let code = try code(test, ticket)
        let verdicts = try await CoreTests.race(50) { _ in try await confirm(test, code, handle) }
        #expect(verdicts.count { $0.signedIn != nil } == 1)
        #expect(try await test.realm.enrolments.secondFactors(of: user.id).count == 1)
    }

    @Test
    func `An invitation names its purpose and its user`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        func invite(_ change: (inout Invitation) -> Void) async throws -> DeviceTicket {
            var invitation = Invitation()
            change(&invitation)
            return try await #require(
                test.realm.enrolments.inviteDevice(for: user.id, invitation, by: test.client).ticket)
        }
        func begin(_ ticket: DeviceTicket) async throws -> Enrolments.DeviceOutcome {
            try await test.realm.enrolments.beginDevice(invitation: ticket.handle, by: test.client)
        }
        let codesOnly = try await invite { $0.kinds = [.totp] }
        let first = try await invite { $0.allowsMore = false }
        #expect(try await test.register(TestDevice(), with: codesOnly.handle).reason == .factorNotOffered)
        let begun = try #require(await begin(codesOnly).ticket)
        #expect(begun.recoveryCode != nil && codesOnly.recoveryCode == nil)
        let totp = try TOTP(secret: #require(begun.totpSecret).reveal())
        #expect(
            try await confirm(test, test.wrongCode(totp), begun.handle, .enrolFactor).reason == .wrongAnswer)
        let other = try #require(await begin(codesOnly).ticket)
        guard
            case .accomplished(.codesEnrolled(let enrolment)) = try await confirm(
                test, code(test, begun), begun.handle, .enrolFactor)
        else {
            Issue.record("not enrolled")
            return
        }
        #expect(enrolment.recoveryCode?.reveal() == begun.recoveryCode?.reveal())
        #expect(try await confirm(test, code(test, other), other.handle, .enrolFactor).reason != nil)
        guard case .unknown(.flowFinished) = try await begin(codesOnly) else {
            Issue.record("an invitation was good twice")
            return
        }
        // What is derived of an invitation invites to nothing.
        guard case .unknown(.unknownFlow) = try await begin(other) else {
            Issue.record("a beginning was an invitation")
            return
        }
        guard case .refused(.limitReached) = try await begin(first) else {
            Issue.record("an invitation to a first factor was good for a second")
            return
        }
        #expect(try await test.register(TestDevice(), with: first.handle).reason == .factorLimitReached)
        // A password that changed ends what was begun under the old one.
        let late = try await invite { _ in }
        _ = try await test.realm.enrolments.reset(of: user.id, by: test.client)
        #expect(try await test.register(TestDevice(), with: late.handle).reason == .flowExpired)
    }

    @Test
    func `An invitation is begun thirty times an hour at most`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let invitation = try #require(
            await test.realm.enrolments.inviteDevice(for: user.id, by: test.client).ticket)
        for _ in 0..<30 {
            _ = try #require(
                await test.realm.enrolments.beginDevice(invitation: invitation.handle, by: test.client).ticket)
        }
        guard
            case .unknown(.sourceLimited) = try await test.realm.enrolments.beginDevice(
                invitation: invitation.handle, by: test.client)
        else {
            Issue.record("no limit")
            return
        }
        test.clock.advance(3600)
        #expect(
            try await test.realm.enrolments.beginDevice(invitation: invitation.handle, by: test.client).ticket != nil)
    }

    @Test
    func `The page of a ticket learns where it stands, and shows the recovery code while it is good`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let enrolments = test.realm.enrolments
        let invitation = try #require(await enrolments.inviteDevice(for: user.id, by: test.client).ticket)
        let begun = try #require(await enrolments.beginDevice(invitation: invitation.handle, by: test.client).ticket)
        let other = try #require(await enrolments.beginDevice(invitation: invitation.handle, by: test.client).ticket)
        func word(_ handle: FlowHandle) async throws -> String {
            switch try await enrolments.status(ofTicket: handle) {
            case .unknown: "unknown"
            case .expired: "expired"
            case .used(let code): code.map { "used \($0.reveal())" } ?? "used"
            case .open(let ticket): "open \(ticket.factorID)"
            }
        }
        #expect(try await word(begun.handle) == "open \(begun.factorID)")
        #expect(try await word(FlowHandle("x")) == "unknown")
        _ = try await test.register(TestDevice(), with: begun.handle)
        let code = try #require(begun.recoveryCode).reveal()
        #expect(try await word(begun.handle) == "used \(code)")
        #expect(try await word(other.handle) == "used")
        #expect(try await word(invitation.handle) == "used")
        _ = try await enrolments.makeRecoveryCode(for: user.id, by: test.client)
        #expect(try await word(begun.handle) == "used")
        let late = try #require(await enrolments.inviteDevice(for: user.id, by: test.client).ticket)
        test.clock.advance(FlowLifetime.invitation)
        #expect(try await word(late.handle) == "expired")
    }

    @Test
    func `What a session began to enrol ends with that session, and with no other`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let (thief, own) = (try await test.session(of: user), try await test.session(of: user))
        func begin(in session: OwnSession) async throws -> DeviceTicket {
            try await #require(
                test.realm.enrolments.beginDevice(
                    for: user.id, evidence: session.evidence, asOf: session.epoch, in: session.session,
                    by: test.client
                ).ticket)
        }
        let (stolen, kept) = (try await begin(in: thief), try await begin(in: own))
        // What a page makes of a ticket ends with the ticket.
        let again = try #require(
            try await test.realm.enrolments.beginDevice(invitation: stolen.handle, by: test.client).ticket)
        #expect(try await test.realm.enrolments.pending(again.factorID) != nil)
        #expect(try await test.realm.ownAccount.endOtherSessions(of: own, by: test.client).get() == 1)
        for ticket in [stolen, again] {
            #expect(try await test.register(TestDevice(), with: ticket.handle).reason == .flowExpired)
            #expect(try await test.realm.enrolments.pending(ticket.factorID) == nil)
            guard case .expired = try await test.realm.enrolments.status(ofTicket: ticket.handle) else {
                Issue.record("The ticket is open.")
                return
            }
        }
        guard
            case .refused(.revoked) = try await test.realm.enrolments.beginDevice(
                invitation: stolen.handle, by: test.client)
        else {
            Issue.record("The ticket is begun anew.")
            return
        }
        #expect(try await test.realm.enrolments.secondFactors(of: user.id).isEmpty)
        guard case .accomplished = try await test.register(TestDevice(), with: kept.handle) else {
            Issue.record("The other session's device is not enrolled.")
            return
        }
        #expect(try await test.realm.enrolments.secondFactors(of: user.id).map(\.id) == [kept.factorID])
    }

    @Test
    func `A signed-in user adds a device: with the present second factor, shown recently`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        func begin(_ proofs: [Proof], epoch: Int? = nil) async throws -> String {
            let evidence = SessionEvidence(dialect: .guardian, proofs: proofs)
            return
                switch try await test.realm.enrolments.beginDevice(
                    for: user.id, evidence: evidence, asOf: epoch, by: test.client)
            {
            case .offered: "offered"
            case .refused(let refusal): "\(refusal)"
            case .unknown(let reason): "\(reason)"
            }
        }
        let password = Proof(kind: .password, at: test.now)
        let second = Proof(kind: .push, at: test.now, isSecondFactor: true)
        #expect(try await begin([password]) == "offered")
        #expect(try await begin([password], epoch: 99) == "revoked")
        #expect(try await begin([Proof(kind: .password, at: test.now - 301)]) == "signInTooOld")
        #expect(try await begin([]) == "unsupportedFirstFactor")
        try await test.enrol(TestDevice(), of: user.id)
        #expect(try await begin([password]) == "unsupportedFirstFactor")
        #expect(try await begin([password, second]) == "offered")
    }

    @Test
    func `An invitation by mail goes to the user or where the administrator says, with the link of its page`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        var invitation = Invitation()
        invitation.mail = .init(locale: "de", page: "guardian/enroll?ticket=")
        let ticket = try #require(
            await test.realm.enrolments.inviteDevice(for: user.id, invitation, by: test.client).ticket)
        let message = try #require(await test.realm.outbox.messages().last)
        #expect(message.message.recipient == TestRealm.email.canonical && message.message.userID == user.id)
        #expect(message.content.template == "enrollment-invitation" && message.content.locale == "de")
        #expect(
            message.content.values["link"] == "guardian/enroll?ticket=\(ticket.handle.token.reveal())&lang=de")
        invitation.mail?.to = EmailAddress(kept: "other@example.org")
        test.clock.advance(1)
        _ = try await test.realm.enrolments.inviteDevice(for: user.id, invitation, by: test.client)
        #expect(try await test.realm.outbox.messages().last?.message.recipient == "other@example.org")
        // Twenty an hour to one address, for all callers together.
        var limited = 0
        for _ in 0..<25 {
            if case .unknown(.sourceLimited) = try await test.realm.enrolments.inviteDevice(
                for: user.id, invitation, by: test.client)
            {
                limited += 1
            }
        }
        #expect(limited == 6)
        #expect(try await test.realm.outbox.messages().count == 21)
    }

    // MARK: Administration

    @Test
    func `Authenticators whose secrets are known are added, named and replaced`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let enrolments = test.realm.enrolments
        func authenticator(_ byte: UInt8) throws -> PortableTOTP {
            try #require(
                PortableTOTP(id: nil, name: "app", enrolledAt: nil, secret: Secret(Array(repeating: byte, count: 20))))
        }
        func add(_ list: [PortableTOTP], replacing: Bool = false) async throws -> Enrolments.AdditionOutcome {
            try await enrolments.add(list, to: user.id, replacing: replacing, by: test.client)
        }
        guard case .added(let added) = try await add([authenticator(1)]), let first = added.first else {
            Issue.record("not added")
            return
        }
        guard case .refused(.limitReached) = try await add([authenticator(2)]) else {
            Issue.record("two apps")
            return
        }
        #expect(
            try await enrolments.rename(first.id, of: user.id, to: "new\0", by: test.client)?.name == "new")
        #expect(try await enrolments.rename(first.id, of: UserID(rawValue: "x"), to: "y", by: test.client) == nil)
        let handle = try await test.pending().handle
        let totp = try TOTP(secret: Array(repeating: 1, count: 20))
        #expect(
            try await test.answer(totp.code(at: test.now).stringCode, of: first.id, for: handle).signedIn != nil)

        try await test.enrol(TestDevice(), of: user.id)
        let epoch = try await test.user(user.id).tokenEpoch
        guard case .added(let replaced) = try await add([authenticator(3)], replacing: true) else {
            Issue.record("not replaced")
            return
        }
        #expect(try await enrolments.secondFactors(of: user.id).map(\.id) == replaced.map(\.id))
        #expect(try await test.user(user.id).tokenEpoch > epoch)
        #expect(try await enrolments.remove(replaced[0].id, of: UserID(rawValue: "x"), by: test.client) == false)
        #expect(try await enrolments.remove(replaced[0].id, of: user.id, by: test.client))
        let factors = try await test.realm.accounts.userAndFactors(user.id)?.factors
        #expect(factors?.map(\.kind) == [.password])
        let password = try #require(factors?.first)
        #expect(try await enrolments.remove(password.id, of: user.id, by: test.client) == false)
    }

    @Test
    func `A device without its codes is asked as before`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let enrolment = try await test.enrol(TestDevice(), of: user.id)
        let id = enrolment.factor.id
        #expect(try await test.realm.enrolments.removeCodes(ofDevice: id, of: user.id, by: test.client))
        #expect(try await !test.realm.enrolments.removeCodes(ofDevice: id, of: user.id, by: test.client))
        let handle = try await test.pending().handle
        let totp = try TOTP(secret: #require(enrolment.totpSecret).reveal())
        #expect(
            try await test.answer(totp.code(at: test.now).stringCode, of: id, for: handle).reason == .factorNotOffered)
        #expect(try await test.ask(for: handle).devices.map(\.id) == [id])
    }
}

extension Enrolments.DeviceOutcome {
    var ticket: DeviceTicket? { if case .offered(let ticket) = self { ticket } else { nil } }
}
