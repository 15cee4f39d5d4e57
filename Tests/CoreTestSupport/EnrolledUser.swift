import CountersignCore
import Foundation
import OneTimePassword
import Testing

/// A user with a TOTP factor, and the authenticator that belongs to it.
package struct EnrolledUser: Sendable {
    package let user: User
    package let factor: FactorRecord
    package let totp: TOTP
    package let signedIn: SignedIn
}

extension TestRealm {
    /// What a session is proven with that began with the password just now.
    package var evidence: SessionEvidence {
        SessionEvidence(dialect: .identityToolkit, proofs: [Proof(kind: .password, at: now)])
    }

    package func offer(to id: UserID) async throws -> Enrolments.TOTPOffer {
        let outcome = try await realm.enrolments.beginTOTP(for: id, evidence: evidence, by: client)
        guard case .offered(let offer) = outcome else {
            Issue.record("refused: \(outcome)")
            throw TestFailure()
        }
        return offer
    }

    package func finish(_ handle: FlowHandle, code: String, name: String = "Phone") async throws -> Verdict {
        try await realm.authenticator.answer(
            .enrolmentCode(Secret(code), name: name), to: .flow(handle, .any(.enrolFactor)), by: client)
    }

    /// Enrols TOTP with the code of this step, and moves the clock to the next.
    package func enrol(_ user: User) async throws -> EnrolledUser {
        let offer = try await offer(to: user.id)
        let totp = try TOTP(secret: offer.secret.reveal())
        let verdict = try await finish(offer.handle, code: totp.code(at: now).stringCode)
        guard case .accomplished(.enrolled(let factor, let signedIn)) = verdict else {
            Issue.record("refused: \(verdict)")
            throw TestFailure()
        }
        clock.advance(30)
        return EnrolledUser(user: try await self.user(user.id), factor: factor, totp: totp, signedIn: signedIn)
    }

    package func addEnrolledUser(_ email: EmailAddress = email) async throws -> EnrolledUser {
        try await enrol(addUser(email))
    }

    /// The first half of a sign-in.
    package func pending(
        _ email: EmailAddress = email, password: String = password, by client: ClientContext? = nil
    ) async throws -> Continuation {
        try #require(await signIn(email, password: password, by: client).continuation)
    }

    /// A sign-in that requires a second factor, of a user who has none and may enrol one now.
    package func enrolling() async throws -> Continuation {
        var client = client
        client.requiresSecondFactor = true
        var opening = FlowOpening(subject: .email(Self.email), terms: GrantTerms())
        opening.canEnrol = true
        let verdict = try await realm.authenticator.answer(
            .password(Secret(Self.password)), to: .opening(opening), by: client)
        return try #require(verdict.continuation)
    }

    package func answer(
        _ code: String, of factor: FactorID, for handle: FlowHandle, by client: ClientContext? = nil
    ) async throws -> Verdict {
        try await realm.authenticator.answer(
            .code(Secret(code), factor: factor), to: .flow(handle, .any(.signIn)), by: client ?? self.client)
    }

    /// A code that is right at no step around now.
    package func wrongCode(_ totp: TOTP) -> String {
        let right = Set((-12...12).map { totp.code(at: now + Double($0) * 30).stringCode })
        return (0...).lazy.map { String($0 + 100_000) }.first { !right.contains($0) } ?? ""
    }
}

package struct TestFailure: Error {
    package init() {}
}

extension Verdict {
    package var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
    package var reason: Refusal.Reason? { refusal?.reason }
    package var continuation: Continuation? { if case .more(let continuation) = self { continuation } else { nil } }

    package var signedIn: SignedIn? {
        switch self {
        case .accomplished(.signedIn(let signedIn)), .accomplished(.enrolled(_, let signedIn)): signedIn
        default: nil
        }
    }

    package var isAccomplished: Bool { if case .accomplished = self { true } else { false } }
}

extension Collection {
    package func count(_ isIncluded: (Element) -> Bool) -> Int { filter(isIncluded).count }
}
