/// Why an endpoint refuses a request (RFC 6749, section 5.2).
public struct ErrorResponse: Codable, Sendable, Equatable {
    public var error: String
    /// ASCII, for developers.
    public var errorDescription: String

    public init(error: String, errorDescription: String) {
        self.error = error
        self.errorDescription = errorDescription
    }

    private enum CodingKeys: String, CodingKey {
        case error
        case errorDescription = "error_description"
    }
}
