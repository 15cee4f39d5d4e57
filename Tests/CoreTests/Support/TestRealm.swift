import CountersignCore
import Foundation
import OneTimePassword
import Testing

/// A realm whose clock, randomness and hasher belong to the test; the store is the real one.
struct TestRealm: Sendable {
    let realm: Realm
    let clock: ManualClock
    let random: SeededRandom
    let hasher: FastHasher

    static let email = EmailAddress(kept: "ada@example.org")
    static let password = "analytical engine"

    static func make(
        on store: TestStore = .sqlite, mode: RealmMode = .production, seed: UInt64 = 1,
        extensionCaller: any ExtensionCaller = NoExtensionCaller()
    ) async throws -> TestRealm {
        let clock = ManualClock()
        let random = SeededRandom(seed: seed)
        let hasher = FastHasher()
        let sealer = Sealer(active: try .init(bytes: Secret(Array(repeating: 7, count: 32))), random: random)
        let realm = Realm(
            store: RaceStore(try await store.open()), clock: clock, random: random, sealer: sealer,
            hasher: hasher, mode: mode, extensionCaller: extensionCaller)
        return TestRealm(realm: realm, clock: clock, random: random, hasher: hasher)
    }

    var store: any Store { realm.store }
    var now: Date { clock.now }

    /// Who asks, where no limit per source applies.
    let client = ClientContext(
        clientID: ClientID(rawValue: "app"), dialect: .identityToolkit, limitedSource: nil, source: "127.0.0.1")

    func client(from source: String) -> ClientContext {
        var client = client
        client.limitedSource = source
        return client
    }

    // MARK: Users

    /// An account with a proven address and a password.
    @discardableResult
    func addUser(
        _ email: EmailAddress = email, password: String? = password, verified: Bool = true
    ) async throws -> User {
        try await realm.accounts.create(
            email: email, password: password.map { Secret($0) }, profile: UserProfile(emailVerified: verified),
            by: client
        ).get()
    }

    func user(_ id: UserID) async throws -> User {
        try #require(await realm.accounts.user(id))
    }

    func changeSettings(_ change: @escaping @Sendable (inout RealmSettings) -> Void) async throws {
        try await realm.changeSettings(by: client, change)
    }

    // MARK: Answers

    func signIn(
        _ email: EmailAddress = email, password: String = password, by client: ClientContext? = nil,
        lifetime: TimeInterval = FlowLifetime.secondFactor
    ) async throws -> Verdict {
        try await realm.authenticator.answer(
            .password(Secret(password)),
            to: .opening(FlowOpening(subject: .email(email), terms: SessionTerms(), lifetime: lifetime)),
            by: client ?? self.client)
    }

    func follow(
        _ handle: FlowHandle, _ purposes: Set<FlowPurpose> = Set(FlowPurpose.allCases), newPassword: String? = nil,
        claiming: EmailAddress? = nil
    ) async throws -> Verdict {
        var expectation = FlowExpectation()
        expectation.purposes = purposes
        return try await realm.authenticator.answer(
            .link(newPassword: newPassword.map { Secret($0) }, claiming: claiming), to: .flow(handle, expectation),
            by: client)
    }

    func answer(_ code: String, mailedFor handle: FlowHandle) async throws -> Verdict {
        try await realm.authenticator.answer(
            .mailedCode(Secret(code)), to: .flow(handle, FlowExpectation(.signIn)), by: client)
    }

    func counter(_ key: String) async throws -> AttemptCounter? {
        try await store.read { try $0.counter(key) }
    }

    func events(_ kind: AuditEvent.Kind) async throws -> [AuditEvent] {
        try await realm.auditLog.events(limit: 1000).filter { $0.kind == kind }
    }
}
