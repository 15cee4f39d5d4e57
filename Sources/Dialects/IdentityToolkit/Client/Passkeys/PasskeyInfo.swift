/// A passkey that the user has, as the server last said. Source: firebase-ios-sdk, branch `passkey-sv`, `PasskeyInfo`.
public struct PasskeyInfo: Codable, Sendable, Hashable {
    /// What the user called it.
    public let name: String
    /// Base64 for URLs; what ``User/unenrollPasskey(withCredentialID:)`` takes.
    public let credentialID: String
}
