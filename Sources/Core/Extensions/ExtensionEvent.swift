/// What a custom authentication extension is asked about. The names are ours; an ``ExtensionFormat`` has those of the wire.
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
}
