import Foundation

/// Reads the log.
///
/// **How the files of this folder meet.** `AuditEvent` is one event, appended in the transaction that makes it happen. This
/// type reads them; below it are the constants for their kinds. `Seals` make it known where a row was changed afterwards.
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

    /// A page of the events of one user, or of all, the newest first.
    /// - Parameters:
    ///   - most: how many events are looked through.
    ///   - first: the look ends before the first event that is older.
    ///   - admits: whether an event is shown.
    public func search(
        of user: UserID?, _ range: ListRange<String>, from first: Date? = nil, until end: Date? = nil, most: Int,
        admits: @Sendable (AuditEvent) -> Bool
    ) async throws -> ListPage<AuditEvent, String> {
        let (least, greatest) = (first.map(Self.bound(before:)), end.map(Self.bound(before:)))
        var look = ListLook<AuditEvent, String>(range, most: most, chunk: 1000)
        while let part = look.next {
            // One transaction for each part: none is held while a long log is looked through.
            var within = part
            if let greatest, !part.isBackwards { within.key = min(part.key ?? greatest, greatest) }
            if let least, part.isBackwards { within.key = max(part.key ?? least, least) }
            let asked = within
            let events = try await realm.store.read { try $0.auditEvents(of: user, asked) }
            look.take(
                events.filter { event in
                    (least.map { event.id >= $0 } ?? true) && (greatest.map { event.id < $0 } ?? true)
                }, key: \.id, show: { admits($0) ? $0 : nil })
        }
        return look.page
    }

    /// One event; nil where there is none of the id.
    public func event(_ id: String) async throws -> AuditEvent? {
        // Ids have no character behind the last of hexadecimal digits.
        let found = try await realm.store.read { try $0.auditEvents(of: nil, before: id + "g", limit: 1) }
        return found.first { $0.id == id }
    }

    /// A neighbour of a page as callers bring it back.
    /// - Parameter digit: of the id that lies behind the end of the log.
    public static func place(_ edge: ListEdge<String>?, atEnd digit: Character) -> String? {
        switch edge {
        case .row(let id): id
        case .end: String(repeating: digit, count: 24)
        case nil: nil
        }
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
        (idBytes(at: now) + random.bytes(4)).hex
    }

    /// Whether a text can be the id of an event: what a program sends as the place of a page is judged by it.
    public static func isID(_ text: String) -> Bool {
        text.utf8.count == 24
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// What the ids of all events of an instant begin with.
    static func idPrefix(at instant: Date) -> String { idBytes(at: instant).hex }

    /// The microseconds of an instant, the highest byte first: as text they are sorted by time.
    private static func idBytes(at instant: Date) -> [UInt8] {
        withUnsafeBytes(of: UInt64(max(0, instant.microseconds)).bigEndian) { Array($0) }
    }

    /// The instant that an id begins with; nil where it is none.
    static func date(ofID id: String) -> Date? {
        UInt64(id.prefix(16), radix: 16).flatMap { Int64(exactly: $0) }.map { Date(microseconds: $0) }
    }
}

