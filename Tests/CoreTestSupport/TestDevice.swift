import Foundation
import TestSupport
import Testing

@testable import CountersignCore

/// A device with a key of its own, which answers as mobile SDKs do.
package struct TestDevice: Sendable {
    package let key: DevicePrivateKey
    package var identifier = "8E2D0F6C-0B8E-4F7B-9B5E-0D4B1F1C7B11"

    package static let audience = "http://127.0.0.1:8080/appliance-mfa/api/resolve-transaction"

    package init(_ key: DevicePrivateKey = .freshP256()) {
        self.key = key
    }

    package static func rsa() throws -> TestDevice { TestDevice(try .freshRSA()) }

    package var jwk: JSONValue {
        get throws {
            let (texts, numbers) = try key.jwk
            return .object(texts.merging(numbers.mapValues(\.base64URL)) { $1 }.mapValues { .string($0) })
        }
    }

    package var registration: DeviceRegistration {
        get throws {
            DeviceRegistration(
                identifier: identifier, name: "Ada's phone", key: try DeviceKey(jwk: jwk), service: "APNS",
                pushToken: "a0b1")
        }
    }

    package func token(_ claims: JSONValue, header: JSONValue? = nil) throws -> String {
        let header = header ?? ["alg": .string(key.algorithm), "typ": "JWT"]
        let input = try [header, claims].map { Array(try JSONEncoder().encode($0)).base64URL }.joined(separator: ".")
        return "\(input).\(try key.signature(of: input).base64URL)"
    }

    /// What a mobile SDK signs: with a fraction in its times.
    package func claims(
        for challenge: String, allows: Bool = true, reason: String? = nil, number: String? = nil, at now: Date
    ) -> [String: JSONValue] {
        let issuedAt = now.timeIntervalSince1970 + 0.25
        var claims: [String: JSONValue] = [
            "sub": .string(challenge), "iss": .string(identifier), "aud": .string(Self.audience),
            "iat": .number(issuedAt), "exp": .number(issuedAt + 30), "decision_method": "push",
            "decision_accepted": .bool(allows),
        ]
        if let reason { claims["decision_reason"] = .string(reason) }
        if let number { claims["decision_number"] = .string(number) }
        return claims
    }

    package func answer(
        to request: DeviceRequest, allows: Bool = true, reason: String? = nil, number: String? = nil, at now: Date
    ) throws -> String {
        try token(
            .object(claims(for: request.challenge, allows: allows, reason: reason, number: number, at: now)))
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }
}

extension TestRealm {
    /// Enrols a device of the user by an administrator's invitation.
    @discardableResult
    package func enrol(_ device: TestDevice, of user: UserID) async throws -> DeviceEnrolment {
        guard case .offered(let ticket) = try await realm.enrolments.inviteDevice(for: user, by: client) else {
            Issue.record("no invitation")
            throw TestFailure()
        }
        return try #require(await register(device, with: ticket.handle).enrolment)
    }

    package func register(_ device: TestDevice, with handle: FlowHandle) async throws -> Verdict {
        try await realm.authenticator.answer(
            .device(try device.registration), to: .flow(handle, .any(.enrolFactor)), by: client)
    }

    package func ask(
        for handle: FlowHandle, device: FactorID? = nil, asksForNumber: Bool = false, by client: ClientContext? = nil
    ) async throws -> Approvals.Asked {
        let outcome = try await realm.approvals.ask(
            for: handle, expecting: .any(.signIn), device: device, asksForNumber: asksForNumber,
            by: client ?? self.client)
        guard case .asked(let asked) = outcome else {
            Issue.record("refused: \(outcome)")
            throw TestFailure()
        }
        return asked
    }

    package func request(to device: FactorID) async throws -> DeviceRequest {
        try #require(await realm.devices.requests(to: device).last)
    }

    /// Names of no protocol: the core looks where it is told to.
    package static let decisionClaims = DecisionClaims(
        method: "decision_method", push: "push", accepted: "decision_accepted", reason: "decision_reason",
        number: "decision_number")

    package func decide(
        _ statement: String, _ handle: FlowHandle, audiences: Set<String> = [TestDevice.audience]
    ) async throws -> Verdict {
        try await realm.authenticator.answer(
            .signedDecision(Secret(statement), audiences: audiences, claims: Self.decisionClaims),
            to: .flow(handle, .any(.approve)),
            by: client)
    }

    package func claim(_ handle: FlowHandle) async throws -> Verdict {
        try await realm.authenticator.answer(.approval, to: .flow(handle, .any(.signIn)), by: client)
    }

    package func approval(of handle: FlowHandle) async throws -> ApprovalState? {
        guard
            case .open(let summary) = try await realm.authenticator.status(
                of: handle, expecting: .any(.signIn))
        else { return nil }
        return summary.approval
    }
}

extension Verdict {
    package var enrolment: DeviceEnrolment? {
        if case .accomplished(.deviceEnrolled(let enrolment)) = self { enrolment } else { nil }
    }
    package var decision: ApprovalDecision? {
        if case .accomplished(.decided(let decision)) = self { decision } else { nil }
    }
}
