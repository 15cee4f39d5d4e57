import CoreTestSupport
import Foundation
import OneTimePassword
import PasskeyTestSupport
import Testing

@testable import CountersignCore

/// What tests of passkeys do in a realm whose pages are at ``site``.
extension TestRealm {
    static let site = "https://login.example.org"

    /// A realm with a domain, which passkeys need.
    static func withSite(on store: TestStore = .sqlite) async throws -> TestRealm {
        let test = try await make(on: store)
        test.realm.site.tell(name: "Example") { [site] }
        return test
    }

    /// Another server on the same store.
    func neighbour(seed: UInt64 = 99) -> TestRealm {
        let random = SeededRandom(seed: seed)
        let realm = Realm(store: store, clock: clock, random: random, sealer: self.realm.sealer, hasher: hasher)
        realm.site.tell(name: "Example") { [Self.site] }
        return TestRealm(realm: realm, clock: clock, random: random, hasher: hasher)
    }

    func passwordSession(_ email: EmailAddress = email) async throws -> OwnSession {
        let signedIn = try #require(try await signIn(email).signedIn)
        return OwnSession(userID: signedIn.user.id, evidence: signedIn.evidence, epoch: signedIn.user.tokenEpoch)
    }

    func beginEnrolling(
        _ session: OwnSession, wish: JSONValue? = nil
    ) async throws -> Enrolments.ResponseOffer {
        let outcome = try await realm.enrolments.begin(.passkey, of: session, wish: wish, by: client)
        guard case .offered(let offer) = outcome else {
            Issue.record("refused: \(outcome)")
            throw TestFailure()
        }
        return offer
    }

    func register(_ response: JSONValue, for handle: FlowHandle, name: String = "Laptop") async throws -> Verdict {
        try await realm.authenticator.answer(
            .registration(of: .passkey, response: response, name: name),
            to: .flow(handle, FlowExpectation([.enrolFactor], at: [.factorEnrolment], of: [.testClient])), by: client)
    }

    /// An account with a password and a passkey, and the authenticator that keeps it.
    func passkeyOwner(
        _ email: EmailAddress = email, _ change: (inout SoftwareAuthenticator) -> Void = { _ in },
        wish: JSONValue? = nil
    ) async throws -> (user: User, authenticator: SoftwareAuthenticator, factor: FactorRecord) {
        let user = try await addUser(email)
        var authenticator = SoftwareAuthenticator(origin: Self.site)
        change(&authenticator)
        let offer = try await beginEnrolling(passwordSession(email), wish: wish)
        let verdict = try await register(authenticator.create(for: offer.challenge), for: offer.handle)
        guard case .accomplished(.enrolled(let factor, _)) = verdict else {
            Issue.record("refused: \(verdict)")
            throw TestFailure()
        }
        return (user, authenticator, factor)
    }

    /// Enrols an authenticator app beside the passkey.
    func enrolTOTP(of user: User, with authenticator: SoftwareAuthenticator) async throws -> TOTP {
        let signedIn = try #require(try await signIn(with: authenticator).signedIn)
        let outcome = try await realm.enrolments.beginTOTP(for: user.id, evidence: signedIn.evidence, by: client)
        guard case .offered(let offer) = outcome else {
            Issue.record("refused: \(outcome)")
            throw TestFailure()
        }
        let totp = try TOTP(secret: offer.secret.reveal())
        guard case .accomplished = try await finish(offer.handle, code: totp.code(at: now).stringCode) else {
            throw TestFailure()
        }
        clock.advance(30)
        return totp
    }

    func exported(_ id: UserID) async throws -> PortableAccount {
        let page = try await realm.accounts.exportAccounts(after: nil, limit: 10, by: client)
        return try #require(page.accounts.first { $0.id == id })
    }

    func beginPasskey(by client: ClientContext? = nil) async throws -> BegunProof {
        let outcome = try await realm.authenticator.begin(.passkey, by: client ?? self.client)
        guard case .begun(let begun) = outcome else {
            Issue.record("refused: \(outcome)")
            throw TestFailure()
        }
        return begun
    }

    func assert(
        _ response: JSONValue, for handle: FlowHandle, by client: ClientContext? = nil,
        at stages: Set<FlowStage> = [.proof(.passkey)]
    ) async throws -> Verdict {
        try await realm.authenticator.answer(
            .proof(of: .passkey, response: response),
            to: .flow(handle, FlowExpectation([.signIn], at: stages, of: [.testClient])), by: client ?? self.client)
    }

    /// A whole sign-in without a name.
    func signIn(
        with authenticator: SoftwareAuthenticator, by client: ClientContext? = nil
    ) async throws -> Verdict {
        let begun = try await beginPasskey(by: client)
        return try await assert(authenticator.get(for: begun.challenge), for: begun.handle, by: client)
    }
}

extension SoftwareAuthenticator {
    mutating func create(for options: JSONValue) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: create(optionsJSON: JSONEncoder().encode(options)))
    }

    func get(for options: JSONValue) throws -> JSONValue {
        var copy = self
        return try JSONDecoder().decode(JSONValue.self, from: copy.get(optionsJSON: JSONEncoder().encode(options)))
    }
}
