import AuthenticatorBook

/// What became of a request.
struct DecisionAnswer: Encodable {
    let request: RequestSummary
    /// `allowed` or `denied`.
    let decision: String
    let reason: String?

    init(_ request: SignInRequest, _ decision: Decision) {
        self.request = RequestSummary(request)
        switch decision {
        case .allow: (self.decision, reason) = ("allowed", nil)
        case .deny(let reason): (self.decision, self.reason) = ("denied", reason)
        case .notMe: (self.decision, reason) = ("denied", "not_me")
        }
    }

    static func sentence(_ request: SignInRequest, _ decision: Decision) -> String {
        let what = "the sign-in to \(request.account.label.printable)"
        return switch decision {
        case .allow: "Allowed \(what)."
        case .deny(let reason?) where !reason.isEmpty: "Denied \(what): \(reason.printable)"
        case .deny: "Denied \(what)."
        case .notMe: "Denied \(what), and everything else of this user's that waited. Change the password there."
        }
    }
}
