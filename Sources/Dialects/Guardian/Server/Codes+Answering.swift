import CountersignCore

/// Codes, wherever they are typed: into a page or into an app.
extension Guardian {
    /// Judges a code that does not say which authenticator it is of: by those used last, three at most. A wrong one
    /// counts against each that was looked at, so that more devices do not mean more guesses. Of somebody who has none, and
    /// was shown a secret in this sign-in, it is the first code of that.
    func answer(
        code: String, of userID: UserID, for handle: FlowHandle, _ expectation: FlowExpectation,
        _ client: ClientContext
    ) async throws -> Verdict {
        let factors = try await realm.accounts.userAndFactors(userID)?.factors.filter(\.kind.isSecondFactor) ?? []
        if factors.isEmpty {
            return try await realm.authenticator.answer(
                .enrolmentCode(Secret(code), name: ""), to: .flow(handle, expectation), by: client)
        }
        var last: Verdict = .refused(Refusal(.unknownFactor))
        for factor in factors.sorted(by: { ($0.lastUsedAt ?? $0.createdAt) > ($1.lastUsedAt ?? $1.createdAt) }).prefix(
            3)
        {
            last = try await realm.authenticator.answer(
                .code(Secret(code), factor: factor.id), to: .flow(handle, expectation), by: client)
            guard case .refused(let refusal) = last,
                refusal.reason == .wrongAnswer || refusal.reason == .factorNotOffered
            else { return last }
        }
        return last
    }

    func answer(
        recoveryCode code: String, of userID: UserID, for handle: FlowHandle, _ expectation: FlowExpectation,
        _ client: ClientContext
    ) async throws -> Verdict {
        guard
            let factor = try await realm.accounts.userAndFactors(userID)?.factors.first(where: {
                $0.kind == .recoveryCode
            })
        else { return .refused(Refusal(.unknownFactor)) }
        return try await realm.authenticator.answer(
            .code(Secret(code), factor: factor.id), to: .flow(handle, expectation), by: client)
    }
}
