import KeychainServices
import PasskeyAuthenticator

/// Why the book made or used no passkey. The texts may quote names from strangers: make them harmless where they are shown.
public enum PasskeyBookError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No passkey is meant by this.
    case notFound(String)
    /// There is no passkey of this domain that may answer.
    case noneFor(String)
    /// Several passkeys could be meant.
    case ambiguous([Passkey])
    /// The server says that the account has this passkey.
    case alreadyThere(Passkey)
    /// The name is empty, too long, or holds control characters.
    case badName
    /// The server wants the user to be verified, and the keychain was opened without that.
    case userNotVerified
    /// What is kept of the passkey cannot be read.
    case damaged(Passkey.ID)
    /// Another process has locked the book for too long.
    case busy
    case options(AuthenticatorRefusal)
    case keychain(KeychainError)

    public var description: String {
        switch self {
        case .notFound(let selector):
            "There is no passkey \"\(selector)\". `countersign authenticator passkey list` shows all."
        case .noneFor(let rpID):
            "There is no passkey of \(rpID) that the server takes. `countersign authenticator passkey list` shows all."
        case .ambiguous(let passkeys):
            "It may be one of \(passkeys.count): "
                + passkeys.prefix(5).map { "\($0.label) [\($0.id)]" }.joined(separator: ", ")
                + (passkeys.count > 5 ? ", …" : "") + ". Name one by its id."
        case .alreadyThere(let passkey):
            "The account has this authenticator's passkey \(passkey.label) [\(passkey.id)]."
        case .badName: "A name has 1 to 200 bytes, and no control characters."
        case .userNotVerified: "The server asks for a verified user, and the keychain was opened without a passcode."
        case .damaged(let id):
            "What is kept of the passkey \(id) cannot be read. Remove it with `countersign authenticator passkey remove \(id)`."
        case .busy: "Another process is changing the passkeys. Try again in a moment."
        case .options(let refusal): refusal.description
        case .keychain(let error): error.sentence
        }
    }
}
