import ServerHTTP

/// An enumeration of the protocol. A request names one of its values by its word or by its number (ProtoJSON format,
/// `enum`); the Android SDK sends numbers.
struct Enumeration: Sendable {
    /// Its name in refusals, after `type.googleapis.com/`.
    let type: String
    /// In the order of their numbers, from 0 on, as the discovery document of `identitytoolkit.googleapis.com` lists
    /// them. The first one says nothing.
    let words: [String]

    init(_ type: String, _ words: String...) {
        self.type = "type.googleapis.com/google.cloud.identitytoolkit.\(type)"
        self.words = words
    }

    /// The word that a request means. Nil where it says nothing.
    /// - Throws: `IdentityToolkitError` for a word or a number that the enumeration does not have.
    func word(_ text: String?, at field: String) throws -> String? {
        guard let text, !text.isEmpty, text != words.first else { return nil }
        if words.contains(text) { return text }
        let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber else { throw IdentityToolkitError.invalidValue(field, type: type, value: text) }
        guard let number = Int(text), words.indices.contains(number) else {
            throw IdentityToolkitError.invalidValue(
                field, type: type, json: String(text.prefix(RequestBodyFault.longestExcerpt)))
        }
        return number == 0 ? nil : words[number]
    }

    /// The words of a list, without those that say nothing.
    /// - Parameter field: the name of one element, by its index.
    func words(_ texts: [String], at field: (Int) -> String) throws -> [String] {
        try texts.enumerated().compactMap { index, text in try word(text, at: field(index)) }
    }
}

extension Enumeration {
    static let requestType = Enumeration(
        "v1.OobReqType", "OOB_REQ_TYPE_UNSPECIFIED", "PASSWORD_RESET", "OLD_EMAIL_AGREE", "NEW_EMAIL_ACCEPT",
        "VERIFY_EMAIL", "RECOVER_EMAIL", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL", "REVERT_SECOND_FACTOR_ADDITION")

    static let userAttribute = Enumeration(
        "v1.UserAttributeName", "USER_ATTRIBUTE_NAME_UNSPECIFIED", "EMAIL", "DISPLAY_NAME", "PROVIDER", "PHOTO_URL",
        "PASSWORD", "RAW_USER_INFO")

    static let sortKey = Enumeration(
        "v1.QueryUserInfoRequest.SortByField", "SORT_BY_FIELD_UNSPECIFIED", "USER_ID", "NAME", "CREATED_AT",
        "LAST_LOGIN_AT", "USER_EMAIL")

    static let order = Enumeration("v1.QueryUserInfoRequest.Order", "ORDER_UNSPECIFIED", "ASC", "DESC")

    static let passwordHashOrder = Enumeration(
        "v1.UploadAccountRequest.PasswordHashOrder", "UNSPECIFIED_ORDER", "SALT_AND_PASSWORD", "PASSWORD_AND_SALT")

    static let argon2Type = Enumeration(
        "v1.Argon2Parameters.HashType", "HASH_TYPE_UNSPECIFIED", "ARGON2_D", "ARGON2_ID", "ARGON2_I")

    static let argon2Version = Enumeration(
        "v1.Argon2Parameters.Version", "VERSION_UNSPECIFIED", "VERSION_10", "VERSION_13")

    static let secondFactorState = Enumeration(
        "admin.v2.MultiFactorAuthConfig.State", "STATE_UNSPECIFIED", "DISABLED", "ENABLED", "MANDATORY")

    static let secondFactorProvider = Enumeration(
        "admin.v2.MultiFactorAuthConfig.Provider", "PROVIDER_UNSPECIFIED", "PHONE_SMS")

    static let providerState = Enumeration(
        "admin.v2.ProviderConfig.MfaState", "MFA_STATE_UNSPECIFIED", "DISABLED", "ENABLED", "MANDATORY")

    static let passwordPolicyState = Enumeration(
        "admin.v2.PasswordPolicyConfig.PasswordPolicyEnforcementState",
        "PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED", "OFF", "ENFORCE")
}
