import CountersignCore
import Foundation
import OneTimePassword

extension UserRow {
    /// An account as a row, with all that it has.
    /// - Parameter importer: knows in which form other systems take the hash. Where it knows none, the row is without.
    init(_ account: PortableAccount, importer: any PasswordImporter) {
        let profile = account.profile
        localId = account.id.rawValue
        email = account.email?.canonical
        emailVerified = account.email.map { _ in profile.emailVerified }
        displayName = profile.displayName
        photoUrl = profile.photoURL
        phoneNumber = profile.phoneNumber
        locale = profile.locale
        let terms = profile.acceptedTerms.map { Terms(version: $0.version, at: Timestamp($0.at).rfc3339) }
        acceptedTerms = terms.isEmpty ? nil : terms
        disabled = account.isDisabled
        if !profile.customClaims.isEmpty { customAttributes = Self.text(profile.customClaims) }
        attributes = profile.attributes.isEmpty ? nil : profile.attributes
        emailLinkSignin = profile.providers.contains("emailLink") ? true : nil
        customAuth = profile.providers.contains("custom") ? true : nil
        let others = profile.providers.subtracting(["emailLink", "custom", "password"])
        providers = others.isEmpty ? nil : others.sorted()
        providerUserInfo = Self.identities(of: account)
        createdAt = account.createdAt.map { String($0.milliseconds) }
        lastLoginAt = account.lastSignInAt.map { String($0.milliseconds) }
        lastRefreshAt = account.lastRefreshAt.map { Timestamp($0).rfc3339 }
        passwordUpdatedAt = account.passwordChangedAt.map { Double($0.milliseconds) }
        if case .hash(let kept)? = account.password, let (hash, scheme) = importer.give(kept) {
            passwordHash = Data(hash.hash).base64EncodedString()
            salt = hash.salt.isEmpty ? nil : Data(hash.salt).base64EncodedString()
            setScheme(scheme)
        }
        let factors = account.secondFactors.map(SecondFactor.init)
        mfaInfo = factors.isEmpty ? nil : factors
        let own = account.otherFactors.map { factor in
            OwnFactor(
                id: factor.id.rawValue, kind: factor.kind.rawValue, name: factor.name,
                enrolledAt: factor.enrolledAt.map { Timestamp($0).rfc3339 },
                lastUsedAt: factor.lastUsedAt.map { Timestamp($0).rfc3339 }, content: factor.content?.reveal())
        }
        self.factors = own.isEmpty ? nil : own
        groups = account.groups.flatMap { $0.isEmpty ? nil : $0.map(\.rawValue).sorted() }
        role = account.role?.rawValue
    }

    private mutating func setScheme(_ scheme: ForeignPasswordScheme) {
        func base64(_ bytes: [UInt8]) -> String? { bytes.isEmpty ? nil : Data(bytes).base64EncodedString() }
        hashAlgorithm = scheme.algorithm
        signerKey = base64(scheme.signerKey.reveal())
        saltSeparator = base64(scheme.saltSeparator)
        rounds = scheme.rounds
        memoryCost = scheme.memoryCost
        cpuMemCost = scheme.cpuMemoryCost
        parallelization = scheme.parallelization
        blockSize = scheme.blockSize
        dkLen = scheme.derivedKeyLength
        passwordHashOrder = scheme.order.map { $0 == .saltAndPassword ? "SALT_AND_PASSWORD" : "PASSWORD_AND_SALT" }
        argon2Parameters = scheme.argon2.map(PasswordHashSettings.Argon2.init)
        passwordForm = scheme.isNormalized ? "NFC" : nil
    }

    /// For other systems: address and number as the identities that they are (identity-toolkit 2.3).
    private static func identities(of account: PortableAccount) -> [Identity]? {
        var result: [Identity] = []
        let profile = account.profile
        if let email = account.email?.canonical, account.password != nil || profile.providers.contains("emailLink") {
            var identity = Identity(providerId: "password", rawId: email, federatedId: email, email: email)
            identity.displayName = profile.displayName
            identity.photoUrl = profile.photoURL
            result.append(identity)
        }
        if let number = profile.phoneNumber {
            result.append(Identity(providerId: "phone", rawId: number, phoneNumber: number))
        }
        return result.isEmpty ? nil : result
    }

    /// As a line, without the line feed.
    func line() throws -> SecretText {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return SecretText(String(decoding: try encoder.encode(self), as: UTF8.self))
    }

    private static func text(_ claims: [String: JSONValue]) -> String? {
        (try? JSONValue.object(claims).jsonText()).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension UserRow.SecondFactor {
    init(_ factor: PortableTOTP) {
        mfaEnrollmentId = factor.id?.rawValue
        displayName = factor.name
        enrolledAt = factor.enrolledAt.map { Timestamp($0).rfc3339 }
        var totp = UserRow.TOTP()
        totp.sharedSecretKey = Base32.encode(factor.secret.reveal())
        totp.algorithm = factor.algorithm.rawValue
        totp.digits = factor.digits
        totp.period = factor.period
        totp.lastUsedStep = factor.lastStep
        totp.lastUsedAt = factor.lastUsedAt.map { Timestamp($0).rfc3339 }
        totpInfo = totp
    }
}
