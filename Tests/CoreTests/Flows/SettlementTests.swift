import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

/// What is open, what is answered, and what changed between judging and settling: the verdict, and what is written.
@Suite("Settling")
struct SettlementTests {
    /// What is open, with its right answer.
    enum Open: CaseIterable, Sendable {
        case password, passwordBeforeACode, code, recoveryCode, mailedCode, link, verification, passwordOfAJourney

        var hasFactor: Bool {
            switch self {
            case .password, .passwordBeforeACode, .code, .recoveryCode, .passwordOfAJourney: true
            case .mailedCode, .link, .verification: false
            }
        }

        var hasFlow: Bool { self != .password && self != .passwordBeforeACode }

        /// What a right answer leads to.
        var success: String {
            switch self {
            case .password, .code, .recoveryCode, .mailedCode, .link, .passwordOfAJourney: "signed in"
            case .passwordBeforeACode: "more"
            case .verification: "address verified"
            }
        }

        var sessions: Int { success == "signed in" ? 1 : 0 }
    }

    enum Change: CaseIterable, Sendable {
        case nothing, userDisabled, userGone, tokensRevoked, factorChanged, factorGone, flowFinished, flowGoesOn

        func verdict(_ open: Open) -> String {
            switch self {
            case .nothing: open.success
            case .userDisabled: "refused: userDisabled"
            case .userGone: "refused: userNotFound"
            case .tokensRevoked: "stale"
            case .factorChanged, .factorGone: open.hasFactor ? "stale" : open.success
            case .flowFinished, .flowGoesOn: open.hasFlow ? "stale" : open.success
            }
        }
    }

    private struct Scene {
        let test: TestRealm
        let user: User
        let attempt: Attempt
    }

    private func attempt(
        _ answer: Answer, _ target: AnswerTarget, _ test: TestRealm
    ) -> Attempt {
        Attempt(
            answer: answer, target: target, client: test.client(from: "192.0.2.1"), now: test.now,
            newPasswordHash: nil, charge: ChargeID(random: test.random),
            draft: Settlement.Draft(at: test.now, random: test.random, proofs: .standard))
    }

    private func scene(_ open: Open) async throws -> Scene {
        let test = try await TestRealm.make()
        let opening = AnswerTarget.opening(FlowOpening(subject: .email(TestRealm.email), terms: GrantTerms()))
        let password = Answer.password(Secret(TestRealm.password))
        switch open {
        case .password:
            let user = try await test.addUser()
            return Scene(test: test, user: user, attempt: attempt(password, opening, test))
        case .passwordBeforeACode:
            let user = try await test.addEnrolledUser().user
            return Scene(test: test, user: user, attempt: attempt(password, opening, test))
        case .code:
            let enrolled = try await test.addEnrolledUser()
            let handle = try await test.pending().handle
            let code = enrolled.totp.code(at: test.now).stringCode
            return Scene(
                test: test, user: enrolled.user,
                attempt: attempt(
                    .code(Secret(code), factor: enrolled.factor.id), .flow(handle, .any(.signIn)), test))
        case .recoveryCode:
            let user = try await test.addEnrolledUser().user
            let code = try #require(await test.realm.enrolments.makeRecoveryCode(for: user.id, by: test.client))
            let handle = try await test.pending().handle
            return Scene(
                test: test, user: user, attempt: attempt(.recoveryCode(code), .flow(handle, .any(.signIn)), test))
        case .mailedCode:
            let user = try await test.addUser()
            let (handle, code) = try await test.mailCode()
            return Scene(
                test: test, user: user,
                attempt: attempt(.mailedCode(Secret(code)), .flow(handle, .any(.signIn)), test))
        case .link:
            let user = try await test.addUser()
            let handle = try #require(await test.mailLink(.signIn(TestRealm.email)))
            return Scene(test: test, user: user, attempt: attempt(.link(), .flow(handle, .any(.signIn)), test))
        case .verification:
            let user = try await test.addUser(verified: false)
            let handle = try #require(await test.mailLink(.verifyEmail(user.id)))
            return Scene(test: test, user: user, attempt: attempt(.link(), .flow(handle, .any(.verifyEmail)), test))
        case .passwordOfAJourney:
            let user = try await test.addUser()
            let handle = try await test.begin(.signIn(TestRealm.email))
            return Scene(test: test, user: user, attempt: attempt(password, .flow(handle, .any(.signIn)), test))
        }
    }

