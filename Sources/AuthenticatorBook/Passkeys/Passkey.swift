import Foundation
import PasskeyAuthenticator

/// What the book knows of a passkey without using its key.
public struct Passkey: Sendable, Equatable, Identifiable, Codable {
    /// Eight hexadecimal digits: short enough to be typed.
    public typealias ID = String

    public let id: ID
    /// The domain that it signs in at.
    public let rpID: String
    /// What the owner calls it; the server's name for itself unless renamed.
    public var name: String
    /// Whose account it is, as the server said.
    public let userName: String
    public let credentialID: [UInt8]
    public let userHandle: [UInt8]
    /// `04‖X‖Y` of P-256.
    public let publicKey: [UInt8]
    /// Whether the private key is in a chip, which it never leaves.
    public let isInHardware: Bool
    /// Whether the key may come to be in a second place: a vault is a folder, and folders are copied.
    public let isBackupEligible: Bool
    /// Whether each signature asks for the passcode, beside the opening of the vault.
    public let asksEachTime: Bool
    public let addedAt: Date
    public var lastUsedAt: Date?

    /// `Name (user)`, or the one that there is.
    public var label: String { userName.isEmpty ? name : "\(name) (\(userName))" }

    /// The model of this authenticator (WebAuthn Level 3, section 6.5.1), `767294ab-068d-4b16-9708-e365b14603d8`: drawn once for the
    /// terminal's passkeys, in whatever place their keys are.
    public static let model: [UInt8] = [
        0x76, 0x72, 0x94, 0xab, 0x06, 0x8d, 0x4b, 0x16, 0x97, 0x08, 0xe3, 0x65, 0xb1, 0x46, 0x03, 0xd8,
    ]

    var source: PasskeySource? {
        PasskeySource(aaguid: Self.model, credentialID: credentialID, userHandle: userHandle, publicKey: publicKey)
    }
}

extension Sequence<Passkey> {
    /// The one passkey that a user means: by its id, by its whole name (the name, the user, the domain or the label), or by a part
    /// of one. Case does not matter.
    ///
    /// - Throws: ``PasskeyBookError/notFound(_:)``, and ``PasskeyBookError/ambiguous(_:)`` where several fit equally well.
    public func only(meant selector: String) throws(PasskeyBookError) -> Passkey {
        let wanted = selector.lowercased()
        guard !wanted.isEmpty else { throw .notFound(selector) }
        let rules: [(Passkey) -> Bool] = [
            { $0.id == wanted },
            { passkey in passkey.names.contains { $0.lowercased() == wanted } },
            { passkey in passkey.names.contains { $0.lowercased().contains(wanted) } },
        ]
        for rule in rules {
            let found = filter(rule)
            if found.count == 1 { return found[0] }
            if found.count > 1 { throw .ambiguous(found) }
        }
        throw .notFound(selector)
    }
}

extension Passkey {
    fileprivate var names: [String] { [name, userName, rpID, label] }
}
