import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire

/// What an answer to a request of the framework means. Source: MobileFirst Foundation, Authentication and security.
enum FrameworkVerdict: Equatable {
    /// The same request can be sent again.
    case conflict
    case granted(successes: [String: JSONValue])
    /// There is at least one challenge.
    case challenged([String: JSONValue], successes: [String: JSONValue])
    /// There is at least one failure.
    case refused([String: JSONValue])
    /// A refusal that is no check's.
    case other
    case malformed(String)

    init(_ response: HTTPClientResponse) {
        let results = try? JSONDecoder().decode(CheckResults<JSONValue>.self, from: response.body)
        switch response.status {
        case 200..<300:
            guard results != nil || response.body.isEmpty else {
                self = .malformed("it is no JSON object")
                return
            }
            self = .granted(successes: results?.successes ?? [:])
        case 401 where response.header(HeaderName.authenticate).flatMap(AuthenticateHeader.init) == .challenges:
            guard let challenges = results?.challenges, !challenges.isEmpty else {
                self = .malformed("it announces challenges and has none")
                return
            }
            self = .challenged(challenges, successes: results?.successes ?? [:])
        case 403:
            guard let failures = results?.failures, !failures.isEmpty else {
                self = .other
                return
            }
            self = .refused(failures)
        case 409 where response.header(HeaderName.conflict) != nil: self = .conflict
        default: self = .other
        }
    }
}
