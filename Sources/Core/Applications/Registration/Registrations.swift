import Foundation
import JSON

/// Applications that register themselves, and change what they registered (RFC 7591, RFC 7592).
///
/// `ClientMetadata` is what an application says of itself, read member by member by
/// `MetadataReader`; `RegistrationFault` is the judgement that every registration meets, an administrator's too. `RegistrationTokens` are
/// what admits it, `ApplicationOrigin` what stays known of how it came. This type brings them together, each time in one transaction.
public struct Registrations: Sendable {
    let realm: Realm

    /// How many applications may have registered themselves, where another one comes without a token.
    public static let most = 10_000
    /// Seconds after which an application is removed that registered itself without a token, and was never used.
    public static let unusedLifetime: TimeInterval = 86_400
    /// What every registration access token begins with.
    public static let accessTokenPrefix = "csrat_"

    /// Why nothing was registered, shown or changed.
    public enum Refusal: Error, Sendable, Equatable {
        /// Applications do not register themselves here.
        case off
        /// An initial access token is asked for, and none is there.
        case tokenMissing
        /// The token is unknown, over or used up; or it is not this application's; or there is no such application.
        case tokenRefused
        /// The source has registered too many.
        case limited(until: Date)
        /// There are ``Registrations/most`` already.
        case full
        /// The metadata are not taken.
        case metadata(ClientMetadata.Fault)
    }

    /// An application that registered itself, and what it is told once.
    public struct Registered: Sendable {
        /// The application as it is registered now.
        public let application: Application
        /// The client secret, where one was drawn now; it is nowhere else.
        public let secret: Secret<String>?
        /// With what it changes its registration from now on.
        public let accessToken: Secret<String>
    }

    /// Registers an application.
    /// - Parameters:
    ///   - metadata: what it says of itself.
    ///   - token: the initial access token that it shows; nil where it shows none.
    public func register(
        _ metadata: JSONValue, token: Secret<String>?, by client: ClientContext
    ) async throws -> Result<Registered, Refusal> {
        let draft = RegistrationDraft(realm, by: client)
        return try await realm.store.write { transaction in
            do {
                return .success(try draft.register(metadata, token: token, in: transaction))
            } catch let refusal as Refusal {
                return .failure(refusal)
            }
        }
    }

    /// What an application is registered with, for itself.
    /// - Parameter token: its registration access token.
    public func show(_ id: ClientID, token: Secret<String>?) async throws -> Result<Application, Refusal> {
        try await realm.store.read { transaction in
            guard try transaction.settings().oauth.registration != .off else { return .failure(.off) }
            guard let application = try Self.application(id, opened: token, in: transaction) else {
                return .failure(.tokenRefused)
            }
            return .success(application)
        }
    }

    /// Replaces what an application is registered with: by the rules of a new one, whatever it has by now. Members that are left out are
    /// taken away. Its registration access token is another from then on.
    public func change(
        _ id: ClientID, _ metadata: JSONValue, token: Secret<String>?, by client: ClientContext
    ) async throws -> Result<Registered, Refusal> {
        let draft = RegistrationDraft(realm, by: client)
        return try await realm.store.write { transaction in
            do {
                return .success(try draft.change(id, metadata, token: token, in: transaction))
            } catch let refusal as Refusal {
                return .failure(refusal)
            }
        }
    }

