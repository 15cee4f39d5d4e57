import CountersignCore
import Foundation
import IdentityToolkitWire
import OneTimePassword

extension IdentityToolkit {
    /// Accounts that one import takes.
    static let maximumImport = 1000
    /// Bytes that its body may have: 8 KiB an account.
    static let importBodyLimit = 8 * 1024 * 1024

    /// `projects/{p}/accounts:batchCreate` (legacy `uploadAccount`): accounts move in (REST reference of Identity
    /// Platform, v1 `projects.accounts.batchCreate`).
    ///
    /// Faults of a row are reported by its index, and the others are written. What is wrong with the way passwords were
    /// hashed is wrong for all.
    func batchCreate(
        _ request: BatchCreateAccountsRequest, _ call: Call
    ) async throws -> BatchCreateAccountsResponse {
        try requireProject(request.targetProjectId)
        let users = request.users ?? []
        guard !users.isEmpty else { throw IdentityToolkitError(.missingUserAccount) }
        guard users.count <= Self.maximumImport else { throw IdentityToolkitError(.maximumUserCountExceeded) }
        try refuseDuplicates(users, request)
        let scheme = try users.contains { $0.passwordHash != nil } ? passwordScheme(request) : nil

        var errors: [BatchCreateError] = []
        var accounts: [(index: Int, account: PortableAccount)] = []
        for (index, user) in users.enumerated() {
            do {
                accounts.append((index, try importedAccount(user, scheme, call)))
            } catch let fault as RowFault {
                errors.append(BatchCreateError(index: index, message: fault.message))
            }
        }
        let refusals = try await realm.accounts.import(
            accounts.map(\.account), overwrites: request.allowOverwrite == true, by: call.client)
        for (place, refusal) in refusals {
            errors.append(BatchCreateError(index: accounts[place].index, message: refusal.message))
        }
        errors.sort { ($0.index ?? 0) < ($1.index ?? 0) }
        return BatchCreateAccountsResponse(error: errors.isEmpty ? nil : errors)
    }

    /// One row that is not imported, and why.
    private struct RowFault: Error {
        let message: String
    }

    private func refuseDuplicates(_ users: [Account], _ request: BatchCreateAccountsRequest) throws {
        if request.sanityCheck == true {
            var emails: Set<String> = []
            for email in users.compactMap(\.email) where !emails.insert(email).inserted {
                throw IdentityToolkitError(.duplicateEmail, email)
            }
            var identities: Set<String> = []
            for identity in users.flatMap({ $0.providerUserInfo ?? [] }) {
                let text = "Provider id(\(identity.providerId ?? "")), Raw id(\(identity.rawId ?? ""))"
                guard identities.insert(text).inserted else { throw IdentityToolkitError(.duplicateRawID, text) }
            }
        }
        guard request.allowOverwrite != true else { return }
        var ids: Set<String> = []
        for id in users.compactMap(\.localId) where !ids.insert(id).inserted {
            throw IdentityToolkitError(.duplicateLocalID, id)
        }
    }

    // MARK: One row

