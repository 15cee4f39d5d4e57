import CountersignCore

/// Calls a custom authentication extension with a person that does not exist, and says what is wrong with the answer.
public struct CheckExtension: AdministrationOperation {
    public static let name = "extensions:check"
    public static let right = AdministrationRight.changeExtensions

    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let id: String
        public let isRight: Bool
        /// What the service wants done; nil after a failure.
        public let action: String?
        /// The claims of tokens that the answer leads to.
        public let claims: [String]
        /// The vendor's number.
        public let code: Int?
        public let name: String?
        /// What is known beyond that: `status 503`.
        public let detail: String?
        public let advice: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let result = try await realm.customExtensions.check(id) else { throw AdministrationError.noExtension(id) }
        return Answer(
            id: id, isRight: result.failure == nil, action: result.action, claims: result.claims,
            code: result.failure?.code.rawValue, name: result.failure?.code.name, detail: result.failure?.detail,
            advice: result.failure?.code.advice)
    }
}
