/// What a custom authentication extension is asked about. The names are ours; what goes over the wire is Entra's (Microsoft
/// Learn, Custom authentication extensions overview).
public enum ExtensionEvent: String, Sendable, Codable, CaseIterable {
    /// A token is about to be issued: which claims should be in it?
    case tokenIssuanceStart = "token-issuance-start"
    /// A code is to be sent to a user: send it.
    case otpSend = "otp-send"
    /// A sign-up is about to ask for attributes.
    case attributeCollectionStart = "attribute-collection-start"
    /// A sign-up has its attributes, and an account is about to be made.
    case attributeCollectionSubmit = "attribute-collection-submit"

    /// Whether it is a question: asking twice then does no more than asking once.
    var isQuestion: Bool { self != .otpSend }

    /// `type` of a call.
    var callType: String {
        let name =
            switch self {
            case .tokenIssuanceStart: "tokenIssuanceStart"
            case .otpSend: "emailOtpSend"
            case .attributeCollectionStart: "attributeCollectionStart"
            case .attributeCollectionSubmit: "attributeCollectionSubmit"
            }
        return "microsoft.graph.authenticationEvent.\(name)"
    }

    /// `@odata.type` of what a call says.
    var callDataType: String { "microsoft.graph.on\(wireName)CalloutData" }

    /// `@odata.type` of what an answer says. Compared without regard to case, as the vendor's documents vary in it.
    var answerDataType: String { "microsoft.graph.on\(wireName)ResponseData" }

    /// What the `@odata.type` of each action begins with.
    var actionPrefix: String {
        let name = wireName.prefix(1).lowercased() + wireName.dropFirst()
        return "microsoft.graph.\(name)."
    }

    /// What an answer may tell the server to do.
    var actions: [ExtensionAction.Kind] {
        switch self {
        case .tokenIssuanceStart: [.provideClaimsForToken]
        case .otpSend: [.continueWithDefaultBehavior]
        case .attributeCollectionStart: [.continueWithDefaultBehavior, .setPrefillValues, .showBlockPage]
        case .attributeCollectionSubmit:
            [.continueWithDefaultBehavior, .modifyAttributeValues, .showValidationError, .showBlockPage]
        }
    }

    private var wireName: String {
        switch self {
        case .tokenIssuanceStart: "TokenIssuanceStart"
        case .otpSend: "OtpSend"
        case .attributeCollectionStart: "AttributeCollectionStart"
        case .attributeCollectionSubmit: "AttributeCollectionSubmit"
        }
    }
}

/// The one action of an answer, with its members.
struct ExtensionAction: Sendable, Equatable {
    enum Kind: String, Sendable {
        case continueWithDefaultBehavior, provideClaimsForToken, setPrefillValues, modifyAttributeValues
        case showValidationError, showBlockPage
    }

    let kind: Kind
    let members: [String: JSONValue]
}
