import Foundation
import Testing

@testable import CountersignCore

/// Attempts that go step by step.
extension TestRealm {
    package static let abilities = JourneyAbilities(givesSecondFactor: true, registersSecondFactor: true)

    package func begin(_ opening: Journeys.Opening, by client: ClientContext? = nil) async throws -> FlowHandle {
        let outcome = try await realm.journeys.begin(
            opening, offered: Set(FirstMethod.allCases), taken: Set(FirstMethod.allCases), abilities: Self.abilities,
            by: client ?? self.client)
        guard case .begun(let handle) = outcome else {
            Issue.record("refused: \(outcome)")
            throw TestFailure()
        }
        return handle
    }

    package func expectation(_ request: String? = nil) -> FlowExpectation {
        var expectation = FlowExpectation.any(.signIn, .signUp, .resetPassword)
        expectation.request = request.map { Secret($0) }
        return expectation
    }

    package func ask(_ handle: FlowHandle, request: String? = nil) async throws -> Journeys.AskOutcome {
        try await realm.journeys.ask(handle, expecting: expectation(request), by: client)
    }

    /// Asks for a code, which is empty where none went out.
    package func askForCode(_ handle: FlowHandle) async throws -> String {
        let earlier = Set(try await mails().map(\.message.id))
        guard case .mailed = try await ask(handle) else { throw TestFailure() }
        return try await mails().first { !earlier.contains($0.message.id) }?.content.values["code"] ?? ""
    }

    /// A mailbox that was registered as a second factor.
    package func addMailbox(_ address: EmailAddress, of user: User) async throws {
        let id = FactorID(rawValue: realm.random.uuid())
        let (sealer, now) = (realm.sealer, now)
        _ = try await store.write { transaction in
            try transaction.insert(
                FactorRecord(
                    id: id, userID: user.id, kind: .email, name: "", createdAt: now,
                    payload: try sealer.seal(MailboxFactor.payload(address), for: .factor(id), in: transaction)))
        }
    }

    package func give(_ answer: Answer, to handle: FlowHandle, request: String? = nil) async throws -> Verdict {
        try await realm.authenticator.answer(answer, to: .flow(handle, expectation(request)), by: client)
    }

    package func give(code: String, to handle: FlowHandle, request: String? = nil) async throws -> Verdict {
        try await give(.mailedCode(Secret(code)), to: handle, request: request)
    }
}

extension Verdict {
    package var step: JourneyStep? { if case .advanced(let step) = self { step } else { nil } }
}
