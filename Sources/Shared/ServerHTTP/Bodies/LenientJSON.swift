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

    /// The fields of an URL-encoded form, as an object of strings.
    /// - Parameter repeatable: fields that may be there several times, which is then an array of strings.
    public static func parseForm(
        _ bytes: [UInt8], repeatable: Set<String> = []
    ) throws(RequestBodyFault) -> JSONValue {
        try FormParser.parse(bytes, repeatable: repeatable)
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
