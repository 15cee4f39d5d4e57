import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import ServerHTTP

/// The Management API's users (Auth0, Management API v2, "Users").
extension Guardian {
    struct UserAnswer: Encodable {
        struct Identity: Encodable {
            let connection = "Username-Password-Authentication"
            let provider = "auth0"
            let user_id: String
            let isSocial = false
        }

        let user_id: String
        let email: String?
        let email_verified: Bool
        let name: String?
        let picture: String?
        let phone_number: String?
        let blocked: Bool
        let created_at: String
        let last_login: String?
        let last_password_reset: String?
        let identities: [Identity]

        init(_ user: User) {
            user_id = Guardian.name(of: user.id)
            email = user.email?.canonical
            email_verified = user.profile.emailVerified
            name = user.profile.displayName
            picture = user.profile.photoURL
            phone_number = user.profile.phoneNumber
            blocked = user.isDisabled
            created_at = GuardianTimestamp.string(from: user.createdAt)
            last_login = user.lastSignInAt.map(GuardianTimestamp.string)
            last_password_reset = user.passwordChangedAt.map(GuardianTimestamp.string)
            identities = [Identity(user_id: user.id.rawValue)]
        }
    }

    /// `GET users/{id}`.
    func showUser(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let paging = try Paging(call)
        return try .json(paging.projected(UserAnswer(try await user(call).user)))
    }

    /// `GET users`: all, or those that `q` matches.
    func listUsers(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let paging = try Paging(call)
        let order = try Self.order(call.query["sort"])
        guard paging.offset <= Accounts.longestOffset else {
            throw GuardianError.invalidQuery("Page no further than the first \(Accounts.longestOffset) users.")
        }
        func one(_ user: User?) throws -> Response {
            try paging.response(of: user.map { [UserAnswer($0)] } ?? [], named: "users")
        }
        let name: (text: String?, isBeginning: Bool)
        switch try UserQuery(call.query["q"]) {
        case .email(let text):
            guard let email = EmailAddress(text) else { return try one(nil) }
            return try one(try await realm.accounts.user(email: email))
        case .userID(let text):
            guard let id = Self.userID(text) else { return try one(nil) }
            return try one(try await realm.accounts.user(id))
        case .name(let text, let isBeginning): name = (text, isBeginning)
        case .everybody: name = (nil, false)
        }
        let found = try await realm.accounts.search(
            name: name.text, isBeginning: name.isBeginning, in: order, offset: paging.offset, limit: paging.size)
        return try paging.response(page: found.users.map { UserAnswer($0) }, total: found.total, named: "users")
    }

    /// `sort=FIELD:1`, or `-1` for the other way.
    private static func order(_ text: String?) throws(GuardianError) -> UserOrder {
        guard let text else { return UserOrder(.id) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let keys: [Substring: UserOrder.Key] = [
            "user_id": .id, "email": .email, "name": .displayName, "created_at": .createdAt,
            "last_login": .lastSignInAt,
        ]
        guard parts.count == 2, let key = keys[parts[0]], ["1", "-1"].contains(parts[1]) else {
            throw .invalidQuery("sort has to be user_id, email, name, created_at or last_login, with :1 or :-1.")
        }
        return UserOrder(key, isDescending: parts[1] == "-1")
    }

    /// `GET users-by-email`: a list, of one at most.
    func findUsersByEmail(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let paging = try Paging(call)
        guard let text = call.query["email"], !text.isEmpty else {
            throw GuardianError.invalidQuery("email is missing.")
        }
        guard let email = EmailAddress(text), let user = try await realm.accounts.user(email: email) else {
            return try .json([UserAnswer]())
        }
        return try .json([try paging.projected(UserAnswer(user))])
    }

    /// `POST users`.
    func createUser(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let members = try UserMembers(try await request.bodyObject(), isNew: true)
        guard case .some(.some(let email)) = members.email else {
            throw GuardianError.invalidBody("email has to be an e-mail address.")
        }
        let profile = UserProfile(
            emailVerified: members.emailVerified ?? false, displayName: members.name ?? nil,
            photoURL: members.picture ?? nil, phoneNumber: members.phoneNumber ?? nil)
        switch try await realm.accounts.create(
            id: members.userID, email: email, password: members.password, profile: profile,
            isDisabled: members.isBlocked ?? false, by: call.client)
        {
        case .success(let user): return try .json(UserAnswer(user), status: .created)
        case .failure(let refusal): throw GuardianError(account: refusal)
        }
    }

    /// `PATCH users/{id}`.
    func updateUser(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let id = try await user(call).user.id
        let change = try UserMembers(try await request.bodyObject(), isNew: false).change
        switch try await realm.accounts.change(id, change, by: call.client) {
        case .changed(let user, _): return try .json(UserAnswer(user))
        case .refused(let refusal): throw GuardianError(account: refusal)
        }
    }

    /// `DELETE users/{id}`: removed afterwards, whether there was one or not.
    func deleteUser(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard let id = call.parameters["id"].flatMap(Self.userID) else { throw GuardianError.userNotFound }
        if try await realm.accounts.delete([id], by: call.client) == [.lastOwner] {
            throw GuardianError(account: .lastOwner)
        }
        return .done
    }

    func user(_ call: GuardianCall) async throws -> (user: User, factors: [FactorRecord]) {
        guard let id = call.parameters["id"].flatMap(Self.userID),
            let found = try await realm.accounts.userAndFactors(id)
        else { throw GuardianError.userNotFound }
        return found
    }
}

/// What a request says of a user. What is not kept here is refused by name instead of being forgotten.
private struct UserMembers {
    var email: EmailAddress??
    var emailVerified: Bool?
    var password: Secret<String>?
    var name: String??
    var picture: String??
    var phoneNumber: String??
    var isBlocked: Bool?
    var userID: UserID?

