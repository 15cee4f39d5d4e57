import Foundation
import NativeAuthWire

/// Where codes go.
public struct MSALNativeAuthChannelType: Sendable, Equatable {
    /// As the server says it.
    public let value: String

    init(_ value: String) { self.value = value }

    public var isEmailType: Bool { value.lowercased() == ChallengeChannel.email.rawValue }
    public var isSMSType: Bool { value.lowercased() == ChallengeChannel.sms.rawValue }
}

/// A second factor: one that there is, or one that can be registered.
public struct MSALAuthMethod: Sendable, Equatable {
    public let id: String
    public let challengeType: String
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
    public let newState: RegisterStrongAuthVerificationRequiredState
    public let sentTo: String
    public let channelTargetType: MSALNativeAuthChannelType
    public let codeLength: Int
}

/// An access token.
public final class MSALNativeAuthTokenResult: NSObject, Sendable {
    public let accessToken: String
    /// Only where the parameters asked for it.
    public let refreshToken: String?
    /// The scopes that were granted.
    public let scopes: [String]
    public let expiresOn: Date?

    init(accessToken: String, refreshToken: String?, scopes: [String], expiresOn: Date?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.expiresOn = expiresOn
    }
}
