import Foundation

/// A link that was mailed: the handle in it is the proof, and there is nothing to guess.
struct MailedLink: ImmediateProofMethod {
    struct Response: Sendable {
        /// Whose address the user who follows the link says it is.
        var claiming: EmailAddress?
        /// The session of the user who follows it to take the address.
        var taker: OwnSession?
    }

    let kind = FactorKind.link
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .answer, assurance: .possession)
        traits.isGuessable = false
        traits.evidence = .email
        traits.isNamedInLog = false
        traits.namesUser = true
        return traits
    }()

    func locate(_ response: Response, _ challenge: NoContent?, in lookup: ProofLookup) throws -> ProofLocation {
        guard let flow = lookup.flow, challenge != nil else { return .refused(Refusal(.unexpectedAnswer)) }
        var user = lookup.user
        if let taker = response.taker, let claimed = response.claiming {
            guard claimed == lookup.email else { return .refused(Refusal(.wrongAnswer)) }
            let holder = try lookup.user(email: claimed)
            if let other = flow.userID ?? holder?.id, other != taker.userID { return .refused(Refusal(.addressTaken)) }
            user = try lookup.user(taker.userID)
            guard let user else { return .refused(Refusal(.userNotFound)) }
            // Another mailbox opens the account from then on: a stolen token of an hour ago must not lead there.
            let fault =
                try user.email == claimed
                ? taker.fault(of: user, at: lookup.now, in: lookup.transaction)
                : taker.faultUnlessRecent(user, at: lookup.now, in: lookup.transaction)
            if let fault { return .refused(Refusal(fault == .signInTooOld ? .signInTooOld : .flowExpired)) }
        } else if flow.userID == nil, let email = lookup.email {
            // A link to an address without account, which has got one since: perhaps by another such link.
            user = try lookup.user(email: email)
        }
        if flow.userID != nil, user == nil { return .refused(Refusal(.userNotFound)) }
        if response.taker == nil, let claiming = response.claiming, claiming != lookup.email {
            return .refused(Refusal(.wrongAnswer))
        }
        var located = LocatedProof(user: user, factor: nil, counter: .nothing)
        located.adoptsClient = flow.purpose == .signIn
        return .found(located)
    }

    func judgement(
        of response: Response, against material: ProofMaterial<NoContent, NoContent>, by permit: JudgingPermit
    ) -> Judgement<NoContent> {
        var result = ProofResult()
        result.provesAddress = true
        result.makesAccount = true
        result.takesAddress = response.taker != nil
        return .right(RightAnswer(result))
    }
}

extension FactorKind {
    /// No row; what it proves is ``email``.
    static let link = FactorKind(rawValue: "link")
}

extension Answer {
    /// A link that was mailed: its handle is the proof. `newPassword` where the link is for a reset; `claiming` where the
    /// user who follows it says whose address it is.
    public static func link(newPassword: Secret<String>? = nil, claiming: EmailAddress? = nil) -> Answer {
        var answer = proof(.link, MailedLink.Response(claiming: claiming))
        answer.newPassword = newPassword
        return answer
    }

    /// A link that was mailed for a sign-in, followed by a user who is signed in: the address becomes theirs, and they sign in
    /// with it. A session that is to lead to another address has to be of a recent sign-in.
    public static func addressLink(claiming email: EmailAddress, of session: OwnSession) -> Answer {
        proof(.link, MailedLink.Response(claiming: email, taker: session))
    }
}

extension FlowChallenge {
    /// The handle itself, which was mailed.
    static let link = FlowChallenge.proof(OpenChallenge(.link))
}

extension FlowStage {
    /// A link was mailed. Its handle is the proof.
    public static let mailedLink = FlowStage.proof(.link)
}
