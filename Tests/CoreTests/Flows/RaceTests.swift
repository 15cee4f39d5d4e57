import CountersignCore
import Foundation
import OneTimePassword
import Testing

/// Everything that a crowd could do at once to what one may do a limited number of times.
@Suite("Races")
struct RaceTests {
    @Test(arguments: TestStore.available)
    func `Fifty wrong passwords sent at once are looked at ten times`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser()
        let verdicts = try await race(50) { _ in try await test.signIn(password: "wrong") }
        #expect(test.hasher.verified.count == 10)
        #expect(verdicts.count { $0.reason == .wrongAnswer } == 10)
        #expect(verdicts.count { $0.reason == .lockedOut } == 40)
    }

    @Test(
        arguments: TestStore.available)
    func `Fifty wrong passwords for an address without account are looked at ten times, against the decoy`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let verdicts = try await race(50) { _ in try await test.signIn(password: "wrong") }
        #expect(test.hasher.verified == Array(repeating: test.hasher.decoy, count: 10))
        #expect(verdicts.count { $0.reason == .wrongAnswer } == 10)
        #expect(verdicts.count { $0.reason == .lockedOut } == 40)
    }

    @Test(
        arguments: TestStore.available)
    func `A hundred and thirty wrong passwords sent at once from one address are looked at a hundred times`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let client = test.client(from: "192.0.2.1")
        let verdicts = try await race(130) { index in
            try await test.signIn(EmailAddress(kept: "nobody\(index)@example.org"), password: "wrong", by: client)
        }
        #expect(test.hasher.verified.count == 100)
        #expect(verdicts.count { $0.reason == .wrongAnswer } == 100)
        #expect(verdicts.count { $0.reason == .sourceLimited } == 30)
        #expect(try await test.answers(from: "192.0.2.1") == 100)
    }

    @Test(arguments: TestStore.available)
    func `Fifty wrong codes sent at once over ten flows are looked at five times`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let enrolled = try await test.addEnrolledUser()
        var handles: [FlowHandle] = []
        for _ in 0..<10 { handles.append(try await test.pending().handle) }
        let flows = handles
        let wrong = test.wrongCode(enrolled.totp)
        let verdicts = try await race(50, meetingBefore: 1) { index in
            try await test.answer(wrong, of: enrolled.factor.id, for: flows[index % 10])
        }
        #expect(verdicts.count { $0.reason == .wrongAnswer } == 5)
        #expect(verdicts.count { $0.reason == .lockedOut } == 45)
        #expect(try await test.counter("factor/\(enrolled.factor.id)")?.count == 5)
    }

    @Test(arguments: TestStore.available)
    func `Fifty wrong codes sent at once to one enrolment are looked at three times`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let offer = try await test.offer(to: test.addUser().id)
        let wrong = test.wrongCode(try TOTP(secret: offer.secret.reveal()))
        let verdicts = try await race(50, meetingBefore: 1) { _ in try await test.finish(offer.handle, code: wrong) }
        #expect(verdicts.count { $0.reason == .wrongAnswer } == 3)
        #expect(verdicts.count { $0.reason == .flowExhausted } == 47)
    }

    @Test(arguments: TestStore.available)
    func `One right code sent twenty times at once over two flows is accepted once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let enrolled = try await test.addEnrolledUser()
        let handles = [try await test.pending().handle, try await test.pending().handle]
        let code = enrolled.totp.code(at: test.now).stringCode
        let verdicts = try await race(20, meetingBefore: 1) { index in
            try await test.answer(code, of: enrolled.factor.id, for: handles[index % 2])
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(verdicts.allSatisfy { $0.isAccomplished || $0.refusal != nil })
    }

    @Test(
        arguments: TestStore.available)
    func `One pending credential is good for one success, with two right codes at once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        let codes = [-30.0, 0, 30].map { enrolled.totp.code(at: test.now + $0).stringCode }
        let verdicts = try await race(4, meetingBefore: 1) { index in
            try await test.answer(codes[1 + index % 2], of: enrolled.factor.id, for: handle)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(verdicts.count { [.flowFinished, .replayed].contains($0.reason) } == 3)
    }

    @Test(arguments: TestStore.available)
    func `One mailed code sent five times at once counts once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser()
        let (handle, code) = try await test.mailCode()
        let verdicts = try await race(5, meetingBefore: 1) { _ in try await test.answer(code, mailedFor: handle) }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(verdicts.count { $0.reason == .flowFinished } == 4)
    }

    @Test(arguments: TestStore.available)
    func `Fifty wrong mailed codes sent at once are looked at five times`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser()
        let (handle, _) = try await test.mailCode()
        let verdicts = try await race(50, meetingBefore: 1) { _ in try await test.answer("1", mailedFor: handle) }
        #expect(verdicts.count { $0.reason == .wrongAnswer } == 5)
        #expect(verdicts.count { $0.reason == .authenticatorDisabled } == 45)
    }

    @Test(
        arguments: FlowPurpose.linked, TestStore.available)
    func `One link followed twenty times at once counts once`(purpose: FlowPurpose, store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser(verified: false)
        let handle = try #require(await test.mailLink(for: purpose, to: user))
        let verdicts = try await race(20, meetingBefore: 1) { _ in
            try await test.follow(handle, newPassword: purpose == .resetPassword ? "difference engine" : nil)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        // No more than ten new passwords are looked at before one of them counts.
        #expect(verdicts.count { [.flowFinished, .flowExpired, .sourceLimited].contains($0.reason) } == 19)
    }

    @Test(
        arguments: TestStore.available)
    func `A sign-in link that makes an account makes one, however often it is followed at once`(store: TestStore)
        async throws
    {
        let test = try await TestRealm.make(on: store)
        let handle = try #require(await test.mailLink(.signIn(TestRealm.email)))
        let verdicts = try await race(20, meetingBefore: 1) { _ in try await test.follow(handle) }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(try await test.store.read { try $0.countUsers() } == 1)
    }

    @Test(arguments: TestStore.available)
    func `One refresh token sent twenty times at once has one successor`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        try await test.addUser()
        let token = try #require(await test.signIn().signedIn).refreshToken
        let outcomes = try await race(20, meetingBefore: 1) { _ in
            try await test.realm.sessions.refresh(token, of: .testClient, by: test.client)
        }
        let successors = Set(outcomes.compactMap { $0.refreshed?.refreshToken.reveal() })
        #expect(outcomes.allSatisfy { $0.refreshed != nil })
        #expect(successors.count == 1)
    }

    @Test(arguments: TestStore.available)
    func `Two enrolments that are finished at once end with one TOTP factor`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let offers = [try await test.offer(to: user.id), try await test.offer(to: user.id)]
        let now = test.now
        let verdicts = try await race(2) { index in
            let totp = try TOTP(secret: offers[index].secret.reveal())
            return try await test.finish(offers[index].handle, code: totp.code(at: now).stringCode)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(verdicts.count { $0.reason == .factorLimitReached } == 1)
        #expect(try await test.realm.enrolments.secondFactors(of: user.id).count == 1)
    }

    @Test(arguments: TestStore.available)
    func `One enrolment that is finished many times at once makes one factor`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let offer = try await test.offer(to: user.id)
        let code = try TOTP(secret: offer.secret.reveal()).code(at: test.now).stringCode
        let verdicts = try await race(3) { _ in try await test.finish(offer.handle, code: code) }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(verdicts.count { $0.reason == .flowFinished } == 2)
        #expect(try await test.realm.enrolments.secondFactors(of: user.id).count == 1)
    }

    @Test(arguments: TestStore.available)
    func `A factor that is withdrawn many times at once is withdrawn once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let enrolled = try await test.addEnrolledUser()
        let outcomes = try await race(10, meetingBefore: 1) { _ in
            try await test.realm.enrolments.withdraw(
                enrolled.factor.id, of: enrolled.user.id, evidence: enrolled.signedIn.evidence, by: test.client)
        }
        #expect(outcomes.count { if case .withdrawn = $0 { true } else { false } } == 1)
        #expect(outcomes.count { if case .unknownFactor = $0 { true } else { false } } == 9)
        #expect(try await test.user(enrolled.user.id).tokenEpoch == enrolled.user.tokenEpoch + 1)
    }

    @Test(arguments: TestStore.available)
    func `Many sign-ups for one address make one account`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let outcomes = try await race(10, meetingBefore: 1) { _ in
            try await test.realm.accounts.signUp(
                email: TestRealm.email, password: Secret("difference engine"), by: test.client)
        }
        #expect(outcomes.count { if case .signedUp = $0 { true } else { false } } == 1)
        #expect(try await test.store.read { try $0.countUsers() } == 1)
    }
}
