import Foundation

/// What a user filters the own part of the log by.
public enum ActivityKind: String, Sendable, CaseIterable {
    /// Sign-ins, refused answers, and what the user's devices decided.
    case signIns = "sign-ins"
    /// Means of proof that came, went, changed, or were frozen.
    case factors
    /// Passwords that were changed or reset.
    case passwords
    /// Sessions and grants that ended, and tokens that were revoked.
    case sessions
    /// What applications were allowed, and what was taken back.
    case applications
    /// The account itself: its making, profile, address, and deletion.
    case account

    /// The group of an event; nil for what is about mails, devices and other workings of the server.
    public init?(_ kind: AuditEvent.Kind) {
        let found = Self.allCases.first { $0.kinds.contains(kind) }
        guard let found else { return nil }
        self = found
    }

    package var kinds: Set<AuditEvent.Kind> {
        switch self {
        case .signIns:
            [.signedIn, .secondFactorAsked, .answerRefused, .signInDisowned, .approvalAllowed, .approvalRejected]
        case .factors:
            [
                .factorEnrolled, .factorWithdrawn, .factorsReset, .factorFrozen, .factorUnfrozen, .recoveryCodeMade,
                .deviceInvited, .deviceChanged, .passkeyCounter, .factorPutOff,
            ]
        case .passwords: [.passwordChanged, .passwordReset]
        case .sessions:
            [
                .sessionEnded, .signedOut, .grantEnded, .tokensRevoked, .refreshTokenReused,
                .authorizationCodeReused,
            ]
        case .applications: [.consentGiven, .consentRevoked, .deviceDecided]
        case .account:
            [
                .signedUp, .userCreated, .userImported, .userChanged, .userDisabled, .userEnabled, .emailVerified,
                .emailChanged, .emailRestored, .userDataShown, .deletionRequested, .deletionWithdrawn, .eventDisowned,
                .termsAccepted, .groupMemberAdded, .groupMemberRemoved, .administratorGranted, .administratorRevoked,
                .limitLifted,
            ]
        }
    }
}

/// Part of a user's own log, the newest first.
public struct ActivityPage: Sendable {
    /// The events of this page. It may have none, and ``next`` or ``previous`` still be there.
    public let events: [AuditEvent]
    /// Where the page of newer events ends; nil where there is none.
    public let previous: String?
    /// Where the page of older events goes on; nil where there is none.
    public let next: String?
}

/// What "that wasn't me" did.
public struct Disowned: Sendable {
    /// What is frozen now; a password among them is good again when it is set anew.
    public let frozen: [FactorRecord]
    /// How many sessions of the user were ended; the one that asked is not among them.
    public let endedSessions: Int
    /// Whether a link that sets a new password was mailed.
    public let resetMailed: Bool
}

extension OwnAccount {
    /// Days of the log that users see of their own.
    public static let activityDays = 90
    /// Rows that are read for one page, however few of them are of the kind.
    private static let scanned = 2000

    /// The user's own part of the log.
    /// - Parameters:
    ///   - kind: only those of the kind.
    ///   - id: only events before this one, which are older: ``ActivityPage/next``.
    ///   - later: only events after this one, which are newer, the nearest of them: ``ActivityPage/previous``. Not both.
    ///   - limit: 1 to 200. A page may have fewer and yet a next one, where events of the kind are rare.
    public func activity(
        of session: OwnSession, kind: ActivityKind? = nil, before id: String? = nil, after later: String? = nil,
        limit: Int = 50
    ) async throws -> Result<ActivityPage, Refusal> {
        let range = ListRange(later ?? id, isBackwards: later != nil, limit: min(max(limit, 1), 200))
        return try await read(of: session) { transaction, user, now in
            let oldest = AuditLog.bound(before: now - Double(Self.activityDays) * 86_400)
            let page: ListPage<AuditEvent, String> = try range.page(
                most: Self.scanned, chunk: 200, key: { (event: AuditEvent) in event.id }
            ) { part in
                var part = part
                if part.isBackwards { part.key = max(part.key ?? oldest, oldest) }
                // The user's part of the log ends there.
                return try transaction.auditEvents(of: user.id, part).filter { $0.id >= oldest }
            } show: { event in
                guard let group = ActivityKind(event.kind), kind == nil || group == kind else { return nil }
                return event
            }
            return ActivityPage(
                events: page.rows, previous: AuditLog.place(page.previous, atEnd: "0"),
                next: AuditLog.place(page.next, atEnd: "f"))
        }
    }

