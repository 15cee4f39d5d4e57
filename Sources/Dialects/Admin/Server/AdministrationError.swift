/// Why an administrator's operation was not done.
public struct AdministrationError: Error, Sendable, Equatable {
    /// For programs. The words are stable.
    public enum Code: String, Sendable, CaseIterable {
        case notFound = "not_found"
        /// The request is not right, whatever the realm holds.
        case invalid
        /// Something else has the name already.
        case conflict
        /// The realm's rules forbid it.
        case refused
        case unauthorized
        /// The caller is known and has no right to this.
        case forbidden
        case overloaded
        /// The database is away; nothing was done.
        case unavailable
        /// The database went away in the middle; it was done, or not.
        case outcomeUnknown = "outcome_unknown"
        case internalError = "internal_error"
    }

    public let code: Code
    /// What is wrong and what to do next.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// The error as it goes over the wire: `{"error":{"code":"not_found","message":"…"}}`.
public struct AdministrationErrorBody: Codable, Sendable {
    public struct Content: Codable, Sendable {
        public let code: String
        public let message: String
    }

    public let error: Content

    init(_ error: AdministrationError) {
        self.error = Content(code: error.code.rawValue, message: error.message)
    }

    /// The error that was sent. A code of a newer server is a refusal.
    public var value: AdministrationError {
        AdministrationError(AdministrationError.Code(rawValue: error.code) ?? .refused, error.message)
    }
}
