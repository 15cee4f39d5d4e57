import CountersignCore
import Foundation

/// Calls services of hooks at public addresses, and at those that the operator admits (``OutboundHTTP``).
public struct HTTPHookCaller: HookCaller {
    /// How long a service has for its answer.
    static let timeout = Duration.seconds(10)

    private let http: OutboundHTTP

    /// - Parameter http: is its maker's to shut down.
    public init(_ http: OutboundHTTP) {
        self.http = http
    }

    public func post(_ call: HookCall) async -> HookReply {
        // Of an answer the status is enough: its body is not read, however long it is.
        let exchange = OutboundHTTP.Exchange(
            .post(call.body, type: "application/json"), call.url, headers: call.headers, timeout: Self.timeout,
            bodyLimit: 0)
        switch await http.send(exchange) {
        case .success(let answer):
            return .answered(status: answer.status, retryAfter: Self.seconds(answer.headers("Retry-After")))
        case .failure(let failure): return .failed(failure.reason)
        }
    }

    /// RFC 9110, section 10.2.3, in its form of seconds; a date is not looked at, since the next attempt comes within the hour.
    static func seconds(_ values: [String]) -> TimeInterval? {
        guard let text = values.first, (1...6).contains(text.utf8.count),
            text.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return TimeInterval(text)
    }
}