    /// The user says that an event of the log was not theirs: all other sessions end, and sign-ins that wait for another proof; what the
    /// event's session was proven with is frozen, and a link that sets a new password is mailed. Of what this session is proven with the
    /// password alone is frozen, until it is set anew; this session goes on, and may do that. Last ways in stay. Tokens of programs end
    /// that were made in the user's name since
    /// (docs/decisions/0544).
    ///
    /// A proof of the last minutes is enough, of whatever kind: it only takes away.
    public func disown(
        _ eventID: String, of own: OwnSession, by client: ClientContext
    ) async throws -> Result<Disowned, Refusal> {
        struct Done {
            let frozen: [FactorRecord]
            let ended: Int
            let address: EmailAddress?
        }
        let outcome = try await change(of: own, .recent, by: client) { transaction, user, draft in
            guard let event = try transaction.auditEvent(eventID, of: user.id) else { throw Refusal.unknown }
            let sessionID = event.details["session"]?.stringValue.map(SessionID.init(rawValue:))
            let suspect = try sessionID.flatMap { try transaction.session($0) }.flatMap {
                $0.userID == user.id ? $0 : nil
            }
            var named = Set((suspect?.proofs ?? []).compactMap(\.factorID))
            if let factor = event.details["factor"]?.stringValue { named.insert(FactorID(rawValue: factor)) }
            let factors = try transaction.factors(of: user.id)
            // What is known can be known to another, also where this session was proven with it; what is in the user's hand is not in
            // another's.
            // A first step that names nothing may have been the password: entries of former versions name none.
            let isUnnamed = event.kind == .secondFactorAsked && named.isEmpty
            let told = factors.password.map(\.id).flatMap { id in
                named.contains(id) || ActivityKind(event.kind) == .passwords || isUnnamed ? id : nil
            }
            named.subtract(own.evidence.proofs.compactMap(\.factorID))
            if let told { named.insert(told) }
            try transaction.reserve(user: user, keeping: nil)
            let attempts = try transaction.openAttempts(of: user.id, at: draft.now)
            try transaction.reserve(
                Set(attempts.map { .flow($0.digest) }).union([Withdrawal.row(of: user.id, from: nil)]))
            var frozen: [FactorRecord] = []
            for factor in factors where named.contains(factor.id) {
                if draft.proofs.isLastWayIn(factor, of: user, among: try transaction.factors(of: user.id)) { continue }
                if try transaction.freeze(factor, at: draft.now) { frozen.append(factor) }
            }
            let endedAttempts = try transaction.end(attempts, at: draft.now)
            let ended = try transaction.endOtherSessions(
                than: own.session, of: user, at: draft.now, sealer: draft.sealer)
            // Of a user who administers: another was in the account by then, and may have made them.
            let tokens = try transaction.endMachineTokens(of: user.id, madeSince: event.at, at: draft.now)
            var details = MachineToken.details(ofEnded: tokens)
            details["event"] = .string(eventID)
            details["ended"] = .integer(Int64(ended))
            details["endedAttempts"] = .integer(Int64(endedAttempts))
            details["factors"] = .array(frozen.map { .string($0.id.rawValue) })
            try transaction.append(draft.event(.eventDisowned, of: user.id, details))
            try draft.notify(AccountNotice(.sessionsEnded), user, in: transaction)
            let isReachable = user.profile.emailVerified && factors.password != nil
            return Done(frozen: frozen, ended: ended, address: isReachable ? user.email : nil)
        }
        switch outcome {
        case .failure(let refusal): return .failure(refusal)
        case .success(let done):
            let ended = try await realm.sessions.endRest(
                .others(than: own.session), of: own.userID, epoch: own.epoch, after: done.ended, by: client)
            var isMailed = false
            if let address = done.address,
                case .sent(_, _?) = try await realm.mailings.sendLink(.resetPassword(address), by: client)
            {
                isMailed = true
            }
            return .success(Disowned(frozen: done.frozen, endedSessions: ended, resetMailed: isMailed))
        }
    }
}

extension StoreTransaction {
    /// An event of a user's log, by its id.
    fileprivate func auditEvent(_ id: String, of user: UserID) throws -> AuditEvent? {
        // Ids are as long as each other and have no letter above `f`: nothing is between this and the next.
        guard id.utf8.count <= 64 else { return nil }
        return try auditEvents(of: user, before: id + "0", limit: 1).first { $0.id == id }
    }
}
