import Foundation

/// What a refusal says, with status 400. Source: Native authentication API reference (Microsoft Learn).
public struct ErrorBody: Codable, Sendable, Equatable {
    public var error: ErrorWord
    /// What people read, and support staff.
    public var description: String?
    /// The first is the one that counts.
    public var codes: [ErrorNumber]?
    public var suberror: Suberror?
    public var timestamp: String?
    public var traceID: String?
    public var correlationID: String?
    public var errorURI: String?
    /// The flow goes on under it, where the refusal only says what comes next.
    public var continuationToken: String?
    public var requiredAttributes: [RequiredAttribute]?
    public var invalidAttributes: [AttributeName]?
    public var unverifiedAttributes: [AttributeName]?

    public init(
        error: ErrorWord, description: String? = nil, codes: [ErrorNumber]? = nil, suberror: Suberror? = nil,
        timestamp: String? = nil, traceID: String? = nil, correlationID: String? = nil, errorURI: String? = nil,
        continuationToken: String? = nil, requiredAttributes: [RequiredAttribute]? = nil,
        invalidAttributes: [AttributeName]? = nil, unverifiedAttributes: [AttributeName]? = nil
    ) {
        self.error = error
        self.description = description
        self.codes = codes
        self.suberror = suberror
        self.timestamp = timestamp
        self.traceID = traceID
        self.correlationID = correlationID
        self.errorURI = errorURI
        self.continuationToken = continuationToken
        self.requiredAttributes = requiredAttributes
        self.invalidAttributes = invalidAttributes
        self.unverifiedAttributes = unverifiedAttributes
    }

    private enum CodingKeys: String, CodingKey {
        case error, suberror, timestamp
        case description = "error_description"
        case codes = "error_codes"
        case traceID = "trace_id"
        case correlationID = "correlation_id"
        case errorURI = "error_uri"
        case continuationToken = "continuation_token"
        case requiredAttributes = "required_attributes"
        case invalidAttributes = "invalid_attributes"
        case unverifiedAttributes = "unverified_attributes"
    }
}

/// An attribute by its programmable name. Source: Native authentication API reference (Microsoft Learn).
public struct AttributeName: Codable, Sendable, Hashable {
    public var name: String

    public init(_ name: String) { self.name = name }
}

/// An attribute that a sign-up asks for. Source: Native authentication API reference (Microsoft Learn).
public struct RequiredAttribute: Codable, Sendable, Equatable {
    public struct Options: Codable, Sendable, Equatable {
        /// What the value has to match.
        public var regex: String?
        /// What a form's field may show before the user has typed anything. Ours alone: an attribute collection
        /// extension gives it, and the vendor's clients pass it over.
        public var prefill: String?

        public init(regex: String? = nil, prefill: String? = nil) {
            self.regex = regex
            self.prefill = prefill
        }
    }

    public var name: String
    /// Such as `string`.
    public var type: String
    public var required: Bool
    public var options: Options?

    public init(name: String, type: String, required: Bool, options: Options? = nil) {
        self.name = name
        self.type = type
        self.required = required
        self.options = options
    }
}
