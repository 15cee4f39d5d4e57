import Foundation

/// Reads the log.
///
/// **How the files of this folder meet.** `AuditEvent` is one event, appended in the transaction that makes it happen. This
/// type reads them; below it are the constants for their kinds.
public struct AuditLog: Sendable {
    let realm: Realm

    /// Events, the newest first.
    /// - Parameters:
    ///   - id: only events after this one.
    ///   - limit: 1 to 1,000.
    public func events(of user: UserID? = nil, after id: String? = nil, limit: Int = 100) async throws -> [AuditEvent] {
        let limit = min(max(limit, 1), 1000)
        return try await realm.store.read { try $0.auditEvents(of: user, after: id, limit: limit) }
    }

    /// Events of one user, or of all, the newest first.
    /// - Parameters:
    ///   - id: only events before this one.
    ///   - limit: 1 to 1,000.
    public func events(of user: UserID?, before id: String?, limit: Int) async throws -> [AuditEvent] {
        let limit = min(max(limit, 1), 1000)
        return try await realm.store.read { try $0.auditEvents(of: user, before: id, limit: limit) }
    }

    /// One event; nil where there is none of the id.
    public func event(_ id: String) async throws -> AuditEvent? {
        // Ids have no character behind the last of hexadecimal digits.
        let found = try await realm.store.read { try $0.auditEvents(of: nil, before: id + "g", limit: 1) }
        return found.first { $0.id == id }
    }

    /// What all ids of events before an instant come before.
    public static func bound(before instant: Date) -> String {
        let digits = String(UInt64(max(0, instant.microseconds)), radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }
}

extension AuditEvent {
    /// For events that happen in a request.
    package init(
        id: String, at: Date, kind: Kind, userID: UserID?, context: ClientContext, reason: String? = nil,
        details: [String: JSONValue] = [:]
    ) {
        var details = details
        if let administrator = context.administrator { details["by"] = .string(administrator) }
        self.init(
            id: id, at: at, kind: kind, userID: userID, clientID: context.clientID, dialect: context.dialect,
            source: context.source, reason: reason, details: details)
    }

    /// An id for an event of that instant. Drawn before the transaction.
    package static func freshID(at now: Date, random: any RandomSource) -> String {
        idPrefix(at: now) + random.bytes(4).hex
    }

