import CountersignCore

/// A page of ours that a sign-in leads back to, as paths and forms carry it: with the proof that this server named it for this browser, so that
/// no link of a stranger leads anywhere.
public struct ReturnPath: Sendable {
    /// What the sign-in is for. A proof for one is none for the other.
    public enum Purpose: String, Sendable {
        /// A page of the account. The user of the browser's session proves again who they are, where there is one.
        case account = "return"
        /// A page of the console, which any administrator may come to.
        case console = "return to the console"
    }

    /// The name in queries and forms.
    public static let item = "return"
    /// Bytes with the proof: no link gets much longer by it.
    private static let maximumLength = 2048

    /// The page, with its query.
    public let path: String
    /// The same after its proof.
    public let sealed: String

    /// Nil where the path is too long to be carried.
    public init?(to path: String, for purpose: Purpose, in key: BrowserKey) {
        let sealed = "\(key.proof(for: purpose.rawValue, [path])).\(path)"
        guard sealed.utf8.count <= Self.maximumLength else { return nil }
        self.path = path
        self.sealed = sealed
    }

    /// Reads what a path or a form says; nil where this server did not name it for this browser and that purpose.
    public init?(_ sealed: String, for purpose: Purpose, in key: BrowserKey) {
        guard sealed.utf8.count <= Self.maximumLength, let dot = sealed.firstIndex(of: ".") else { return nil }
        let path = String(sealed[sealed.index(after: dot)...])
        guard key.admits(proof: String(sealed[..<dot]), for: purpose.rawValue, [path]) else { return nil }
        self.path = path
        self.sealed = sealed
    }
}