    private func importedAccount(
        _ user: Account, _ scheme: ForeignPasswordScheme?, _ call: Call
    ) throws -> PortableAccount {
        guard let id = user.localId, !id.isEmpty else { throw RowFault(message: "localId is missing") }
        guard Self.isNewLocalID(id) else { throw RowFault(message: "localId is invalid") }
        if let tenant = user.tenantId, tenant != call.tenantID {
            throw RowFault(message: "Tenant id in userInfo does not match the tenant id in request.")
        }
        var account = PortableAccount(id: UserID(rawValue: id), isDisabled: user.disabled ?? false)
        if let text = user.email, !text.isEmpty {
            guard let email = EmailAddress(text) else { throw RowFault(message: "email is invalid") }
            account.email = email
        }
        account.profile.emailVerified = account.email != nil && user.emailVerified == true
        do {
            try checkProfile(displayName: user.displayName, photoURL: user.photoUrl)
        } catch let error as IdentityToolkitError {
            throw RowFault(message: error.message)
        }
        account.profile.displayName = user.displayName.flatMap { $0.isEmpty ? nil : $0 }
        account.profile.photoURL = user.photoUrl.flatMap { $0.isEmpty ? nil : $0 }
        if let text = user.phoneNumber, !text.isEmpty {
            guard let number = PhoneNumber(text) else { throw RowFault(message: "phone number format is invalid") }
            account.profile.phoneNumber = number.canonical
        }
        if user.emailLinkSignin == true { account.profile.providers.insert("emailLink") }
        if user.customAuth == true { account.profile.providers.insert("custom") }
        if let text = user.customAttributes { account.profile.customClaims = try claims(text) }
        account.createdAt = try instant(user.createdAt, "createdAt")
        account.lastSignInAt = try instant(user.lastLoginAt, "lastLoginAt")
        try refuseForeignIdentities(user.providerUserInfo ?? [])
        account.password = try password(of: user, scheme)
        account.secondFactors = try (user.mfaInfo ?? []).map { try secondFactor($0, of: account) }
        return account
    }

    private func claims(_ text: String) throws -> [String: JSONValue] {
        do throws(CustomClaims.Fault) {
            return try CustomClaims.parse(text)
        } catch {
            switch error {
            case .malformed: throw RowFault(message: "Invalid custom claims provided.")
            case .tooLarge: throw RowFault(message: "Custom claims provided are too large.")
            case .reserved: throw RowFault(message: "Custom claims provided include a reserved claim.")
            }
        }
    }

    private func instant(_ number: Int64String?, _ field: String) throws -> Date? {
        guard let number else { return nil }
        guard let date = Self.instant(number, perSecond: 1000) else { throw RowFault(message: "\(field) is invalid") }
        return date
    }

    /// Address and phone number are identities that an account has by itself; there are no others here.
    private func refuseForeignIdentities(_ identities: [ProviderUserInfo]) throws {
        for identity in identities where identity.providerId != "password" && identity.providerId != "phone" {
            if identity.federatedId == nil, identity.providerId == nil || identity.rawId == nil {
                throw RowFault(message: "federatedId or (providerId & rawId) is required")
            }
            throw RowFault(message: "The identity provider \(identity.providerId ?? "") is not configured.")
        }
    }

    private func password(of user: Account, _ scheme: ForeignPasswordScheme?) throws -> PortablePassword? {
        if let text = user.passwordHash, let scheme {
            guard let hash = Base64URL.decode(text, accepting: .all), !hash.isEmpty else {
                throw RowFault(message: "passwordHash is invalid")
            }
            guard let salt = Base64URL.decode(user.salt ?? "", accepting: .all) else {
                throw RowFault(message: "salt is invalid")
            }
            switch realm.passwordImporter.keep(ForeignPasswordHash(hash: hash, salt: salt), of: scheme) {
            case .success(let kept): return .hash(kept)
            case .failure(.invalidHash(let sentence)): throw RowFault(message: sentence)
            case .failure(let fault): throw IdentityToolkitError(import: fault)
            }
        }
        return user.rawPassword.flatMap { $0.isEmpty ? nil : .text(Secret($0)) }
    }

