import Crypto
import Foundation
import OneTimePassword

/// Applications: which programs may ask users to sign in.
///
/// **How the files of this folder meet.** `Application` is the registration as it is stored; this type finds, adds and
/// changes registrations, `Application+Audiences` says which audiences an application's tokens may have.
/// `Applications+Search` finds some by the beginning of their id or name.
/// `OAuthRegistration` is what it is as an OAuth client, whose `RedirectURI`s are compared as texts; `Resources` are the APIs that
/// tokens are issued for.
/// `AttributePatterns` compiles the patterns that attributes of a sign-up must match, in time linear in the text.
/// `Applications+Authenticate` judges the `ClientCredentials` of a request; a `ClientAssertion` is verified by the application's
/// `AssertionKey`s, which were registered or are fetched (`ClientKeySets`).
public struct Applications: Sendable {
    let realm: Realm

    /// Nil for one that is disabled, too.
    public func application(_ id: ClientID) async throws -> Application? {
        try await realm.store.read { try $0.application(id) }
    }

    /// One that is there, disabled or not: for those who administer.
    public func registered(_ id: ClientID) async throws -> Application? {
        try await realm.store.read { try $0.registeredApplication(id) }
    }

    /// Whether there is one of that id, disabled or not; what it says is not read.
    public func has(_ id: ClientID) async throws -> Bool {
        try await realm.store.read { try $0.hasApplication(id) }
    }

    /// Ordered by id.
    public func applications(after id: ClientID? = nil, limit: Int = 100) async throws -> [Application] {
        let limit = min(max(limit, 1), 1000)
        return try await realm.store.read { try $0.applications(after: id, limit: limit) }
    }

    /// A page of them, ordered by id.
    public func list(_ range: ListRange<ClientID>) async throws -> ListPage<Application, ClientID> {
        try await realm.store.read { transaction in
            try range.page(key: \.id) { try transaction.applications($0) }
        }
    }

    /// Those whose secret of before ends by itself before an instant; the soonest first.
    public func secretsEnding(before instant: Date, limit: Int) async throws -> [Application] {
        let now = realm.clock.now
        return try await realm.store.read {
            try $0.applications(secretsEndingAfter: now, before: instant, limit: limit)
        }
    }

    /// Registers an application. Nil where the id is taken: by another one, or by a user. An application's token for itself has its id as
    /// subject, and must not pass for a user's (RFC 9068, section 5).
    /// - Parameter id: nil makes one of 39 characters, in the form of an API key.
    public func add(
        id: ClientID? = nil, _ registration: ApplicationRegistration, by client: ClientContext
    ) async throws -> Application? {
        let now = realm.clock.now
        let id = id ?? ClientID(rawValue: "cs" + realm.random.string(37, of: .alphanumeric))
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            let application = Application(id: id, createdAt: now, registration: registration)
            guard try transaction.user(UserID(rawValue: id.rawValue)) == nil, try transaction.insert(application)
            else { return nil }
            let details = try Self.details(id, before: ApplicationRegistration(), after: registration)
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .applicationChanged, userID: nil, context: client, details: details))
            return application
        }
    }

    /// Changes what an application is registered with. Nil where there is none.
    ///
    /// Whether the caller may change it is for `change` to judge, of what is given to it: it throws, and nothing changes. What was read
    /// before may be another's by now. Where the change puts the application into other hands, or makes a third party of the operator's own,
    /// its users are asked again.
    public func change(
        _ id: ClientID, by client: ClientContext,
        _ change: @escaping @Sendable (inout ApplicationRegistration) throws -> Void
    ) async throws -> Application? {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var application = try transaction.registeredApplication(id) else { return nil }
            let before = application.registration
            try change(&application.registration)
            let after = application.registration
            application.registration.oauth.updateSelfRegistration { $0.note(before, after) }
            if after.isInOtherHands(than: before) { application.registration.oauth.handedOverAt = now }
            if before.oauth.isFirstParty, !after.oauth.isFirstParty { application.registration.oauth.asksSince = now }
            _ = try transaction.update(application)
            let details = try Self.details(id, before: before, after: application.registration)
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .applicationChanged, userID: nil, context: client, details: details))
            return try transaction.registeredApplication(id)
        }
    }

    /// What the log says of a change: which application, every member that became another, and in words of their own what makes it weaker
    /// or stronger than it was. Of secrets and keys it says that they changed.
    static func details(
        _ id: ClientID, before: ApplicationRegistration, after: ApplicationRegistration
    ) throws -> [String: JSONValue] {
        var details: [String: JSONValue] = ["application": .string(id.rawValue)]
        if before.revealsAddresses != after.revealsAddresses {
            details["revealsAddresses"] = .bool(after.revealsAddresses)
        }
        if before.requiresSecondFactor != after.requiresSecondFactor {
            details["requiresSecondFactor"] = .bool(after.requiresSecondFactor)
        }
        if before.isDisabled != after.isDisabled { details["isDisabled"] = .bool(after.isDisabled) }
        if before.secretDigest != after.secretDigest { details["secretChanged"] = .bool(true) }
        if before.assertionKeys != after.assertionKeys { details["keysChanged"] = .bool(true) }
        if before.oauth.jwksURI != after.oauth.jwksURI {
            details["jwksURI"] = after.oauth.jwksURI.map { .string($0) } ?? .null
        }
        if before.redirectURIs != after.redirectURIs {
            details["redirectURIs"] = .array(after.redirectURIs.map { .string($0) })
        }
        if before.oauth.isFirstParty != after.oauth.isFirstParty {
            details["isFirstParty"] = .bool(after.oauth.isFirstParty)
        }
        if before.oauth.takesTokenEndpointAudience != after.oauth.takesTokenEndpointAudience {
            details["takesTokenEndpointAudience"] = .bool(after.oauth.takesTokenEndpointAudience)
        }
        if before.audiences != after.audiences {
            details["audiences"] = after.audiences.map { .array($0.map { .string($0) }) } ?? .null
        }
        let difference = try AuditDifference(from: before, to: after, .application)
        return details.merging(difference.details) { own, _ in own }
    }

    private static let firstDocument = "first-application"

    /// The id of the application that the first server made, or makes; the candidate becomes it where there is none. Of two
    /// servers that start at once, the first decides.
    public func settleFirst(_ candidate: ClientID) async throws -> ClientID {
        if let present = try await realm.store.read({ try Self.first(in: $0) }) { return present }
        do {
            return try await realm.store.write { transaction in
                if let present = try Self.first(in: transaction) { return present }
                try transaction.putDocument(Self.firstDocument, Data(candidate.rawValue.utf8))
                return candidate
            }
        } catch let error as StoreError where error.code == .readOnly {
            return candidate
        }
    }

    private static func first(in transaction: any StoreTransaction) throws -> ClientID? {
        try transaction.document(firstDocument).map { ClientID(rawValue: String(decoding: $0, as: UTF8.self)) }
    }

    /// Removes a registration, so that no protocol knows the application any more, and notes that in the log.
    /// - Parameter present: judges what is registered, as of the transaction, and throws where the caller may not remove it.
    /// - Returns: false where there is none of the id.
    public func remove(
        _ id: ClientID, by client: ClientContext,
        judging present: @escaping @Sendable (ApplicationRegistration) throws -> Void = { _ in }
    ) async throws -> Bool {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let application = try transaction.registeredApplication(id) else { return false }
            try present(application.registration)
            guard try transaction.removeApplication(id) else { return false }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .applicationRemoved, userID: nil, context: client,
                    details: ["application": .string(id.rawValue)]))
            return true
        }
    }
}