    init(_ body: JSONValue, isNew: Bool) throws(GuardianError) {
        guard case .object(let members) = body else { throw .invalidBody("The body has to be an object.") }
        for (member, value) in members {
            switch member {
            case "email":
                guard let address = value.stringValue.flatMap(EmailAddress.init) else {
                    throw .invalidBody("email has to be an e-mail address.")
                }
                email = .some(address)
            case "email_verified": emailVerified = try Self.flag(member, value)
            case "blocked": isBlocked = try Self.flag(member, value)
            case "password":
                guard let text = value.stringValue else { throw .invalidBody("password has to be a text.") }
                password = Secret(text)
            case "name": name = .some(try Self.text(member, value))
            case "picture": picture = .some(try Self.text(member, value))
            case "phone_number":
                guard let text = try Self.text(member, value) else {
                    phoneNumber = .some(nil)
                    continue
                }
                guard let number = PhoneNumber(text) else {
                    throw .invalidBody("phone_number has to be in the form of E.164, as +15555550100.")
                }
                phoneNumber = .some(number.canonical)
            case "user_id" where isNew:
                guard let text = value.stringValue, UserID.admits(text),
                    text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
                else {
                    throw .invalidBody("user_id has to be 1 to 128 printable ASCII characters, and not . or ..")
                }
                userID = UserID(rawValue: text)
            // There is one connection, and the caller is no application.
            case "connection", "client_id":
                guard value.stringValue != nil else { throw .invalidBody("\(member) has to be a text.") }
            case "verify_email":
                guard try !Self.flag(member, value) else {
                    throw .invalidBody("No mail is sent from here: verify_email has to be false.")
                }
            default: throw .invalidBody("\(member.prefix(60)) cannot be set: it is not kept here.")
            }
        }
    }

    private static func flag(_ member: String, _ value: JSONValue) throws(GuardianError) -> Bool {
        guard case .bool(let flag) = value else { throw .invalidBody("\(member) has to be true or false.") }
        return flag
    }

    /// Nil for null, which clears.
    private static func text(_ member: String, _ value: JSONValue) throws(GuardianError) -> String? {
        if value == .null { return nil }
        guard let text = PlainText(value.stringValue, bytes: 1...2048)?.text else {
            throw .invalidBody("\(member) has to be a text of 1 to 2048 bytes.")
        }
        return text
    }

    var change: AccountChange {
        var change = AccountChange()
        change.email = email
        change.emailVerified = emailVerified
        change.password = password
        change.displayName = name
        change.photoURL = picture
        change.phoneNumber = phoneNumber
        change.isDisabled = isBlocked
        return change
    }
}
