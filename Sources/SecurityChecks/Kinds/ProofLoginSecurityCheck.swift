import CountersignCore
import Foundation

/// An account of the realm, by any means of proof that a sign-in can begin with: the challenge is in what the client is asked with, as `challenge`, and
/// the credentials are the response to it.
///
/// Which means that are, `ProofMethod`s say themselves: this check knows none. The response goes through
/// `Authenticator.answer(_:to:by:)` like any other, and names the user; wrong ones count against the factor that they name, here and in other
/// protocols together. Where the proof is one factor and the account has a second, that one is another check, such as
/// ``TOTPSecurityCheck``.
public struct ProofLoginSecurityCheck: AccountRecognisingCheck, ChallengePreparing {
    /// How many wrong responses one client may give, and how long a challenge may be answered.
    public var limits: AttemptLimits
    public var rememberMeDuration: TimeInterval
    /// The realm whose accounts sign in.
    public let realm: Realm
    /// The means of proof that the check asks for.
    public let kind: FactorKind
    private static let handle = "handle"
    private static let challenge = "challenge"

    /// - Parameters:
    ///   - kind: a means of proof of the realm; `Authenticator.begins(with:)` says whether a sign-in can begin with it. With another one
    ///     no response is right.
    ///   - limits: a challenge lasts as long as the window of trying does.
    public init(
        realm: Realm, by kind: FactorKind, limits: AttemptLimits = AttemptLimits(maxAttempts: 5),
        rememberMeDuration: TimeInterval = 0
    ) {
        self.realm = realm
        self.kind = kind
        self.limits = limits
        self.rememberMeDuration = rememberMeDuration
    }

    public var takesOneAnswer: Bool { realm.proofs.traits(kind)?.takesChallenge ?? false }

    public func prepare(_ context: inout SecurityCheckContext) async throws {
        let outcome = try await realm.authenticator.begin(
            kind, lifetime: limits.attemptingStateExpiration, by: context.client)
        guard case .begun(let begun) = outcome else { return }
        context.fields[Self.handle] = .string(begun.handle.token.reveal())
        context.fields[Self.challenge] = begun.challenge
    }

    public func prepared(in context: SecurityCheckContext) -> [String: JSONValue] {
        [Self.challenge: context.fields[Self.challenge] ?? .null]
    }

    public func authenticate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> UserVerdict {
        guard let handle = context.fields[Self.handle]?.stringValue else { return .wrong("Nothing was asked") }
        let expectation = FlowExpectation([.signIn], at: [.proof(kind)], of: [context.owner])
        let verdict = try await realm.authenticator.answer(
            .proof(of: kind, response: credentials), to: .flow(FlowHandle(handle), expectation), by: context.client)
        return try await recognised(in: verdict, context).map(UserVerdict.right) ?? .wrong("Wrong Credentials")
    }

    /// No user is named before the response, and the response is the proof's to read: its factor's own lockout counts.
    public func person(claimedBy credentials: JSONValue?, in context: SecurityCheckContext) -> String? { nil }
}
