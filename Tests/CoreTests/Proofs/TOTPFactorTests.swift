import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("TOTP")
struct TOTPFactorTests {
    @Test(
        arguments: [
            (TOTPSettings(state: .enabled, adjacentIntervals: 0), 0),
            (TOTPSettings(state: .enabled, adjacentIntervals: 1), 1),
            (TOTPSettings(state: .enabled, adjacentIntervals: 5), 5),
            (TOTPSettings(state: .enabled, adjacentIntervals: nil), 5),
            (TOTPSettings(state: .enabled, adjacentIntervals: 10), 10),
            (TOTPSettings(state: .mandatory, adjacentIntervals: 1), 1),
        ])
    func `A code counts as many steps away as the settings say`(settings: TOTPSettings, reach: Int) async throws {
        let totp = try TOTP(secret: Array(0..<20))
        let payload = TOTPFactor.Payload(secret: Data(0..<20))
        var realm = RealmSettings()
        realm.secondFactors.totp = settings
        let clock = ManualClock()
        let permit = JudgingPermit(try await TestRealm.make().realm, settings: realm, at: clock.now)
        for distance in -12...12 {
            let code = totp.code(at: clock.now + Double(distance) * 30).stringCode
            let judgement = try await TOTPFactor().judge(
                Secret(code), against: ProofMaterial(payload: payload), by: permit)
            #expect(judgement.isRight == (abs(distance) <= reach), "\(distance) steps")
        }
    }

    @Test
    func `The window of an unset configuration is the default one, also through the door`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        try await test.changeSettings { $0.secondFactors.totp = TOTPSettings(state: .enabled, adjacentIntervals: 0) }
        let next = enrolled.totp.code(at: test.now + 30).stringCode
        #expect(try await test.answer(next, of: enrolled.factor.id, for: test.pending().handle).reason == .wrongAnswer)
        try await test.changeSettings { $0.secondFactors.totp?.adjacentIntervals = nil }
        let fifth = enrolled.totp.code(at: test.now + 150).stringCode
        #expect(try await test.answer(fifth, of: enrolled.factor.id, for: test.pending().handle).isAccomplished)
    }

    @Test
    func `A code counts once, and after it no earlier one`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        test.clock.advance(60)
        let codes = [-30.0, 0, 30].map { enrolled.totp.code(at: test.now + $0).stringCode }
        let id = enrolled.factor.id
        #expect(try await test.answer(codes[1], of: id, for: test.pending().handle).isAccomplished)
        #expect(try await test.answer(codes[1], of: id, for: test.pending().handle).reason == .replayed)
        #expect(try await test.answer(codes[0], of: id, for: test.pending().handle).reason == .replayed)
        #expect(try await test.answer(codes[2], of: id, for: test.pending().handle).isAccomplished)
        #expect(try await test.answer(codes[2], of: id, for: test.pending().handle).reason == .replayed)
    }

    @Test
    func `The code that finished the enrolment cannot sign in`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let offer = try await test.offer(to: user.id)
        let totp = try TOTP(secret: offer.secret.reveal())
        let code = totp.code(at: test.now).stringCode
        guard case .accomplished(.enrolled(let factor, _)) = try await test.finish(offer.handle, code: code) else {
            Issue.record("not enrolled")
            return
        }
        #expect(try await test.answer(code, of: factor.id, for: test.pending().handle).reason == .replayed)
        let next = totp.code(at: test.now + 30).stringCode
        #expect(try await test.answer(next, of: factor.id, for: test.pending().handle).isAccomplished)
    }

    @Test
    func `Replayed codes count as wrong answers`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: test.pending().handle).isAccomplished)
        for _ in 0..<5 {
            let verdict = try await test.answer(code, of: enrolled.factor.id, for: test.pending().handle)
            #expect(verdict.reason == .replayed)
        }
        let verdict = try await test.answer(code, of: enrolled.factor.id, for: test.pending().handle)
        #expect(verdict.reason == .lockedOut)
    }

    @Test
    func `The payload of a factor is sealed for that factor`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let other = try await test.addEnrolledUser(TestRealm.otherEmail)
        let plain = try test.realm.sealer.open(
            enrolled.factor.payload, for: .factor(enrolled.factor.id))
        let payload = try JSONDecoder().decode(TOTPFactor.Payload.self, from: plain)
        #expect(try TOTP(secret: Array(payload.secret)).code(step: 5) == enrolled.totp.code(step: 5))
        // An attacker who can write to the database cannot give one user the secret of another.
        try await test.store.write { transaction in
            guard var factor = try transaction.factor(enrolled.factor.id) else { return }
            factor.payload = other.factor.payload
            _ = try transaction.update(factor)
        }
        let code = other.totp.code(at: test.now).stringCode
        let handle = try await test.pending().handle
        await #expect(throws: SealingError.self) {
            try await test.answer(code, of: enrolled.factor.id, for: handle)
        }
    }
}

extension Judgement {
    var isRight: Bool { if case .right = self { true } else { false } }
}
