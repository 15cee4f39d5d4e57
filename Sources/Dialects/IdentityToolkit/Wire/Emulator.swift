/// `GET` and `PATCH` of `/emulator/v1/projects/{p}/config`. Source: firebase-tools, the API of the Authentication
/// emulator.
public struct EmulatorConfig: Codable, Sendable, Equatable {
    public var signIn: SignInConfig?
    public var emailPrivacyConfig: EmailPrivacyConfig?

    public init(signIn: SignInConfig? = nil, emailPrivacyConfig: EmailPrivacyConfig? = nil) {
        self.signIn = signIn
        self.emailPrivacyConfig = emailPrivacyConfig
    }
}

/// `GET /emulator/v1/projects/{p}/oobCodes`: the mailed codes that are still open. Source: firebase-tools, the API of
/// the Authentication emulator.
public struct EmulatorOobCodes: Codable, Sendable, Equatable {
    public var oobCodes: [EmulatorOobCode]?

    public init(oobCodes: [EmulatorOobCode]? = nil) {
        self.oobCodes = oobCodes
    }
}

/// `GET /emulator/v1/projects/{p}/verificationCodes`: the codes of text messages that are still open. Source:
/// firebase-tools, the API of the Authentication emulator.
public struct EmulatorVerificationCodes: Codable, Sendable, Equatable {
    public var verificationCodes: [EmulatorVerificationCode]?

    public init(verificationCodes: [EmulatorVerificationCode]? = nil) {
        self.verificationCodes = verificationCodes
    }
}

/// One code of a text message. Source: firebase-tools, the API of the Authentication emulator.
public struct EmulatorVerificationCode: Codable, Sendable, Equatable {
    public var phoneNumber: String?
    public var sessionInfo: String?
    public var code: String?

    public init(phoneNumber: String? = nil, sessionInfo: String? = nil, code: String? = nil) {
        self.phoneNumber = phoneNumber
        self.sessionInfo = sessionInfo
        self.code = code
    }
}

/// One mailed code. Source: firebase-tools, the API of the Authentication emulator.
public struct EmulatorOobCode: Codable, Sendable, Equatable {
    public var email: String?
    public var newEmail: String?
    public var requestType: String?
    public var oobCode: String?
    public var oobLink: String?

    public init(
        email: String? = nil, newEmail: String? = nil, requestType: String? = nil, oobCode: String? = nil,
        oobLink: String? = nil
    ) {
        self.email = email
        self.newEmail = newEmail
        self.requestType = requestType
        self.oobCode = oobCode
        self.oobLink = oobLink
    }
}
