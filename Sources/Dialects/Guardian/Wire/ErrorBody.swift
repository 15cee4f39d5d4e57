/// What a refusal says (Auth0, "Guardian Error Code Reference"). iOS reads `description`, Android `message`.
public struct GuardianErrorBody: Codable, Sendable, Equatable {
    public var statusCode: Int
    public var errorCode: String
    public var error: String
    public var message: String
    public var description: String

    public init(statusCode: Int, errorCode: String, error: String, message: String) {
        self.statusCode = statusCode
        self.errorCode = errorCode
        self.error = error
        self.message = message
        description = message
    }
}
