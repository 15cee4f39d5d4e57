import Foundation

extension OwnAccount {
    /// Fresh recovery codes, in place of all earlier ones. They are shown once.
    /// - Returns: Ten codes; `notOffered` where the account has no second factor that they could stand in for.
    public func makeRecoveryCodes(
        of session: OwnSession, by client: ClientContext
    ) async throws -> Result<[Secret<String>], Refusal> {
        let method = RecoveryCodeFactor()
        let codes = (0..<RecoveryCodeFactor.count).map { _ in method.fresh(random: realm.random) }
        let factorID = FactorID(rawValue: realm.random.uuid())
        return try await change(of: session, .full, by: client) { transaction, user, draft in
            let factors = try transaction.factors(of: user.id)
            guard !draft.proofs.secondFactors(among: factors).isEmpty else { throw Refusal.notOffered }
            if let earlier = factors.recoveryCode { _ = try transaction.remove(earlier.id, draft.proofs) }
            let payload = try RecoveryCodeFactor.payload(of: codes).stored
            _ = try transaction.insert(
                FactorRecord(
                    id: factorID, userID: user.id, kind: method.kind, name: "", createdAt: draft.now,
                    payload: try draft.sealer.seal(payload, for: .factor(factorID), in: transaction)))
            try transaction.append(draft.event(.recoveryCodeMade, of: user.id, ["count": .integer(Int64(codes.count))]))
            try draft.notify(AccountNotice(.recoveryCodeMade), user, in: transaction)
            return codes
        }
    }
}
