import Foundation
import Testing

@testable import CountersignCore

@Suite("Mailed codes")
struct MailedCodeTests {
    @Test
    func `A code of eight digits signs in, once, also where white space was copied along`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let (handle, code) = try await test.mailCode()
        #expect(code.count == 8 && code.allSatisfy { ("0"..."9").contains($0) })
        let signedIn = try #require(await test.answer(" \(code)\n", mailedFor: handle).signedIn)
        #expect(signedIn.user.id == user.id)
        #expect(signedIn.evidence.proofs.map(\.kind) == [.email])
        #expect(try await test.answer(code, mailedFor: handle).reason == .flowFinished)
    }

    @Test
    func `A code lives ten minutes`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let (first, firstCode) = try await test.mailCode()
        let (second, secondCode) = try await test.mailCode()
        test.clock.advance(599)
        #expect(try await test.answer(firstCode, mailedFor: first).isAccomplished)
        test.clock.advance(1)
        #expect(try await test.answer(secondCode, mailedFor: second).reason == .flowExpired)
    }

    @Test
    func `The fifth answer may be right, the sixth may not`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let (first, firstCode) = try await test.mailCode()
        for _ in 0..<4 { #expect(try await test.answer("0", mailedFor: first).reason == .wrongAnswer) }
        #expect(try await test.answer(firstCode, mailedFor: first).isAccomplished)
        let (second, secondCode) = try await test.mailCode()
        for _ in 0..<5 { #expect(try await test.answer("0", mailedFor: second).reason == .wrongAnswer) }
        #expect(try await test.answer(secondCode, mailedFor: second).reason == .authenticatorDisabled)
        test.clock.advance(300)
        #expect(try await test.answer(secondCode, mailedFor: second).reason == .authenticatorDisabled)
        // Another can be sent.
        let (third, thirdCode) = try await test.mailCode()
        #expect(try await test.answer(thirdCode, mailedFor: third).isAccomplished)
    }

    @Test
    func `A code belongs to its flow`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let (first, firstCode) = try await test.mailCode()
        let (second, secondCode) = try await test.mailCode()
        #expect(try await test.answer(firstCode, mailedFor: second).reason == .wrongAnswer)
        #expect(try await test.answer(secondCode, mailedFor: first).reason == .wrongAnswer)
    }

    @Test
    func `An unknown address looks like a known one, gets no mail, and no code is right`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let nobody = EmailAddress(kept: "nobody@example.org")
        let known = try await test.mailCode().handle
        let unknown = try await test.mailCode(to: nobody).handle
        #expect(try await test.mails().map(\.message.recipient) == [TestRealm.email.canonical])
        for _ in 0..<7 {
            let reasons = [
                try await test.answer("123", mailedFor: known).reason,
                try await test.answer("123", mailedFor: unknown).reason,
            ]
            #expect(reasons[0] == reasons[1])
        }
        let records = try await test.store.read { transaction in
            [try transaction.flow(digest: known.digest), try transaction.flow(digest: unknown.digest)]
        }
        #expect(records[0]?.attempts == records[1]?.attempts)
    }

    @Test
    func `Even the code that was never mailed signs no user in`() async throws {
        // The same seed draws the same code, for a user with an account.
        let known = try await TestRealm.make(seed: 5)
        let unknown = try await TestRealm.make(seed: 5)
        let now = known.now
        try await known.store.write { transaction in
            _ = try transaction.insert(
                User(id: UserID(rawValue: "u"), email: TestRealm.email, createdAt: now))
        }
        let code = try await known.mailCode().code
        let handle = try await unknown.mailCode().handle
        #expect(try await unknown.answer(code, mailedFor: handle).refusal != nil)
        #expect(try await unknown.store.read { try $0.countUsers() } == 0)
    }

    @Test
    func `A mailed code proves an address as a link does: a stranger's password is gone`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.realm.accounts.signUp(
            email: TestRealm.email, password: Secret("stranger's own"), by: test.client)
        let (handle, code) = try await test.mailCode()
        #expect(try await test.answer(code, mailedFor: handle).isAccomplished)
        #expect(try await test.signIn(password: "stranger's own").reason == .wrongAnswer)
    }

    @Test
    func `A disabled user is told so only with the right code`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        var change = AccountChange()
        change.isDisabled = true
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        let (handle, code) = try await test.mailCode()
        #expect(try await test.answer("0", mailedFor: handle).reason == .wrongAnswer)
        #expect(try await test.answer(code, mailedFor: handle).reason == .userDisabled)
    }
}
