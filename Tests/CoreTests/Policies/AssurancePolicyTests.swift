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

    @Test
    func `A first factor is enough where there is no second and none is required`() {
        #expect(decide([.password], [Self.password]) == .enough)
        #expect(decide([.email], []) == .enough)
        #expect(decide([.password], [Self.password], required: true) == .enrolmentRequired)
        for first in [FactorKind.password, .email] {
            #expect(decide([first], [Self.password, Self.totp]) == .secondFactor([Self.totp]))
            #expect(decide([first], [Self.password, Self.totp], second: true) == .enough)
        }
    }

    @Test
    func `A custom token and an anonymous sign-in are asked for nothing more`() {
        #expect(decide([.customToken], [Self.totp], required: true) == .enough)
        #expect(decide([.anonymous], [], required: true) == .enough)
    }

    @Test
    func `A factor that is switched off is neither asked for nor enough where one is required`() {
        #expect(decide([.password], [Self.totp], offered: false) == .enough)
        #expect(decide([.password], [Self.totp], required: true, offered: false) == .enrolmentRequired)
    }

    @Test
    func `An empty list of proofs is not enough for a user with a second factor`() {
        #expect(decide([], [Self.totp]) == .secondFactor([Self.totp]))
    }

    @Test
    func `A proof that is two factors by itself is enough, and one that is one is not`() {
        let kind = FactorKind(rawValue: "passkey")
        let policy = AssurancePolicy(settings: SecondFactorSettings(), requiresSecondFactor: true)
        let expected: [(Assurance, AssuranceLevel)] = [
            ([], .nothing), (.userVerified, .nothing), (.knowledge, .oneFactor), (.possession, .oneFactor),
            ([.possession, .phishingResistant], .oneFactor), ([.knowledge, .possession], .twoFactors),
            ([.possession, .userVerified], .twoFactors),
            ([.possession, .userVerified, .phishingResistant], .twoFactors), (.delegated, .delegated),
        ]
        for (assurance, level) in expected {
            let proof = Proof(kind: kind, at: Self.now, assurance: assurance)
            #expect(ProofRegistry.standard.level(of: [proof]) == level, "\(assurance)")
            let decision = policy.decide(proven: [proof], factors: [Self.totp])
            #expect(decision == (level >= .twoFactors ? .enough : .secondFactor([Self.totp])), "\(assurance)")
            let evidence = SessionEvidence(dialect: .identityToolkit, proofs: [proof])
            #expect(ProofRegistry.standard.provesTwoFactors(evidence) == (level == .twoFactors), "\(assurance)")
        }
    }

    /// What a device gives that an application asks by itself (OpenID Connect CIBA).
    @Test
    func `A second factor that nothing was given beside is one factor`() {
        let push = Proof(kind: .push, at: Self.now, isSecondFactor: true)
        let code = Proof(kind: .totp, at: Self.now, isSecondFactor: true)
        for proofs in [[push], [push, code]] {
            #expect(ProofRegistry.standard.level(of: proofs) == .oneFactor)
            let evidence = SessionEvidence(dialect: .oauth, proofs: proofs)
            #expect(!ProofRegistry.standard.provesTwoFactors(evidence))
        }
    }

    @Test
    func `Evidence of before assurance was kept counts by its kind, and by whether it was given beside another`() {
        for kind in [FactorKind.password, .email, .totp, .push, .recoveryCode] {
            let first = Proof(kind: kind, at: Self.now)
            #expect(ProofRegistry.standard.level(of: [first]) == .oneFactor, "\(kind)")
            let second = Proof(kind: kind, at: Self.now, isSecondFactor: true)
            #expect(ProofRegistry.standard.level(of: [first, second]) == .twoFactors, "\(kind)")
        }
        for kind in [FactorKind.customToken, .anonymous] {
            let evidence = SessionEvidence(dialect: .identityToolkit, proofs: [Proof(kind: kind, at: Self.now)])
            #expect(ProofRegistry.standard.level(of: evidence.proofs) == .delegated)
            #expect(!ProofRegistry.standard.provesTwoFactors(evidence))
        }
    }
}
