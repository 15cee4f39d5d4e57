import Foundation
import Testing

@testable import CountersignCore

@Suite("Attempts that go step by step")
struct JourneyTests {
    private static let details = Journeys.SignUpDetails(wantsPassword: false)

    @Test(arguments: TestStore.available)
    func `Fifty wrong codes sent at once are looked at five times`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser(password: nil)
        let handle = try await test.begin(.signIn(TestRealm.email))
        _ = try await test.askForCode(handle)
        let verdicts = try await race(50) { try await test.give(code: "\($0)", to: handle) }
        #expect(verdicts.count { $0.reason == .wrongAnswer } == 5)
        #expect(verdicts.count { $0.reason == .authenticatorDisabled } == 45)
    }

    @Test(arguments: TestStore.available)
    func `Over resends, a flow is looked at ten times`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser(password: nil)
        let handle = try await test.begin(.signIn(TestRealm.email))
        var wrong = 0
        for _ in 0..<3 {
            guard case .mailed = try await test.ask(handle) else { break }
            let verdicts = try await race(50) { try await test.give(code: "\($0)", to: handle) }
            wrong += verdicts.count { $0.reason == .wrongAnswer }
        }
        #expect(wrong == 10)
        guard case .refused(let refusal) = try await test.ask(handle) else { throw TestFailure() }
        #expect(refusal.reason == .flowExhausted)
    }

    @Test(arguments: TestStore.available)
    func `Fifty wrong passwords sent at once to one flow are looked at ten times`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser()
        let handle = try await test.begin(.signIn(TestRealm.email))
        let verdicts = try await race(50) { _ in try await test.give(.password(Secret("wrong")), to: handle) }
        #expect(test.hasher.verified.count == 10)
        #expect(verdicts.count { $0.reason == .wrongAnswer } == 10)
    }

    @Test(
        arguments: TestStore.available, [nil, "request"])
    func `One right code sent twenty times at once opens one session`(store: TestStore, request: String?) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser(password: nil)
        let handle = try await test.begin(.signIn(TestRealm.email))
        let code = try await test.askForCode(handle)
        // Five of them are looked at.
        let verdicts = try await race(20) { _ in try await test.give(code: code, to: handle, request: request) }
        let sessions = Set(verdicts.compactMap { $0.signedIn?.session.id })
        #expect(sessions.count == 1)
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 9) }.count == 1)
        // Without a name for the request, one alone gets it.
        let given = verdicts.count { $0.isAccomplished }
        #expect(request == nil ? given == 1 : given >= 1)
    }

    @Test(arguments: TestStore.available)
    func `A code that is asked for ten times at once by one request goes out once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser(password: nil)
        let handle = try await test.begin(.signIn(TestRealm.email))
        let outcomes = try await race(10, meetingBefore: 1) { _ in try await test.ask(handle, request: "challenge") }
        #expect(outcomes.count { if case .mailed = $0 { true } else { false } } == 10)
        #expect(try await test.mails().count == 1)
    }

    @Test(arguments: TestStore.available)
    func `Two sign-ups with one address at once make one account`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let handles = [
            try await test.begin(.signUp(TestRealm.email, Self.details)),
            try await test.begin(.signUp(TestRealm.email, Self.details)),
        ]
        var codes: [String] = []
        for handle in handles { codes.append(try await test.askForCode(handle)) }
        let (right, flows) = (codes, handles)
        let verdicts = try await race(2) { try await test.give(code: right[$0], to: flows[$0]) }
        #expect(verdicts.count { $0.step == .complete } == 1)
        #expect(verdicts.count { $0.reason == .addressTaken } == 1)
        #expect(try await test.realm.accounts.count() == 1)
    }

    @Test(arguments: TestStore.available)
    func `A new password sent twenty times at once is set once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let handle = try await test.begin(.resetPassword(TestRealm.email))
        let verdict = try await test.give(code: try await test.askForCode(handle), to: handle)
        #expect(verdict.step == .newPassword(until: test.now + 600))
        let verdicts = try await race(20, meetingBefore: 1) { index in
            try await test.give(.newPassword(Secret("new password \(index)")), to: handle)
        }
        #expect(verdicts.count { $0.step == .complete } == 1)
        #expect(try await test.events(.passwordReset).count == 1)
        #expect(try await test.user(user.id).tokenEpoch == user.tokenEpoch + 1)
    }

    @Test
    func `A code for an unknown user is written and taken back, and no code is right`() async throws {
        let test = try await TestRealm.make()
        let handle = try await test.begin(.resetPassword(TestRealm.email))
        #expect(try await test.askForCode(handle) == "")
        #expect(try await test.mails().isEmpty)
        // Even what would be right: the code that was never sent signs no user in.
        let digest = try await test.store.write { transaction in
            guard var record = try transaction.flow(digest: handle.digest) else { throw TestFailure() }
            var body = try FlowBody.open(record, with: test.realm.sealer)
            body.challenge = try .mailedCode(
                digest: MailedCode.digest(
                    "12345678", flow: record.digest, sealer: test.realm.sealer, in: transaction),
                expiresAt: test.now + 600)
            record.body = try body.sealed(by: test.realm.sealer, digest: record.digest, in: transaction)
            _ = try transaction.update(record)
            return record.digest
        }
        #expect(digest == handle.digest)
        #expect(try await test.give(code: "12345678", to: handle).reason == .wrongAnswer)
    }

    @Test
    func `A new code takes the place of the one before; an answer to another code is not the same request`()
        async throws
    {
        let test = try await TestRealm.make()
        try await test.addUser(password: nil)
        let handle = try await test.begin(.signIn(TestRealm.email))
        let first = try await test.askForCode(handle)
        test.clock.advance(1)
        let second = try await test.askForCode(handle)
        #expect(first != second)
        #expect(try await test.give(code: first, to: handle).reason == .wrongAnswer)
        #expect(try await test.give(code: second, to: handle).isAccomplished)
        #expect(try await test.give(code: second, to: handle).reason == .flowFinished)
    }

    @Test
    func `An answer is given again for ten seconds, to the same request alone, and not after a revocation`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser(password: nil)
        let handle = try await test.begin(.signIn(TestRealm.email))
        let code = try await test.askForCode(handle)
        let first = try #require(await test.give(code: code, to: handle, request: "one").signedIn)
        test.clock.advance(9)
        let second = try #require(await test.give(code: code, to: handle, request: "one").signedIn)
        #expect(first.session.id == second.session.id)
        #expect(first.refreshToken == second.refreshToken)
        #expect(try await test.give(code: code, to: handle, request: "two").reason == .flowFinished)
        #expect(try await test.give(code: code, to: handle).reason == .flowFinished)
        var change = AccountChange()
        change.revokesTokensAt = test.now
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await test.give(code: code, to: handle, request: "one").reason == .flowFinished)
    }

    @Test
    func `An answer that could not be looked at is not counted, and its repetition finds the attempt as it was`()
        async throws
    {
        let test = try await TestRealm.make()
        try await test.addUser()
        let handle = try await test.begin(.signIn(TestRealm.email))
        let password = Answer.password(Secret(TestRealm.password))
        test.hasher.meanwhile { _ in throw PasswordHashingOverload(retryAfter: 1) }
        for _ in 0..<20 {
            await #expect(throws: PasswordHashingOverload.self) {
                try await test.give(password, to: handle, request: "token")
            }
        }
        test.hasher.meanwhile(nil)
        #expect(try await test.give(password, to: handle, request: "token").isAccomplished)
    }

    @Test
    func `A mailbox is asked for only where a second factor is required and there is nothing stronger`() async throws {
        let test = try await TestRealm.make()
        var strict = test.client
        strict.requiresSecondFactor = true
        let user = try await test.addUser()
        try await test.addMailbox(TestRealm.otherEmail, of: user)
        let password = Answer.password(Secret(TestRealm.password))
        let plain = try await test.begin(.signIn(TestRealm.email))
        #expect(try await test.give(password, to: plain).isAccomplished)
        let asked = try await test.begin(.signIn(TestRealm.email), by: strict)
        #expect(try await test.give(password, to: asked).step == .secondFactor)
        guard case .mailed(let address) = try await test.ask(asked) else { throw TestFailure() }
        #expect(address == TestRealm.otherEmail)

        let enrolled = try await test.enrol(user)
        for client in [test.client, strict] {
            let handle = try await test.begin(.signIn(TestRealm.email), by: client)
            #expect(try await test.give(password, to: handle).step == .secondFactor)
            guard
                case .secondFactors(let methods) = try await test.realm.journeys.methods(
                    handle, expecting: test.expectation())
            else { throw TestFailure() }
            #expect(methods.map(\.factor.id) == [enrolled.factor.id])
        }
        // The code that went to the mailbox before does not talk over the authenticator.
        let code = try await test.mails().last { $0.message.recipient == TestRealm.otherEmail.canonical }
        let verdict = try await test.give(code: code?.content.values["code"] ?? "", to: asked)
        #expect(verdict.isAccomplished, "Begun before the authenticator was enrolled: it is the same attempt.")
    }

    @Test
    func
        `A mailbox that is reported lost is asked for still, and no code to it is right; another one is asked instead`()
        async throws
    {
        let test = try await TestRealm.make()
        var strict = test.client
        strict.requiresSecondFactor = true
        let user = try await test.addUser()
        try await test.addMailbox(TestRealm.otherEmail, of: user)
        let own = OwnSession(
            userID: user.id,
            evidence: SessionEvidence(dialect: .identityToolkit, proofs: [Proof(kind: .password, at: test.now)]),
            epoch: user.tokenEpoch)
        let mailbox = try #require(
            try await test.realm.ownAccount.factors(of: own).get().first { $0.record.kind == .email })
        #expect(mailbox.address == TestRealm.otherEmail)
        let password = Answer.password(Secret(TestRealm.password))
        // A code that went out before is none either.
        let before = try await test.begin(.signIn(TestRealm.email), by: strict)
        #expect(try await test.give(password, to: before).step == .secondFactor)
        let early = try await test.askForCode(before)
        _ = try await test.realm.ownAccount.reportLost(mailbox.id, of: own, by: test.client).get()
        #expect(try await test.give(code: early, to: before).refusal?.reason == .authenticatorDisabled)

        let late = try await test.begin(.signIn(TestRealm.email), by: strict)
        #expect(try await test.give(password, to: late).step == .secondFactor)
        let code = try await test.askForCode(late)
        #expect(!code.isEmpty)
        #expect(try await test.give(code: code, to: late).refusal?.reason == .authenticatorDisabled)

        let third = EmailAddress(kept: "third@example.org")
        try await test.addMailbox(third, of: user)
        let last = try await test.begin(.signIn(TestRealm.email), by: strict)
        #expect(try await test.give(password, to: last).step == .secondFactor)
        guard case .mailed(let address) = try await test.ask(last) else { throw TestFailure() }
        #expect(address == third)
    }

    @Test
    func `A registered mailbox is exported and imported with its user`() throws {
        let payload = try MailboxFactor.payload(TestRealm.email)
        let content = try JSONDecoder().decode(JSONValue.self, from: payload)
        let moving = PortableFactor(
            id: FactorID(rawValue: "f"), kind: .email, name: "", enrolledAt: nil, lastUsedAt: nil,
            content: Secret(content))
        #expect(moving?.content?.reveal() == ["address": .string(TestRealm.email.canonical)])
        #expect(
            PortableFactor(
                id: FactorID(rawValue: "f"), kind: .email, name: "", enrolledAt: nil, lastUsedAt: nil,
                content: Secret(.object([:]))) == nil)
    }

    @Test
    func `Every shape of an attempt that was ever written is read`() throws {
        let old = #"""
            {"purpose":"signIn","dialect":"native-auth","clientID":"app","proven":[],"challenge":{"unasked":{}},
             "journey":{"stage":"firstProof","method":"mailedCode"}}
            """#
        let body = try FlowBody(stored: old.utf8)
        #expect(try JSONDecoder().decode(FlowBody.self, from: Data(old.utf8)) == body)
        #expect(body.journey == Journey(stage: .firstProof, method: .mailedCode, abilities: JourneyAbilities()))
        var journey = Journey(
            stage: .details, method: .mailedCode, abilities: TestRealm.abilities,
            draft: SignUpDraft(
                passwordHash: "h", wantsPassword: true, attributes: ["age": .integer(7)],
                required: [.init(name: "age", type: "integer", isRequired: true)]))
        journey.asked = .init(id: FactorID(rawValue: "f"), kind: .totp)
        journey.contact = .init(address: "a@b", isProven: true)
        journey.mustGiveSecondFactor = true
        journey.registers = .passkey
        for outcome: AnsweredRequest.Outcome in [
            .asked, .advanced(.password), .advanced(.attributes([])), .advanced(.beyondClient(lacksRegistration: true)),
            .advanced(.newPassword(until: Date(microseconds: 1_000_000))),
            .signedIn(SessionID(rawValue: "s"), refreshToken: "t"),
            .enrolled(FactorID(rawValue: "f"), SessionID(rawValue: "s"), refreshToken: "t"),
        ] {
            journey.memory = AnsweredRequest(digest: Data([1]), at: Date(microseconds: 1_000_000), outcome: outcome)
            #expect(try Journey(stored: journey.stored) == journey)
            // By a server of the version before, and what it writes.
            #expect(try JSONDecoder().decode(Journey.self, from: journey.stored) == journey)
            #expect(try Journey(stored: JSONEncoder().encode(journey)) == journey)
        }
        let written = #"{"decoys":"AAAA","id":"t"}"#
        #expect(
            try JSONDecoder().decode(Tenant.self, from: Data(written.utf8)) == Tenant(id: "t", decoys: Data(count: 3)))
    }

    @Test
    func `What one answer says of the session stays beside what the next says, and the last scopes count`() {
        let first = GrantTerms(scopes: ["a"], details: ["acrs": .array(["c1", "c2"]), "kept": "x", "other": "x"])
        let second = GrantTerms(scopes: ["b"], details: ["acrs": .array(["c2", "c3"]), "other": "y"])
        #expect(
            second.following(first)
                == GrantTerms(
                    scopes: ["b"], details: ["acrs": .array(["c1", "c2", "c3"]), "kept": "x", "other": "y"]))
        #expect(GrantTerms(scopes: ["b"]).following(first).details == first.details)
        #expect(first.following(GrantTerms()) == first)
        let wanted = GrantTerms(audiences: ["https://api"])
        #expect(GrantTerms(scopes: ["b"]).following(wanted).audiences == ["https://api"])
        #expect(GrantTerms(audiences: ["urn:other"]).following(wanted).audiences == ["urn:other"])
    }

    @Test(arguments: TestStore.available)
    func `Servers that start at once agree on the tenant`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let tenants = try await race(10, meetingBefore: 1) { _ in try await test.realm.tenant() }
        #expect(Set(tenants.map(\.id)).count == 1)
    }
}
