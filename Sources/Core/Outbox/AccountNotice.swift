import Foundation

/// A mail that notifies the owner of an account about changed ways to sign in, so that an attacker's change does not go
/// unnoticed (OWASP ASVS 4.0.3, requirement 2.2.3).
///
/// It goes to the address that the account had before the change. What imports write sends none.
struct AccountNotice: Sendable, Equatable {
    /// What was changed; the raw value names the mail's template.
    enum Kind: String, Sendable, CaseIterable {
        case factorAdded = "factor-added"
        case passkeyAdded = "passkey-added"
        case factorRemoved = "factor-removed"
        /// All second factors at once.
        case factorsRemoved = "factors-removed"
        case passwordChanged = "password-changed"
        case passwordRemoved = "password-removed"
        case recoveryCodeUsed = "recovery-code-used"
        case recoveryCodeMade = "recovery-code-made"
        /// There may be a copy of a passkey.
        case passkeyCopied = "passkey-copied"
        case factorRenamed = "factor-renamed"
        /// Its owner reported it lost.
        case factorFrozen = "factor-frozen"
        case factorUnfrozen = "factor-unfrozen"
        case profileChanged = "profile-changed"
        /// One or all others.
        case sessionsEnded = "sessions-ended"
        /// What an application got was taken back; `factor` is its name.
        case applicationRevoked = "application-revoked"
        case deletionWithdrawn = "deletion-withdrawn"
        /// The user administers the realm, or has another role in it.
        case roleGranted = "role-granted"
        case roleRevoked = "role-revoked"

        /// Whether it changes nothing about how the account is signed in to.
        var isTrifle: Bool {
            switch self {
            case .factorRenamed, .profileChanged, .sessionsEnded, .applicationRevoked: true
            default: false
            }
        }
    }

    let kind: Kind
    /// What the user calls the factor; nil or empty where it has no name.
    let factorName: String?
    /// The role that was given or taken; nil for other changes.
    let role: AdministratorRole?

    init(_ kind: Kind, factorName: String? = nil, role: AdministratorRole? = nil) {
        self.kind = kind
        self.factorName = factorName
        self.role = role
    }

    /// What the template puts in: `email`, `at` (UTC), `role`, and where it has a name `factor`.
    fileprivate func values(for email: EmailAddress, at now: Date) -> [String: String] {
        var values = ["email": email.canonical, "at": Self.text(now)]
        values["role"] = role?.rawValue
        if let factorName, !factorName.isEmpty { values["factor"] = Self.oneLine(factorName) }
        return values
    }

    /// `2026-11-22 08:05 UTC`.
    static func text(_ instant: Date) -> String {
        Date.ISO8601FormatStyle(dateTimeSeparator: .space).format(instant).prefix(16) + " UTC"
    }

    /// A name that a client gave must not be able to add paragraphs or a subject line to a mail of this server, nor look like another by what does
    /// not show in it.
    private static func oneLine(_ name: String) -> String {
        let words = String(String.UnicodeScalarView(name.unicodeScalars.map { isHidden($0) ? " " : $0 }))
        return words.count > 64 ? words.prefix(63) + "…" : words
    }

    /// What stands for no sign of its own. Selectors of variants stay.
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        PlainText.isInvisible(scalar) && !PlainText.selectsVariant(scalar)
            || scalar.properties.generalCategory == .format
    }
}

extension StoreTransaction {
    /// Mails a notice to the owner of an account, as part of the change that it tells about.
    ///
    /// Where the account has no address nothing is sent. What changes the ways to sign in is always mailed to a proven address, so that
    /// no number of trifles keeps it from its owner. To an address that nothing has proven no more than ``RateLimit/noticesPerUser`` go,
    /// or an account made with a stranger's address could flood that mailbox; of trifles no more than ``RateLimit/triflesPerUser`` do. The
    /// log has every change.
    /// - Parameters:
    ///   - user: as it was before the change.
    ///   - id: the message's, unused so far.
    func notify(
        _ notice: AccountNotice, _ user: User, by client: ClientContext, id: String, at now: Date, sealer: Sealer
    ) throws {
        guard let email = user.email else { return }
        let isTrifle = notice.kind.isTrifle
        if isTrifle || !user.profile.emailVerified {
            let limit = isTrifle ? RateLimit.triflesPerUser : .noticesPerUser
            guard try charge(limit, key: CounterKey.notices(to: user.id), at: now) == nil else { return }
        }
        try send(
            OutboxContent(
                template: notice.kind.rawValue, locale: user.profile.locale ?? client.locale,
                values: notice.values(for: email, at: now)),
            to: email.canonical, about: user.id, id: id, at: now, sealer: sealer)
    }
}
