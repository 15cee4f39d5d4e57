/// ``Endpoint/resetPasswordContinue``.
public struct ResetPasswordContinueRequest: FormRequest {
    public var clientID: String?
    public var continuationToken: String?
    /// `oob`.
    public var grantType: String?
    /// The code.
    public var oob: String?

    public init(clientID: String? = nil, continuationToken: String? = nil, grantType: String? = nil, oob: String? = nil)
    {
        self.clientID = clientID
        self.continuationToken = continuationToken
        self.grantType = grantType
        self.oob = oob
    }

    private enum CodingKeys: String, CodingKey {
        case oob
        case clientID = "client_id"
        case continuationToken = "continuation_token"
        case grantType = "grant_type"
    }
}

/// ``Endpoint/resetPasswordSubmit``.
public struct ResetPasswordSubmitRequest: FormRequest {
    public var clientID: String?
    public var continuationToken: String?
    public var newPassword: String?

    public init(clientID: String? = nil, continuationToken: String? = nil, newPassword: String? = nil) {
        self.clientID = clientID
        self.continuationToken = continuationToken
        self.newPassword = newPassword
    }

    private enum CodingKeys: String, CodingKey {
        case clientID = "client_id"
        case continuationToken = "continuation_token"
        case newPassword = "new_password"
    }
}
