import CountersignCore

/// What tests expect of handles that are about something else than whose handles are taken.
extension FlowExpectation {
    /// An attempt at any stage, which any protocol began.
    package static func any(
        _ purposes: FlowPurpose..., user: UserID? = nil, isFetchedLater: Bool = false
    ) -> FlowExpectation {
        any(Set(purposes), user: user, isFetchedLater: isFetchedLater)
    }

    package static func any(
        _ purposes: Set<FlowPurpose>, user: UserID? = nil, isFetchedLater: Bool = false
    ) -> FlowExpectation {
        FlowExpectation(
            purposes, at: FlowStage.all, of: Set(Dialect.all.map(HandleOwner.dialect)), user: user,
            isFetchedLater: isFetchedLater)
    }
}

extension HandleOwner {
    /// Whose sessions those of ``TestRealm/client`` are.
    package static let testClient = HandleOwner.dialect(.identityToolkit)
}

extension FlowStage {
    package static let all: Set<FlowStage> = [
        .mailedLink, .mailedCode, .secondFactor, .factorEnrolment, .enrolmentTicket, .deviceRequest, .backchannel,
        .journey(.firstProof), .journey(.details), .journey(.newPassword), .journey(.secondFactor),
        .journey(.registration), .journey(.complete),
    ]
}

extension Dialect {
    package static let all: [Dialect] = [.identityToolkit, .guardian, .nativeAuth, .securityChecks, .admin]
}
