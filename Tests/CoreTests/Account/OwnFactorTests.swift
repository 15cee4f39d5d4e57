import CoreTestSupport
import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Users' own means of proof")
struct OwnFactorTests {
    @Test
    func `Factors are listed with where they were used, renamed, and removed with what follows`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let own = try await test.session(of: enrolled.user, second: enrolled.factor, address: "192.0.2.7")
        let other = try await test.session(of: enrolled.user, second: enrolled.factor)
        let account = test.realm.ownAccount
        let codes = try await account.makeRecoveryCodes(of: own, by: test.client).get()
        #expect(Set(codes.map { $0.reveal() }).count == 10 && codes.allSatisfy { $0.reveal().count == 24 })
        let listed = try await test.factors(of: own)
        // Password and authenticator were made in one instant, and have no order.
        #expect(Set(listed.map(\.record.kind)) == [.password, .totp, .recoveryCode] && listed.count == 3)
        let authenticator = try #require(listed.first { $0.id == enrolled.factor.id })
        #expect(authenticator.lastSource != nil && authenticator.isSecondFactor && !authenticator.isLastWayIn)
        #expect(listed.last?.codesLeft == 10, "The newest is the last.")
        for name in ["", "a\nb", String(repeating: "x", count: 65)] {
            #expect(
                try await account.rename(enrolled.factor.id, to: name, of: own, by: test.client).refusal
                    == .invalid("name"))
        }
        let renamed = try await account.rename(
            enrolled.factor.id, to: "<script>alert(1)</script>", of: own, by: test.client
        ).get()
        #expect(renamed.record.name == "<script>alert(1)</script>")
        #expect(
            try await account.remove(enrolled.factor.id, of: own, by: test.client).get() == .noSecondFactorLeft)
        #expect(try await test.isLiving(own))
        #expect(try await !test.isLiving(other))
        #expect(try await test.factors(of: test.again(own)).map(\.record.kind) == [.password])
        #expect(try await test.signIn().signedIn != nil)
        let templates = try await test.templates()
        for template in ["recovery-code-made", "factor-renamed", "factor-removed"] {
            #expect(templates.contains(template))
        }
    }

    @Test
    func `A password says when it was used last, to its user and to administrators`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let dossier = try #require(try await test.realm.accounts.dossier(user.id))
        #expect(dossier.factors.map { FactorSummary($0).lastUsedAt } == [nil])
        test.clock.advance(60)
        _ = try await test.signIn()
        let used = test.now
        test.clock.advance(60)
        _ = try await test.signIn(password: "wrong")
        let own = try await test.session(of: user, at: used - 1000)
        #expect(try await test.factors(of: own).map(\.lastUsedAt) == [used])
        let later = try #require(try await test.realm.accounts.dossier(user.id))
        #expect(later.factors.map { FactorSummary($0).lastUsedAt } == [Timestamp(used)])
    }

    @Test
    func `Factors of another user are as unknown as made-up ones`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let stranger = try await test.addUser(TestRealm.otherEmail)
        let own = try await test.session(of: stranger)
        let account = test.realm.ownAccount
        let id = enrolled.factor.id
        #expect(try await account.rename(id, to: "Mine", of: own, by: test.client).refusal == .unknown)
        #expect(try await account.remove(id, of: own, by: test.client).refusal == .unknown)
        #expect(try await account.reportLost(id, of: own, by: test.client).refusal == .unknown)
        #expect(try await account.unfreeze(id, of: own, by: test.client).refusal == .unknown)
        #expect(try await account.makeRecoveryCodes(of: own, by: test.client).refusal == .notOffered)
    }

    // MARK: Lost

    @Test(arguments: TestStore.available)
    func `A factor that is lost answers nothing, and is asked for all the same`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let enrolled = try await test.addEnrolledUser()
        let own = try await test.session(of: enrolled.user, second: enrolled.factor)
        let thief = try await test.session(of: enrolled.user, second: enrolled.factor)
        let account = test.realm.ownAccount
        let codes = try await account.makeRecoveryCodes(of: own, by: test.client).get()
        let frozen = try await account.reportLost(enrolled.factor.id, of: own, by: test.client).get()
        #expect(frozen.isFrozen)
        #expect(try await test.isLiving(own))
        #expect(try await !test.isLiving(thief))

        let pending = try await test.pending()
        #expect(pending.factors.map(\.id) == [enrolled.factor.id])
        let right = enrolled.totp.code(at: test.now).stringCode
        let refused = try await test.answer(right, of: enrolled.factor.id, for: pending.handle)
        #expect(refused.reason == .authenticatorDisabled)
        let recovered = try await test.realm.authenticator.answer(
            .recoveryCode(codes[4]), to: .flow(pending.handle, .any(.signIn)), by: test.client)
        #expect(recovered.signedIn != nil && recovered.signedIn?.recoveryCode == nil)

        // The proofs of before the report may have been the thief's.
        #expect(
            try await account.unfreeze(enrolled.factor.id, of: own, by: test.client).refusal == .proofTooOld(.aal2))
        test.clock.advance(10)
        let codeFactor = try #require(try await test.store.read { try $0.factors(of: own.userID).recoveryCode })
        let fresh = try await test.session(of: enrolled.user, second: codeFactor)
        #expect(try await !account.unfreeze(enrolled.factor.id, of: fresh, by: test.client).get().isFrozen)
        test.clock.advance(30)
        let next = try await test.pending()
        let accepted = try await test.answer(
            enrolled.totp.code(at: test.now).stringCode, of: enrolled.factor.id, for: next.handle)
        #expect(accepted.signedIn != nil)
        #expect(try await test.events(.factorFrozen).count == 1)
        #expect(try await test.events(.factorUnfrozen).count == 1)
    }

    @Test
    func `A frozen password is a wrong one until it is set anew`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        let password = try #require(try await test.factors(of: own).first)
        _ = try await test.realm.ownAccount.reportLost(password.id, of: own, by: test.client).get()
        #expect(try await test.signIn().reason == .wrongAnswer)
        let handle = try #require(try await test.mailLink(for: .resetPassword, to: user))
        #expect(
            try await test.follow(handle, [.resetPassword], newPassword: "difference engine two").isAccomplished)
        #expect(try await test.signIn(password: "difference engine two").signedIn != nil)
    }

    // MARK: Recovery codes

    @Test
    func `Each recovery code of a list is good once, and the last is replaced by another`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let own = try await test.session(of: enrolled.user, second: enrolled.factor)
        let codes = try await test.realm.ownAccount.makeRecoveryCodes(of: own, by: test.client).get()
        for (number, code) in codes.enumerated() {
            let pending = try await test.pending()
            let signedIn = try await test.realm.authenticator.answer(
                .recoveryCode(Secret(code.reveal().lowercased())), to: .flow(pending.handle, .any(.signIn)),
                by: test.client
            ).signedIn
            #expect(signedIn != nil && (signedIn?.recoveryCode != nil) == (number == 9))
            let again = try await test.pending()
            let used = try await test.realm.authenticator.answer(
                .recoveryCode(code), to: .flow(again.handle, .any(.signIn)), by: test.client)
            #expect(used.reason == .wrongAnswer)
            // Right ones in between forget the wrong.
            test.clock.advance(3600)
        }
    }

    @Test
    func `What a program of one code has kept is read, and a list is read by it`() throws {
        let earlier = try RecoveryCodeFactor.Payload(stored: Data(#"{"digest":"AQI="}"#.utf8))
        #expect(earlier.count == 1 && !earlier.isList)
        #expect(String(decoding: try earlier.stored, as: UTF8.self) == #"{"digest":"AQI="}"#)
        let list = RecoveryCodeFactor.payload(of: [Secret("A"), Secret("B")])
        #expect(list.count == 2 && list.isList)
        let read = try RecoveryCodeFactor.Payload(stored: list.stored)
        #expect(read == list)
        #expect(RecoveryCodeFactor().matches("b", read) && !RecoveryCodeFactor().matches("c", read))
    }

    // MARK: Races

    @Test(arguments: TestStore.available)
    func `Of two last ways in that are removed at once on two servers one stays`(store: TestStore) async throws {
        let shared = try await store.open()
        let test = try TestRealm.make(keptIn: shared)
        let other = try TestRealm.make(keptIn: shared, clock: test.clock, seed: 2)
        for round in 0..<8 {
            let address = EmailAddress(kept: "ada\(round)@example.org")
            // Without a proven address there are a password and a passkey, and nothing else.
            let user = try await test.addUser(address, verified: false)
            let passkey = FactorRecord(
                id: FactorID(rawValue: "passkey-\(round)"), userID: user.id, kind: .passkey, name: "Key",
                createdAt: test.now, payload: Data())
            _ = try await test.store.write { try $0.insert(passkey) }
            let password = try #require(try await test.store.read { try $0.factors(of: user.id).password })
            let proofs = [
                Proof(kind: .password, factorID: password.id, at: test.now),
                Proof(kind: .passkey, factorID: passkey.id, at: test.now, isSecondFactor: true),
            ]
            let own = OwnSession(
                userID: user.id, evidence: SessionEvidence(dialect: .oauth, proofs: proofs), epoch: user.tokenEpoch)
            let refusals = try await race(2, meetingBefore: 1) { racer in
                let realm = racer == 0 ? test : other
                return try await realm.realm.ownAccount.remove(
                    racer == 0 ? password.id : passkey.id, of: own, by: realm.client
                ).refusal
            }
            #expect(refusals.count { $0 == nil } == 1, "\(refusals)")
            let left = try await test.store.read { try $0.factors(of: user.id) }
            #expect(left.count == 1)
        }
    }

    @Test(arguments: TestStore.available)
    func `Recovery codes that are made twice at once leave one list that is good`(store: TestStore) async throws {
        let shared = try await store.open()
        let test = try TestRealm.make(keptIn: shared)
        let other = try TestRealm.make(keptIn: shared, clock: test.clock, seed: 2)
        let enrolled = try await test.addEnrolledUser()
        let own = try await test.session(of: enrolled.user, second: enrolled.factor)
        let lists = try await race(2, meetingBefore: 1) { racer in
            let realm = racer == 0 ? test : other
            return try await realm.realm.ownAccount.makeRecoveryCodes(of: own, by: realm.client).get()
        }
        let kept = try await test.store.read { try $0.factors(of: own.userID).filter { $0.kind == .recoveryCode } }
        #expect(kept.count == 1)
        let payload = try RecoveryCodeFactor.Payload(
            stored: test.realm.sealer.open(try #require(kept.first).payload, for: .factor(kept[0].id)))
        let good = lists.filter { list in list.allSatisfy { RecoveryCodeFactor().matches($0.reveal(), payload) } }
        #expect(good.count == 1)
    }
}
