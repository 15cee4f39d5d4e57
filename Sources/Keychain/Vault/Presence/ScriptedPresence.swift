import KeychainTypes
import Synchronization

/// Answers from a list: for tests, and for nothing else. The answers are ordinary strings in memory.
public final class ScriptedPresence: PresenceProvider {
    public enum Answer: Sendable, Hashable, ExpressibleByStringLiteral {
        case answer(String)
        case cancel
        case timeOut
        /// No prompt is possible.
        case unavailable

        public init(stringLiteral value: String) { self = .answer(value) }
    }

    public let asksPerson: Bool
    private let answers: [Answer]
    private let repeats: Bool
    private let asked = Mutex<[PresenceRequest]>([])

    /// - Parameters:
    ///   - answers: one for each request. A request after the last is answered with "unavailable".
    ///   - asksPerson: whether the vault takes the answers for a person's.
    public init(_ answers: [Answer], asksPerson: Bool = true) {
        (self.answers, repeats, self.asksPerson) = (answers, false, asksPerson)
    }

    /// Answers always the same.
    public init(always answer: Answer, asksPerson: Bool = true) {
        (answers, repeats, self.asksPerson) = ([answer], true, asksPerson)
    }

    /// What was asked so far, the oldest first.
    public var requests: [PresenceRequest] { asked.withLock { $0 } }

    public func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        let index = asked.withLock { asked in
            asked.append(request)
            return asked.count - 1
        }
        // It has no other answer than the one that was wrong: trying it again would only cost attempts.
        if repeats && request.triesLeftAfterWrongAnswer != nil {
            throw .unavailable("the script has one answer, and it was wrong")
        }
        guard let answer = repeats ? answers.first : answers.dropFirst(index).first else {
            throw .unavailable("the script has \(answers.count) answers, and this was request \(index + 1)")
        }
        switch answer {
        case .answer(let text): return LockedBytes(Array(text.utf8))
        case .cancel: throw .cancelled
        case .timeOut: throw .timedOut
        case .unavailable: throw .unavailable("the script says that no user is present")
        }
    }
}

extension PresenceProvider where Self == ScriptedPresence {
    /// Answers in this order, for tests: `.scripted(["wrong", .cancel, "right"])`.
    public static func scripted(_ answers: [ScriptedPresence.Answer], asksPerson: Bool = true) -> Self {
        ScriptedPresence(answers, asksPerson: asksPerson)
    }

    /// Answers always the same, for tests.
    public static func scripted(_ answer: String, asksPerson: Bool = true) -> Self {
        ScriptedPresence(always: .answer(answer), asksPerson: asksPerson)
    }
}