extension AuditEvent.Kind {
    /// A user signed in, with all that was asked for.
    public static let signedIn = Self(rawValue: "sign-in.succeeded")
    /// A first proof was right, and a second factor is asked for.
    public static let secondFactorAsked = Self(rawValue: "sign-in.second-factor-asked")
    /// An answer was refused; `reason` says why.
    public static let answerRefused = Self(rawValue: "answer.refused")
    /// A user made an account.
    public static let signedUp = Self(rawValue: "user.signed-up")
    /// An administrator made an account.
    public static let userCreated = Self(rawValue: "user.created")
    /// An account came in by an import; this one is about that account.
    public static let userImported = Self(rawValue: "user.imported")
    /// Accounts moved in; how many is in the details.
    public static let usersImported = Self(rawValue: "users.imported")
    /// Accounts were handed out with password hashes and secrets; how many is in the details.
    public static let usersExported = Self(rawValue: "users.exported")
    /// An administrator did the same to many users; what, and for how many, is in the details. Each has an event of its own beside it.
    public static let usersBulk = Self(rawValue: "users.bulk")
    /// What is kept about a user was handed out.
    public static let userDataShown = Self(rawValue: "user.data-shown")
    /// A user's profile, attributes or rights changed, and nothing that has a kind of its own.
    public static let userChanged = Self(rawValue: "user.changed")
    /// A user was disabled, and cannot sign in.
    public static let userDisabled = Self(rawValue: "user.disabled")
    /// A disabled user was enabled.
    public static let userEnabled = Self(rawValue: "user.enabled")
    /// A user was removed with all that belongs to the account.
    public static let userDeleted = Self(rawValue: "user.deleted")
    /// A user proved to read the account's mail.
    public static let emailVerified = Self(rawValue: "user.email-verified")
    /// A user has another address.
    public static let emailChanged = Self(rawValue: "user.email-changed")
    /// A changed address is as it was before, by the link that the former address got.
    public static let emailRestored = Self(rawValue: "user.email-restored")
    /// A user wants the account removed; when it is due is in the details.
    public static let deletionRequested = Self(rawValue: "user.deletion-requested")
    /// The wish to have an account removed was withdrawn.
    public static let deletionWithdrawn = Self(rawValue: "user.deletion-withdrawn")
    /// A user's password was set, changed or removed.
    public static let passwordChanged = Self(rawValue: "user.password-changed")
    /// A user who could not sign in set a new password by a mailed link or code.
    public static let passwordReset = Self(rawValue: "user.password-reset")
    /// Tokens of a user that were issued before an instant were revoked.
    public static let tokensRevoked = Self(rawValue: "user.tokens-revoked")
    /// A user got another means of proof.
    public static let factorEnrolled = Self(rawValue: "factor.enrolled")
    /// A means of proof was removed.
    public static let factorWithdrawn = Self(rawValue: "factor.withdrawn")
    /// All second factors of a user were removed at once.
    public static let factorsReset = Self(rawValue: "factor.reset")
    /// A passkey's counter did not grow: there may be a copy of it.
    public static let passkeyCounter = Self(rawValue: "passkey.counter")
    /// An invitation to enrol a device was made.
    public static let deviceInvited = Self(rawValue: "factor.device-invited")
    /// A factor was renamed, or a device changed what it registered, such as its push token.
    public static let deviceChanged = Self(rawValue: "factor.device-changed")
    /// Its user reported it lost: no answer by it is right.
    public static let factorFrozen = Self(rawValue: "factor.frozen")
    /// A factor that was reported lost counts again.
    public static let factorUnfrozen = Self(rawValue: "factor.unfrozen")
    /// A user said that an event of the log was not theirs.
    public static let eventDisowned = Self(rawValue: "user.event-disowned")
    /// A user got a recovery code, or a list of them.
    public static let recoveryCodeMade = Self(rawValue: "factor.recovery-code-made")
    /// A device was asked to allow something.
    public static let approvalAsked = Self(rawValue: "approval.asked")
    /// A device allowed it.
    public static let approvalAllowed = Self(rawValue: "approval.allowed")
    /// A device denied it.
    public static let approvalRejected = Self(rawValue: "approval.rejected")
    /// A user reported that a sign-in with their password was not theirs.
    public static let signInDisowned = Self(rawValue: "approval.disowned")
    /// A push message will not arrive; the device can still ask.
    public static let pushFailed = Self(rawValue: "push.failed")
    /// A refresh token came a second time; its family has ended, with the grant.
    public static let refreshTokenReused = Self(rawValue: "session.refresh-token-reused")
    /// A session was ended before its time, with all of its grants.
    public static let sessionEnded = Self(rawValue: "session.ended")
    /// A grant was ended before its time; its session goes on.
    public static let grantEnded = Self(rawValue: "session.grant-ended")
    /// An authorization code came a second time; the grant that it made is over.
    public static let authorizationCodeReused = Self(rawValue: "session.authorization-code-reused")
    /// A mail for a user waits in the outbox.
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
    /// Another key signs tokens from now on.
    public static let keyRotated = Self(rawValue: "key.rotated")
    /// A signing key was taken out of use at once.
    public static let keyRetired = Self(rawValue: "key.retired")
    /// Another master key seals from now on.
    public static let masterKeyReplaced = Self(rawValue: "master-key.replaced")
    /// Nothing was sealed with it any more.
    public static let masterKeyRetired = Self(rawValue: "master-key.retired")
    /// An administrator took a limit away before its time.
    public static let limitLifted = Self(rawValue: "limit.lifted")
    /// Maintenance found a range of the sealed log that does not hold; which, and what is wrong with it, is in the details.
    public static let faultFound = Self(rawValue: "log.fault-found")
    /// An administrator looked at a range of the sealed log that does not hold; which, and what is wrong with it, is in the details.
    public static let faultAccepted = Self(rawValue: "log.fault-accepted")
    /// Another bearer token opens administration.
    public static let adminTokenReplaced = Self(rawValue: "admin-token.replaced")
    /// The realm's settings changed.
    public static let settingsChanged = Self(rawValue: "settings.changed")
    /// An application was registered, or its registration changed.
    public static let applicationChanged = Self(rawValue: "application.changed")
    /// An application was removed.
    public static let applicationRemoved = Self(rawValue: "application.removed")
    /// An application's secret or assertion was not right.
    public static let clientRefused = Self(rawValue: "client.refused")
}
