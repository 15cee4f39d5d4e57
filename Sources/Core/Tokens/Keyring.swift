import Crypto
import Foundation
import JWTKit
import Synchronization

/// The keys that sign tokens: one for ES256 and one for RS256, made on first start and rotated together.
///
/// A rotated key signs nothing any more and stays in the JWKS until the last token that it signed has expired. The keys
/// are read again every few seconds, at once when a token names a key that is not known, and at once where a transaction of this process
/// has seen other settings, so that servers side by side agree without talking to each other. A key that signs by settings that a request
/// has read is thus in the JWKS that the next request gets here.
///
/// **How the files of this folder meet.** `SigningKeyRecord` is a key as it is stored, sealed, and `TokenKey` the same opened, which
/// signs and verifies; this type rotates and uses them, and gives their public halves as `JSONWebKey`s or, for Google's old endpoint, in a `SelfSignedCertificate`.
/// `TokenClaims` is what is signed: a `TokenDraft` composes it, with `AuthenticationMethods` for `amr` and the dialect's own
/// spelling. `Tokens` judges a token that a request brings (`ReceivedToken`) against a `TokenExpectation`: by this keyring, by its `TokenType`, by
/// `TokenTimes`, and by its user and session.
public final class Keyring: Sendable {
    private struct Ring: Sendable {
        var records: [SigningKeyRecord]
        /// By id.
        var keys: [String: TokenKey]
        /// The JWKS of the keys with these algorithms.
        var jwks: [Set<SigningAlgorithm>: Data]
        /// What the settings say of tokens.
        var settings: TokenSettings
        var loadedAt: Date
        /// `StandingDocuments.changes` before it was read.
        var changes: Int

        func key(_ record: SigningKeyRecord) throws -> TokenKey {
            guard let key = keys[record.id] else { throw StoreError(.corrupt, "The key \(record.id) was not opened.") }
            return key
        }
    }

    private let store: any Store
    private let clock: any WallClock
    private let random: any RandomSource
    private let sealer: Sealer
    private let standing: StandingDocuments
    private let ring = Mutex<Ring?>(nil)
    /// PEM, by key id: made when they are first asked for, which is seldom, and once, as each is signed.
    private let madeCertificates = Mutex<[String: String]>([:])
    let verifiedSignatures = VerifiedSignatures()
    private let reloading: BoundedQuestion<Ring>

    /// Seconds after which the keys are read again.
    static let freshness: TimeInterval = 5
    /// Seconds that any token lives at most: a session cookie's fourteen days.
    public static let longestToken: TimeInterval = 14 * 86_400
    /// Seconds that a retired key stays in the JWKS: as long as the longest token, and the clocks of others.
    static let retirement: TimeInterval = longestToken + 600

    /// - Parameters:
    ///   - standing: what transactions on the store saw of the settings.
    ///   - patience: how long the JWKS waits for the store, where it has keys of before to show.
    init(
        store: any Store, clock: any WallClock, random: any RandomSource, sealer: Sealer,
        standing: StandingDocuments = StandingDocuments(), patience: Duration = .seconds(1)
    ) {
        self.store = store
        self.clock = clock
        self.random = random
        self.sealer = sealer
        self.standing = standing
        reloading = BoundedQuestion(patience: patience)
    }

    // MARK: Using keys

