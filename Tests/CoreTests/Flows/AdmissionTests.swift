import Crypto
import Foundation
import OneTimePassword
import TestSupport
import Testing

@testable import CountersignCore

@Suite("Whose handles and refresh tokens are taken")
struct AdmissionTests {
    /// An open attempt, and what it is.
    struct Handle: Sendable {
        let handle: FlowHandle
        let purpose: FlowPurpose
        let stage: FlowStage
        let dialect: Dialect
    }

    private static let application = ClientID(rawValue: "app")
    private static let other = ClientID(rawValue: "other")

    static func client(_ dialect: Dialect, _ application: ClientID = application) -> ClientContext {
        ClientContext(clientID: application, dialect: dialect, limitedSource: nil, source: nil)
    }

    /// An attempt of every stage, of a user who has all kinds of factors.
    private func handles(_ test: TestRealm) async throws -> [Handle] {
        let user = try await test.addEnrolledUser().user
        let enrolment = try await test.enrol(TestDevice(), of: user.id)
        let beginner = try await test.addUser(EmailAddress(kept: "charles@example.org"))
        var handles: [Handle] = []
        func add(_ handle: FlowHandle?, _ purpose: FlowPurpose, _ stage: FlowStage, _ dialect: Dialect) throws {
            handles.append(Handle(handle: try #require(handle), purpose: purpose, stage: stage, dialect: dialect))
        }
        for purpose in FlowPurpose.linked {
            try add(await test.mailLink(for: purpose, to: user), purpose, .mailedLink, .identityToolkit)
        }
        let code = try await test.mailCode(by: Self.client(.securityChecks)).handle
        try add(code, .signIn, .mailedCode, .securityChecks)
        let pending = try await test.pending(by: Self.client(.guardian)).handle
        try add(pending, .signIn, .secondFactor, .guardian)
        try await add(test.offer(to: beginner.id).handle, .enrolFactor, .factorEnrolment, .identityToolkit)
        let ticket = try await test.realm.enrolments.inviteDevice(for: user.id, by: Self.client(.admin)).ticket
        try add(ticket?.handle, .enrolFactor, .enrolmentTicket, .admin)
        let begun = try await test.realm.approvals.begin(
            for: user.id, Approvals.Backchannel(terms: GrantTerms(), audience: "https://api"),
            by: Self.client(.guardian, Self.other))
        let request = try await test.request(to: enrolment.factor.id)
        try add(request.handle, .approve, .deviceRequest, .guardian)
        let native = Self.client(.nativeAuth)
        for (opening, purpose) in [
            (Journeys.Opening.signIn(TestRealm.email), FlowPurpose.signIn),
            (.signUp(EmailAddress(kept: "new@example.org"), .init(wantsPassword: true)), .signUp),
            (.resetPassword(TestRealm.email), .resetPassword),
        ] {
            try await add(test.begin(opening, by: native), purpose, .journey(.firstProof), .nativeAuth)
        }
        let journey = try await test.begin(.signIn(TestRealm.email), by: native)
        guard case .advanced(.secondFactor) = try await test.give(.password(Secret(TestRealm.password)), to: journey)
        else { throw TestFailure() }
        try add(journey, .signIn, .journey(.secondFactor), .nativeAuth)
        // This one is another application's.
        handles.append(
            Handle(handle: begun.handle, purpose: .backchannel, stage: .backchannel, dialect: .guardian))
        return handles
    }

    private func isKnown(_ handle: FlowHandle, _ expectation: FlowExpectation, _ test: TestRealm) async throws -> Bool {
        switch try await test.realm.authenticator.status(of: handle, expecting: expectation) {
        case .unknown: false
        default: true
        }
    }

    @Test
    func `A handle is taken where purpose, stage, protocol and application are its own, and nowhere else`() async throws
    {
        let test = try await TestRealm.make()
        for handle in try await handles(test) {
            // The request to a device belongs to the application that waits for its answer.
            let isOthers = [.backchannel, .approve].contains(handle.purpose)
            let application = isOthers ? Self.other : Self.application
            let another = isOthers ? Self.application : Self.other
            let own = HandleOwner.application(application, of: handle.dialect)
            func isKnown(
                _ purposes: Set<FlowPurpose>, _ stages: Set<FlowStage>, _ owners: Set<HandleOwner>
            ) async throws -> Bool {
                try await self.isKnown(handle.handle, FlowExpectation(purposes, at: stages, of: owners), test)
            }
            #expect(try await isKnown([handle.purpose], [handle.stage], [own]), "\(handle)")
            #expect(try await isKnown([handle.purpose], [handle.stage], [.dialect(handle.dialect)]), "\(handle)")

            let purposes = Set(FlowPurpose.allCases).subtracting([handle.purpose])
            #expect(try await !isKnown(purposes, [handle.stage], [own]), "\(handle)")
            let stages = FlowStage.all.subtracting([handle.stage])
            #expect(try await !isKnown([handle.purpose], stages, [own]), "\(handle)")
            let dialects = Dialect.all.filter { $0 != handle.dialect }
            let owners = dialects.flatMap { [HandleOwner.dialect($0), .application(application, of: $0)] }
            #expect(
                try await !isKnown(
                    [handle.purpose], [handle.stage],
                    Set(owners + [.application(another, of: handle.dialect)])), "\(handle)")

            #expect(try await !isKnown([], [handle.stage], [own]), "\(handle)")
            #expect(try await !isKnown([handle.purpose], [], [own]), "\(handle)")
            #expect(try await !isKnown([handle.purpose], [handle.stage], []), "\(handle)")
        }
    }

    @Test
    func `Mailed links, tickets and requests to devices cross, each by its name, and nothing else does`() async throws {
        let test = try await TestRealm.make()
        for handle in try await handles(test) {
            let isLink = try await isKnown(handle.handle, .mailedLink(for: [handle.purpose]), test)
            #expect(isLink == (handle.stage == .mailedLink), "\(handle)")
            let isTicket = try await isKnown(handle.handle, .enrolmentTicket, test)
            #expect(isTicket == (handle.stage == .enrolmentTicket), "\(handle)")
            let isRequest = try await isKnown(handle.handle, .pushTransaction, test)
            #expect(isRequest == (handle.stage == .deviceRequest), "\(handle)")
        }
    }

    @Test
    func `A sign-in that waits for a second factor with nothing proven is not admitted`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addEnrolledUser().user
        let (sealer, now) = (test.realm.sealer, test.now)
        for proven in [[], [Proof(kind: .totp, at: now, isSecondFactor: true)], [Proof(kind: .password, at: now)]] {
            let handle = FlowHandle(random: test.random)
            try await test.store.write { transaction in
                let body = FlowBody(purpose: .signIn, client: test.client, proven: proven, challenge: .secondFactor)
                _ = try transaction.insert(
                    FlowRecord(
                        digest: handle.digest, userID: user.id, purpose: "signIn", createdAt: now, expiresAt: now + 60,
                        body: body.sealed(by: sealer, digest: handle.digest, in: transaction)))
            }
            let isProven = proven.first?.kind == .password
            #expect(try await isKnown(handle, .any(.signIn), test) == isProven)
        }
    }

