import Foundation

/// One call to a hook's service.
public struct HookCall: Sendable {
    /// The service's address, as it was registered.
    public let url: String
    /// JSON.
    public let body: Data
    /// Names and values of the headers, the signature among them.
    public let headers: [(name: String, value: String)]

    /// A call that the core wants made.
    public init(url: String, body: Data, headers: [(name: String, value: String)]) {
        self.url = url
        self.body = body
        self.headers = headers
    }
}

/// What came of a call.
public enum HookReply: Sendable, Equatable {
    /// - Parameter retryAfter: seconds that the service asks to be left alone.
    case answered(status: Int, retryAfter: TimeInterval? = nil)
    /// There was no answer; a word for logs that holds nothing of what was said.
    case failed(String)

    /// Whether the service took the message: a status of 200 to 299.
    public var isDelivered: Bool {
        if case .answered(200..<300, _) = self { true } else { false }
    }

    /// For administrators and logs.
    public var text: String {
        switch self {
        case .answered(let status, _): "status-\(status)"
        case .failed(let reason): reason
        }
    }
}

/// Speaks HTTP with services of hooks, and only with addresses that the operator admits.
public protocol HookCaller: Sendable {
    /// Answers within half of ``HookDelivery/lease``, and follows no redirect.
    func post(_ call: HookCall) async -> HookReply
}

/// For realms without an outer world.
public struct NoHookCaller: HookCaller {
    /// A caller whose calls all fail.
    public init() {}

    public func post(_ call: HookCall) async -> HookReply { .failed("not-set-up") }
}
