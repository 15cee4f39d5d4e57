import CountersignCore
import JSON

/// Reads what clients send, as leniently as the servers do that their SDKs were written for.
///
/// A member's name may be in camel case or in snake case; null is absent; unknown members are passed over. A number
/// is taken where a string is expected; a string of digits where a number is, as JSON from protocol buffers has 64-bit
/// integers; `"true"` and `"false"` where a Boolean is, as forms have them.
///
/// The grammar is not treated leniently: see ``RequestBodyFault``.
public enum LenientJSON {
    /// How deep arrays and objects may lie inside each other.
    public static let depthLimit = 32

    /// The value that the JSON text is.
    public static func parse(_ bytes: [UInt8]) throws(RequestBodyFault) -> JSONValue {
        do {
            return try JSONParser.parse(bytes, depthLimit: depthLimit)
        } catch {
            throw RequestBodyFault(error)
        }
    }

    /// Values of one field of a form. Each more copies those before it.
    static let mostRepetitions = 500

    /// The fields of an URL-encoded form, as an object of strings.
    ///
    /// A field that is there twice is refused, as RFC 6749 (section 3.2) has it: of two values, two readers would take different ones. An
    /// escape that is none is refused too. A zero byte stays: who reads the object says in the protocol's words what is wrong with it.
    /// - Parameter repeatable: fields that may be there several times, at most 500 times, which is then an array of strings.
    public static func parseForm(
        _ bytes: [UInt8], repeatable: Set<String> = []
    ) throws(RequestBodyFault) -> JSONValue {
        var members: [String: JSONValue] = [:]
        var reader = FormReader(bytes)
        while let field = try reader.next() {
            switch members.updateValue(.string(field.value), forKey: field.name) {
            case nil: break
            case .array(let others)? where repeatable.contains(field.name) && others.count < mostRepetitions:
                members[field.name] = .array(others + [.string(field.value)])
            case .string(let first)? where repeatable.contains(field.name):
                members[field.name] = .array([.string(first), .string(field.value)])
            default: throw .duplicateMember(path: String(field.name.prefix(RequestBodyFault.longestExcerpt)))
            }
        }
        return .object(members)
    }

    /// The value of that type.
    ///
    /// `JSONValue`, `Data` (as Base64) and whatever is `Decodable` by names are understood; types that count on another
    /// decoder's conventions, such as `Date`, are not.
    /// - Throws: ``RequestBodyFault`` for the first member that is missing or of another type.
    public static func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws(RequestBodyFault) -> T {
        do {
            return try LenientDecoder(value: value, codingPath: [], target: type).decode(type)
        } catch let fault as RequestBodyFault {
            throw fault
        } catch {
            // An initialiser of the type has thrown an error of its own.
            throw .wrongType(path: "", expected: .value("\(type)"), found: value.excerpt())
        }
    }
}

extension RequestBodyFault {
    fileprivate init(_ fault: JSONFault) {
        self =
            switch fault {
            case .invalidUTF8: .invalidUTF8
            case .malformed(let reason, let offset): .malformed(reason: reason, offset: offset)
            case .tooDeep(let limit): .tooDeep(limit: limit)
            case .duplicateMember(let name): .duplicateMember(path: String(name.prefix(Self.longestExcerpt)))
            }
    }
}
