import Foundation

/// Makes the calls to custom authentication extensions. The core decides what is asked and what an answer means; a caller
/// knows HTTP, and to which addresses calls may go.
public protocol ExtensionCaller: Sendable {
    /// Where clients reach this server, without a slash at the end: the base of the issuer in the call's token.
    var publicURL: String { get }

    /// Makes one call: no redirect is followed, no proxy asked, nothing repeated.
    ///
    /// It answers within ``ExtensionCall/timeout``, from looking the name up until the last byte of the body.
    func post(_ call: ExtensionCall) async -> ExtensionReply
}

/// One call: a `POST` of JSON.
public struct ExtensionCall: Sendable {
    /// The extension's address, as it was registered.
    public let url: String
    /// For `Authorization: Bearer`.
    public let bearer: Secret<String>
    /// JSON. It may contain a user's data or a code, and must not be logged.
    public let body: Data
    /// How long the call may take in all.
    public let timeout: Duration
    /// Bytes that the answer's body may have.
    public let bodyLimit: Int

    /// A call that the core wants made.
    public init(url: String, bearer: Secret<String>, body: Data, timeout: Duration, bodyLimit: Int) {
        self.url = url
        self.bearer = bearer
        self.body = body
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }
}

/// What came of a call.
public enum ExtensionReply: Sendable {
    /// The service answered in time: the status, each value of `Content-Type`, and at most ``ExtensionCall/bodyLimit``
    /// bytes.
    case answered(status: Int, contentType: [String], body: Data)
    /// It did not, or the call could not be made.
    case failed(ExtensionFailure)
}

/// For realms without extensions.
public struct NoExtensionCaller: ExtensionCaller {
    public let publicURL = "http://127.0.0.1:8080"

    /// A caller whose calls all fail.
    public init() {}

    public func post(_ call: ExtensionCall) async -> ExtensionReply {
        .failed(ExtensionFailure(.unexpectedError, "this process makes no calls"))
    }
}
