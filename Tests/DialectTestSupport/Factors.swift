import CountersignCore
import Foundation
import OneTimePassword
import TestSupport
import Testing

extension TestServer {
    /// What a session is proven with that began with the password just now.
    private var evidence: SessionEvidence {
        SessionEvidence(dialect: .identityToolkit, proofs: [Proof(kind: .password, at: now)])
    }

    /// Enrols an authenticator, and moves the clock to its next code.
    /// - Parameter second: what the session was proven with beside the password; users who have a second factor need it.
    package func authenticator(of user: User, provenBy second: FactorKind? = nil) async throws -> TOTP {
        var evidence = evidence
        if let second { evidence.proofs.append(Proof(kind: second, at: now, isSecondFactor: true)) }
        let outcome = try await realm.enrolments.beginTOTP(for: user.id, evidence: evidence, by: .testAdministrator)
        guard case .offered(let offer) = outcome else { throw Unexpected(what: "\(outcome)") }
        let totp = try TOTP(secret: offer.secret.reveal())
        let expectation = FlowExpectation([.enrolFactor], at: [.factorEnrolment], of: [.dialect(.admin)])
        let verdict = try await realm.authenticator.answer(
            .enrolmentCode(Secret(totp.code(at: now).stringCode), name: "Phone"),
            to: .flow(offer.handle, expectation), by: .testAdministrator)
        guard case .accomplished(.enrolled) = verdict else { throw Unexpected(what: "\(verdict)") }
        try await advance(30)
        return totp
    }

    /// Enrols a device that answers with signatures.
    package func device(of user: User) async throws -> SignedDevice {
        guard case .offered(let ticket) = try await realm.enrolments.inviteDevice(for: user.id, by: .testAdministrator)
        else { throw Unexpected(what: "no ticket") }
        guard
            case .offered(let own) = try await realm.enrolments.beginDevice(
                invitation: ticket.handle, by: .testAdministrator)
        else { throw Unexpected(what: "no offer") }
        let key = DevicePrivateKey.freshP256()
        let (texts, numbers) = try key.jwk
        let jwk = JSONValue.object(texts.merging(numbers.mapValues(\.base64URL)) { $1 }.mapValues { .string($0) })
        let verdict = try await realm.authenticator.answer(
            .device(
                DeviceRegistration(
                    identifier: "device", name: "Ada's phone", key: try DeviceKey(jwk: jwk))),
            to: .flow(own.handle, .enrolmentTicket), by: .testAdministrator)
        guard case .accomplished(.deviceEnrolled(let enrolment)) = verdict else {
            throw Unexpected(what: "\(verdict)")
        }
        return SignedDevice(server: self, key: key, enrolment: enrolment)
    }
}

package struct Unexpected: Error {
    package let what: String

    package init(what: String) {
        self.what = what
    }
}

/// A device as the core sees it.
package struct SignedDevice: Sendable {
    package let server: TestServer
    package let key: DevicePrivateKey
    package let enrolment: DeviceEnrolment

    package func allow() async throws { try await decide(true) }
    package func reject() async throws { try await decide(false) }

    package func code() throws -> String {
        let secret = try #require(enrolment.totpSecret)
        return try TOTP(secret: secret.reveal()).code(at: server.now).stringCode
    }

    private func decide(_ allows: Bool) async throws {
        let message = try await server.realm.outbox.messages().last { $0.message.channel == .push }
        let request = try #require(message.flatMap { DeviceRequest($0) })
        let now = server.now.timeIntervalSince1970
        let claims: JSON = [
            "sub": .string(request.challenge), "iss": "device", "aud": "here", "iat": .number(now),
            "exp": .number(now + 30), "method": "push", "accepted": .bool(allows),
        ]
        let header: JSON = ["alg": .string(key.algorithm), "typ": "JWT"]
        let input = [header, claims].map { $0.bytes.base64URL }.joined(separator: ".")
        let statement = "\(input).\(try key.signature(of: input).base64URL)"
        let verdict = try await server.realm.authenticator.answer(
            .signedDecision(
                Secret(statement), audiences: ["here"],
                claims: DecisionClaims(
                    method: "method", push: "push", accepted: "accepted", reason: "reason", number: "number")),
            to: .flow(request.handle, .pushTransaction), by: .testAdministrator)
        guard case .accomplished(.decided) = verdict else { throw Unexpected(what: "\(verdict)") }
    }
}
