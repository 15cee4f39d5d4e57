import CountersignCore
import Foundation
import ServerHTTP

/// Makes an operation of a request's body, and refuses members that it does not have: a misspelt `requiresSecondFactor`
/// must not look as if it had been heard.
enum OperationDecoder {
    static func decode<Operation: AdministrationOperation>(
        _ type: Operation.Type, from body: JSONValue
    ) throws -> Operation {
        let operation: Operation
        do {
            operation = try LenientJSON.decode(type, from: body)
        } catch {
            throw AdministrationError(error)
        }
        // What was understood is what comes out again.
        let understood = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(operation))
        if let path = unknownMember(of: body, beside: understood, path: "") {
            let known = Mirror(reflecting: operation).children.compactMap(\.label)
            let remedy =
                NearestName.of(path, among: known).map { "Did you mean \($0)?" }
                ?? (known.isEmpty ? "It has none." : "It has \(known.joined(separator: ", ")).")
            throw AdministrationError(.invalid, "\(type.name) has no member \"\(path)\". \(remedy)")
        }
        return operation
    }

    /// The path of the first member, in alphabetical order, that was sent and not understood.
    private static func unknownMember(of sent: JSONValue, beside understood: JSONValue, path: String) -> String? {
        switch (sent, understood) {
        case (.object(let sent), .object(let understood)):
            for (name, value) in sent.sorted(by: { $0.key < $1.key }) where value != .null {
                let path = path.isEmpty ? name : "\(path).\(name)"
                guard let counterpart = understood[name] else { return path }
                if let unknown = unknownMember(of: value, beside: counterpart, path: path) { return unknown }
            }
            return nil
        case (.array(let sent), .array(let understood)):
            for (index, (value, counterpart)) in zip(sent, understood).enumerated() {
                if let unknown = unknownMember(of: value, beside: counterpart, path: "\(path)[\(index)]") {
                    return unknown
                }
            }
            return nil
        default: return nil
        }
    }
}

extension AdministrationError {
    /// What is wrong with a body.
    init(_ fault: RequestBodyFault) {
        let sentence =
            switch fault {
            case .wrongContentType: "The body has to be application/json."
            case .tooLarge(let limit): "The body has more than \(limit) bytes."
            case .invalidUTF8: "The body is not UTF-8."
            case .malformed(let reason, let offset): "The body is no JSON: \(reason) at byte \(offset)."
            case .tooDeep(let limit): "The body is nested more than \(limit) deep."
            case .duplicateMember(let path): "The member \"\(path)\" is there twice."
            case .notAnObject: "The body has to be a JSON object."
            case .missingMember(let path): "The member \"\(path)\" is missing."
            case .wrongType(let path, let expected, _): "The member \"\(path)\" has to be \(expected.words)."
            }
        self.init(.invalid, sentence)
    }
}

extension RequestBodyFault.Expected {
    /// What a value has to be.
    var words: String {
        switch self {
        case .string: "a string"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .bytes: "Base64"
        case .array: "an array"
        case .object: "an object"
        case .value(let name): "a \(name)"
        }
    }
}
