/// A means of proof whose judging only computes, for some microseconds: the same judgement within the transaction that counts the
/// answer and without one (`docs/decisions/0155`).
package protocol ImmediateProofMethod: ProofMethod {
    /// Whether the response is right.
    func judgement(
        of response: Response, against material: ProofMaterial<Payload, Challenge>, by permit: JudgingPermit
    ) throws -> Judgement<Payload>
}

extension ImmediateProofMethod {
    package func judge(
        _ response: Response, against material: ProofMaterial<Payload, Challenge>, by permit: JudgingPermit
    ) async throws -> Judgement<Payload> { try judgement(of: response, against: material, by: permit) }

    package func judgeAtOnce(
        _ response: Response, against material: () throws -> ProofMaterial<Payload, Challenge>, by permit: JudgingPermit
    ) throws -> Judgement<Payload>? { try judgement(of: response, against: material(), by: permit) }
}
