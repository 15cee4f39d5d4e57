import CountersignCore
import Foundation

/// Takes in a few lines of a file of users, with their password hashes and authenticators.
///
/// Each line is a JSON object in the shape of Identity Toolkit's `accounts:batchCreate`, with the way in which its password
/// was hashed. A bad line is refused and the others are taken. The same lines again do nothing.
///
/// Roles, and replacing a user who has one, take `administrators:write`; groups take `groups:write`. Lines that their sender may not have
/// done are refused as bad ones are.
public struct ImportUsers: RehearsedOperation {
    public static let name = "users:import"
    public static let right = AdministrationRight.transferUsers
    public static let bodyLimit = 4 * 1024 * 1024

    /// At most ``mostLines``, of at most ``longestLine`` bytes each.
    public var lines: [SecretText]
    /// How passwords were hashed, for lines that do not say it.
    public var hash: PasswordHashSettings?
    /// Replaces an existing user with other data.
    public var overwrite: Bool?
    /// Leaves out identities of providers that the realm does not have.
    public var dropIdentities: Bool?
    /// Looks and writes nothing.
    public var dryRun: Bool?
    /// What calls of one import have in common, 1 to 64 characters drawn at random: the log has one event of them. Where it
    /// is left out, the log has one of each call.
    public var run: String?
    /// The run is over; there may be no lines in this call.
    public var isLast: Bool?

    public static let mostLines = 500
    public static let longestLine = UserRow.longestLine

    public init(
        lines: [SecretText], hash: PasswordHashSettings? = nil, overwrite: Bool = false, dropIdentities: Bool = false,
        dryRun: Bool = false, run: String? = nil, isLast: Bool = false
    ) {
        self.lines = lines
        self.hash = hash
        self.overwrite = overwrite
        self.dropIdentities = dropIdentities
        self.dryRun = dryRun
        self.run = run
        self.isLast = isLast
    }

    public struct Answer: Codable, Sendable {
        /// Users who are new; with ``ImportUsers/dryRun``, who would be.
        public let imported: Int
        public let replaced: Int
        /// Users who were there, the same.
        public let alreadyThere: Int
        /// In the order of the lines.
        public let refused: [Refused]

        public struct Refused: Codable, Sendable, Equatable {
            /// Which of the lines, from 0.
            public let index: Int
            /// In plain words.
            public let reason: String

            public init(index: Int, reason: String) {
                self.index = index
                self.reason = reason
            }
        }
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard lines.count <= Self.mostLines else { throw Self.tooMany(lines.count) }
        try hash?.check(realm.passwordImporter)
        let importRun = run.flatMap { ImportRun(id: $0, isLast: isLast ?? false) }
        if run != nil && importRun == nil {
            throw AdministrationError(.invalid, "The run has 1 to 64 characters.")
        }
        let rules = UserRowRules(
            hash: hash, dropsForeignIdentities: dropIdentities ?? false, givenRoles: permit.givenRoles)
        var refused: [Answer.Refused] = []
        var accounts: [(index: Int, account: PortableAccount)] = []
        for (index, line) in lines.enumerated() {
            do {
                let row = try UserRow.read(Array(line.secret.reveal().utf8))
                accounts.append((index, try row.account(rules, importer: realm.passwordImporter)))
            } catch let fault as UserRowFault {
                refused.append(Answer.Refused(index: index, reason: fault.sentence))
            } catch let fault as PasswordImportFault {
                throw AdministrationError(hashSettings: fault, algorithm: hash?.hashAlgorithm ?? "")
            }
        }
        let outcomes = try await realm.accounts.importAccounts(
            accounts.map(\.account), overwrites: overwrite ?? false, rehearses: dryRun ?? false,
            rights: ImportRights(
                changesAdministrators: permit.has(.changeAdministrators), changesGroups: permit.has(.changeGroups)),
            run: importRun, by: client)
        for ((index, account), outcome) in zip(accounts, outcomes) {
            guard case .refused(let refusal) = outcome else { continue }
            refused.append(Answer.Refused(index: index, reason: try await realm.sentence(refusal, account)))
        }
        return Answer(
            imported: outcomes.count { $0 == .imported }, replaced: outcomes.count { $0 == .replaced },
            alreadyThere: outcomes.count { $0 == .alreadyThere }, refused: refused.sorted { $0.index < $1.index })
    }
}

extension ImportUsers {
    /// Why so many lines are not imported at once.
    public static func tooMany(_ count: Int) -> AdministrationError {
        AdministrationError(.invalid, "These are \(count) lines; at most \(mostLines) go at once.")
    }

    /// How the owner of the file recognises the user on a line: the address, or else the id. Nil where neither can be
    /// read.
    public static func name(on line: SecretText) -> String? {
        struct Names: Decodable {
            let email: String?
            let localId: String?
        }
        let names = try? JSONDecoder().decode(Names.self, from: Data(line.secret.reveal().utf8))
        return [names?.email, names?.localId].compactMap { $0 }.first { !$0.isEmpty }
    }

