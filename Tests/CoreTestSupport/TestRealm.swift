import Foundation
import NativeAuthExtensions
import OneTimePassword
import Testing

@testable import CountersignCore

/// A realm whose clock, randomness and hasher belong to the test; the store is the real one.
package struct TestRealm: Sendable {
    package let realm: Realm
    package let clock: ManualClock
    package let random: SeededRandom
    package let hasher: FastHasher

    package init(realm: Realm, clock: ManualClock, random: SeededRandom, hasher: FastHasher) {
        self.realm = realm
        self.clock = clock
        self.random = random
        self.hasher = hasher
    }

    package static let email = EmailAddress(kept: "ada@example.org")
    package static let password = "analytical engine"

    package static func make(
        on store: TestStore = .sqlite, mode: RealmMode = .production, seed: UInt64 = 1,
        extensionCaller: any ExtensionCaller = NoExtensionCaller(), hookCaller: any HookCaller = NoHookCaller(),
        documentFetcher: any ClientDocumentFetcher = NoClientDocumentFetcher()
    ) async throws -> TestRealm {
        try await make(
            keptIn: store.open(), mode: mode, seed: seed, extensionCaller: extensionCaller, hookCaller: hookCaller,
            documentFetcher: documentFetcher)
    }

    /// Another server, where the clock is another's.
    package static func make(
        keptIn store: any Store, clock: ManualClock = ManualClock(), mode: RealmMode = .production, seed: UInt64 = 1,
        extensionCaller: any ExtensionCaller = NoExtensionCaller(), hookCaller: any HookCaller = NoHookCaller(),
        documentFetcher: any ClientDocumentFetcher = NoClientDocumentFetcher()
    ) throws -> TestRealm {
        let random = SeededRandom(seed: seed)
        let hasher = FastHasher()
        let sealer = Sealer(active: try .init(bytes: Secret(Array(repeating: 7, count: 32))), random: random)
        let realm = Realm(
            store: RaceStore(store), clock: clock, random: random, sealer: sealer,
            hasher: hasher, mode: mode, extensionCaller: extensionCaller, extensionFormat: EntraExtensionFormat(),
            hookCaller: hookCaller, documentFetcher: documentFetcher, storePatience: .seconds(1200),
            pagePause: .seconds(3600))
        return TestRealm(realm: realm, clock: clock, random: random, hasher: hasher)
    }

    package var store: any Store { realm.store }
    package var now: Date { clock.now }

    /// Who asks, where no limit per source applies.
    package var client = ClientContext(
        clientID: ClientID(rawValue: "app"), dialect: .identityToolkit, limitedSource: nil, source: "127.0.0.1")

    package func client(from source: String) -> ClientContext {
        var client = client
        client.limitedSource = source
        return client
    }

    // MARK: Users

    /// An account with a proven address and a password.
    @discardableResult
    package func addUser(
        _ email: EmailAddress = email, password: String? = password, verified: Bool = true
    ) async throws -> User {
        try await realm.accounts.create(
            email: email, password: password.map { Secret($0) }, profile: UserProfile(emailVerified: verified),
            by: client
        ).get()
    }

    package func user(_ id: UserID) async throws -> User {
        try #require(await realm.accounts.user(id))
    }

    package func changeSettings(_ change: @escaping @Sendable (inout RealmSettings) -> Void) async throws {
        try await realm.changeSettings(by: client, change)
    }

    // MARK: Answers

    package func signIn(
        _ email: EmailAddress = email, password: String = password, by client: ClientContext? = nil,
        lifetime: TimeInterval = FlowLifetime.secondFactor
    ) async throws -> Verdict {
        try await realm.authenticator.answer(
            .password(Secret(password)),
            to: .opening(FlowOpening(subject: .email(email), terms: GrantTerms(), lifetime: lifetime)),
            by: client ?? self.client)
    }

    package func follow(
        _ handle: FlowHandle, _ purposes: Set<FlowPurpose> = Set(FlowPurpose.allCases), newPassword: String? = nil,
        claiming: EmailAddress? = nil
    ) async throws -> Verdict {
        try await realm.authenticator.answer(
            .link(newPassword: newPassword.map { Secret($0) }, claiming: claiming),
            to: .flow(handle, .any(purposes)), by: client)
    }

    package func answer(_ code: String, mailedFor handle: FlowHandle) async throws -> Verdict {
        try await realm.authenticator.answer(
            .mailedCode(Secret(code)), to: .flow(handle, .any(.signIn)), by: client)
    }

    package func counter(_ key: String) async throws -> AttemptCounter? {
        try await store.read { try $0.counter(key) }
    }

    /// What is counted against a source; nil where nothing ever was.
    package func answers(from source: String) async throws -> Int? {
        let keys = RateLimit.answersPerSource.keys(of: CounterKey.answers(from: source), from: 0)
        let counters = try await store.read { transaction in try keys.compactMap { try transaction.counter($0) } }
        return counters.isEmpty ? nil : counters.reduce(0) { $0 + $1.count }
    }

    package func events(_ kind: AuditEvent.Kind) async throws -> [AuditEvent] {
        try await realm.auditLog.events(limit: 1000).filter { $0.kind == kind }
    }
}