    @Test
    func `A row of another kind is no attempt, though its digest can be spelled`() async throws {
        let test = try await TestRealm.make()
        // As rows of clients are named (`ClientRowTests`).
        let handle = FlowHandle("security-checks\0registration\0client")
        let digest = handle.digest
        let (sealer, now) = (test.realm.sealer, test.now)
        try await test.store.write { transaction in
            _ = try transaction.insert(
                FlowRecord(
                    digest: digest, userID: nil, purpose: "client-registration", createdAt: now,
                    expiresAt: now + 60,
                    body: sealer.seal(Data("{}".utf8), for: .flow(digest), in: transaction)))
            _ = try transaction.insert(
                ClientRecord(
                    kind: .registration, digest: digest, userID: nil, createdAt: now, expiresAt: now + 60,
                    body: sealer.seal(Data("{}".utf8), for: .client(.registration, digest), in: transaction)))
        }
        #expect(try await !isKnown(handle, .any(Set(FlowPurpose.allCases)), test))
        let enrolments = test.realm.enrolments
        guard case .unknown = try await enrolments.status(ofTicket: handle),
            case .unknown(.unknownFlow) = try await enrolments.beginDevice(invitation: handle, by: test.client),
            case .refused(let refusal) = try await test.realm.approvals.ask(
                for: handle, expecting: .any(.signIn), by: test.client)
        else { throw TestFailure() }
        #expect(refusal.reason == .unknownFlow)
    }

