import CountersignCore

/// What handles of this dialect have to be. They are bound to the protocol and not to the API key: a web app may begin
/// what a phone finishes.
extension FlowExpectation {
    /// What an `mfaPendingCredential` names.
    static let pendingCredential = FlowExpectation(
        [.signIn], at: [.secondFactor], of: [.dialect(.identityToolkit)])

    /// What the challenge of a sign-in by passkey names.
    static let passkeySignIn = FlowExpectation(
        [.signIn], at: [.proof(.passkey)], of: [.dialect(.identityToolkit)])

    /// What the `sessionInfo` of an enrolment names, and the challenge of a passkey that is to be made.
    static func enrolment(of userID: UserID) -> FlowExpectation {
        FlowExpectation(
            [.enrolFactor], at: [.factorEnrolment], of: [.dialect(.identityToolkit)], user: userID)
    }

    /// What an `oobCode` names: a link that this protocol had mailed, or an administrator.
    static func oobCode(_ purposes: FlowPurpose...) -> FlowExpectation {
        FlowExpectation(
            Set(purposes), at: [.mailedLink], of: [.dialect(.identityToolkit), .dialect(.admin)])
    }

    /// Whatever a mailed link can be for.
    static let anyLink = oobCode(.resetPassword, .verifyEmail, .signIn, .changeEmail)
}
