/// The names that a protocol gives to the claims by which a device says what its user decided.
///
/// They only say where to look. Signature, audience, times, challenge and number are judged by the core, whatever the names.
public struct DecisionClaims: Sendable, Equatable {
    /// The claim that says how the user was asked, and the one value that it may have.
    public var method: String
    /// The value of that claim for a request that came by push.
    public var push: String
    /// A Boolean: whether the user allowed it.
    public var accepted: String
    /// Why not; may be missing.
    public var reason: String
    /// The number that the user typed, as text.
    public var number: String

    /// The names of one protocol.
    public init(method: String, push: String, accepted: String, reason: String, number: String) {
        self.method = method
        self.push = push
        self.accepted = accepted
        self.reason = reason
        self.number = number
    }
}
