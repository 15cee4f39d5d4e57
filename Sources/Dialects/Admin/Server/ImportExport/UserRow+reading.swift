import CountersignCore
import Foundation
import OneTimePassword
import ServerHTTP

/// What holds for all rows of an import.
struct UserRowRules: Sendable {
    /// For rows that have a hash and do not say how it was made.
    var hash: PasswordHashSettings?
    /// Whether identities of providers that are not here are left out, instead of the row being refused.
    var dropsForeignIdentities = false
    /// The roles that rows may give: those that their importer may.
    var givenRoles: Set<AdministratorRole> = []
}

extension UserRow {
    /// The row that a line is.
    /// - Throws: ``UserRowFault``.
    static func read(_ text: [UInt8]) throws(UserRowFault) -> UserRow {
        guard text.count <= longestLine else {
            throw UserRowFault("it has more than \(longestLine) bytes")
        }
        do {
            let value = try LenientJSON.parse(text)
            guard case .object(let members) = value else { throw UserRowFault("it is no JSON object") }
            try refuseUnknown(members)
            return try LenientJSON.decode(UserRow.self, from: value)
        } catch let fault as UserRowFault {
            throw fault
        } catch let fault as RequestBodyFault {
            throw UserRowFault(fault)
        } catch {
            throw UserRowFault("it cannot be read")
        }
    }

    /// A misspelt member must not look as if it had been heard.
    private static func refuseUnknown(_ members: [String: JSONValue]) throws(UserRowFault) {
        try refuseUnknown(members, CodingKeys.allCases.map(\.rawValue), "")
        if case .object(let argon2)? = members["argon2Parameters"] {
            try refuseUnknown(
                argon2, PasswordHashSettings.Argon2.CodingKeys.allCases.map(\.rawValue), "argon2Parameters.")
        }
        if case .array(let own)? = members["factors"] {
            for (index, factor) in own.enumerated() {
                guard case .object(let factor) = factor else { continue }
                try refuseUnknown(factor, OwnFactor.CodingKeys.allCases.map(\.rawValue), "factors[\(index)].")
            }
        }
        guard case .array(let factors)? = members["mfaInfo"] else { return }
        for (index, factor) in factors.enumerated() {
            guard case .object(let factor) = factor else { continue }
            try refuseUnknown(factor, SecondFactor.CodingKeys.allCases.map(\.rawValue), "mfaInfo[\(index)].")
            guard case .object(let totp)? = factor["totpInfo"] else { continue }
            try refuseUnknown(totp, TOTP.CodingKeys.allCases.map(\.rawValue), "mfaInfo[\(index)].totpInfo.")
        }
    }

    private static func refuseUnknown(
        _ members: [String: JSONValue], _ known: [String], _ path: String
    ) throws(UserRowFault) {
        guard let name = members.filter({ $0.value != .null }).keys.sorted().first(where: { !known.contains($0) })
        else { return }
        let member = path + name.prefix(100)
        guard let nearest = NearestName.of(name, among: known) else {
            throw UserRowFault("there is no member \"\(member)\"")
        }
        throw UserRowFault("there is no member \"\(member)\"; did you mean \(nearest)?")
    }

    // MARK: What it means

