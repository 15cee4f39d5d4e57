import KeychainTypes

/// Where a credential comes from when the vault needs one: a prompt, a descriptor, an app's own screen.
///
/// It hands over **key material, never a verdict**: there is no Boolean to flip. The vault calls it on a thread of its
/// own, one request at a time, and it may block there for as long as a person needs.
public protocol PresenceProvider: Sendable {
    /// Whether a person is asked. Those that only hand over a stored credential (a descriptor, a systemd credential)
    /// open the vault, and are refused for items that need a present user (docs/keychain-presence.md).
    var asksPerson: Bool { get }

    /// After a wrong answer the vault asks again, up to three times in a row, with
    /// ``PresenceRequest/triesLeftAfterWrongAnswer`` set. A provider that has no other answer then throws
    /// ``PresenceError/unavailable(_:)``, and the caller hears that the answer was wrong; one that does not ask a person
    /// is not asked again.
    ///
    /// - Throws: ``PresenceError``.
    func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes
}

/// What a provider can show to the person that it asks.
public struct PresenceRequest: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The passcode, to open the vault.
        case unlock
        /// The passcode, to read or use one protected item.
        case passcode
        /// A first or changed passcode; interactive providers ask twice.
        case newPasscode
        /// The password of the application's own for one item.
        case applicationPassword(isNew: Bool)
    }

    public let kind: Kind
    /// What the caller says this is for (`kSecUseOperationPrompt`, `LAContext.localizedReason`), without control characters.
    public let reason: String?
    /// The application's name, as the vault's folder is called.
    public let application: String
    /// Set when the answer before was wrong: how many tries are left until the next longer wait, 0…2.
    public let triesLeftAfterWrongAnswer: Int?

    public init(kind: Kind, reason: String?, application: String, triesLeftAfterWrongAnswer: Int? = nil) {
        self.kind = kind
        self.reason = reason
        self.application = application
        self.triesLeftAfterWrongAnswer = triesLeftAfterWrongAnswer
    }
}

public enum PresenceError: Error, Sendable, Hashable {
    case cancelled
    case timedOut
    /// No prompt is possible (no terminal, no pinentry, an empty descriptor); the text says why.
    case unavailable(String)
}
