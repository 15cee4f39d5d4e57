import Foundation
import Testing

@testable import CountersignCore

@Suite("Sessions")
struct SessionTests {
    @Test
    func `Ids of a transaction's events differ, begin with its instant, and are the same where it runs again`()
        async throws
    {
        let test = try await TestRealm.make()
        let (ids, others) = (
            EventIDs(at: test.now, random: test.random), EventIDs(at: test.now, random: test.random)
        )
        let first = (0..<200).map { ids[$0] }
        #expect(Set(first + (0..<200).map { others[$0] }).count == 400)
        #expect(first == (0..<200).map { ids[$0] })
        let prefix = AuditEvent.idPrefix(at: test.now)
        #expect(first.allSatisfy { $0.hasPrefix(prefix) && AuditEvent.isID($0) })
    }

    private func begin(_ test: TestRealm) async throws -> SignedIn {
        if try await test.realm.accounts.user(email: TestRealm.email) == nil { try await test.addUser() }
        return try #require(await test.signIn().signedIn)
    }

    private func refresh(_ token: Secret<String>, _ test: TestRealm) async throws -> Sessions.RefreshOutcome {
        try await test.realm.sessions.refresh(token, of: .testClient, by: test.client)
    }

    @Test
    func `A refresh gives a new token, and keeps what the session was proven with`() async throws {
        let test = try await TestRealm.make()
        let first = try await begin(test)
        test.clock.advance(1000)
        let second = try #require(await refresh(first.refreshToken, test).refreshed)
        #expect(second.refreshToken != first.refreshToken)
        #expect(second.session.id == first.session.id && second.grant.id == first.grant.id)
        #expect(second.evidence == first.evidence)
        #expect(try await test.user(first.user.id).lastRefreshAt == test.now)
        #expect(try await test.user(first.user.id).lastSignInAt == first.user.lastSignInAt)
        test.clock.advance(1000)
        #expect(try await refresh(second.refreshToken, test).refreshed != nil)
    }

    @Test
    func `For a minute a token that comes again gets the same successor`() async throws {
        let test = try await TestRealm.make()
        let first = try await begin(test)
        let second = try #require(await refresh(first.refreshToken, test).refreshed)
        test.clock.advance(59.999)
        let again = try #require(await refresh(first.refreshToken, test).refreshed)
        #expect(again.refreshToken == second.refreshToken)
        #expect(try await refresh(second.refreshToken, test).refreshed != nil)
    }

    @Test
    func `A token that comes again later ends the whole family, and the log says so`() async throws {
        let test = try await TestRealm.make()
        let first = try await begin(test)
        let other = try await begin(test)
        let second = try #require(await refresh(first.refreshToken, test).refreshed)
        test.clock.advance(60)
        #expect(try await refresh(first.refreshToken, test).refusal == .reused)
        #expect(try await refresh(second.refreshToken, test).refusal == .ended)
        #expect(try await refresh(first.refreshToken, test).refusal == .ended)
        let events = try await test.events(.refreshTokenReused)
        #expect(events.map(\.userID) == [first.user.id])
        #expect(!"\(events)".contains(first.refreshToken.reveal()))
        // Another session of the same user goes on.
        #expect(try await refresh(other.refreshToken, test).refreshed != nil)
    }

    @Test
    func `A token of two trades ago ends the family at once`() async throws {
        let test = try await TestRealm.make()
        let first = try await begin(test)
        let second = try #require(await refresh(first.refreshToken, test).refreshed)
        let third = try #require(await refresh(second.refreshToken, test).refreshed)
        #expect(try await refresh(first.refreshToken, test).refusal == .reused)
        #expect(try await refresh(third.refreshToken, test).refusal == .ended)
    }

    @Test
    func `A token that is right but for its last character ends the family`() async throws {
        let test = try await TestRealm.make()
        let first = try await begin(test)
        var text = first.refreshToken.reveal()
        text.append(text.removeLast() == "A" ? "B" : "A")
        #expect(try await refresh(Secret(text), test).refusal == .reused)
        #expect(try await refresh(first.refreshToken, test).refusal == .ended)
    }

    @Test
    func `A session ends after the days that the settings say, however often it was refreshed`() async throws {
        let test = try await TestRealm.make()
        try await test.changeSettings { $0.tokens.sessionDays = 2 }
        var token = try await begin(test).refreshToken
        test.clock.advance(86_400)
        token = try #require(await refresh(token, test).refreshed).refreshToken
        test.clock.advance(86_399)
        token = try #require(await refresh(token, test).refreshed).refreshToken
        test.clock.advance(1)
        #expect(try await refresh(token, test).refusal == .ended)
    }

    @Test
    func `Signing out ends one session`() async throws {
        let test = try await TestRealm.make()
        let first = try await begin(test)
        let other = try await begin(test)
        try await test.realm.sessions.revoke(first.refreshToken, of: .testClient)
        try await test.realm.sessions.revoke(first.refreshToken, of: .testClient)
        #expect(try await refresh(first.refreshToken, test).refusal == .ended)
        #expect(try await refresh(other.refreshToken, test).refreshed != nil)
    }

