import HTTPTypes

/// The first thing that is wrong with a request's body.
///
/// Dialects turn it into their own words. The texts come from the client and may hold its password: they are for the
/// answer to that client, and ``description``, which leaves them out, is for logs.
public enum RequestBodyFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The body is of a type that is not taken here; nil where it has none and does not look like JSON.
    case wrongContentType(String?)
    /// More bytes than that.
    case tooLarge(limit: Int)
    /// It did not come to its end in time.
    case late
    /// A transfer coding that is not known here (RFC 9112, section 6.1).
    case unknownCoding
    /// A content coding, as gzip: none is undone here (RFC 9110, section 8.4).
    case encoded
    /// The bytes, or those of a form's field, are not UTF-8.
    case invalidUTF8
    /// Not JSON, not a form, or not whole. The offset is in bytes, from 0.
    case malformed(reason: String, offset: Int)
    /// Arrays and objects inside each other more often than that.
    case tooDeep(limit: Int)
    /// A form's field, or one member of a JSON object, is there twice.
    case duplicateMember(path: String)
    /// A text has a zero byte (U+0000) where it would name something else, or nothing, without it. The path is a parameter's name.
    case zeroByte(path: String)
    /// JSON, but no object at the top: the beginning of what is there.
    case notAnObject(found: String)
    /// A member that has to be there is not, or is null.
    case missingMember(path: String)
    /// A member is of another type. The path reads `totpVerificationInfo.verificationCode` or `factors[0].state`; what
    /// was found is JSON text, cut off after ``longestExcerpt`` characters.
    case wrongType(path: String, expected: Expected, found: String)

    /// Characters of the client's JSON that a fault repeats.
    public static let longestExcerpt = 100

    /// What a member should have been.
    public enum Expected: Sendable, Equatable {
        case string
        case boolean
        /// A whole number in the range of that many bits.
        case integer(bits: Int, isSigned: Bool)
        case number
        /// Base64, in either alphabet, padded or not.
        case bytes
        case array
        /// An object, by the name of the Swift type that is made of it.
        case object(String)
        /// Another form of a value, such as one of an enumeration's names, by the name of the Swift type.
        case value(String)
    }

    /// Whether HTTP itself says what is wrong, before any dialect: then the status is ``status``, whatever the words.
    var isOfTransfer: Bool { self == .late || self == .unknownCoding || self == .encoded }

    /// What HTTP says of it: 408 for too late, 413 for too large, 415 for another type or a content coding, 501 for an unknown transfer
    /// coding, 400 else.
    public var status: HTTPResponse.Status {
        switch self {
        case .late: .requestTimeout
        case .unknownCoding: .notImplemented
        case .wrongContentType, .encoded: .unsupportedMediaType
        case .tooLarge: .contentTooLarge
        default: .badRequest
        }
    }

    /// What to tell the client: no word of it is of this program's own types.
    public var sentence: String {
        switch self {
        case .wrongContentType: "The body has to be application/json."
        case .tooLarge(let limit): "The body has more than \(limit) bytes."
        case .late: "The body did not come to its end in time."
        case .unknownCoding: "The body is in a transfer coding that is not known here: send it plain or in chunks."
        case .encoded: "The body is in a content coding, and none is taken here: send it without Content-Encoding."
        case .invalidUTF8: "The body is not UTF-8."
        case .malformed(let reason, let offset): "The body is no JSON: \(reason) at byte \(offset)."
        case .tooDeep(let limit): "The body is nested more than \(limit) deep."
        case .duplicateMember(let path): "The member \"\(path)\" is there twice."
        case .zeroByte(let path): "The member \"\(path)\" has a zero byte (U+0000)."
        case .notAnObject: "The body has to be a JSON object."
        case .missingMember(let path): "The member \"\(path)\" is missing."
        case .wrongType(let path, let expected, _): "The member \"\(path)\" has to be \(expected.words)."
        }
    }

    /// For logs.
    public var description: String {
        switch self {
        case .wrongContentType: "a content type that is not taken here"
        case .tooLarge(let limit): "more than \(limit) bytes"
        case .late: "not whole in time"
        case .unknownCoding: "a transfer coding that is not known here"
        case .encoded: "a content coding, of which none is taken here"
        case .invalidUTF8: "not UTF-8"
        case .malformed(let reason, let offset): "malformed at byte \(offset): \(reason)"
        case .tooDeep(let limit): "nested more than \(limit) deep"
        case .duplicateMember: "a member that is there twice"
        case .zeroByte(let path): "\(path) has a zero byte (U+0000)"
        case .notAnObject: "not an object"
        case .missingMember(let path): "\(path) is missing"
        case .wrongType(let path, let expected, _): "\(path.isEmpty ? "the body" : path) has to be \(expected.words)"
        }
    }
}

extension RequestBodyFault.Expected {
    /// What a value has to be, for people.
    public var words: String {
        switch self {
        case .string: "a string"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .bytes: "Base64"
        case .array: "an array"
        case .object: "an object"
        case .value("Timestamp"): "a time such as 2026-07-29T08:15:00.250Z"
        case .value: "one of the values that are taken here"
        }
    }
}
