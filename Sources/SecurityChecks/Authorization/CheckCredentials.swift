import CountersignCore
import Foundation

/// The credentials that a check asks for, as a means of proof: the developer's check says whether they are right. Judged in
/// one check for one client, by the core's door alone.
///
/// It is no line of ``ProofRegistry``, and cannot be: it is made for one answer, with the developer's check and the client that the
/// credentials are for. The registry finds by kind what a stored flow waits for; no flow waits for these, and no factor keeps them.
struct CheckCredentials: ProofMethod {
    /// What a right answer shows.
    struct Finding: Sendable {
        /// The user that the check has recognised; nil where it recognises none.
        var user: AuthenticatedUser?
        /// Whether the registration remembers the user.
        var isRemembered = false
    }

    let check: any CredentialsValidationSecurityCheck
    let context: SecurityCheckContext
    let judging: CheckJudging

    var kind: FactorKind { .securityCheck }
    var traits: ProofTraits { ProofTraits(role: .answer, assurance: .knowledge) }

    /// What the check throws is no verdict, and counts as a wrong answer that says so. Our own failures are thrown.
    func judge(
        _ credentials: JSONValue, against material: ProofMaterial<NoContent, NoContent>, by permit: JudgingPermit
    ) async throws -> Judgement<NoContent> {
        do {
            return try await judging.limited { try await verdict(on: credentials) }
        } catch let error where CheckJudging.isOurs(error) {
            throw error
        } catch {
            return .wrong(Refusal(.wrongAnswer, .init(isFault: true)))
        }
    }

    func judgeAtOnce(
        _ credentials: JSONValue, against material: () throws -> ProofMaterial<NoContent, NoContent>,
        by permit: JudgingPermit
    ) throws -> Judgement<NoContent>? {
        (check as? any ImmediateSecurityCheck).map { Self.judgement(of: $0.verdict(on: credentials, in: context)) }
    }

    private static func judgement(of verdict: CredentialsVerdict) -> Judgement<NoContent> {
        switch verdict {
        case .right: .right(Finding())
        case .wrong(let message, let isKept): .wrong(Refusal(.wrongAnswer, .init(message, isRepeated: isKept)))
        case .undecided(let message): .wrong(Refusal(.approvalPending, .init(message)))
        }
    }

    /// The only place, beside the one for checks that judge at once, where a check gets to see credentials.
    private func verdict(on credentials: JSONValue) async throws -> Judgement<NoContent> {
        if let check = check as? any UserAuthenticationSecurityCheck {
            switch try await check.authenticate(credentials, in: context) {
            case .right(var user):
                user.authenticatedBy = context.name
                user.authenticatedAt = context.now
                return .right(Finding(user: user, isRemembered: check.remembers(user, credentials: credentials)))
            case .wrong(let message, let isKept):
                return .wrong(Refusal(.wrongAnswer, .init(message, isRepeated: isKept)))
            }
        }
        return Self.judgement(of: try await check.validate(credentials, in: context))
    }
}

extension Judgement where Payload == NoContent {
    fileprivate static func right(_ finding: CheckCredentials.Finding) -> Judgement {
        var result = ProofResult()
        result.finding = finding
        return .right(RightAnswer(result))
    }

    /// What a right answer of a check shows; nil for another judgement.
    var finding: CheckCredentials.Finding? {
        if case .right(let right) = self { right.result.finding as? CheckCredentials.Finding } else { nil }
    }
}
