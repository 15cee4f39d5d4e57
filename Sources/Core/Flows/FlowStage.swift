/// How far an attempt has come: what has been proven in it, and what is waited for.
public enum FlowStage: Sendable, Hashable {
    /// A link was mailed. Its handle is the proof.
    case mailedLink
    /// Nothing has been proven: a code was mailed and is waited for.
    case mailedCode
    /// A first factor has been proven, and a second is waited for.
    case secondFactor
    /// A signed-in user enrols a factor, and its first code is waited for.
    case factorEnrolment
    /// A device or an app may be enrolled by whoever has the ticket.
    case enrolmentTicket
    /// A device has been asked, and its signed answer is waited for.
    case deviceRequest
    /// An application has asked for a user who is not there, and a device's answer is waited for.
    case backchannel
    /// An attempt that goes step by step under one handle has come to this step.
    case journey(JourneyStage)
}

extension FlowBody {
    /// Nil where what is waited for does not go with what has been proven: then no expectation admits the attempt.
    var stage: FlowStage? {
        if let journey { return .journey(journey.stage) }
        switch challenge {
        case .link: return .mailedLink
        case .mailedCode: return proven.isEmpty ? .mailedCode : nil
        case .secondFactor: return proven.contains { !$0.isSecondFactor } ? .secondFactor : nil
        case .enrolment: return .factorEnrolment
        case .registration: return .enrolmentTicket
        case .deviceDecision: return .deviceRequest
        case .approval: return .backchannel
        // These are waited for step by step alone.
        case .unasked, .password, .newPassword, .attributes, .confirmation, .claim: return nil
        }
    }
}
