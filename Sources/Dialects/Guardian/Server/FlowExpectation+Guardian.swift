import CountersignCore

/// What handles of this dialect have to be.
extension FlowExpectation {
    /// A sign-in in which a first factor was proven: what an `mfa_token` names.
    /// - Parameter application: whose it has to be; nil where the request does not say which application asks.
    static func pendingSignIn(of application: ClientID? = nil, isFetchedLater: Bool = false) -> FlowExpectation {
        FlowExpectation(
            [.signIn], at: [.secondFactor],
            of: [application.map { .application($0, of: .guardian) } ?? .dialect(.guardian)],
            isFetchedLater: isFetchedLater)
    }

    /// What an `auth_req_id` names.
    static func backchannel(of application: ClientID) -> FlowExpectation {
        FlowExpectation([.backchannel], at: [.backchannel], of: [.application(application, of: .guardian)])
    }

    /// What the `mfa_token` of a signed-in user's association names.
    static func association(of application: ClientID) -> FlowExpectation {
        FlowExpectation([.enrolFactor], at: [.enrolmentTicket], of: [.application(application, of: .guardian)])
    }
}
