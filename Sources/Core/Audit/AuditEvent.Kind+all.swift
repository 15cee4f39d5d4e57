extension AuditEvent.Kind {
    /// All kinds of this module, by their words: a kind that is not among them cannot be looked for in the log. Modules above have more.
    public static let ofCore: [Self] = [
        .adminTokenReplaced, .administratorGranted, .ownerInvited, .administratorRevoked, .answerRefused,
        .applicationApproved, .applicationChanged, .applicationRegistered, .applicationRemoved, .approvalAllowed,
        .approvalAsked, .signInDisowned, .approvalRejected, .logoutFailed, .logoutSent, .clientDocumentForgotten,
        .clientDocumentRead, .clientDocumentRefused, .clientRefused, .consentGiven, .consentRevoked, .deliveryRetried,
        .deviceDecided, .extensionAdded, .extensionFailed, .extensionObjected, .extensionRemoved, .deviceChanged,
        .deviceInvited, .factorEnrolled, .factorFrozen, .factorPutOff, .recoveryCodeMade, .factorsReset,
        .factorUnfrozen, .factorWithdrawn, .groupAdded, .groupChanged, .groupMemberAdded, .groupMemberRemoved,
        .groupRemoved, .hookAdded, .hookChanged, .hookDisabled, .hookEventFailed, .hookRemoved, .hookReplayed,
        .hookTested, .keyRetired, .keyRotated, .limitLifted, .faultAccepted, .faultFound, .machineTokenAdded,
        .machineTokenRevoked, .mailFailed, .linkHandedOut, .mailQueued, .mailTested, .masterKeyReplaced,
        .masterKeyRetired, .passkeyCounter, .pushFailed, .pushTested, .registrationTokenAdded,
        .registrationTokenRemoved, .resourceChanged, .authorizationCodeReused, .sessionEnded, .grantEnded,
        .refreshTokenReused, .signedOut, .settingsChanged, .secondFactorAsked, .signedIn, .termsAccepted,
        .userChanged, .userCreated, .userDataShown, .userDeleted, .deletionRequested, .deletionWithdrawn,
        .userDisabled, .emailChanged, .emailRestored, .emailVerified, .userEnabled, .eventDisowned, .userImported,
        .userInvited, .passwordChanged, .passwordReset, .signedUp, .tokensRevoked, .usersBulk, .usersExported,
        .usersImported,
    ]
}