    /// The account that the row is.
    /// - Throws: ``UserRowFault``; `PasswordImportFault` where the settings for all rows are at fault.
    func account(_ rules: UserRowRules, importer: any PasswordImporter) throws -> PortableAccount {
        guard let id = localId, !id.isEmpty else {
            throw UserRowFault("localId is missing: it names the user, so that an import can be made again")
        }
        guard UserID.admits(id) else {
            throw UserRowFault("localId has 1 to 128 characters and no control characters, and is not . or ..")
        }
        var account = PortableAccount(id: UserID(rawValue: id), isDisabled: disabled ?? false)
        if let text = email, !text.isEmpty {
            guard let email = EmailAddress(text) else { throw UserRowFault("email is no address") }
            account.email = email
        }
        account.profile.emailVerified = account.email != nil && emailVerified == true
        if let displayName, displayName.unicodeScalars.count > 256 {
            throw UserRowFault("displayName has more than 256 characters")
        }
        if let photoUrl, photoUrl.utf8.count > 2048 { throw UserRowFault("photoUrl has more than 2048 bytes") }
        account.profile.displayName = displayName.flatMap { $0.isEmpty ? nil : $0 }
        account.profile.photoURL = photoUrl.flatMap { $0.isEmpty ? nil : $0 }
        if let text = phoneNumber, !text.isEmpty {
            guard let number = PhoneNumber(text) else {
                throw UserRowFault("phoneNumber is none: write it as +, country code and number")
            }
            account.profile.phoneNumber = number.canonical
        }
        if let locale, !locale.isEmpty {
            guard UserProfile.isLocale(locale) else { throw UserRowFault("locale is no language tag: write it as en") }
            account.profile.locale = locale
        }
        account.profile.setAcceptedTerms(
            try (acceptedTerms ?? []).map { terms in
                guard TermsSettings.isVersion(terms.version),
                    let at = try Self.timestamp(terms.at, "acceptedTerms")
                else { throw UserRowFault("acceptedTerms have a version and a time") }
                return AcceptedTerms(version: terms.version, at: at)
            })
        let claims = try claims()
        if !claims.isEmpty { account.profile.customClaims = claims }
        account.profile.attributes = attributes ?? [:]
        account.profile.providers = try wayIn()
        account.createdAt = try Self.instant(createdAt, "createdAt")
        account.lastSignInAt =
            try Self.instant(lastLoginAt, "lastLoginAt") ?? Self.instant(lastSignedInAt, "lastSignedInAt")
        account.lastRefreshAt = try Self.timestamp(lastRefreshAt, "lastRefreshAt")
        account.passwordChangedAt = try Self.instant(
            passwordUpdatedAt.map { milliseconds in
                guard let number = Int64(exactly: milliseconds.rounded(.towardZero)) else {
                    throw UserRowFault("passwordUpdatedAt is no time in milliseconds")
                }
                return String(number)
            }, "passwordUpdatedAt")
        if !rules.dropsForeignIdentities { try refuseForeignIdentities() }
        account.password = try password(rules, importer)
        account.secondFactors = try (mfaInfo ?? []).map { factor throws(UserRowFault) in try factor.moving() }
        account.otherFactors = try (factors ?? []).map { factor throws(UserRowFault) in try factor.moving() }
        account.groups = try groupNames()
        account.role = try role(rules)
        return account
    }

    private func groupNames() throws(UserRowFault) -> Set<GroupName>? {
        guard let groups else { return nil }
        guard groups.count <= UserGroup.mostOfUser else {
            throw UserRowFault("groups has more than \(UserGroup.mostOfUser) names")
        }
        var names: Set<GroupName> = []
        for text in groups {
            guard let name = GroupName(text) else {
                throw UserRowFault("groups has \"\(text.prefix(100))\", which is no name of a group")
            }
            names.insert(name)
        }
        return names
    }

    /// A role opens administration, so that moving users is not enough to give it.
    private func role(_ rules: UserRowRules) throws(UserRowFault) -> AdministratorRole? {
        guard let role, !role.isEmpty else { return nil }
        guard let known = AdministratorRole(rawValue: role) else {
            throw UserRowFault(
                "role \"\(role.prefix(100))\" is unknown; there are "
                    + AdministratorRole.allCases.map(\.rawValue).joined(separator: ", "))
        }
        guard rules.givenRoles.contains(known) else {
            let right = AdministrationRight.changeAdministrators.rawValue
            throw UserRowFault(
                rules.givenRoles.isEmpty
                    ? "it has a role, which takes the right \(right)"
                    : "it has the role \(known.rawValue), which may do more than you may")
        }
        return known
    }