    /// What has to be unique in a file: id, address and number of the user on a line, as far as they can be read. For
    /// rehearsals, which write nothing that a later line could meet.
    public static func identifiers(on line: SecretText) -> [UserIdentifier] {
        guard let row = try? UserRow.read(Array(line.secret.reveal().utf8)) else { return [] }
        return [
            row.localId.map { .id(UserID(rawValue: $0)) }, row.email.flatMap(EmailAddress.init).map { .email($0) },
            row.phoneNumber.flatMap(PhoneNumber.init).map { .phoneNumber($0) },
        ].compactMap { $0 }
    }
}

extension Realm {
    /// Why an account is not imported.
    fileprivate func sentence(_ refusal: ImportRefusal, _ account: PortableAccount) async throws -> String {
        switch refusal {
        case .idTaken where account.id.rawValue == AdministratorToken.actor:
            return "no user has the id \(account.id): the log calls the first token so"
        case .idTaken: return "there is a user \(account.id) already, or an application"
        case .addressTaken:
            let holder = if let email = account.email { try await accounts.user(email: email) } else { User?.none }
            return
                "\(account.email?.canonical ?? "the address") belongs to the user \(holder?.id.rawValue ?? "of another line")"
        case .phoneNumberTaken:
            let number = account.profile.phoneNumber.map(PhoneNumber.init(kept:))
            let holder =
                if let number { try await accounts.find([.phoneNumber(number)]).first } else { UserWithFactors?.none }
            return
                "\(number?.canonical ?? "the number") belongs to the user \(holder?.user.id.rawValue ?? "of another line")"
        case .factorIDTaken: return "the id of one of its factors belongs to another user, or is there twice"
        case .tooManyFactors: return "it has more second factors of a kind than a user may have"
        case .passwordTooLong: return "rawPassword has more than \(PasswordPolicy.maximumLength) characters"
        case .lastOwner: return "the user is the last owner of the realm and cannot be disabled"
        case .overloaded: return "too many passwords wait to be hashed: import this line again"
        case .different(let differences):
            let members = differences.map(\.member).joined(separator: ", ")
            return "there is a user \(account.id) with another \(members); --overwrite replaces it"
        case .administrator:
            let right = AdministrationRight.changeAdministrators.rawValue
            return "the user \(account.id) administers this realm, and replacing such a user takes the right \(right)"
        case .groups:
            return "it has other groups, which takes the right \(AdministrationRight.changeGroups.rawValue)"
        }
    }
}

extension AccountDifference {
    /// What rows call it.
    fileprivate var member: String {
        switch self {
        case .email: "email"
        case .emailVerified: "emailVerified"
        case .displayName: "displayName"
        case .photoURL: "photoUrl"
        case .phoneNumber: "phoneNumber"
        case .locale: "locale"
        case .acceptedTerms: "acceptedTerms"
        case .isDisabled: "disabled"
        case .customClaims: "customAttributes"
        case .attributes: "attributes"
        case .providers: "providers"
        case .createdAt: "createdAt"
        case .password: "password"
        case .secondFactors: "mfaInfo"
        case .groups: "groups"
        case .role: "role"
        }
    }
}

extension PasswordHashSettings {
    /// Refuses what no line could be read by, also where none has a hash.
    fileprivate func check(_ importer: any PasswordImporter) throws(AdministrationError) {
        let scheme: ForeignPasswordScheme
        do throws(UserRowFault) {
            scheme = try self.scheme()
        } catch {
            throw AdministrationError(.invalid, "The settings for password hashes are wrong: \(error.sentence).")
        }
        // The least hash that there is: a fault of the settings is then one for every hash.
        switch importer.keep(ForeignPasswordHash(hash: [0], salt: []), of: scheme) {
        case .success, .failure(.invalidHash): return
        case .failure(let fault): throw AdministrationError(hashSettings: fault, algorithm: hashAlgorithm)
        }
    }
}

extension AdministrationError {
    fileprivate init(hashSettings fault: PasswordImportFault, algorithm: String) {
        switch fault {
        case .unknownAlgorithm:
            self.init(
                .invalid,
                "There is no hash algorithm \"\(algorithm)\". There are SCRYPT, STANDARD_SCRYPT, BCRYPT, ARGON2, "
                    + "PBKDF2_SHA256, PBKDF_SHA1, HMAC_SHA512, HMAC_SHA256, HMAC_SHA1, HMAC_MD5, SHA512, SHA256, SHA1 "
                    + "and MD5.")
        case .invalidParameter(let sentence), .invalidHash(let sentence):
            self.init(.invalid, "The settings for password hashes are wrong: \(sentence).")
        }
    }
}
