/// What `mfa_required` says can complete the sign-in (`mfa_requirements`; Auth0, "Passwordless API: customizable MFA" and the
/// README of auth0-spa-js): what the user has enrolled or, where there is nothing, what may be enrolled now.
struct MFARequirements: Encodable, Sendable {
    let challenge: [Kind]?
    let enroll: [Kind]?

    struct Kind: Encodable, Sendable {
        let type: AuthenticatorType
    }

    /// - Parameter isEnrolled: whether these can be asked for; else they may be enrolled.
    init(_ types: [AuthenticatorType], isEnrolled: Bool) {
        let kinds = types.map(Kind.init)
        challenge = isEnrolled ? kinds : nil
        enroll = isEnrolled ? nil : kinds
    }
}

/// What `type` says of an authenticator, in the MFA API's list and in ``MFARequirements``.
enum AuthenticatorType: String, Encodable, Sendable {
    case push = "push-notification"
    case otp
    case recoveryCode = "recovery-code"
}