    private func claims() throws(UserRowFault) -> [String: JSONValue] {
        do throws(CustomClaims.Fault) {
            return try CustomClaims.judge(customAttributes ?? "") { try? LenientJSON.parse(Array($0.utf8)) }
        } catch {
            switch error {
            case .malformed: throw UserRowFault("customAttributes is no JSON object in a string")
            case .tooLarge:
                throw UserRowFault("customAttributes has more than \(CustomClaims.maximumLength) characters")
            case .reserved(let name):
                throw UserRowFault("customAttributes has the claim \"\(name)\", which tokens have a meaning for")
            }
        }
    }

    private func wayIn() throws(UserRowFault) -> Set<String> {
        let known = ["anonymous", "custom", "emailLink", "password"]
        var result = Set(providers ?? [])
        if let name = result.sorted().first(where: { !known.contains($0) }) {
            throw UserRowFault(
                "providers has the unknown \"\(name.prefix(100))\"; there are \(known.joined(separator: ", "))")
        }
        // A password says itself that it is there.
        result.remove("password")
        if emailLinkSignin == true { result.insert("emailLink") }
        if customAuth == true { result.insert("custom") }
        return result
    }

    /// Address and phone number are identities that an account has by itself; there are no others here.
    private func refuseForeignIdentities() throws(UserRowFault) {
        let own = ["password", "phone"]
        guard let foreign = (providerUserInfo ?? []).first(where: { !own.contains($0.providerId ?? "") }) else {
            return
        }
        throw UserRowFault(
            "it signs in with \(foreign.providerId?.prefix(100) ?? "a provider without a name"), which this realm does not have; "
                + "with --drop-identities it is taken without, and signs in by a mailed link or a password")
    }

    private func password(_ rules: UserRowRules, _ importer: any PasswordImporter) throws -> PortablePassword? {
        guard let text = passwordHash, !text.isEmpty else {
            return rawPassword.flatMap { $0.isEmpty ? nil : .text(Secret($0)) }
        }
        guard rawPassword?.isEmpty != false else { throw UserRowFault("it has both passwordHash and rawPassword") }
        if text.prefix(11) == "UkVEQUNURUQ" {
            throw UserRowFault(
                "passwordHash is the word REDACTED: export with an account that may read password hashes")
        }
        let hash = ForeignPasswordHash(
            hash: try PasswordHashSettings.bytes(text, "passwordHash"),
            salt: try PasswordHashSettings.bytes(salt, "salt"))
        let own = PasswordHashSettings(self)
        guard let settings = own ?? rules.hash else {
            throw UserRowFault(
                "passwordHash stands without hashAlgorithm: name it on the line, or for all lines with --hash-algo")
        }
        switch importer.keep(hash, of: try settings.scheme()) {
        case .success(let kept): return .hash(kept)
        case .failure(.invalidHash(let sentence)): throw UserRowFault(sentence)
        case .failure(let fault) where own == nil: throw fault
        case .failure(.unknownAlgorithm):
            throw UserRowFault("hashAlgorithm \"\(settings.hashAlgorithm.prefix(100))\" is unknown")
        case .failure(.invalidParameter(let sentence)): throw UserRowFault(sentence)
        }
    }

    static func instant(_ text: String?, _ member: String) throws(UserRowFault) -> Date? {
        guard let text, !text.isEmpty else { return nil }
        guard let number = Int64(text), (0...253_402_300_799_000).contains(number) else {
            throw UserRowFault("\(member) is no time in milliseconds since 1970")
        }
        return Date(microseconds: number * 1000)
    }

    static func timestamp(_ text: String?, _ member: String) throws(UserRowFault) -> Date? {
        guard let text, !text.isEmpty else { return nil }
        guard let date = Timestamp(rfc3339: text)?.date else {
            throw UserRowFault("\(member) is no time such as 2026-11-21T08:15:00Z")
        }
        return date
    }
}

