import KeychainServices

/// Why the book did not do what it was asked for. The texts may quote names from strangers: make them harmless where they
/// are shown.
public enum AccountBookError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No account is meant by this.
    case notFound(String)
    /// Several accounts could be meant by this.
    case ambiguous(String, [Account])
    /// An account of this name is there, with another secret.
    case nameTaken(Account)
    /// The account is there already, secret and all.
    case alreadyThere(Account)
    /// The name holds control characters.
    case badName
    /// The account makes no codes.
    case noCodes(Account)
    /// The counter cannot grow any more.
    case counterExhausted(Account)
    /// What is kept of the account cannot be read.
    case damaged(Account.ID)
    /// Another process has locked the book for too long.
    case busy
    case keychain(KeychainError)

    public var description: String {
        switch self {
        case .notFound(let selector):
            "There is no account \"\(selector)\". `countersign authenticator list` shows all."
        case .ambiguous(let selector, let accounts):
            "\"\(selector)\" may be one of \(accounts.count): "
                + accounts.prefix(5).map { "\($0.label) [\($0.id)]" }.joined(separator: ", ")
                + (accounts.count > 5 ? ", …" : "") + ". Give the id."
        case .nameTaken(let account):
            "There is another account called \(account.label) [\(account.id)]. Give this one another name with --name, or "
                + "remove that one first."
        case .alreadyThere(let account):
            "\(account.label) [\(account.id)] is there already, with the same secret."
        case .badName:
            "The name holds control characters."
        case .noCodes(let account):
            "\(account.label) makes no codes; it answers requests."
        case .counterExhausted(let account):
            "\(account.label) has used up its counter. Enrol it anew."
        case .damaged(let id):
            "What is kept of the account \(id) cannot be read. Remove it with `countersign authenticator remove \(id)`."
        case .busy:
            "Another process is changing the accounts. Try again in a moment."
        case .keychain(let error):
            error.sentence
        }
    }
}

extension KeychainError {
    /// For a user at a terminal.
    public var sentence: String {
        switch self {
        case .itemNotFound: "The keychain does not have it any more."
        case .duplicateItem: "The keychain has it already."
        case .cancelled: "Cancelled: no passcode was given."
        case .authenticationFailed: "The passcode is wrong."
        case .lockedOut(let seconds): "Too many wrong passcodes. Wait \(seconds) seconds."
        case .interactionNotAllowed:
            "The passcode is needed, and no prompt is possible here. Run it at a terminal, or give the vault's "
                + "passcode with --passcode-fd or --passcode-credential; what asks each time needs a terminal."
        case .locked: "The keychain is locked."
        case .passcodeNotSet: "The keychain has no passcode."
        case .parameter(let text), .factorUnavailable(let text), .notAvailable(let text), .corrupted(let text),
            .unsupported(let text):
            text.prefix(1).uppercased() + text.dropFirst() + "."
        case .noSuchAttribute(let name), .noSuchClass(let name): "The keychain does not know \(name)."
        case .io(let operation, let errno): "The keychain could not \(operation): \(String(cString: strerror(errno)))."
        case .status(let status): "The keychain answers \(status)."
        }
    }
}
