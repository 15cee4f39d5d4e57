import ClientHTTP
import JSON

/// The challenges of one answer of a server: which handlers have answered, and with what result. Source: MobileFirst's
/// web SDK.
///
/// It ends when all handlers have answered, or when one gives up.
struct ChallengeRound: Sendable {
    enum Outcome: Sendable {
        /// The request is to be sent again with these answers, by the checks' names.
        case resend([String: JSONValue])
        case failed(any Error)
    }

    private var open: Set<String>
    private var answers: [String: JSONValue] = [:]
    private var failure: (any Error)?

    /// - Parameter names: the checks that are asked.
    init(expecting names: Set<String>) { open = names }

    /// Only what is asked can be answered, and only once.
    mutating func answer(_ name: String, with answer: JSONValue) {
        guard failure == nil, open.remove(name) != nil else { return }
        answers[name] = answer
    }

    /// No handler will answer this one; the request goes without.
    mutating func drop(_ name: String) {
        guard failure == nil else { return }
        open.remove(name)
    }

    mutating func fail(_ error: any Error) {
        if failure == nil, !open.isEmpty { failure = error }
    }

    /// Nil while answers are missing.
    var outcome: Outcome? {
        if let failure { return .failed(failure) }
        return open.isEmpty ? .resend(answers) : nil
    }
}
