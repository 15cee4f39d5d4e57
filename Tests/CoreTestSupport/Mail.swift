import CountersignCore
import Foundation
import Testing

extension FlowPurpose {
    /// Those that a mailed link can have.
    package static let linked: [FlowPurpose] = [.signIn, .verifyEmail, .resetPassword, .changeEmail]
}

extension TestRealm {
    package static let otherEmail = EmailAddress(kept: "augusta@example.org")

    /// Mails a link; nil where none is sent.
    package func mailLink(_ subject: Mailings.Subject, by client: ClientContext? = nil) async throws -> FlowHandle? {
        let outcome = try await realm.mailings.sendLink(subject, by: client ?? self.client)
        guard case .sent(_, let handle) = outcome else { return nil }
        return handle
    }

    package func mailLink(for purpose: FlowPurpose, to user: User) async throws -> FlowHandle? {
        let email = try #require(user.email)
        return switch purpose {
        case .signIn: try await mailLink(.signIn(email))
        case .verifyEmail: try await mailLink(.verifyEmail(user.id))
        case .resetPassword: try await mailLink(.resetPassword(email))
        case .changeEmail: try await mailLink(.changeEmail(user.id, to: Self.otherEmail))
        case .signUp, .enrolFactor, .approve, .backchannel, .restoreEmail, .keepAccount: nil
        }
    }

    package func mails() async throws -> [OpenedMessage] { try await realm.outbox.messages() }

    /// Mails a code; it is empty where no mail was sent.
    package func mailCode(
        to email: EmailAddress = email, by client: ClientContext? = nil
    ) async throws -> (handle: FlowHandle, code: String) {
        let earlier = Set(try await mails().map(\.message.id))
        let outcome = try await realm.mailings.sendCode(to: email, by: client ?? self.client)
        guard case .sent(_, let handle?) = outcome else {
            Issue.record("refused: \(outcome)")
            throw TestFailure()
        }
        let mail = try await mails().first { !earlier.contains($0.message.id) }
        return (handle, mail?.content.values["code"] ?? "")
    }
}

extension Sessions.RefreshOutcome {
    package var refreshed: SignedIn? { if case .refreshed(let signedIn) = self { signedIn } else { nil } }
    package var refusal: Sessions.RefreshRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension Mailings.Outcome {
    package var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}