    private func make(_ change: Change, _ scene: Scene, _ context: AttemptContext) async throws {
        let test = scene.test
        let (id, now, sealer) = (scene.user.id, test.now, test.realm.sealer)
        let judged = context.candidates.first?.located.factor
        try await test.store.write { transaction in
            switch change {
            case .nothing: break
            case .userDisabled:
                guard var user = try transaction.user(id) else { throw TestFailure() }
                user.isDisabled = true
                _ = try transaction.update(user)
            case .userGone: break
            case .tokensRevoked:
                guard var user = try transaction.user(id) else { throw TestFailure() }
                user.revokeTokens(at: now)
                _ = try transaction.update(user)
            case .factorChanged:
                guard var factor = judged else { return }
                factor.name = "another name"
                _ = try transaction.update(factor)
            case .factorGone:
                if let judged { _ = try transaction.deleteFactor(judged.id) }
            case .flowFinished:
                guard var flow = context.flow else { return }
                flow.finishedAt = now
                _ = try transaction.update(flow)
            case .flowGoesOn:
                guard var flow = context.flow else { return }
                var body = context.body
                body.maximumAttempts += 1
                flow.body = try body.sealed(by: sealer, digest: flow.digest, in: transaction)
                _ = try transaction.update(flow)
            }
        }
        if change == .userGone { _ = try await test.realm.accounts.delete(id, by: test.client) }
    }

    private func words(_ settled: Authenticator.Settled) -> String {
        switch settled {
        case .stale: "stale"
        case .needs: "needs"
        case .verdict(.refused(let refusal)): "refused: \(refusal.reason)"
        case .verdict(.more): "more"
        case .verdict(.advanced(let step)): "advanced: \(step)"
        case .verdict(.accomplished(.signedIn)): "signed in"
        case .verdict(.accomplished(.emailVerified)): "address verified"
        case .verdict(.accomplished): "accomplished"
        }
    }

    @Test(arguments: Open.allCases)
    func `A right answer counts once, and only where what it was judged by is still there`(open: Open) async throws {
        for change in Change.allCases {
            let label: Comment = "\(open), \(change)"
            let scene = try await scene(open)
            let authenticator = scene.test.realm.authenticator
            guard case .admitted(let context) = try await authenticator.charge(scene.attempt) else {
                Issue.record(label)
                continue
            }
            let judged = try await authenticator.judge(scene.attempt, context)
            #expect(!judged.isWrong, label)
            try await make(change, scene, context)
            let before = try await rows(scene, context)
            let settled = try await authenticator.settle(scene.attempt, context, judged, Advice())
            let verdict = change.verdict(open)
            #expect(words(settled) == verdict, label)

            let after = try await rows(scene, context)
            #expect(after.sessions - before.sessions == (verdict == open.success ? open.sessions : 0), label)
            switch verdict {
            case "stale":
                // Nothing was written: the answer is judged again.
                #expect(after == before, label)
            case open.success:
                #expect(after.attempts == 0, label)
                if open.hasFlow { #expect(after.isFinished, label) }
            default:
                // A right answer that opens nothing is told, and stays counted where it could be guessed.
                #expect(after.factors == before.factors && !after.isFinished, label)
                #expect(after.attempts == (change == .userGone || context.charge == nil ? 0 : 1), label)
            }
            // One that is settled once more finds its flow gone, and opens nothing more.
            guard open.hasFlow, verdict == open.success else { continue }
            let again = try await authenticator.settle(scene.attempt, context, judged, Advice())
            #expect(words(again) == "stale", label)
            let last = try await rows(scene, context)
            #expect(last.sessions == after.sessions && last.factors == after.factors && last.isFinished, label)
        }
    }

    @Test
    func `A wrong answer is written down, stays counted, and changes nothing else`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        let scene = Scene(
            test: test, user: enrolled.user,
            attempt: attempt(
                .code(Secret(test.wrongCode(enrolled.totp)), factor: enrolled.factor.id),
                .flow(handle, .any(.signIn)), test))
        let authenticator = test.realm.authenticator
        guard case .admitted(let context) = try await authenticator.charge(scene.attempt) else {
            throw TestFailure()
        }
        let before = try await rows(scene, context)
        let judged = try await authenticator.judge(scene.attempt, context)
        #expect(judged.isWrong)
        let settled = try await authenticator.settle(scene.attempt, context, judged, Advice())
        #expect(words(settled) == "refused: wrongAnswer")
        #expect(try await rows(scene, context) == before)
        #expect(before.attempts == 1 && !before.isFinished)
        #expect(try await test.events(.answerRefused).map(\.reason) == ["wrongAnswer"])
    }

    private struct Rows: Equatable {
        var sessions: Int
        var factors: [FactorRecord]
        /// What is counted against the factor or the mailed code.
        var attempts: Int
        var isFinished: Bool
    }

    private func rows(_ scene: Scene, _ context: AttemptContext) async throws -> Rows {
        let key = context.candidates.first?.counterKey(.standard)
        return try await scene.test.store.read { transaction in
            Rows(
                sessions: try transaction.sessions(of: scene.user.id, limit: 100).count,
                factors: try transaction.factors(of: scene.user.id),
                attempts: try key.flatMap { try transaction.counter($0)?.count } ?? 0,
                isFinished: try context.flow.flatMap { try transaction.flow(digest: $0.digest)?.finishedAt } != nil)
        }
    }
}