    /// What the ids of all events of an instant begin with.
    static func idPrefix(at instant: Date) -> String {
        let digits = String(UInt64(max(0, instant.microseconds)), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The instant that an id begins with; nil where it is none.
    static func date(ofID id: String) -> Date? {
        UInt64(id.prefix(16), radix: 16).flatMap { Int64(exactly: $0) }.map { Date(microseconds: $0) }
    }
}

extension AuditEvent.Kind {
    public static let signedIn = Self(rawValue: "sign-in.succeeded")
    public static let secondFactorAsked = Self(rawValue: "sign-in.second-factor-asked")
    public static let answerRefused = Self(rawValue: "answer.refused")
    public static let signedUp = Self(rawValue: "user.signed-up")
    public static let userCreated = Self(rawValue: "user.created")
    public static let userImported = Self(rawValue: "user.imported")
    /// Accounts moved in; how many is in the details.
    public static let usersImported = Self(rawValue: "users.imported")
    /// Accounts were handed out with password hashes and secrets; how many is in the details.
    public static let usersExported = Self(rawValue: "users.exported")
    /// What is kept about a user was handed out.
    public static let userDataShown = Self(rawValue: "user.data-shown")
    public static let userChanged = Self(rawValue: "user.changed")
    public static let userDisabled = Self(rawValue: "user.disabled")
    public static let userEnabled = Self(rawValue: "user.enabled")
    public static let userDeleted = Self(rawValue: "user.deleted")
    public static let emailVerified = Self(rawValue: "user.email-verified")
    public static let emailChanged = Self(rawValue: "user.email-changed")
    /// A changed address is as it was before, by the link that the former address got.
    public static let emailRestored = Self(rawValue: "user.email-restored")
    /// A user wants the account removed; when it is due is in the details.
    public static let deletionRequested = Self(rawValue: "user.deletion-requested")
    public static let deletionWithdrawn = Self(rawValue: "user.deletion-withdrawn")
    public static let passwordChanged = Self(rawValue: "user.password-changed")
    public static let passwordReset = Self(rawValue: "user.password-reset")
    public static let tokensRevoked = Self(rawValue: "user.tokens-revoked")
    public static let factorEnrolled = Self(rawValue: "factor.enrolled")
    public static let factorWithdrawn = Self(rawValue: "factor.withdrawn")
    public static let factorsReset = Self(rawValue: "factor.reset")
    /// A passkey's counter did not grow: there may be a copy of it.
    public static let passkeyCounter = Self(rawValue: "passkey.counter")
    public static let deviceInvited = Self(rawValue: "factor.device-invited")
    public static let deviceChanged = Self(rawValue: "factor.device-changed")
    /// Its user reported it lost: no answer by it is right.
    public static let factorFrozen = Self(rawValue: "factor.frozen")
    public static let factorUnfrozen = Self(rawValue: "factor.unfrozen")
    /// A user said that an event of the log was not theirs.
    public static let eventDisowned = Self(rawValue: "user.event-disowned")
    public static let recoveryCodeMade = Self(rawValue: "factor.recovery-code-made")
    public static let approvalAsked = Self(rawValue: "approval.asked")
    public static let approvalAllowed = Self(rawValue: "approval.allowed")
    public static let approvalRejected = Self(rawValue: "approval.rejected")
    /// A user reported that a sign-in with their password was not theirs.
    public static let signInDisowned = Self(rawValue: "approval.disowned")
    /// A push message will not arrive; the device can still ask.
    public static let pushFailed = Self(rawValue: "push.failed")
    public static let refreshTokenReused = Self(rawValue: "session.refresh-token-reused")
    /// A session was ended before its time, with all of its grants.
    public static let sessionEnded = Self(rawValue: "session.ended")
    /// A grant was ended before its time; its session goes on.
    public static let grantEnded = Self(rawValue: "session.grant-ended")
    /// An authorization code came a second time; the grant that it made is over.
    public static let authorizationCodeReused = Self(rawValue: "session.authorization-code-reused")
    public static let mailQueued = Self(rawValue: "mail.queued")
    /// A mail will not arrive.
    public static let mailFailed = Self(rawValue: "mail.failed")
    /// An administrator had a mail sent that says that mails arrive.
    public static let mailTested = Self(rawValue: "mail.tested")
    /// An administrator had a push sent that says that pushes arrive.
    public static let pushTested = Self(rawValue: "push.tested")
    /// An administrator had messages tried again at once.
    public static let deliveryRetried = Self(rawValue: "delivery.retried")
    /// A link was given to the caller instead of being mailed.
    public static let linkHandedOut = Self(rawValue: "mail.link-handed-out")
    public static let keyRotated = Self(rawValue: "key.rotated")
    /// A signing key was taken out of use at once.
    public static let keyRetired = Self(rawValue: "key.retired")
    /// Another master key seals from now on.
    public static let masterKeyReplaced = Self(rawValue: "master-key.replaced")
    /// Nothing was sealed with it any more.
    public static let masterKeyRetired = Self(rawValue: "master-key.retired")
    /// An administrator took a limit away before its time.
    public static let limitLifted = Self(rawValue: "limit.lifted")
    /// Another bearer token opens administration.
    public static let adminTokenReplaced = Self(rawValue: "admin-token.replaced")
    public static let settingsChanged = Self(rawValue: "settings.changed")
    public static let applicationChanged = Self(rawValue: "application.changed")
    public static let applicationRemoved = Self(rawValue: "application.removed")
    /// An application's secret or assertion was not right.
    public static let clientRefused = Self(rawValue: "client.refused")
}
