/// A device account as a browser sees it (auth0-guardian.js, `lib/transaction/factory.js`).
public struct BrowserDeviceAccount: Codable, Sendable, Equatable {
    public var id: String?
    /// `pending` or `confirmed`.
    public var status: String
    public var name: String?
    public var methods: [String]?
    public var availableMethods: [String]?
    public var availableAuthenticatorTypes: [String]?
    public var otpSecret: String?
    /// What stands in for the factor that is about to be enrolled; to be shown once.
    public var recoveryCode: String?
    public var pushNotifications: Switch?

    public struct Switch: Codable, Sendable, Equatable {
        public var enabled: Bool

        public init(enabled: Bool) {
            self.enabled = enabled
        }
    }

    public init(
        id: String?, status: String, name: String? = nil, methods: [String]? = nil, availableMethods: [String]? = nil,
        availableAuthenticatorTypes: [String]? = nil, otpSecret: String? = nil, recoveryCode: String? = nil,
        pushNotifications: Switch? = nil
    ) {
        self.recoveryCode = recoveryCode
        self.id = id
        self.status = status
        self.name = name
        self.methods = methods
        self.availableMethods = availableMethods
        self.availableAuthenticatorTypes = availableAuthenticatorTypes
        self.otpSecret = otpSecret
        self.pushNotifications = pushNotifications
    }

    enum CodingKeys: String, CodingKey {
        case id, status, name, methods
        case availableMethods = "available_methods"
        case availableAuthenticatorTypes = "available_authenticator_types"
        case otpSecret = "otp_secret"
        case recoveryCode = "recovery_code"
        case pushNotifications = "push_notifications"
    }
}

/// The answer of `POST api/start-flow`.
public struct StartFlowResponse: Codable, Sendable, Equatable {
    public struct Switches: Codable, Sendable, Equatable {
        public var mfaApp: Bool
        public var mfaSMS = false

        public init(mfaApp: Bool) {
            self.mfaApp = mfaApp
        }

        enum CodingKeys: String, CodingKey {
            case mfaApp = "mfa_app"
            case mfaSMS = "mfa_sms"
        }
    }

    /// A JWT with `txid` and `exp`.
    public var transactionToken: String
    public var enrollmentTransactionID: String?
    /// What the QR code says; our extension, so that a page need not put it together.
    public var enrollmentURI: String?
    public var deviceAccount: BrowserDeviceAccount
    public var availableEnrollmentMethods: [String]
    public var availableAuthenticationMethods: [String]
    public var featureSwitches: Switches

    public init(
        transactionToken: String, enrollmentTransactionID: String?, enrollmentURI: String?,
        deviceAccount: BrowserDeviceAccount, availableEnrollmentMethods: [String],
        availableAuthenticationMethods: [String], featureSwitches: Switches
    ) {
        self.transactionToken = transactionToken
        self.enrollmentTransactionID = enrollmentTransactionID
        self.enrollmentURI = enrollmentURI
        self.deviceAccount = deviceAccount
        self.availableEnrollmentMethods = availableEnrollmentMethods
        self.availableAuthenticationMethods = availableAuthenticationMethods
        self.featureSwitches = featureSwitches
    }

    enum CodingKeys: String, CodingKey {
        case transactionToken = "transaction_token"
        case enrollmentTransactionID = "enrollment_tx_id"
        case enrollmentURI = "enrollment_uri"
        case deviceAccount = "device_account"
        case availableEnrollmentMethods = "available_enrollment_methods"
        case availableAuthenticationMethods = "available_authentication_methods"
        case featureSwitches = "feature_switches"
    }
}

/// The answer of `POST api/transaction-state`.
public struct TransactionStateResponse: Encodable, Sendable, Equatable {
    public var id: String
    /// `pending`, `accepted` or `rejected`.
    public var state: String
    /// The device account, once it has enrolled.
    public var enrollment: BrowserDeviceAccount?
    /// What ends the flow, once it is accepted.
    public var token: String?
    /// What the page has to show, where the device asks for a number; our extension.
    public var number: String?

    public init(
        id: String, state: String, enrollment: BrowserDeviceAccount?, token: String? = nil, number: String? = nil
    ) {
        self.id = id
        self.state = state
        self.enrollment = enrollment
        self.token = token
        self.number = number
    }

    enum CodingKeys: CodingKey {
        case id, state, enrollment, token, number
    }

    /// `enrollment` is always there: clients look for its change from null.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(state, forKey: .state)
        try members.encode(enrollment, forKey: .enrollment)
        try members.encodeIfPresent(token, forKey: .token)
        try members.encodeIfPresent(number, forKey: .number)
    }
}

/// `POST api/send-push-notification`: empty, or whether the person has to type a number (our extension).
public struct SendPushRequest: Codable, Sendable, Equatable {
    public var asksForNumber: Bool?

    enum CodingKeys: String, CodingKey {
        case asksForNumber = "ask_for_number"
    }
}

/// `POST api/verify-otp`.
public struct VerifyOTPRequest: Codable, Sendable, Equatable {
    public var type: String?
    public var code: String?
}

/// `POST api/recover-account`, and its answer: the code that replaces the used one.
public struct RecoverAccountBody: Codable, Sendable, Equatable {
    public var recoveryCode: String?

    public init(recoveryCode: String?) {
        self.recoveryCode = recoveryCode
    }

    enum CodingKeys: String, CodingKey {
        case recoveryCode = "recovery_code"
    }
}