extension ApplicationRegistration {
    /// A secret of 256 bits, which is to be told once: ``setSecret(_:isDrawn:keepingFormerUntil:)`` keeps its digest.
    public static func drawnSecret(random: any RandomSource) -> Secret<String> {
        Secret(random.bytes(32).base64URL)
    }

    /// Characters of a secret that was drawn.
    static let drawnSecretLength = 43

    /// Sets the client secret; nil makes the client public.
    /// - Parameters:
    ///   - isDrawn: whether it is one of ``drawnSecret(random:)``, and nothing that a person chose.
    ///   - overlap: until when the secret of before counts too, so that an application's servers can be given the new one
    ///     one after the other; nil ends it at once.
    public mutating func setSecret(
        _ secret: Secret<String>?, isDrawn: Bool = false, keepingFormerUntil overlap: Date? = nil
    ) {
        oauth.formerSecrets =
            overlap.flatMap { end in
                secretDigest.map { [FormerSecret(digest: $0, expiresAt: end, isDrawn: secretIsDrawn)] }
            } ?? []
        secretDigest = secret.map { Self.digest($0) }
        secretIsDrawn = secret != nil && isDrawn ? true : nil
    }

    /// Whether the secret is this client's. A public client has none, and no secret is right. Takes as long whether there is
    /// a secret or not.
    /// - Parameter now: for secrets that are being replaced; without it none of those counts.
    func hasSecret(_ secret: Secret<String>, at now: Date? = nil) -> Bool {
        has(secret, at: now) { _ in true }
    }

    /// Whether it is this client's and was drawn by this server, so that it could not be guessed. Takes as long in any case.
    func hasDrawnSecret(_ secret: Secret<String>, at now: Date) -> Bool {
        has(secret, at: now) { $0 == true }
    }

    /// - Parameter counts: whether a secret counts, by whether it was drawn.
    private func has(_ secret: Secret<String>, at now: Date?, _ counts: (Bool?) -> Bool) -> Bool {
        let given = Self.digest(secret).utf8
        let isPresent = ConstantTime.equal((secretDigest ?? Self.decoyDigest).utf8, given) && counts(secretIsDrawn)
        let former = oauth.formerSecrets.first
        let isFormer = ConstantTime.equal((former?.digest ?? Self.decoyDigest).utf8, given) && counts(former?.isDrawn)
        let isKept = former.map { now.map($0.expiresAt.isAfter) ?? false } ?? false
        return (isPresent || isFormer && isKept) && secretDigest != nil
    }

    private static let decoyDigest = Data(repeating: 0, count: SHA256.byteCount).base64EncodedString()

    private static func digest(_ secret: Secret<String>) -> String {
        Base64URL.standard(SHA256.digest(of: secret.reveal()))
    }
}

extension Application {
    /// Whether the application has a secret that a document publishes, so that development's own applications are known
    /// (``DataKind``).
    public func hasPublishedSecret(_ secret: Secret<String>) -> Bool { registration.hasSecret(secret) }
}
