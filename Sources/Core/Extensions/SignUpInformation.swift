import Foundation

/// The data about a sign-up that a service gets: the attributes and the address, never the password (Microsoft Learn,
/// attribute collection events).
public struct SignUpInformation: Sendable {
    /// The address that is signed up for.
    public let email: EmailAddress
    /// What was given so far.
    public let attributes: [String: JSONValue]
    /// Every attribute that may be given, by its type: `string`, `integer` or `boolean`.
    public let types: [String: String]
    /// Those that are there for every account; others belong to applications.
    public let builtIn: Set<String>
    /// Judges a value for an attribute as if the user had typed it; nil where it is refused.
    public let read: @Sendable (_ name: String, _ value: JSONValue) -> JSONValue?

    /// What a sign-up has collected; the flow that asks fills it in.
    public init(
        email: EmailAddress, attributes: [String: JSONValue], types: [String: String], builtIn: Set<String>,
        read: @escaping @Sendable (_ name: String, _ value: JSONValue) -> JSONValue?
    ) {
        self.email = email
        self.attributes = attributes
        self.types = types
        self.builtIn = builtIn
        self.read = read
    }

    /// Values that an answer has for attributes. Others are passed over; of a wrong type none may be.
    func values(_ given: JSONValue?) throws(ExtensionFailure) -> [String: JSONValue] {
        guard case .object(let members)? = given else {
            throw ExtensionFailure(.invalidResponseBody, "no object of values")
        }
        var values: [String: JSONValue] = [:]
        for (name, value) in members {
            guard let type = types[name] else { continue }
            let isOfType =
                switch (type, value) {
                case ("integer", .integer), ("boolean", .bool), ("string", .string): true
                default: false
                }
            guard isOfType, let read = read(name, value) else {
                throw ExtensionFailure(.invalidResponseBody, "\(name) is not of its type")
            }
            values[name] = read
        }
        return values
    }

    /// What is wrong with attributes, by name; of those that there are.
    func faults(_ given: JSONValue?) throws(ExtensionFailure) -> [String: String] {
        switch given {
        case nil, .null?: return [:]
        case .object(let members)?:
            var faults: [String: String] = [:]
            for (name, value) in members where types[name] != nil {
                guard let text = value.stringValue else {
                    throw ExtensionFailure(.invalidResponseBody, "\(name) has an error that is no text")
                }
                faults[name] = SignUpObjection.plain(text)
            }
            return faults
        default: throw ExtensionFailure(.invalidResponseBody, "attributeErrors is no object")
        }
    }
}

/// A service does not want a sign-up to go on. Its words are for the user who signs up.
public enum SignUpObjection: Error, Sendable, Equatable {
    /// Not at all.
    case blocked(String)
    /// Not with these attributes; empty where the service names none.
    case invalid([String: String], String)

    /// For logs.
    var word: String {
        switch self {
        case .blocked: "blocked"
        case .invalid: "invalid-attributes"
        }
    }

    /// Characters that a text of a service may have.
    static let longestText = 500

    /// The title and message of an action, as one text.
    static func text(_ words: [String]) -> String {
        words.map(plain).filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// Without controls of lines and of directions, and not too long.
    static func plain(_ text: String) -> String {
        let line = text.unicodeScalars.map { scalar in
            PlainText.isControl(scalar) || PlainText.turnsText(scalar) ? " " : String(scalar)
        }.joined()
        return String(line.prefix(longestText)).trimmingCharacters(in: .whitespaces)
    }
}
