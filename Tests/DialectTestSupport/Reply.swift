import Foundation
import HTTPTypes
import Testing

/// What came back.
package struct Reply: Sendable {
    package let status: Int
    package let headers: HTTPFields
    package let bytes: [UInt8]

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the body has these bytes. Where many pages are looked through: by characters, as `text.contains` does it, each takes
    /// milliseconds without optimisation.
    package func has(_ text: String) -> Bool { bytes.position(of: Array(text.utf8)) != nil }

    /// Null where the body is no JSON.
    package var json: JSON { (try? JSON(parsing: bytes)) ?? .null }

    /// What a client with a jar sends along with its next request: every cookie that the answer sets.
    package var cookies: HTTPFields {
        let pairs = headers[values: .setCookie].compactMap { $0.split(separator: ";").first.map(String.init) }
        return pairs.isEmpty ? [:] : [.cookie: pairs.joined(separator: "; ")]
    }

    /// The refusal's message; nil for a success.
    package var message: String? { json["error"]["message"].text }
}

extension [UInt8] {
    /// Where other bytes begin in these for the first time; nil: nowhere.
    /// - Parameters:
    ///   - from: where to begin looking.
    ///   - end: where they have to end at the latest; nil: at the end.
    package func position(of sought: [UInt8], from: Int = 0, to end: Int? = nil) -> Int? {
        guard let first = sought.first else { return from }
        return withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let last = (end ?? bytes.count) - sought.count
            var index = from
            while index <= last, let hit = memchr(start + index, Int32(first), last - index + 1) {
                index = UnsafeRawPointer(start).distance(to: hit)
                if memcmp(hit, sought, sought.count) == 0 { return index }
                index += 1
            }
            return nil
        }
    }
}

/// The two forms of the envelope (AIP-193, and the older one of Google's APIs).
package enum EnvelopeForm: Sendable {
    /// Versions 1 and 3.
    case errors
    /// Version 2, the administrator's endpoints, the token service.
    case status

    /// By path.
    package init(_ path: String) {
        let path = path.prefix { $0 != "?" }
        self = path.contains("/v2/") || path.hasSuffix("v1/token") ? .status : .errors
    }
}

/// The reply is a refusal with exactly that message, in exactly that form.
package func expectRefused(
    _ reply: Reply, _ message: String, _ form: EnvelopeForm, code: Int = 400, status: String = "INVALID_ARGUMENT",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == code, "\(reply.text)", sourceLocation: sourceLocation)
    #expect(reply.headers[.contentType] == "application/json; charset=UTF-8", sourceLocation: sourceLocation)
    let golden: JSON =
        switch form {
        case .errors:
            [
                "error": [
                    "code": .integer(code), "message": .string(message),
                    "errors": [["message": .string(message), "domain": "global", "reason": "invalid"]],
                ]
            ]
        case .status:
            ["error": ["code": .integer(code), "message": .string(message), "status": .string(status)]]
        }
    expectGolden(reply.json, golden, sourceLocation: sourceLocation)
}