    /// The vendor imports no TOTP factors; with the secret, which the vendor's protocol has no field for, we do.
    private func secondFactor(_ enrollment: MFAEnrollment, of account: PortableAccount) throws -> PortableTOTP {
        guard account.email != nil else {
            throw RowFault(message: "Second factor account requires email to be presented.")
        }
        guard account.profile.emailVerified else {
            throw RowFault(message: "Second factor account requires email to be verified.")
        }
        guard let info = enrollment.totpInfo else { throw RowFault(message: "Second factor not supported.") }
        guard let key = info.sharedSecretKey, !key.isEmpty else {
            throw RowFault(message: "Importing TOTP MFA is not supported.")
        }
        if let id = enrollment.mfaEnrollmentId, !id.isEmpty, !FactorID.admits(id) {
            throw RowFault(message: "Enrollment id is invalid.")
        }
        var enrolledAt: Date?
        if let text = enrollment.enrolledAt, !text.isEmpty {
            guard let date = WireTimestamp.date(from: text) else { throw RowFault(message: "enrolledAt is invalid") }
            enrolledAt = date
        }
        guard let secret = try? Base32.decode(key), let algorithm = OTPAlgorithm(name: info.algorithm ?? "SHA1"),
            let factor = PortableTOTP(
                id: enrollment.mfaEnrollmentId.flatMap { $0.isEmpty ? nil : FactorID(rawValue: $0) },
                name: String((enrollment.displayName ?? "").prefix(256)), enrolledAt: enrolledAt,
                secret: Secret(secret), algorithm: algorithm, digits: info.digits ?? 6, period: info.period ?? 30)
        else { throw RowFault(message: "totpInfo is invalid.") }
        return factor
    }

    // MARK: How passwords were hashed

    private func passwordScheme(_ request: BatchCreateAccountsRequest) throws -> ForeignPasswordScheme {
        guard let algorithm = request.hashAlgorithm, !algorithm.isEmpty else {
            throw IdentityToolkitError(.missingHashAlgorithm)
        }
        var scheme = ForeignPasswordScheme(algorithm: algorithm)
        scheme.signerKey = Secret(try bytes(request.signerKey, "signer_key"))
        scheme.saltSeparator = try bytes(request.saltSeparator, "salt_separator")
        scheme.rounds = request.rounds
        scheme.memoryCost = request.memoryCost
        scheme.cpuMemoryCost = request.cpuMemCost
        scheme.parallelization = request.parallelization
        scheme.blockSize = request.blockSize
        scheme.derivedKeyLength = request.dkLen
        scheme.order =
            switch try Enumeration.passwordHashOrder.word(request.passwordHashOrder, at: "password_hash_order") {
            case "SALT_AND_PASSWORD": .saltAndPassword
            case "PASSWORD_AND_SALT": .passwordAndSalt
            default: nil
            }
        scheme.argon2 = try request.argon2Parameters.map(argon2)
        return scheme
    }

    private func argon2(_ parameters: Argon2Parameters) throws -> ForeignPasswordScheme.Argon2 {
        let variants: [String: ForeignPasswordScheme.Argon2.Variant] = [
            "ARGON2_D": .d, "ARGON2_I": .i, "ARGON2_ID": .id,
        ]
        let type = Enumeration.argon2Type
        guard let word = try type.word(parameters.hashType, at: "argon2_parameters.hash_type"),
            let variant = variants[word]
        else {
            throw IdentityToolkitError.invalidValue(
                "argon2_parameters.hash_type", type: type.type, value: parameters.hashType ?? "")
        }
        let version = try Enumeration.argon2Version.word(parameters.version, at: "argon2_parameters.version")
        guard let length = parameters.hashLengthBytes, let lanes = parameters.parallelism,
            let iterations = parameters.iterations, let memory = parameters.memoryCostKib
        else {
            throw IdentityToolkitError(
                .invalidHashParameters, "hashLengthBytes, parallelism, iterations and memoryCostKib are needed.")
        }
        return ForeignPasswordScheme.Argon2(
            variant, hashLength: length, parallelism: lanes, iterations: iterations, memoryKiB: memory,
            isVersion10: version == "VERSION_10",
            associatedData: try bytes(parameters.associatedData, "argon2_parameters.associated_data"))
    }

    private func bytes(_ text: String?, _ field: String) throws -> [UInt8] {
        guard let bytes = Base64URL.decode(text ?? "", accepting: .all) else {
            throw IdentityToolkitError.invalidValue(field, type: "TYPE_BYTES", value: text ?? "")
        }
        return bytes
    }
}
