import CountersignCore
import Foundation

/// A user as lists show it.
public struct UserSummary: Codable, Sendable, Equatable {
    public let id: String
    /// Nil for an anonymous user.
    public let email: String?
    public let emailVerified: Bool
    public let displayName: String?
    /// The user's language.
    public let locale: String?
    /// The address of the user's picture, as it was set; nil where there is none.
    public let picture: String?
    /// No sign-in: an administrator disabled the account, or ``deletionDueAt`` is set.
    public let isDisabled: Bool
    /// When the account is removed, as its user or an administrator wanted; nil where nothing of the kind waits.
    public let deletionDueAt: Timestamp?
    /// The ways in: `password`, `emailLink`, `anonymous`, `custom`.
    public let providers: [String]
    public let createdAt: Timestamp
    public let lastSignInAt: Timestamp?

    init(_ user: User) {
        id = user.id.rawValue
        email = user.email?.canonical
        emailVerified = user.profile.emailVerified
        displayName = user.profile.displayName
        locale = user.profile.locale
        picture = user.profile.photoURL
        isDisabled = user.isDisabled
        deletionDueAt = user.deletionDueAt.map(Timestamp.init)
        providers = user.profile.providers.sorted()
        createdAt = Timestamp(user.createdAt)
        lastSignInAt = user.lastSignInAt.map(Timestamp.init)
    }
}

extension AdministrationPermit {
    /// The user of that id or address. An address names a user to those alone who have a right of users: to others no answer says whether
    /// a user has it (docs/decisions/0414).
    /// - Throws: ``AdministrationError`` of code `notFound`, or `forbidden` for an address.
    func user(_ reference: String, of realm: Realm) async throws -> User {
        if let user = try await realm.accounts.user(UserID(rawValue: reference)) { return user }
        guard let email = EmailAddress(reference) else { throw AdministrationError.noUser(reference) }
        guard knowsAddresses else { throw AdministrationError.addressOfUser }
        if let user = try await realm.accounts.user(email: email) { return user }
        throw AdministrationError.noUser(reference)
    }

    /// The id of a user who is there, or was: the log outlives users.
    /// - Throws: ``AdministrationError`` of code `notFound`, or `forbidden` for an address.
    func loggedUser(_ reference: String, of realm: Realm) async throws -> UserID {
        do {
            return try await user(reference, of: realm).id
        } catch let error as AdministrationError where error.code == .notFound || error.code == .forbidden {
            let id = UserID(rawValue: reference)
            guard try await !realm.auditLog.events(of: id, limit: 1).isEmpty else { throw error }
            return id
        }
    }

    private var knowsAddresses: Bool {
        [.readUsers, .changeUsers, .mailResets, .endSessions, .transferUsers, .changeAdministrators].contains(
            where: has)
    }
}

extension AdministrationError {
    /// The same whether a user has the address or none does.
    static let addressOfUser = AdministrationError(
        .forbidden, "Naming a user by address takes the right users:read, which you do not have. Give the user's id.")

    static let userDisabled = AdministrationError(.refused, "The user is disabled. Enable the account first.")

    /// - Parameter time: until when; nil where that is not told.
    static func tooManyMails(until time: Date?) -> AdministrationError {
        let time = time.map { Timestamp($0).text } ?? "later"
        return AdministrationError(
            .refused, "So many mails went to this address that no more are sent before \(time).")
    }

    static func noUser(_ reference: String) -> AdministrationError {
        AdministrationError(.notFound, "There is no user \(reference). `countersign user list` shows all of them.")
    }

    init(_ refusal: AccountRefusal, email: EmailAddress? = nil, id: UserID? = nil) {
        self =
            switch refusal {
            case .addressTaken:
                Self(
                    .conflict,
                    "\(email?.canonical ?? "The address") has an account. `countersign user show` tells more of it.")
            case .idTaken:
                Self(
                    .conflict,
                    "Another user has the id \(id?.rawValue ?? ""), or an application has. Leave it out for a fresh one."
                )
            case .phoneNumberTaken: Self(.conflict, "Another user has the phone number.")
            case .lastOwner: .lastOwner
            case .unknownFactor: Self(.notFound, "The user has no such second factor.")
            case .weakPassword(let fault): Self(.refused, fault.sentence)
            case .userNotFound: .noUser(id?.rawValue ?? "")
            case .busy, .revoked, .signInTooOld: Self(.conflict, "The account kept changing meanwhile. Try again.")
            case .newPasswordsLimited: Self(.refused, "Too many new passwords were tried. Wait an hour.")
            case .signUpClosed, .anonymousNotAllowed, .limited: Self(.refused, "The realm's settings forbid it.")
            }
    }
}

extension PasswordPolicy.Fault {
    fileprivate var sentence: String {
        switch self {
        case .tooShort(let minimum): "The password is too short: it needs at least \(minimum) characters."
        case .tooLong(let maximum): "The password is too long: it may have \(maximum) characters."
        case .common: "The password is one of the most common ones. Choose another."
        case .lacks(let kinds):
            "The password needs \(kinds.map(\.english).joined(separator: ", ")) too."
        case .containsAddress: "The password is the address, or a part of it. Choose another."
        case .recentlyUsed: "The user has the password, or had it lately. Choose another."
        }
    }
}

extension CharacterKind {
    /// For people.
    var english: String {
        switch self {
        case .lowercase: "a lower-case letter"
        case .uppercase: "an upper-case letter"
        case .digit: "a digit"
        case .symbol: "a sign such as ! or -"
        }
    }
}
