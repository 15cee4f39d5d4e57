import CountersignCore

/// What attempts of pages have to be.
extension FlowExpectation {
    private static func step(_ stages: JourneyStage..., for purposes: Set<FlowPurpose> = [.signIn]) -> FlowExpectation {
        FlowExpectation(purposes, at: Set(stages.map { .journey($0) }), of: [.dialect(.oauth)])
    }

    /// Any step of a sign-in, a sign-up or a reset.
    static var anyStep: FlowExpectation {
        step(
            .firstProof, .details, .newPassword, .secondFactor, .registration, .complete,
            for: [.signIn, .signUp, .resetPassword])
    }

    /// The password or the mailed code of a sign-in.
    static var firstProof: FlowExpectation { step(.firstProof) }
    /// A second factor, of a sign-in or after a sign-up or a reset.
    static var secondFactor: FlowExpectation { step(.secondFactor, for: [.signIn, .signUp, .resetPassword]) }
    /// A second factor that is registered in the middle of it.
    static var registration: FlowExpectation { step(.registration, for: [.signIn, .signUp, .resetPassword]) }
    /// The mailed code of a sign-up.
    static var signUpCode: FlowExpectation { step(.firstProof, for: [.signUp]) }
    /// Password and attributes of a sign-up.
    static var signUpDetails: FlowExpectation { step(.details, for: [.signUp]) }
    /// The mailed code of a reset.
    static var resetCode: FlowExpectation { step(.firstProof, for: [.resetPassword]) }
    /// The password of a reset.
    static var newPassword: FlowExpectation { step(.newPassword, for: [.resetPassword]) }
    /// Nothing is missing.
    static var claim: FlowExpectation { step(.complete, for: [.signIn, .signUp, .resetPassword]) }
}
