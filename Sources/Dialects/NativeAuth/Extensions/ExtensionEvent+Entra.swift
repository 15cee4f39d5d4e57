import CountersignCore

extension ExtensionEvent {
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
    var actions: [EntraAction] {
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