    /// A compact JWS (RFC 7515, section 3.1) over the claims, with `typ: JWT`.
    /// - Parameter typ: nil leaves the header out, as session cookies want it.
    public func sign(_ claims: TokenClaims, with algorithm: SigningAlgorithm, typ: String? = "JWT") async throws
        -> String
    {
        let ring = try await current()
        guard let active = ring.records.last(where: { $0.algorithm == algorithm && $0.retiredAt == nil }) else {
            throw StoreError(.corrupt, "There is no active \(algorithm.rawValue) key; run `countersign key rotate`.")
        }
        return try ring.key(active).sign(claims, typ: typ)
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// A token with `alg: none` and an empty signature, as the Firebase emulator issues it.
    /// - Parameter typ: nil leaves the header out.
    public func unsignedToken(_ claims: TokenClaims, typ: String? = "JWT") async throws -> String {
        try TokenKey.unsigned(claims, typ: typ)
    }

    /// The claims of a token that one of our keys signed, with the algorithm of that key; nil for anything else.
    /// Times, issuer and audience are for the caller to judge.
    func verified(_ token: ReadToken) async throws -> TokenClaims? {
        guard let algorithm = SigningAlgorithm(rawValue: token.header.alg), let kid = token.header.kid else {
            return nil
        }
        var ring = try await current()
        if ring.keys[kid] == nil {
            guard ring.loadedAt != clock.now else { return nil }
            ring = try await reload()
        }
        guard let record = ring.records.first(where: { $0.id == kid }), record.algorithm == algorithm,
            record.removedAfter.map({ $0 > clock.now }) ?? true
        else { return nil }
        return try verifiedSignatures.claims(of: token) { try ring.key(record).signed($0) }
    }

    /// What a token says, before it is known who says it; nil where the text is none. One that was verified before is not taken apart again.
    func read(_ text: String) -> ReadToken? { verifiedSignatures.read(text) }

    /// The same of a token's text.
    func verified(_ token: String) async throws -> TokenClaims? {
        guard let token = read(token) else { return nil }
        return try await verified(token)
    }

    /// The claims of a token with `alg: none` and an empty signature; nil for anything else.
    static func unsigned(_ token: ReceivedToken) -> TokenClaims? {
        token.header.alg == "none" && token.signature.isEmpty ? token.claims : nil
    }

    /// The claims of a token that one of the given public keys (PEM) signed; nil for anything else.
    func verified(_ token: String, byPublicKeyPEM pem: String) async -> TokenClaims? {
        guard let header = JWSHeader(of: token), let algorithm = SigningAlgorithm(rawValue: header.alg) else {
            return nil
        }
        let keys = JWTKeyCollection()
        switch algorithm {
        case .es256:
            guard let key = try? ES256PublicKey(pem: pem) else { return nil }
            await keys.add(ecdsa: key)
        case .rs256:
            guard let key = try? JWTKit.Insecure.RSA.PublicKey(pem: pem) else { return nil }
            await keys.add(rsa: key, digestAlgorithm: .sha256)
        }
        return try? await keys.verify(token, as: TokenClaims.self)
    }

    /// The public keys that tokens in circulation may be signed with (RFC 7517, section 5).
    ///
    /// Verifiers elsewhere depend on it, so it is answered from memory while the store does not answer.
    /// - Parameter dialects: whose tokens are verified with this JWKS, one at least; where ``TokenSettings/publishedKeys``
    ///   says `used`, keys that sign none of theirs are left out. Nil is every key.
    public func jwks(for dialects: [Dialect]? = nil) async throws -> Data {
        let ring = try await publicRing()
        guard let jwks = ring.jwks[ring.settings.published(for: dialects)] else {
            throw StoreError(.corrupt, "There is no JWKS for these algorithms.")
        }
        return jwks
    }

    /// ``jwks(for:)`` where it is known without asking the store; nil where that has to be asked.
    public func presentJWKS(for dialects: [Dialect]? = nil) -> Data? {
        guard let ring = ring.withLock({ $0 }), isFresh(ring) else { return nil }
        return ring.jwks[ring.settings.published(for: dialects)]
    }

    /// The same keys as X.509 certificates that they signed themselves (PEM), by key id: the form in which Google
    /// publishes its own, and the only one that some verifiers read.
    public func certificates(for dialects: [Dialect]? = nil) async throws -> [String: String] {
        let ring = try await publicRing()
        let published = ring.settings.published(for: dialects)
        var certificates: [String: String] = [:]
        for record in ring.records where published.contains(record.algorithm) {
            certificates[record.id] = try await certificate(of: record)
        }
        let present = Set(ring.records.map(\.id))
        madeCertificates.withLock { made in made = made.filter { present.contains($0.key) } }
        return certificates
    }

    private func certificate(of record: SigningKeyRecord) async throws -> String {
        if let made = madeCertificates.withLock({ $0[record.id] }) { return made }
        let plain = try await sealer.opened(record.sealedPrivateKey, for: .signingKey(record.id))
        let certificate = try SelfSignedCertificate.pem(
            of: record, privateKeyPEM: String(decoding: plain, as: UTF8.self))
        // One that was made at the same time counts: all who ask get the same.
        return madeCertificates.withLock { made in
            let first = made[record.id] ?? certificate
            made[record.id] = first
            return first
        }
    }

    /// What tokens of a dialect are signed with, as metadata tells it: from memory too.
    public func algorithm(for dialect: Dialect) async throws -> SigningAlgorithm {
        try await publicRing().settings.algorithm(for: dialect)
    }

    /// What the settings say of tokens, as this server signs by them now: from memory too.
    public func settings() async throws -> TokenSettings {
        try await publicRing().settings
    }

    private func publicRing() async throws -> Ring {
        guard let known = ring.withLock({ $0 }) else { return try await reload() }
        if isFresh(known) { return known }
        return (try? await reloading.presentAnswer { try await self.reload() }) ?? known
    }

    /// All keys, the oldest first.
    public func records() async throws -> [SigningKeyRecord] { try await reload().records }

    // MARK: Making and rotating keys

    /// Makes the first keys, where there are none.
    public func prepare() async throws {
        guard try await store.read({ try $0.signingKeys() }).isEmpty else { return }
        let fresh = try await freshKeys()
        let sealer = sealer
        try await store.write { transaction in
            guard try transaction.signingKeys().isEmpty else { return }
            for key in fresh { _ = try transaction.insert(key.record(sealedBy: sealer, in: transaction)) }
        }
        _ = try await reload()
    }

    /// Puts a fresh pair of keys into use, and retires the present ones. Of calls at the same time one does, and the others answer with the
    /// keys that it made.
    /// - Parameter judging: throws where the keys that sign now are not to be replaced. It sees them before fresh ones are made, and again
    ///   in the transaction that replaces them.
    @discardableResult
    public func rotate(
        by actor: ClientContext, judging: @escaping @Sendable ([SigningKeyRecord]) throws -> Void = { _ in }
    ) async throws -> [SigningKeyRecord] {
        let now = clock.now
        let signing = try await store.read { try $0.signingKeys() }.filter { $0.retiredAt == nil }
        try judging(signing)
        let seen = Set(signing.map(\.id))
        let fresh = try await freshKeys()
        let eventID = AuditEvent.freshID(at: now, random: random)
        let sealer = sealer
        let rotated = try await store.write { transaction in
            let present = try transaction.signingKeys().filter { $0.retiredAt == nil }.sorted { $0.id < $1.id }
            try judging(present)
            // All of them were replaced while the fresh ones were made: by another call, or another server.
            if !seen.isEmpty, seen.isDisjoint(with: present.map(\.id)) { return present }
            for var key in present {
                key.retiredAt = now
                key.removedAfter = now + Self.retirement
                _ = try transaction.update(key)
            }
            let records = try fresh.map { try $0.record(sealedBy: sealer, in: transaction) }
            for key in records { _ = try transaction.insert(key) }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .keyRotated, userID: nil, context: actor,
                    details: ["keys": .array(fresh.map { .string($0.id) })]))
            return records
        }
        noteChange()
        _ = try await reload()
        return rotated
    }

    /// Takes a key out of use at once, as one that may be in other hands: no token that it signed counts any more, here within
    /// five seconds, elsewhere as soon as the JWKS is read again. Where it signs, a fresh one of its algorithm does from now on.
    /// - Returns: the key as it was taken out, and the fresh one; nil where there is no such key.
    public func retire(
        _ id: String, by actor: ClientContext
    ) async throws -> (retired: SigningKeyRecord, successor: SigningKeyRecord?)? {
        let now = clock.now
        let eventID = AuditEvent.freshID(at: now, random: random)
        let sealer = sealer
        guard let known = try await store.read({ try $0.signingKeys() }).first(where: { $0.id == id }) else {
            return nil
        }
        // Drawn for nothing where another server has rotated meanwhile.
        let fresh = known.retiredAt == nil ? try await freshKeys([known.algorithm]).first : nil
        let retirement: (SigningKeyRecord, SigningKeyRecord?)? = try await store.write { transaction in
            guard var key = try transaction.signingKeys().first(where: { $0.id == id }) else { return nil }
            let successor = key.retiredAt == nil ? try fresh?.record(sealedBy: sealer, in: transaction) : nil
            key.retiredAt = key.retiredAt ?? now
            key.removedAfter = now
            _ = try transaction.update(key)
            if let successor { _ = try transaction.insert(successor) }
            var details: [String: JSONValue] = ["key": .string(id)]
            if let successor { details["successor"] = .string(successor.id) }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .keyRetired, userID: nil, context: actor, details: details))
            return (key, successor)
        }
        noteChange()
        _ = try await reload()
        return retirement
    }

    /// A key before it is sealed, which the transaction that keeps it does.
    private struct FreshKey: Sendable {
        let id: String
        let algorithm: SigningAlgorithm
        let createdAt: Date
        let pem: Secret<String>

        func record(sealedBy sealer: Sealer, in transaction: any StoreTransaction) throws -> SigningKeyRecord {
            SigningKeyRecord(
                id: id, algorithm: algorithm, createdAt: createdAt,
                sealedPrivateKey: try sealer.seal(
                    Data(pem.reveal().utf8), for: .signingKey(id), in: transaction))
        }
    }

    private func freshKeys(
        _ algorithms: [SigningAlgorithm] = SigningAlgorithm.allCases
    ) async throws -> [FreshKey] {
        let now = clock.now
        // RSA keys take a tenth of a second to find: not on a thread that serves others.
        return try await Task.detached {
            try algorithms.map { algorithm in
                let pem: String
                let publicKey: Data
                switch algorithm {
                case .es256:
                    let key = P256.Signing.PrivateKey()
                    pem = key.pemRepresentation
                    publicKey = key.publicKey.x963Representation
                case .rs256:
                    let key = try JWTKit.Insecure.RSA.PrivateKey.fresh()
                    pem = key.pemRepresentation
                    publicKey = key.publicKey.derRepresentation
                }
                let id = Array(SHA256.hash(data: publicKey).prefix(12)).base64URLName
                return FreshKey(id: id, algorithm: algorithm, createdAt: now, pem: Secret(pem))
            }
        }.value
    }

    // MARK: Reading keys

    /// Says that this process has changed keys or settings: what a reading under way may have missed is read again.
    func noteChange() { standing.noteChange() }

    private func current() async throws -> Ring {
        if let ring = ring.withLock({ $0 }), isFresh(ring) { return ring }
        return try await reload()
    }

    private func isFresh(_ ring: Ring) -> Bool {
        ring.changes == standing.changes && abs(clock.now.timeIntervalSince(ring.loadedAt)) < Self.freshness
    }

    private func reload() async throws -> Ring {
        let now = clock.now
        let changes = standing.changes
        let (stored, settings) = try await store.read { (try $0.signingKeys(), try $0.settings().tokens) }
        let records = stored.filter { $0.removedAfter.map { $0 > now } ?? true }
        if let known = ring.withLock({ $0 }), known.records == records {
            return ring.withLock { ring in
                ring?.loadedAt = now
                ring?.settings = settings
                ring?.changes = changes
                return ring ?? known
            }
        }
        var keys: [String: TokenKey] = [:]
        var published: [JSONWebKey] = []
        for record in records {
            let plain = try await sealer.opened(record.sealedPrivateKey, for: .signingKey(record.id))
            let key = try TokenKey(
                id: record.id, algorithm: record.algorithm, pem: String(decoding: plain, as: UTF8.self))
            keys[record.id] = key
            published.append(try key.published)
        }
        var jwks: [Set<SigningAlgorithm>: Data] = [:]
        for algorithms in [Set(SigningAlgorithm.allCases)] + SigningAlgorithm.allCases.map({ Set([$0]) }) {
            let names = algorithms.map(\.rawValue)
            jwks[algorithms] = try Self.encoder.encode(["keys": published.filter { names.contains($0.alg) }])
        }
        let fresh = Ring(
            records: records, keys: keys, jwks: jwks, settings: settings, loadedAt: now, changes: changes)
        ring.withLock { $0 = fresh }
        return fresh
    }
}
