import Foundation
import NativeAuthWire

/// Which kind of error a refusal is, endpoint by endpoint: the table of native-auth 2.7. What it leaves out is general,
/// and a redirect is always `browserRequired`.
enum Reading {
    static func initiate(_ setback: Setback) -> Failure {
        setback.body?.error == .userNotFound ? setback.failure.becoming(.userNotFound) : setback.failure
    }

    /// A code for a second factor.
    static func challenge(_ setback: Setback) -> Failure {
        guard let body = setback.body, body.isBlocked else { return setback.failure }
        return setback.failure.becoming(.authMethodBlocked).explained(ErrorText.blockedMethod)
    }

    static func token(_ setback: Setback) -> Failure {
        guard let body = setback.body else { return setback.failure }
        let failure = setback.failure
        switch (body.error, body.suberror) {
        case (.userNotFound, _): return failure.becoming(.userNotFound)
        case (.invalidGrant, .invalidOOBValue?): return failure.becoming(.invalidCode)
        case (.invalidGrant, .mfaRequired?), (.invalidGrant, .registrationRequired?): return failure
        // Only the first number counts.
        case (.invalidGrant, _) where body.codes?.first == .userNotFound: return failure.becoming(.userNotFound)
        case (.invalidGrant, _) where body.codes?.first == .wrongPassword: return failure.becoming(.invalidCredentials)
        case (.invalidRequest, _) where body.codes?.contains(.resetRequired) == true:
            return failure.explained(ErrorText.resetOnRefresh)
        default: return failure
        }
    }

    static func signUpStart(_ setback: Setback) -> Failure {
        guard let body = setback.body else { return setback.failure }
        switch body.error {
        case .userAlreadyExists: return setback.failure.becoming(.userAlreadyExists)
        case .invalidGrant where body.suberror?.isAboutPassword == true:
            return setback.failure.becoming(.invalidPassword)
        case .invalidRequest
        where body.codes?.first == .invalidParameter
            && body.description?.lowercased().contains("username parameter is empty or not valid") == true:
            return setback.failure.becoming(.invalidUsername)
        default: return setback.failure
        }
    }

    /// The mailed code of a sign-up. That a password comes with it is the original's quirk.
    static func signUpCode(_ setback: Setback) -> Failure {
        guard let body = setback.body, body.error == .invalidGrant,
            body.suberror == .invalidOOBValue || body.suberror?.isAboutPassword == true
        else { return setback.failure }
        return setback.failure.becoming(.invalidCode)
    }

    /// A password that is chosen, in a sign-up or a reset.
    static func newPassword(_ setback: Setback) -> Failure {
        guard let body = setback.body, body.error == .invalidGrant, body.suberror?.isAboutPassword == true
        else { return setback.failure }
        return setback.failure.becoming(.invalidPassword)
    }

    static func resetStart(_ setback: Setback) -> Failure {
        guard let body = setback.body else { return setback.failure }
        switch body.error {
        case .userNotFound: return setback.failure.becoming(.userNotFound)
        case .invalidRequest where body.codes?.first == .noPassword:
            return setback.failure.becoming(.userDoesNotHavePassword)
        default: return setback.failure
        }
    }

    /// The code of a reset or of a registration.
    static func code(_ setback: Setback, as kind: ErrorKind) -> Failure {
        guard let body = setback.body, body.error == .invalidGrant, body.suberror == .invalidOOBValue
        else { return setback.failure }
        return setback.failure.becoming(kind)
    }

    static func registerChallenge(_ setback: Setback) -> Failure {
        guard let body = setback.body else { return setback.failure }
        if body.isBlocked {
            return setback.failure.becoming(.verificationContactBlocked).explained(ErrorText.blockedContact)
        }
        if body.error == .invalidRequest, body.codes?.contains(.invalidVerificationContact) == true {
            return setback.failure.becoming(.invalidInput)
        }
        return setback.failure
    }

    /// A refresh, whose flags the original declares and never sets. Source: MSAL for iOS.
    static func refresh(_ setback: Setback) -> Failure {
        guard let body = setback.body else { return setback.failure }
        if body.needsSecondFactor { return setback.failure.explained(ErrorText.mfaOnRefresh) }
        if body.codes?.contains(.resetRequired) == true { return setback.failure.explained(ErrorText.resetOnRefresh) }
        switch (body.error, body.suberror) {
        case (.invalidScope, _), (.invalidGrant, .consentRequired?): return setback.failure.becoming(.invalidScope)
        // Any other suberror asks for something that does not end the session.
        case (.invalidGrant, nil), (.expiredToken, _), (.expiredRefreshToken, _):
            return setback.failure.becoming(.refreshTokenExpired)
        default: return setback.failure
        }
    }
}

extension ErrorBody {
    var isBlocked: Bool { error == .accessDenied && suberror == .providerBlockedByReputation }
    var needsSecondFactor: Bool { codes?.contains(.mfaRequired) == true || suberror == .mfaRequired }

    /// The names of the attributes that are wrong; nil where the refusal is about something else.
    var wrongAttributes: [String]? {
        guard error == .invalidGrant, suberror == .attributeValidationFailed, let invalidAttributes,
            !invalidAttributes.isEmpty
        else { return nil }
        return invalidAttributes.map(\.name)
    }

    /// What a sign-up asks for, and the token to give it with; nil where the refusal is about something else.
    var missingAttributes: (attributes: [RequiredAttribute], token: String)? {
        guard error == .attributesRequired, let requiredAttributes, !requiredAttributes.isEmpty, let continuationToken
        else { return nil }
        return (requiredAttributes, continuationToken)
    }
}
