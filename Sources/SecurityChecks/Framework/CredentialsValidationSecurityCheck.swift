import CountersignCore
import Foundation

/// A check that asks for something: a PIN, a password, a code.
///
/// The core counts the attempt, then lets ``validate(_:in:)`` judge the credentials, and then makes the result count
/// (MobileFirst Foundation, CredentialsValidationSecurityCheck). The client is *attempting*, in *success* or *blocked*:
///
/// - Trying begins with the first challenge and lasts ``AttemptLimits/attemptingStateExpiration``; after that the count
///   begins again.
/// - The last wrong answer blocks. While blocked, nothing is judged.
/// - A wrong answer in success ends the success; a right one does not make it longer.
///
/// Where a person is known whose secret is asked for (``person(claimedBy:in:)``), wrong answers also count against the
/// person, from whatever client they come.
public protocol CredentialsValidationSecurityCheck: SecurityCheck {
    /// How many wrong answers are taken, and how long each state lasts. The core counts by it.
    var limits: AttemptLimits { get }

    /// Whether the credentials are right. No transaction is open; it may be slow. What it throws is our own failure,
    /// grants nothing, and leaves the attempt counted.
    /// - Parameter credentials: what the client sent, of whatever type that is. A number where a text is expected is the
    ///   sender's mistake, so read it with `JSONValue.credentialText`.
    func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict
    /// What the client is asked with.
    func challenge(_ attempt: AttemptStanding, in context: SecurityCheckContext) -> [String: JSONValue]
    /// Whose secret is being tried, in a spelling that is the same for the same person. Nil where no person is named.
    func person(claimedBy credentials: JSONValue?, in context: SecurityCheckContext) -> String?
    /// Whether the client is asked at all now.
    func need(in context: SecurityCheckContext) -> CredentialsNeed
    /// What becomes of the registration when the last wrong answer blocks the client. It takes effect with the blocking;
    /// it may be asked where no client is blocked.
    func block(_ registration: inout RegistrationContext)
    /// What the client receives in success.
    func successData(in context: SecurityCheckContext) -> [String: JSONValue]
}

/// Whether credentials are asked for.
public enum CredentialsNeed: Sendable, Equatable {
    /// The client gets a challenge, and its answer is judged.
    case asked
    /// Another check comes first; nothing is said and nothing is judged.
    case notYet
    /// The client is in success without being asked, because of another check.
    case alreadyProven
}

/// How often, and how long.
public struct AttemptLimits: Sendable, Equatable {
    /// Wrong answers while trying; at least 1.
    public var maxAttempts: Int
    /// Seconds of trying.
    public var attemptingStateExpiration: TimeInterval
    /// Seconds of success.
    public var successStateExpiration: TimeInterval
    /// Seconds of being blocked. With 0 no client is: the last wrong answer is followed by a fresh challenge.
    public var blockedStateExpiration: TimeInterval

    /// Makes limits. Without arguments: one wrong answer, two minutes to answer, an hour of success, and no time of
    /// being blocked. A `maxAttempts` below 1 counts as 1.
    public init(
        maxAttempts: Int = 1, attemptingStateExpiration: TimeInterval = 120,
        successStateExpiration: TimeInterval = 3600, blockedStateExpiration: TimeInterval = 0
    ) {
        self.maxAttempts = max(1, maxAttempts)
        self.attemptingStateExpiration = attemptingStateExpiration
        self.successStateExpiration = successStateExpiration
        self.blockedStateExpiration = blockedStateExpiration
    }

    /// The name of the state from the first challenge to a right answer or the last wrong one.
    public static let attempting = "attempting"
    /// The name of the state after a right answer.
    public static let success = "success"
    /// The name of the state after the last wrong answer.
    public static let blocked = "blocked"

    var durations: [String: TimeInterval] {
        [
            Self.attempting: attemptingStateExpiration, Self.success: successStateExpiration,
            Self.blocked: blockedStateExpiration,
        ]
    }
}

/// What a check says of credentials.
public enum CredentialsVerdict: Sendable {
    /// The credentials are right: the check is in success from now on.
    case right
    /// - Parameters:
    ///   - message: for the next challenge.
    ///   - isKept: whether later challenges of the same window repeat it.
    case wrong(_ message: String?, isKept: Bool = false)
    /// Neither yet: another party has to decide first. It costs no attempt, so it must tell nothing about the credentials.
    case undecided(_ message: String?)
}

/// A check that does something for its challenge: it mails a code, it asks a device.
public protocol ChallengePreparing: CredentialsValidationSecurityCheck {
    /// Whether an answer uses the challenge up, right or wrong, so that the client is asked anew after a wrong one.
    var takesOneAnswer: Bool { get }
    /// Called once for each window of trying, and after each wrong answer to a challenge that takes one, when the client is challenged; outside of any transaction. What it puts into
    /// ``SecurityCheckContext/fields`` is there when the answer is judged.
    func prepare(_ context: inout SecurityCheckContext) async throws
    /// What challenges show of it, beside what they say anyway: a nonce that the client signs.
    func prepared(in context: SecurityCheckContext) -> [String: JSONValue]
}

extension ChallengePreparing {
    public var takesOneAnswer: Bool { false }

    /// Nothing: a code was mailed, a device was asked.
    public func prepared(in context: SecurityCheckContext) -> [String: JSONValue] { [:] }
}

/// What a challenge may tell.
public struct AttemptStanding: Sendable, Equatable {
    /// Wrong answers that are left before the client is blocked.
    public let remainingAttempts: Int
    /// What was wrong with the last answer; nil where nothing was, or the check no longer says it.
    public let message: String?
}

extension CredentialsValidationSecurityCheck {
    public var stateDurations: [String: TimeInterval] { limits.durations }

    /// `{"errorMsg": …, "remainingAttempts": …}`, as the samples have it.
    public func challenge(_ attempt: AttemptStanding, in context: SecurityCheckContext) -> [String: JSONValue] {
        [
            "errorMsg": attempt.message.map { .string($0) } ?? .null,
            "remainingAttempts": .integer(Int64(attempt.remainingAttempts)),
        ]
    }

    /// The known user.
    public func person(claimedBy credentials: JSONValue?, in context: SecurityCheckContext) -> String? {
        context.knownUser?.id
    }

    public func need(in context: SecurityCheckContext) -> CredentialsNeed { .asked }
    public func block(_ registration: inout RegistrationContext) {}
    public func successData(in context: SecurityCheckContext) -> [String: JSONValue] { [:] }

    /// Never asked: the core keeps the steps apart.
    public func authorize(_ context: inout SecurityCheckContext) async throws -> SecurityCheckOutcome { .silent }
}

extension JSONValue {
    /// A text, or a whole number as its digits: what people type, however the app sent it. Nil for anything else.
    public var credentialText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }
}
