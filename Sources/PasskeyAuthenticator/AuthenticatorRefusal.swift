/// Why an authenticator, or the client in front of it, does not answer options.
public enum AuthenticatorRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The options are no JSON of WebAuthn Level 3, section 5.1, or lack something that is needed.
    case unreadableOptions(String)
    /// The address is no web origin: not https, and not http on this machine.
    case notAnOrigin(String)
    /// The relying party's id is neither the host of the origin nor a domain above it (WebAuthn Level 3, section 5.1.3, step 8).
    case foreignRelyingParty(id: String, origin: String)
    /// None of the algorithms is one that this authenticator signs with.
    case noCommonAlgorithm
    /// The relying party wants the authenticator to be attached in a way that this one is not.
    case wrongAttachment(String)

    public var description: String {
        switch self {
        case .unreadableOptions(let detail): "The options cannot be used: \(detail)."
        case .notAnOrigin(let text):
            "\"\(text)\" is no origin. It has to begin with https://, or with http:// and localhost."
        case .foreignRelyingParty(let id, let origin):
            "The options are for \"\(id)\", which does not belong to \(origin)."
        case .noCommonAlgorithm: "The server takes no signatures of ES256, the only ones that this authenticator makes."
        case .wrongAttachment(let kind): "The server asks for an authenticator of the kind \"\(kind)\"."
        }
    }
}