extension UserRow.SecondFactor {
    fileprivate func moving() throws(UserRowFault) -> PortableTOTP {
        guard let totp = totpInfo else {
            throw UserRowFault(
                phoneInfo == nil && unobfuscatedPhoneInfo == nil
                    ? "a factor of mfaInfo has no totpInfo"
                    : "a phone is no second factor here: remove it from mfaInfo, and the password alone is enough")
        }
        guard let key = totp.sharedSecretKey, !key.isEmpty else {
            throw UserRowFault(
                "a factor of mfaInfo has no totpInfo.sharedSecretKey: without the secret no code can be looked at")
        }
        let id = mfaEnrollmentId.flatMap { $0.isEmpty ? nil : $0 }
        if let id, !FactorID.admits(id) {
            throw UserRowFault("mfaEnrollmentId has 1 to 128 characters and no control characters, and is not . or ..")
        }
        guard let secret = try? Base32.decode(key) else {
            throw UserRowFault("totpInfo.sharedSecretKey is no Base32")
        }
        guard let algorithm = OTPAlgorithm(name: totp.algorithm ?? "SHA1") else {
            throw UserRowFault("totpInfo.algorithm is SHA1, SHA256 or SHA512")
        }
        let enrolled = try UserRow.timestamp(enrolledAt, "enrolledAt")
        let used = try UserRow.timestamp(totp.lastUsedAt, "totpInfo.lastUsedAt")
        guard totp.lastUsedStep ?? 0 <= PortableTOTP.greatestStep else {
            throw UserRowFault("totpInfo.lastUsedStep is no time step")
        }
        guard
            let factor = PortableTOTP(
                id: id.map(FactorID.init(rawValue:)),
                name: PlainText(displayName ?? "", longest: 256).text,
                enrolledAt: enrolled, lastUsedAt: used, secret: Secret(secret), algorithm: algorithm,
                digits: totp.digits ?? 6, period: totp.period ?? 30, lastStep: totp.lastUsedStep)
        else {
            throw UserRowFault(
                "totpInfo has a secret of 1 to 128 bytes, 6 to 8 digits and a period of 15 to 300 seconds")
        }
        return factor
    }
}

extension UserRow.OwnFactor {
    fileprivate func moving() throws(UserRowFault) -> PortableFactor {
        guard let id, FactorID.admits(id) else {
            throw UserRowFault("a factor has an id of 1 to 128 characters and no control characters, not . or ..")
        }
        let enrolled = try UserRow.timestamp(enrolledAt, "enrolledAt")
        let used = try UserRow.timestamp(lastUsedAt, "lastUsedAt")
        guard let kind, let content,
            let factor = PortableFactor(
                id: FactorID(rawValue: id), kind: FactorKind(rawValue: kind),
                name: PlainText(name ?? "", longest: 256).text, enrolledAt: enrolled, lastUsedAt: used,
                content: Secret(content))
        else { throw UserRowFault("a factor is of no kind that is known here, or its content is not of its kind") }
        return factor
    }
}

extension UserRowFault {
    init(_ fault: RequestBodyFault) {
        sentence =
            switch fault {
            case .wrongContentType, .tooLarge, .late, .unknownCoding, .encoded, .zeroByte: "it cannot be read"
            case .invalidUTF8: "it is not UTF-8"
            case .malformed(let reason, let offset): "it is no JSON: \(reason) at byte \(offset)"
            case .tooDeep(let limit): "it is nested more than \(limit) deep"
            case .duplicateMember(let path): "the member \"\(path)\" is there twice"
            case .notAnObject: "it is no JSON object"
            case .missingMember(let path): "the member \"\(path)\" is missing"
            case .wrongType(let path, let expected, _): "the member \"\(path)\" has to be \(expected.words)"
            }
    }
}
