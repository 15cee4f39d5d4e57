import Foundation

/// What a device has allowed meanwhile, fetched by the attempt that waited for it. The device's answer was judged when it
/// came (``DeviceStatement``), so nothing is guessed here.
struct ApprovalClaim: ImmediateProofMethod {
    let kind = FactorKind.approval
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .second, assurance: .possession)
        traits.isGuessable = false
        traits.evidence = .push
        traits.isNamedInLog = false
        return traits
    }()

    func locate(_ response: NoContent, _ challenge: NoContent?, in lookup: ProofLookup) throws -> ProofLocation {
        guard let decision = lookup.flow?.body.approval?.decision else { return .refused(Refusal(.approvalPending)) }
        guard let factor = try lookup.factor(decision.by) else { return .refused(Refusal(.unknownFactor)) }
        var located = LocatedProof(user: lookup.user, factor: factor, counter: .nothing)
        located.comparesRevision = false
        return .found(located)
    }

    func judgement(
        of response: NoContent, against material: ProofMaterial<NoContent, NoContent>, by permit: JudgingPermit
    ) -> Judgement<NoContent> {
        guard let decision = material.flow?.body.approval?.decision, decision.isAllowed else {
            return .wrong(.approvalPending)
        }
        var result = ProofResult()
        // Given then, by that device.
        result.evidence = decision.kind
        result.factorID = decision.by
        result.at = decision.at
        result.isSecondFactor = true
        result.isLogged = true
        return .right(RightAnswer(result))
    }
}

extension FactorKind {
    /// No row; what it proves is what the device gave.
    static let approval = FactorKind(rawValue: "approval")
}

extension Answer {
    /// That a device has allowed it meanwhile.
    public static let approval = Answer.proof(.approval, NoContent())
}

extension FlowChallenge {
    /// That a device allows it; nothing else will do.
    static let approval = FlowChallenge.proof(OpenChallenge(.approval))
}

extension FlowStage {
    /// An application has started a backchannel sign-in, which waits for a device's answer.
    public static let backchannel = FlowStage.proof(.approval)
}