    @Test
    func `A disabled user refreshes nothing, also when enabled again; a deleted one neither`() async throws {
        let test = try await TestRealm.make()
        let session = try await begin(test)
        var change = AccountChange()
        change.isDisabled = true
        _ = try await test.realm.accounts.change(session.user.id, change, by: test.client)
        #expect(try await refresh(session.refreshToken, test).refusal == .userDisabled)
        change.isDisabled = false
        _ = try await test.realm.accounts.change(session.user.id, change, by: test.client)
        #expect(try await refresh(session.refreshToken, test).refusal == .ended)
        let next = try await begin(test)
        #expect(try await refresh(next.refreshToken, test).refreshed != nil)
        _ = try await test.realm.accounts.delete(session.user.id, by: test.client)
        #expect(try await refresh(next.refreshToken, test).refusal == .ended)
    }

    @Test
    func `A revocation ends sessions also within the grace of a token`() async throws {
        let test = try await TestRealm.make()
        let first = try await begin(test)
        let second = try #require(await refresh(first.refreshToken, test).refreshed)
        var change = AccountChange()
        change.revokesTokensAt = test.now
        _ = try await test.realm.accounts.change(first.user.id, change, by: test.client)
        #expect(try await refresh(first.refreshToken, test).refusal == .ended)
        #expect(try await refresh(second.refreshToken, test).refusal == .ended)
    }

    @Test
    func `A revocation cuts between two tokens of the same second`() async throws {
        let test = try await TestRealm.make()
        let before = try await begin(test)
        let issuedAt = test.now.seconds
        var change = AccountChange()
        change.revokesTokensAt = test.now
        _ = try await test.realm.accounts.change(before.user.id, change, by: test.client)
        let after = try await begin(test)
        #expect(test.now.seconds == issuedAt)
        func refusal(_ signedIn: SignedIn) async throws -> TokenRefusal? {
            try await test.refusal(
                ofTokenFor: signedIn.user.id, epoch: signedIn.session.tokenEpoch, issuedAt: issuedAt)
        }
        #expect(try await refusal(before) == .revoked)
        #expect(try await refusal(after) == nil)
        #expect(try await refresh(before.refreshToken, test).refusal == .ended)
        #expect(try await refresh(after.refreshToken, test).refreshed != nil)
    }

    @Test
    func `A token that names no epoch is judged by its second`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.clock.advance(100)
        var change = AccountChange()
        change.revokesTokensAt = test.now
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        func refusal(_ issuedAt: Int64, of id: UserID? = nil) async throws -> TokenRefusal? {
            try await test.refusal(ofTokenFor: id ?? user.id, epoch: nil, issuedAt: issuedAt)
        }
        #expect(try await refusal(test.now.seconds - 1) == .revoked)
        #expect(try await refusal(test.now.seconds) == nil)
        #expect(try await refusal(test.now.seconds, of: UserID(rawValue: "x")) == .userNotFound)
        #expect(try await refusal(.min) == .revoked)
        #expect(try await refusal(.max) == .fromTheFuture)
        change = AccountChange()
        change.isDisabled = true
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await refusal(test.now.seconds) == .userDisabled)
        #expect(try await refusal(test.now.seconds - 1) == .revoked)
    }

    @Test
    func
        `No token is kept in the clear, and the present one is sealed only while a lost answer may be asked for again`()
        async throws
    {
        let test = try await TestRealm.make()
        let first = try await begin(test)
        func kept() async throws -> Grant { try #require(await test.store.read { try $0.grant(first.grant.id) }) }
        #expect(try await kept().refresh.sealedCurrent == nil)
        let second = try #require(await refresh(first.refreshToken, test).refreshed)
        let sealed = try #require(await kept().refresh.sealedCurrent)
        #expect(sealed.range(of: Data(second.refreshToken.reveal().utf8)) == nil)
        #expect(try await kept().refresh.currentDigest != Data(second.refreshToken.reveal().utf8))
    }

    @Test
    func `Garbage is no token, and nothing is thrown`() async throws {
        let test = try await TestRealm.make()
        let first = try await begin(test)
        let good = first.refreshToken.reveal()
        let fixed = [
            "", ".", "..", "a.", ".a", "a.b.c", good + ".", "." + good, good + good, String(good.dropLast(50)),
            String(repeating: "a", count: 1_000_000), "\u{0}.\u{0}", "💣.💣", "'; DROP TABLE users; --.x", "%.%", "_._",
        ]
        for text in fixed + (0..<200).map({ _ in test.noise(around: "x.\(good.suffix(43))") }) {
            #expect(try await refresh(Secret(text), test).refusal == .unknownToken, "\(text.prefix(99))")
            try await test.realm.sessions.revoke(Secret(text), of: .testClient)
        }
        #expect(try await refresh(first.refreshToken, test).refreshed != nil)
    }
}

extension TestRealm {
    /// The text with some of its bytes replaced, removed or doubled.
    func noise(around text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0...random.number(below: 6) {
            guard !bytes.isEmpty else { break }
            let index = random.number(below: bytes.count)
            switch random.number(below: 3) {
            case 0: bytes[index] = random.bytes(1)[0]
            case 1: bytes.remove(at: index)
            default: bytes.insert(contentsOf: random.bytes(1 + random.number(below: 4)), at: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
