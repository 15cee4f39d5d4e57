import CountersignCore
import Foundation
import NativeAuthWire
import ServerHTTP

/// The attributes that a user submits at sign-up: the attributes that the application defines, and those that every
/// account may have (Microsoft Learn, Native authentication API reference). Others are passed over.
struct SignUpAttributes: Sendable {
    let values: [String: JSONValue]

    /// Texts that need no definition.
    static let builtIn: Set<String> = [
        "displayName", "givenName", "surname", "city", "state", "country", "postalCode", "streetAddress", "jobTitle",
    ]
    /// Bytes that one value may have.
    static let longestValue = 1024

    /// - Parameter text: a JSON object; nothing is an empty one.
    /// - Throws: `NativeAuthError`, with the names of those that are not of their type, or not in their form.
    init(_ text: String?, _ registration: ApplicationRegistration) throws {
        guard let text, !text.isEmpty else {
            values = [:]
            return
        }
        guard let parsed = try? LenientJSON.parse(Array(text.utf8)), case .object(let members) = parsed else {
            throw NativeAuthError.invalidParameter("attributes")
        }
        let definitions = Dictionary(registration.attributes.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var values: [String: JSONValue] = [:]
        var invalid: [String] = []
        for (name, value) in members {
            let definition = definitions[name]
            guard let type = definition?.type ?? (Self.builtIn.contains(name) ? "string" : nil) else { continue }
            // An empty answer is none.
            if value == .null || value == .string("") { continue }
            if let read = Self.read(value, as: type), definition?.admits(read) ?? true {
                values[name] = read
            } else {
                invalid.append(name)
            }
        }
        guard invalid.isEmpty else { throw NativeAuthError.invalidAttributes(invalid.sorted()) }
        self.values = values
    }

    /// The value as one of that type; forms of clients have texts for everything.
    static func read(_ value: JSONValue, as type: String) -> JSONValue? {
        switch (type, value) {
        case ("integer", .integer): return value
        case ("integer", .string(let text)): return Int64(text).map { .integer($0) }
        case ("boolean", .bool): return value
        case ("boolean", .string(let text)):
            return ["true": JSONValue.bool(true), "false": .bool(false)][text.lowercased()]
        case ("string", .string(let text)): return isPlain(text) ? value : nil
        // Several choices are one text with commas.
        case ("string", .array(let choices)):
            let texts = choices.compactMap(\.stringValue)
            let joined = texts.joined(separator: ",")
            return texts.count == choices.count && isPlain(joined) ? .string(joined) : nil
        default: return nil
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= longestValue
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control || $0 == "\n" }
    }
}
