import Foundation

/// Why something failed. Each step has a kind of error of its own, whose flags say what the app can do about it; where none
/// is set, ``cause`` says more.
public class MSALNativeAuthError: NSObject, LocalizedError, @unchecked Sendable {
    // Proof: all stored properties are constants of Sendable types, and no subclass has any: there are none outside of
    // this module, since the class is not open.
    let kind: ErrorKind
    /// What the server says, or what can be said without it. For developers and support staff; it may be long.
    public let errorDescription: String?
    /// Stands in the server's log too.
    public let correlationId: UUID
    /// The server's numbers of the refusal; the first is the one that counts.
    public let errorCodes: [Int]
    /// Where to read about the refusal (`error_uri`); nil where the server names nothing.
    public let errorUri: String?
    /// Why, in more detail than the flags have; nil where the module found the fault without asking the server.
    public let cause: MSALNativeAuthErrorCause?

    init(_ failure: Failure) {
        kind = failure.kind
        errorDescription = failure.text ?? failure.kind.text
        correlationId = failure.correlationID
        errorCodes = failure.codes
        errorUri = failure.uri
        cause = failure.cause
    }

    public override var description: String { "\(type(of: self)): \(errorDescription ?? "")" }
}

/// An error that has one flag alone.
public class MSALNativeAuthGenericError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The server wants a browser for this; ``MSALNativeAuthError/errorDescription`` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
}
