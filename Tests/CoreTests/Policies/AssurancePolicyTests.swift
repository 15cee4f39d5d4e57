import Foundation
import Testing

@testable import CountersignCore

@Suite("What is proof enough")
struct AssurancePolicyTests {
    private static let now = Date(microseconds: ManualClock.beginning)
    private static let totp = FactorRecord(
        id: FactorID(rawValue: "t"), userID: UserID(rawValue: "u"), kind: .totp, name: "", createdAt: now,
        payload: Data())
    private static let password = FactorRecord(
        id: FactorID(rawValue: "p"), userID: UserID(rawValue: "u"), kind: .password, name: "", createdAt: now,
        payload: Data())

    private func decide(
        _ proven: [FactorKind], _ factors: [FactorRecord], required: Bool = false, offered: Bool = true,
        second: Bool = false
    ) -> AssurancePolicy.Decision {
        var settings = SecondFactorSettings()
        if !offered { settings.totp = nil }
        var proofs = proven.map { Proof(kind: $0, at: Self.now) }
        if second { proofs.append(Proof(kind: .totp, at: Self.now, isSecondFactor: true)) }
        return AssurancePolicy(settings: settings, requiresSecondFactor: required)
            .decide(proven: proofs, factors: factors)
    }

    @Test("A first factor is enough where there is no second and none is required")
    func decisions() {
        #expect(decide([.password], [Self.password]) == .enough)
        #expect(decide([.email], []) == .enough)
        #expect(decide([.password], [Self.password], required: true) == .enrolmentRequired)
        for first in [FactorKind.password, .email] {
            #expect(decide([first], [Self.password, Self.totp]) == .secondFactor([Self.totp]))
            #expect(decide([first], [Self.password, Self.totp], second: true) == .enough)
        }
    }

    @Test("A custom token and an anonymous sign-in are asked for nothing more")
    func exceptions() {
        #expect(decide([.customToken], [Self.totp], required: true) == .enough)
        #expect(decide([.anonymous], [], required: true) == .enough)
    }

    @Test("A factor that is switched off is neither asked for nor enough where one is required")
    func switchedOff() {
        #expect(decide([.password], [Self.totp], offered: false) == .enough)
        #expect(decide([.password], [Self.totp], required: true, offered: false) == .enrolmentRequired)
    }

    @Test("An empty list of proofs is not enough for a user with a second factor")
    func nothingProven() {
        #expect(decide([], [Self.totp]) == .secondFactor([Self.totp]))
    }
}
