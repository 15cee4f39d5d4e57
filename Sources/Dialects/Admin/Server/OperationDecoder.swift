import CountersignCore
import Foundation
import ServerHTTP

/// Makes an operation of a request's body, and refuses members that it does not have: a misspelt `requiresSecondFactor`
/// must not look as if it had been heard.
enum OperationDecoder {
    static func decode<Operation: AdministrationOperation>(
        _ type: Operation.Type, from body: JSONValue
    ) throws -> Operation {
        do {
            return try StrictJSON.decode(type, from: body)
        } catch let unknown as StrictJSON.UnknownMember {
            throw AdministrationError(.invalid, "\(type.name) has no member \"\(unknown.path)\". \(unknown.remedy)")
        } catch let fault as RequestBodyFault {
            throw AdministrationError(fault)
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
