import CoreTestSupport
import Foundation
import JSON
import PasskeyTestSupport
import Testing

@testable import CountersignCore

@Suite("Sign-up by passkey")
struct PasskeySignUpTests {
    private static let address = EmailAddress(kept: "new@example.org")

    @Test(arguments: TestStore.available)
    func `A response makes the account with its passkey, and signs in; the address is not proven by it`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        let begun = try await test.beginSignUp(Self.address, name: "Ada")
        #expect(begun.challenge["challenge"]?.stringValue == begun.handle.token.reveal())
        #expect(begun.challenge["user"]?["name"] == "new@example.org")
        #expect(begun.challenge["user"]?["displayName"] == "Ada")
        #expect(try await test.realm.accounts.user(email: Self.address) == nil, "There is none before the response.")
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let verdict = try await test.signUp(authenticator.create(for: begun.challenge), begun.handle)
        let signedIn = try #require(verdict.signedIn, "\(verdict)")
        #expect(signedIn.isNewUser && signedIn.user.email == Self.address)
        #expect(!signedIn.user.profile.emailVerified && signedIn.user.profile.displayName == "Ada")
        #expect(Array(signedIn.user.id.rawValue.utf8) == authenticator.userHandle)
        #expect(signedIn.session.proofs.map(\.kind) == [.passkey])
        #expect(ContextClasses.assuranceLevels.name(of: signedIn.evidence, test.realm.proofs) == "aal2")
        #expect(try await test.events(.signedUp).count == 1)
        #expect(try await test.signIn(with: authenticator).signedIn?.user.id == signedIn.user.id)
    }

    @Test(arguments: TestStore.available)
    func `One response sent twenty times at once to two servers is one account and one session`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        let neighbour = test.neighbour()
        let begun = try await test.beginSignUp(Self.address)
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let response = try authenticator.create(for: begun.challenge)
        let verdicts = try await race(20, meetingBefore: 1) { index in
            try await (index % 2 == 0 ? test : neighbour).signUp(response, begun.handle)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(Set(verdicts.compactMap(\.reason)).isSubset(of: [.flowExhausted, .flowFinished]))
        let user = try #require(verdicts.compactMap(\.signedIn).first?.user)
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 9) }.count == 1)
    }

    @Test(arguments: TestStore.available)
    func `Two sign-ups with one address at once make one account`(store: TestStore) async throws {
        let test = try await TestRealm.withSite(on: store)
        let neighbour = test.neighbour()
        let begun = [try await test.beginSignUp(Self.address), try await test.beginSignUp(Self.address)]
        let responses = try begun.map { begun in
            var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
            return try authenticator.create(for: begun.challenge)
        }
        let verdicts = try await race(2) { index in
            try await (index == 0 ? test : neighbour).signUp(responses[index], begun[index].handle)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(verdicts.compactMap(\.reason) == [.addressTaken])
    }

    @Test(arguments: TestStore.available)
    func `Of two sign-ups with one credential at once one makes an account, and the other none`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        let neighbour = test.neighbour()
        let addresses = [Self.address, EmailAddress(kept: "other@example.org")]
        let begun = [try await test.beginSignUp(addresses[0]), try await test.beginSignUp(addresses[1])]
        let authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let responses = try begun.map { begun in
            var copy = authenticator
            return try copy.create(for: begun.challenge)
        }
        let verdicts = try await race(2) { index in
            try await (index == 0 ? test : neighbour).signUp(responses[index], begun[index].handle)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(verdicts.compactMap(\.reason) == [.replayed])
        let users = try await test.store.read { transaction in
            try addresses.compactMap { try transaction.user(email: $0) }
        }
        #expect(users.count == 1)
    }

    @Test
    func `A wrong response makes nothing, and uses the sign-up up`() async throws {
        let test = try await TestRealm.withSite()
        let begun = try await test.beginSignUp(Self.address)
        var elsewhere = SoftwareAuthenticator(origin: "https://evil.example")
        #expect(try await test.signUp(elsewhere.create(for: begun.challenge), begun.handle).reason == .wrongAnswer)
        var own = SoftwareAuthenticator(origin: TestRealm.site)
        #expect(try await test.signUp(own.create(for: begun.challenge), begun.handle).reason == .flowExhausted)
        #expect(try await test.realm.accounts.user(email: Self.address) == nil)
        // Neither an enrolment nor a sign-in takes the handle.
        let third = try await test.beginSignUp(Self.address)
        let response = try own.create(for: third.challenge)
        #expect(try await test.register(response, for: third.handle).reason == .unknownFlow)
        #expect(try await test.assert(response, for: third.handle).reason == .unknownFlow)
        #expect(try await test.signUp(response, third.handle).isAccomplished)
    }

    @Test
    func `Nothing begins for an address with an account, where sign-up is closed, or passkeys are off`() async throws {
        let test = try await TestRealm.withSite()
        _ = try await test.addUser()
        #expect(try await test.refusedSignUp(TestRealm.email) == .addressTaken)
        let begun = try await test.beginSignUp(Self.address)
        try await test.changeSettings { $0.signUp.isOpen = false }
        #expect(try await test.refusedSignUp(Self.address) == .signUpClosed)
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        #expect(try await test.signUp(authenticator.create(for: begun.challenge), begun.handle).reason == .signUpClosed)
        try await test.changeSettings {
            $0.signUp.isOpen = true
            $0.secondFactors.offersPasskeys = false
        }
        #expect(try await test.refusedSignUp(Self.address) == .factorNotOffered)
    }

    @Test
    func `A mailbox that is proven for the first time takes the account from a stranger's passkey`() async throws {
        let test = try await TestRealm.withSite()
        let begun = try await test.beginSignUp(TestRealm.email)
        var squatter = SoftwareAuthenticator(origin: TestRealm.site)
        #expect(try await test.signUp(squatter.create(for: begun.challenge), begun.handle).isAccomplished)
        let handle = try #require(try await test.mailLink(.signIn(TestRealm.email)))
        #expect(try await test.follow(handle).isAccomplished)
        #expect(try await test.signIn(with: squatter).reason == .unknownFactor)
    }
}

extension TestRealm {
    fileprivate func begun(_ address: EmailAddress, _ name: String? = nil) async throws -> Authenticator.BeginOutcome {
        try await realm.authenticator.begin(
            signingUp: .init(email: address, displayName: name), by: .passkey, from: client)
    }

    fileprivate func beginSignUp(_ address: EmailAddress, name: String? = nil) async throws -> BegunProof {
        let outcome = try await begun(address, name)
        guard case .begun(let begun) = outcome else {
            Issue.record("refused: \(outcome)")
            throw TestFailure()
        }
        return begun
    }

    fileprivate func refusedSignUp(_ address: EmailAddress) async throws -> Refusal.Reason? {
        guard case .refused(let refusal) = try await begun(address) else { return nil }
        return refusal.reason
    }

    fileprivate func signUp(_ response: JSONValue, _ handle: FlowHandle) async throws -> Verdict {
        try await realm.authenticator.answer(
            .registration(of: .passkey, response: response, name: ""),
            to: .flow(handle, FlowExpectation([.signUp], at: [.factorEnrolment], of: [.testClient])), by: client)
    }
}
