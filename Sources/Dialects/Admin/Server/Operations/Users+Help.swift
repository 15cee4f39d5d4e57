import CountersignCore
import Foundation

/// Mails a user who lost the second factors a recovery code that is good after a day, in place of all earlier ones. A user who did not ask
/// for it has that day to make other codes.
public struct MailRecoveryCode: AdministrationOperation {
    public static let name = "users:mail-recovery-code"
    public static let right = AdministrationRight.mailResets

    /// Id or address.
    public var user: String
    /// Hours until the code is good: 1 to 168; 24 where it is left out. Fewer than 24 take `users:write`.
    public var hold: Int?

    public static let usualHold = 24

    public init(user: String, hold: Int? = nil) {
        self.user = user
        self.hold = hold
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        /// From when on the code is good.
        public let goodFrom: Timestamp
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let hold = hold ?? Self.usualHold
        guard (1...168).contains(hold) else { throw AdministrationError(.invalid, "hold is 1 to 168 hours.") }
        if hold < Self.usualHold { try permit.require(.changeUsers) }
        let found = try await permit.user(user, of: realm)
        return try await permit.changing(found, of: realm) {
            guard !found.isDisabled else { throw AdministrationError.userDisabled }
            switch try await realm.enrolments.mailRecoveryCode(
                for: found.id, heldFor: TimeInterval(hold) * 3600, by: client)
            {
            case .success(let from): return Answer(user: UserSummary(found), goodFrom: Timestamp(from))
            case .failure(.userNotFound): throw AdministrationError.noUser(user)
            case .failure(.noSecondFactor):
                throw AdministrationError(.refused, "The user has no second factor that a code could stand in for.")
            case .failure(.noVerifiedAddress):
                throw AdministrationError(
                    .refused, "The user has no verified address to mail a code to. Remove the second factors instead.")
            case .failure(.limited(let until)): throw AdministrationError.tooManyMails(until: until)
            }
        }
    }
}

/// Mails a user an invitation to set up a second factor: a link for one device or app, good for five days.
public struct InviteToEnrol: AdministrationOperation {
    public static let name = "users:invite-to-enrol"
    public static let right = AdministrationRight.mailResets

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
    }

    /// The page that takes the invitation, below the public address.
    private static let page = "guardian/enroll?ticket="

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        return try await permit.changing(found, of: realm) {
            guard found.profile.emailVerified, found.email != nil else {
                throw AdministrationError(.refused, "The user has no verified address to mail an invitation to.")
            }
            guard !found.isDisabled else { throw AdministrationError.userDisabled }
            var invitation = Invitation()
            // Who has a second factor adds others on the account's pages, where it is asked for.
            invitation.allowsMore = permit.has(.changeUsers)
            invitation.mail = Invitation.Mail(locale: found.profile.locale, page: Self.page)
            switch try await realm.enrolments.inviteDevice(for: found.id, invitation, by: client) {
            case .offered: return Answer(user: UserSummary(found))
            case .unknown:
                throw AdministrationError(.refused, "Too many mails went to this address within an hour.")
            case .refused(.userNotFound): throw AdministrationError.noUser(user)
            case .refused:
                throw AdministrationError(
                    .refused, "The user has a second factor already, or the settings offer none that could be set up.")
            }
        }
    }
}

/// Mails a user a link that confirms the address that the account has.
public struct MailConfirmation: AdministrationOperation {
    public static let name = "users:mail-confirmation"
    public static let right = AdministrationRight.mailResets

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        return try await permit.changing(found, of: realm) {
            guard found.email != nil else { throw AdministrationError(.refused, "The user has no e-mail address.") }
            guard !found.profile.emailVerified else {
                throw AdministrationError(.refused, "The user's address is confirmed already.")
            }
            guard !found.isDisabled else { throw AdministrationError.userDisabled }
            switch try await realm.mailings.sendLink(.verifyEmail(found.id), by: client) {
            case .sent: return Answer(user: UserSummary(found))
            case .refused(let refusal) where refusal.retryAt != nil:
                throw AdministrationError.tooManyMails(until: refusal.retryAt)
            case .refused: throw AdministrationError.noUser(user)
            }
        }
    }
}

extension MailConfirmation: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "mail-confirmation").arguments(user) }
}

extension MailRecoveryCode: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "mail-recovery-code").option("hold", hold).arguments(user) }
}

extension InviteToEnrol: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "invite-to-enrol").arguments(user) }
}
