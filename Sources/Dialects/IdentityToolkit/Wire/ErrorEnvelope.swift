import JSON

/// What every refusal is wrapped in. Source: Google API Improvement Proposals, AIP-193.
///
/// Versions 1 and 3 say it twice, once in `errors`; version 2, the administrators' and the token endpoint add a
/// `status`.
public struct ErrorEnvelope: Codable, Sendable, Equatable {
    public var error: ErrorBody?

    public init(error: ErrorBody? = nil) {
        self.error = error
    }
}

/// The refusal in an ``ErrorEnvelope``. Source: Google API Improvement Proposals, AIP-193.
public struct ErrorBody: Codable, Sendable, Equatable {
    /// The HTTP status.
    public var code: Int?
    /// An ``ErrorWord``, after which `" : "` may bring a sentence.
    public var message: String?
    /// Versions 1 and 3.
    public var errors: [ErrorItem]?
    /// Version 2, for instance `INVALID_ARGUMENT`.
    public var status: String?
    public var details: [ErrorDetail]?

    public init(
        code: Int? = nil, message: String? = nil, errors: [ErrorItem]? = nil, status: String? = nil,
        details: [ErrorDetail]? = nil
    ) {
        self.code = code
        self.message = message
        self.errors = errors
        self.status = status
        self.details = details
    }
}

/// The refusal once more, as versions 1 and 3 repeat it. Source: Google API Improvement Proposals, AIP-193.
public struct ErrorItem: Codable, Sendable, Equatable {
    public var message: String?
    public var domain: String?
    public var reason: String?

    public init(message: String? = nil, domain: String? = "global", reason: String? = "invalid") {
        self.message = message
        self.domain = domain
        self.reason = reason
    }
}

/// More about a refusal: for values that are none of an enumeration, and for fields that exclude each other. Source:
/// Google API Improvement Proposals, AIP-193.
public struct ErrorDetail: Codable, Sendable, Equatable {
    /// `type.googleapis.com/google.rpc.BadRequest`.
    public var type: String?
    public var fieldViolations: [FieldViolation]?
    public var reason: String?
    public var domain: String?

    private enum CodingKeys: String, CodingKey {
        case type = "@type"
        case fieldViolations
        case reason
        case domain
    }

    public init(
        type: String? = nil, fieldViolations: [FieldViolation]? = nil, reason: String? = nil, domain: String? = nil
    ) {
        self.type = type
        self.fieldViolations = fieldViolations
        self.reason = reason
        self.domain = domain
    }
}

/// A field and what is wrong with it. Source: Google API Improvement Proposals, AIP-193.
public struct FieldViolation: Codable, Sendable, Equatable {
    public var field: String?
    public var description: String?

    public init(field: String? = nil, description: String? = nil) {
        self.field = field
        self.description = description
    }
}

// Wrong codes and passwords are answered as often as right ones.
extension ErrorEnvelope: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        if let error {
            json.name("error")
            error.write(to: &json)
        }
        json.endObject()
    }
}

extension ErrorBody {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("code", number: code)
        json.write("details", details) { $0.write(to: &$1) }
        json.write("errors", errors) { item, json in
            json.beginObject()
            json.write("domain", text: item.domain)
            json.write("message", text: item.message)
            json.write("reason", text: item.reason)
            json.endObject()
        }
        json.write("message", text: message)
        json.write("status", text: status)
        json.endObject()
    }
}

extension ErrorDetail {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("@type", text: type)
        json.write("domain", text: domain)
        json.write("fieldViolations", fieldViolations) { violation, json in
            json.beginObject()
            json.write("description", text: violation.description)
            json.write("field", text: violation.field)
            json.endObject()
        }
        json.write("reason", text: reason)
        json.endObject()
    }
}

extension JSONWriter {
    /// A member that is left out where there is no list.
    fileprivate mutating func write<Item>(
        _ name: StaticString, _ list: [Item]?, _ write: (Item, inout JSONWriter) -> Void
    ) {
        guard let list else { return }
        self.name(name)
        beginArray()
        for item in list { write(item, &self) }
        endArray()
    }
}
