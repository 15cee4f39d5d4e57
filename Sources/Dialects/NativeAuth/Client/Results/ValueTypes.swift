import Foundation
import NativeAuthWire

/// Where codes go.
public struct MSALNativeAuthChannelType: Sendable, Equatable {
    /// As the server says it.
    public let value: String

    init(_ value: String) { self.value = value }

    /// Whether ``value`` is `email`: a mailbox.
    public var isEmailType: Bool { value.lowercased() == ChallengeChannel.email.rawValue }
    /// Whether ``value`` is `sms`: a phone. This server sends no text messages; its other channels are `totp` and
    /// `push`.
    public var isSMSType: Bool { value.lowercased() == ChallengeChannel.sms.rawValue }
}

/// A second factor: one that there is, or one that can be registered.
public struct MSALAuthMethod: Sendable, Equatable {
    /// The server's id of the method, which a request for its challenge names.
    public let id: String
    /// How the method proves the user: `oob` for all methods of this server.
    public let challengeType: String
    /// Where the method's code goes or comes from: `email`, or this server's `totp` (an authenticator) and `push` (a
    /// device).
    public let channelTargetType: MSALNativeAuthChannelType
    /// The contact, most of it masked.
    public let loginHint: String?

    init(_ method: AuthenticationMethod) {
        id = method.id
        challengeType = method.challengeType
        channelTargetType = MSALNativeAuthChannelType(method.challengeChannel)
        loginHint = method.loginHint
    }
}

/// An attribute that a sign-up asks for.
public struct MSALNativeAuthRequiredAttribute: Sendable, Equatable {
    /// The name to give it by.
    public let name: String
    /// Such as `string`.
    public let type: String
    /// Whether the sign-up cannot end without it.
    public let required: Bool
    /// What the value has to match, where the server says it.
    public let regex: String?

    init(_ attribute: RequiredAttribute) {
        name = attribute.name
        type = attribute.type
        required = attribute.required
        regex = attribute.options?.regex
    }
}

/// A code was sent to a contact that is to be registered.
public struct MSALNativeAuthRegisterStrongAuthVerificationRequiredResult: Sendable {
    /// Takes the code, or has another one sent.
    public let newState: RegisterStrongAuthVerificationRequiredState
    /// The contact as the server shows it, most of it masked.
    public let sentTo: String
    /// How the code was sent: by `email`.
    public let channelTargetType: MSALNativeAuthChannelType
    /// How many digits the code has: 8 from this server.
    public let codeLength: Int
}

/// An access token.
public final class MSALNativeAuthTokenResult: NSObject, Sendable {
    /// The token, a bearer secret, for the API that the scopes belong to.
    public let accessToken: String
    /// Only where the parameters asked for it.
    public let refreshToken: String?
    /// The scopes that were granted.
    public let scopes: [String]
    /// When the token ends. ``MSALNativeAuthUserAccountResult`` gives another five minutes before.
    public let expiresOn: Date?

    init(accessToken: String, refreshToken: String?, scopes: [String], expiresOn: Date?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.expiresOn = expiresOn
    }
}
