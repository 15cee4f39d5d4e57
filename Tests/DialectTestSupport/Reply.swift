import HTTPTypes
import Testing

/// What came back.
package struct Reply: Sendable {
    package let status: Int
    package let headers: HTTPFields
    package let bytes: [UInt8]

    package var text: String { String(decoding: bytes, as: UTF8.self) }

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