    /// Removes an application by its own word.
    public func remove(
        _ id: ClientID, token: Secret<String>?, by client: ClientContext
    ) async throws -> Result<Void, Refusal> {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard try transaction.settings().oauth.registration != .off else { return .failure(.off) }
            guard try Self.application(id, opened: token, in: transaction) != nil,
                try transaction.removeApplication(id)
            else { return .failure(.tokenRefused) }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .applicationRemoved, userID: nil, context: client, reason: "itself",
                    details: ["application": .string(id.rawValue)]))
            return .success(())
        }
    }

    /// The application whose registration access token it is. Takes as long where there is no such application, which looks like a wrong
    /// token (RFC 7592, section 2.1); one that is blocked is none.
    static func application(
        _ id: ClientID, opened token: Secret<String>?, in transaction: any StoreTransaction
    ) throws -> Application? {
        let application = try transaction.application(id)
        let known = application?.registration.oauth.selfRegistration?.accessTokenDigest
        let given = RegistrationTokens.digest(token?.reveal() ?? "")
        let isRight = ConstantTime.equal(known ?? decoy, given)
        return isRight && known != nil && token != nil ? application : nil
    }

    private static let decoy = Data(repeating: 0, count: 32)

    // MARK: For administrators

    /// Those that registered themselves, the newest first.
    public func list(
        _ range: ListRange<RegistrationPlace> = ListRange(limit: 100)
    ) async throws -> ListPage<Application, RegistrationPlace> {
        try await realm.store.read { transaction in
            try range.page {
                RegistrationPlace(createdAt: $0.createdAt, id: $0.id)
            } _: {
                try transaction.selfRegistered($0)
            }
        }
    }

    /// Vouches for an application that registered itself, or takes that back: pages say no more that it was not checked.
    /// - Returns: nil where there is no such application; false as the second where it did not register itself, and nothing changed.
    public func approve(
        _ id: ClientID, _ isApproved: Bool, by client: ClientContext
    ) async throws -> (application: Application, isSelfRegistered: Bool)? {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var application = try transaction.registeredApplication(id) else { return nil }
            guard application.registration.oauth.selfRegistration != nil else { return (application, false) }
            guard (application.registration.oauth.approval != nil) != isApproved else { return (application, true) }
            application.registration.oauth.approval =
                isApproved ? OAuthRegistration.Approval(at: now, by: client.administrator) : nil
            _ = try transaction.update(application)
            if isApproved { try transaction.keepRegistration(id) }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .applicationApproved, userID: nil, context: client,
                    details: ["application": .string(id.rawValue), "isApproved": .bool(isApproved)]))
            return (try transaction.registeredApplication(id) ?? application, true)
        }
    }

    /// Removes those that registered themselves without a token and were not used for a day. Those that were are not looked at again.
    /// - Returns: how many went.
    func removeUnused(limit: Int) async throws -> Int {
        let now = realm.clock.now
        let ids = try await realm.store.read {
            try $0.unusedRegistrations(before: now - Self.unusedLifetime, limit: limit)
        }
        var removed = 0
        for id in ids {
            let eventID = AuditEvent.freshID(at: now, random: realm.random)
            let isRemoved = try await realm.store.write { transaction in
                guard let application = try transaction.registeredApplication(id) else { return false }
                // Notes of uses may have gone with a server that was killed; grants are still there.
                let isUsed = try !transaction.grants(of: id, before: nil, limit: 1).isEmpty
                // What an administrator said about it is not forgotten.
                let isKept = application.registration.oauth.approval != nil || application.registration.isDisabled
                if isUsed || isKept {
                    try transaction.keepRegistration(id)
                    return false
                }
                guard try transaction.removeApplication(id) else { return false }
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .applicationRemoved, userID: nil, clientID: id, dialect: .oauth,
                        source: nil,
                        reason: "unused", details: ["application": .string(id.rawValue)]))
                return true
            }
            if isRemoved { removed += 1 }
        }
        return removed
    }
}

/// A place in the list of applications that registered themselves.
public struct RegistrationPlace: Sendable, Equatable {
    /// When the application registered.
    public let createdAt: Date
    /// The application, which orders those of one instant.
    public let id: ClientID

    /// The place of an application.
    public init(createdAt: Date, id: ClientID) {
        (self.createdAt, self.id) = (createdAt, id)
    }

    /// As pages and commands write it: digits, a dot, and characters of Base64 for URLs.
    public var text: String { "\(createdAt.microseconds).\(Array(id.rawValue.utf8).base64URL)" }

    /// Nil where the text is no place.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let microseconds = Int64(String(decoding: parts[0], as: UTF8.self)),
            let bytes = [UInt8](base64URL: String(decoding: parts[1], as: UTF8.self)),
            let id = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.init(createdAt: Date(microseconds: microseconds), id: ClientID(rawValue: id))
    }
}

extension StoreTransaction {
    /// Removes a registration with the picture that belongs to it.
    /// - Returns: false where there is none of the id.
    func removeApplication(_ id: ClientID) throws -> Bool {
        let logo = try registeredApplication(id)?.registration.oauth.logo
        guard try deleteApplication(id) else { return false }
        if let logo { try putDocument(Applications.document(ofLogo: logo), Data()) }
        return true
    }
}