    @Test
    func `What is not taken costs what a made-up handle costs, and the attempt nothing`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending(by: Self.client(.guardian)).handle
        let before = try await test.store.read { try $0.flow(digest: handle.digest) }
        let expectation = FlowExpectation([.signIn], at: [.secondFactor], of: [.dialect(.identityToolkit)])
        func answer(_ handle: FlowHandle, from source: String) async throws -> Refusal.Reason? {
            try await test.realm.authenticator.answer(
                .code(Secret(test.wrongCode(enrolled.totp)), factor: enrolled.factor.id),
                to: .flow(handle, expectation), by: test.client(from: source)
            ).reason
        }
        for _ in 0..<20 {
            #expect(try await answer(handle, from: "203.0.113.1") == .unknownFlow)
            #expect(try await answer(FlowHandle("made up"), from: "203.0.113.2") == .unknownFlow)
        }
        let counts = try await (test.answers(from: "203.0.113.1"), test.answers(from: "203.0.113.2"))
        #expect(counts.0 == counts.1)
        let kept = try await test.store.read { try $0.flow(digest: handle.digest) }
        #expect(kept == before)
        #expect(try await test.counter(CounterKey.factor(enrolled.factor.id, .totp)) == nil)
        #expect(try await test.events(.answerRefused).allSatisfy { $0.userID == nil })
        let verdict = try await test.answer(
            enrolled.totp.code(at: test.now).stringCode, of: enrolled.factor.id, for: handle)
        #expect(verdict.isAccomplished)
    }

    @Test
    func `A link that signs in leads to a session of the application in which it is followed`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let administrator = ClientContext(
            clientID: ClientID(rawValue: "administrator"), dialect: .admin, limitedSource: nil, source: nil)
        func follow(_ client: ClientContext) async throws -> Verdict {
            let link = try #require(
                await test.mailLink(.signIn(TestRealm.email), by: administrator))
            return try await test.realm.authenticator.answer(
                .link(), to: .flow(link, .mailedLink(for: [.signIn])), by: client)
        }
        let signedIn = try #require(await follow(test.client).signedIn)
        #expect(signedIn.grant.clientID == test.client.clientID && signedIn.evidence.dialect == .identityToolkit)
        var strict = test.client
        strict.requiresSecondFactor = true
        #expect(try await follow(strict).reason == .secondFactorRequired)
        _ = try await test.enrol(user)
        let pending = try #require(await follow(test.client).continuation)
        let expectation = FlowExpectation([.signIn], at: [.secondFactor], of: [.dialect(.identityToolkit)])
        #expect(try await isKnown(pending.handle, expectation, test))
    }

    @Test
    func `A request that comes again is admitted at the step that it led to, and another is not`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.addEnrolledUser()
        let client = Self.client(.nativeAuth)
        let handle = try await test.begin(.signIn(TestRealm.email), by: client)
        var first = FlowExpectation([.signIn], at: [.journey(.firstProof)], of: [.dialect(.nativeAuth)])
        func give(_ request: String) async throws -> Verdict {
            first.request = Secret(request)
            return try await test.realm.authenticator.answer(
                .password(Secret(TestRealm.password)), to: .flow(handle, first), by: client)
        }
        #expect(try await give("one").step == .secondFactor)
        #expect(try await give("one").step == .secondFactor)
        #expect(try await give("two").reason == .unknownFlow)
        test.clock.advance(11)
        #expect(try await give("one").reason == .unknownFlow)
    }

    // MARK: Sessions

    @Test
    func `A refresh token is traded and revoked by its own protocol and application alone, and by no other used up`()
        async throws
    {
        let test = try await TestRealm.make()
        try await test.addUser()
        let sessions = test.realm.sessions
        for dialect in [Dialect.identityToolkit, .guardian, .nativeAuth, .securityChecks] {
            let client = Self.client(dialect)
            let signedIn = try #require(await test.signIn(by: client).signedIn)
            let own = HandleOwner.application(Self.application, of: dialect)
            let others =
                Dialect.all.filter { $0 != dialect }.flatMap {
                    [HandleOwner.dialect($0), .application(Self.application, of: $0)]
                } + [.application(Self.other, of: dialect)]
            let (session, token) = (signedIn.session, signedIn.refreshToken)
            for owner in others {
                #expect(try await sessions.refresh(token, of: owner, by: client).refusal == .unknownToken)
                try await sessions.revoke(token, of: owner)
                #expect(try await test.living(session.id, of: owner, for: session.userID) == nil)
            }
            #expect(try await test.living(session.id, of: own, for: session.userID) != nil)
            let next = try #require(await sessions.refresh(token, of: own, by: client).refreshed)
            // Where a protocol does not bind to applications, any of its applications may ask.
            let last = try #require(
                await sessions.refresh(next.refreshToken, of: .dialect(dialect), by: client).refreshed)
            // A former token in another's hands does not end the session either.
            test.clock.advance(60)
            for owner in others {
                #expect(try await sessions.refresh(token, of: owner, by: client).refusal == .unknownToken)
            }
            #expect(try await test.living(session.id, of: own, for: session.userID) != nil)
            try await sessions.revoke(last.refreshToken, of: own)
            #expect(try await sessions.refresh(last.refreshToken, of: own, by: client).refusal == .ended)
        }
    }
}
