/// How far an attempt has come: what has been proven in it, and what is waited for.
public enum FlowStage: Sendable, Hashable {
    /// Nothing has been proven, and a response to this means of proof is waited for. The folders of the means have names for
    /// their own.
    case proof(FactorKind)
    /// A first factor has been proven, and a second is waited for.
    case secondFactor
    /// A signed-in user enrols a factor, and its first code is waited for.
    case factorEnrolment
    /// The holder of the ticket may enrol a device or an app.
    case enrolmentTicket
    /// An attempt that goes step by step under one handle has come to this step.
    case journey(JourneyStage)
}

extension FlowBody {
    /// Nil where what is waited for does not go with what has been proven: then no expectation admits the attempt.
    var stage: FlowStage? {
        if let journey { return .journey(journey.stage) }
        switch challenge {
        case .proof(let open): return proven.isEmpty ? .proof(open.kind) : nil
        case .secondFactor: return proven.contains { !$0.isSecondFactor } ? .secondFactor : nil
        case .enrolment: return .factorEnrolment
        case .registration: return .enrolmentTicket
        // These are waited for step by step alone.
        case .unasked, .newPassword, .attributes, .confirmation, .claim: return nil
        }
    }
}
