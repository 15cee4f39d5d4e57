import CoreTestSupport
import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

extension TestRealm {
    /// A session of the user in the store, proven now with a password, and beside it with a factor where one is named.
    func session(
        of user: User, second: FactorRecord? = nil, at instant: Date? = nil, address: String = "192.0.2.1"
    ) async throws -> OwnSession {
        let instant = instant ?? now
        let password = try await store.read { try $0.factors(of: user.id).password?.id }
        var proofs = [Proof(kind: .password, factorID: password, at: instant)]
        if let second {
            proofs.append(Proof(kind: second.kind, factorID: second.id, at: instant, isSecondFactor: true))
        }
        let present = try await self.user(user.id)
        let session = Session(
            id: SessionID(rawValue: realm.random.uuid()), userID: user.id, dialect: .oauth,
            tokenEpoch: present.tokenEpoch, createdAt: now, expiresAt: now + 86_400, proofs: proofs,
            origin: SessionOrigin(address: address, userAgent: "Test/1"), browserDigest: Data(realm.random.bytes(32)))
        _ = try await store.write { try $0.insert(session) }
        return OwnSession(
            userID: user.id, evidence: SessionEvidence(dialect: .oauth, proofs: proofs), epoch: present.tokenEpoch,
            session: session.id)
    }

    /// The same session as it is judged after a change.
    func again(_ own: OwnSession) async throws -> OwnSession {
        OwnSession(
            userID: own.userID, evidence: own.evidence, epoch: try await user(own.userID).tokenEpoch,
            session: own.session)
    }

    func isLiving(_ own: OwnSession) async throws -> Bool {
        guard let id = own.session else { return false }
        return try await realm.sessions.session(id, of: own.userID) != nil
    }

    func factors(of own: OwnSession) async throws -> [OwnFactor] {
        try await realm.ownAccount.factors(of: own).get()
    }

    func templates() async throws -> [String] { try await mails().map(\.content.template) }
}

extension Result {
    /// Why it was refused; nil where it was not.
    var refusal: Failure? { if case .failure(let refusal) = self { refusal } else { nil } }
}

@Suite("What users do about their own accounts")
struct OwnAccountTests {
    // MARK: The session that is needed

    /// Every change, and whether it takes a full proof.
    static let changes: [(name: String, isFull: Bool)] = [
        ("profile", true), ("address", true), ("rename", true), ("remove", true), ("unfreeze", true), ("codes", true),
        ("password", true), ("remove password", true), ("data", true), ("deletion", true), ("enrol", true),
        ("lost", false), ("end", false), ("end others", false), ("revoke", false), ("disown", false),
    ]

    /// - Returns: why it was refused; nil where it was done, or what it is about was not there.
    private func perform(
        _ name: String, _ test: TestRealm, _ own: OwnSession, _ factor: FactorID
    ) async throws -> OwnAccount.Refusal? {
        let (account, client) = (test.realm.ownAccount, test.client)
        var change = ProfileChange()
        change.displayName = .some("Ada")
        let nothing = "none"
        let refusal: OwnAccount.Refusal? =
            switch name {
            case "profile": try await account.change(change, of: own, by: client).refusal
            case "address":
                try await account.beginAddressChange(to: TestRealm.otherEmail, of: own, by: client).refusal
            case "rename": try await account.rename(factor, to: "New", of: own, by: client).refusal
            case "remove": try await account.remove(factor, of: own, by: client).refusal
            case "unfreeze": try await account.unfreeze(factor, of: own, by: client).refusal
            case "codes": try await account.makeRecoveryCodes(of: own, by: client).refusal
            case "password":
                try await account.setPassword(Secret("difference engine two"), of: own, by: client).refusal
            case "remove password": try await account.removePassword(of: own, by: client).refusal
            case "data": try await account.data(of: own, by: client).refusal
            case "deletion":
                try await account.requestDeletion(typedName: TestRealm.email.canonical, of: own, by: client).refusal
            case "enrol": try await account.beginEnrolling(.passkey, of: own, by: client).refusal
            case "lost": try await account.reportLost(factor, of: own, by: client).refusal
            case "end": try await account.endSession(SessionID(rawValue: nothing), of: own, by: client).refusal
            case "end others": try await account.endOtherSessions(of: own, by: client).refusal
            case "revoke":
                try await account.revokeApplication(ClientID(rawValue: nothing), of: own, by: client).refusal
            default: try await account.disown(nothing, of: own, by: client).refusal
            }
        return refusal == .unknown ? nil : refusal
    }

    @Test(arguments: changes)
    func `A change takes the proof that it needs, of the last five minutes`(
        _ item: (name: String, isFull: Bool)
    ) async throws {
        for age in [299.0, 300, 3600] {
            let test = try await TestRealm.withSite()
            let enrolled = try await test.addEnrolledUser()
            let own = try await test.session(of: enrolled.user, second: enrolled.factor, at: test.now - age)
            let refusal = try await perform(item.name, test, own, enrolled.factor.id)
            #expect(refusal == (age < 300 ? nil : .proofTooOld(.aal2)), "\(item.name) \(age)")
        }
        let test = try await TestRealm.withSite()
        let enrolled = try await test.addEnrolledUser()
        let own = try await test.session(of: enrolled.user)
        let refusal = try await perform(item.name, test, own, enrolled.factor.id)
        #expect(refusal == (item.isFull ? .proofTooOld(.aal2) : nil), "\(item.name) without second factor")
        // One of the two is of long ago: not all that the account asks for was proven lately.
        let half = OwnSession(
            userID: own.userID,
            evidence: SessionEvidence(
                dialect: .oauth,
                proofs: [
                    Proof(kind: .password, at: test.now - 900),
                    Proof(kind: .totp, factorID: enrolled.factor.id, at: test.now, isSecondFactor: true),
                ]),
            epoch: try await test.user(own.userID).tokenEpoch, session: own.session)
        // The second one by itself is not all either.
        let alone = OwnSession(
            userID: own.userID,
            evidence: SessionEvidence(
                dialect: .oauth,
                proofs: [Proof(kind: .totp, factorID: enrolled.factor.id, at: test.now, isSecondFactor: true)]),
            epoch: try await test.user(own.userID).tokenEpoch, session: own.session)
        if item.isFull {
            #expect(try await perform(item.name, test, half, enrolled.factor.id) == .proofTooOld(.aal2))
            #expect(try await perform(item.name, test, alone, enrolled.factor.id) == .proofTooOld(.aal2))
        }
    }

    @Test(arguments: changes)
    func `A session that is over, or of a disabled user, changes nothing`(
        _ item: (name: String, isFull: Bool)
    ) async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let ended = try await test.session(of: enrolled.user, second: enrolled.factor)
        _ = try await test.realm.sessions.end(try #require(ended.session), of: enrolled.user.id, by: test.client)
        #expect(try await perform(item.name, test, ended, enrolled.factor.id) == .revoked)
        let own = try await test.session(of: enrolled.user, second: enrolled.factor)
        var disabling = AccountChange()
        disabling.isDisabled = true
        _ = try await test.realm.accounts.change(enrolled.user.id, disabling, by: test.client)
        #expect(try await perform(item.name, test, own, enrolled.factor.id) == .revoked)
    }

    @Test
    func `Changes of one account are limited`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        var refusals: [OwnAccount.Refusal?] = []
        for number in 0...RateLimit.ownChangesPerSession.count {
            var change = ProfileChange()
            change.displayName = .some("Name \(number)")
            refusals.append(try await test.realm.ownAccount.change(change, of: own, by: test.client).refusal)
        }
        #expect(refusals.dropLast().allSatisfy { $0 == nil })
        #expect(refusals.last == .some(.limited(until: test.now + RateLimit.ownChangesPerSession.window)))
    }

    @Test
    func `A session that changed too much still takes rights away, and that is limited by itself`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        let account = test.realm.ownAccount
        func rename() async throws -> OwnAccount.Refusal? {
            var change = ProfileChange()
            change.displayName = .some("Name \(test.random.uuid())")
            return try await account.change(change, of: own, by: test.client).refusal
        }
        for _ in 0..<RateLimit.ownChangesPerSession.count { #expect(try await rename() == nil) }
        let until = test.now + RateLimit.ownChangesPerSession.window
        #expect(try await rename() == .limited(until: until))
        let thief = try await test.session(of: user)
        #expect(try await account.endOtherSessions(of: own, by: test.client).get() == 1)
        #expect(try await !test.isLiving(thief))
        var last: OwnAccount.Refusal?
        for _ in 0..<RateLimit.ownEndingsPerSession.count {
            last = try await account.endOtherSessions(of: own, by: test.client).refusal
        }
        #expect(last == .limited(until: until))
        #expect(try await account.profile(of: own).refusal == nil)
    }

    // MARK: Profile

    @Test
    func `A profile takes a name of one line, and attributes that the operator lets users change`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        let account = test.realm.ownAccount
        func refusal(_ body: (inout ProfileChange) -> Void) async throws -> OwnAccount.Refusal? {
            var change = ProfileChange()
            body(&change)
            return try await account.change(change, of: own, by: test.client).refusal
        }
        for name in ["", " ", "a\nb", "a\u{0}b", "a\u{85}b", String(repeating: "x", count: 201)] {
            #expect(try await refusal { $0.displayName = .some(name) } == .invalid("displayName"), "\(name)")
        }
        #expect(try await refusal { $0.attributes["city"] = .string("London") } == .invalid("attributes.city"))
        try await test.changeSettings { $0.accounts.editableAttributes = ["city"] }
        for value in [JSONValue.array([]), .object([:]), .string("a\nb"), .string(String(repeating: "x", count: 1025))]
        {
            #expect(try await refusal { $0.attributes["city"] = value } == .invalid("attributes.city"))
        }
        #expect(
            try await refusal {
                $0.displayName = .some("<b>Ada</b> \u{202E}")
                $0.attributes["city"] = .string("London")
            } == nil)
        let profile = try await account.profile(of: own).get()
        #expect(profile.user.profile.displayName == "<b>Ada</b> \u{202E}")
        #expect(profile.attributes == [.init(name: "city", value: .string("London"), isEditable: true)])
        #expect(try await refusal { $0.attributes["city"] = .some(.null) } == nil)
        #expect(try await account.profile(of: own).get().attributes.first?.value == nil)
        #expect(try await test.templates().filter { $0 == "profile-changed" }.count == 2)
        let picture = "https://pictures.example.com/ada.png"
        #expect(try await refusal { $0.picture = .some(picture) } == .invalid("picture"))
        #expect(try await refusal { $0.picture = .some(nil) } == nil)
        // What changes nothing is not told.
        #expect(try await refusal { $0.displayName = nil } == nil)
        #expect(try await test.templates().filter { $0 == "profile-changed" }.count == 2)
    }

    // MARK: Address

    private func begin(_ test: TestRealm, _ own: OwnSession) async throws -> (handle: FlowHandle, code: String) {
        let handle = try await test.realm.ownAccount.beginAddressChange(
            to: TestRealm.otherEmail, of: own, by: test.client
        ).get()
        let mail = try #require(try await test.mails().last)
        #expect(mail.message.recipient == TestRealm.otherEmail.canonical && mail.content.template == "code")
        return (handle, mail.content.values["code"] ?? "")
    }

    private func undo(in test: TestRealm) async throws -> FlowHandle {
        let mail = try #require(try await test.mails().last { $0.content.template == "email-changed" })
        #expect(mail.message.recipient == TestRealm.email.canonical)
        let code = mail.content.values["link"]?.split(separator: "code=").last.map(String.init) ?? ""
        return FlowHandle(String(code.prefix { $0 != "&" }))
    }

    @Test(arguments: TestStore.available)
    func `A change of the address that a session began is completed by no other once that was ended`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let (thief, own) = (try await test.session(of: user), try await test.session(of: user))
        let begun = try await begin(test, thief)
        let account = test.realm.ownAccount
        #expect(try await account.endOtherSessions(of: own, by: test.client).get() == 1)
        let refused = try await account.completeAddressChange(
            begun.handle, code: Secret(begun.code), of: own, by: test.client)
        #expect(refused.refusal == .wrong(Refusal(.flowExpired)))
        #expect(try await test.user(user.id).email == TestRealm.email)
    }

    @Test(arguments: TestStore.available)
    func `An address is changed by a code, this session goes on, and the former address takes it back`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let (own, other) = (try await test.session(of: user), try await test.session(of: user))
        let begun = try await begin(test, own)
        let account = test.realm.ownAccount
        let wrong = try await account.completeAddressChange(
            begun.handle, code: Secret("00000000"), of: own, by: test.client)
        #expect(wrong.refusal == .wrong(Refusal(.wrongAnswer)) || begun.code == "00000000")
        #expect(try await test.user(user.id).email == TestRealm.email)
        let changed = try await account.completeAddressChange(
            begun.handle, code: Secret(begun.code), of: own, by: test.client
        ).get()
        #expect(changed.email == TestRealm.otherEmail && changed.profile.emailVerified)
        #expect(try await test.isLiving(own))
        #expect(try await !test.isLiving(other))
        #expect(try await test.signIn(TestRealm.otherEmail).signedIn != nil)

        let handle = try await undo(in: test)
        let again = try await test.again(own)
        #expect(try await account.refusal(of: again) == nil)
        guard case .accomplished(.emailChanged(let restored)) = try await test.follow(handle, [.restoreEmail]) else {
            Issue.record("The change was not taken back.")
            return
        }
        #expect(restored.email == TestRealm.email)
        #expect(try await !test.isLiving(own))
        #expect(try await test.follow(handle, [.restoreEmail]).reason == .flowFinished)
        #expect(try await test.events(.emailRestored).count == 1)
    }

    @Test(arguments: [true, false])
    func `A former address takes a change back that its user made at once, where it was proven`(isProven: Bool)
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: isProven)
        var change = AccountChange()
        change.email = .some(TestRealm.otherEmail)
        _ = try await test.realm.accounts.change(user.id, change, of: test.session(of: user), by: test.client)
        let mail = try #require(try await test.mails().last { $0.content.template == "email-changed" })
        #expect((mail.content.values["link"] != nil) == isProven, "Of another address a stranger may read the mail.")
        guard isProven else { return }
        #expect(try await test.follow(undo(in: test), [.restoreEmail]).isAccomplished)
        #expect(try await test.user(user.id).email == TestRealm.email)
        // What an administrator changes is an administrator's to change back.
        test.clock.advance(1)
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await test.mails().last?.content.values["link"] == nil)
    }

    @Test
    func `An address is taken back with the account, where a thief had it removed or added ways in`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let kept = try await test.machineToken(of: user)
        test.clock.advance(1)
        let thief = try await test.session(of: user)
        try await test.changeSettings { $0.accounts.deletionGraceDays = 0 }
        let begun = try await begin(test, thief)
        let account = test.realm.ownAccount
        _ = try await account.completeAddressChange(
            begun.handle, code: Secret(begun.code), of: thief, by: test.client
        ).get()
        let handle = try await undo(in: test)
        test.clock.advance(60)
        let made = try await test.machineToken(of: user)
        let again = try await test.again(thief)
        _ = try await account.setPassword(Secret("the thief's own words"), of: again, by: test.client).get()
        let notice = try await account.requestDeletion(
            typedName: TestRealm.otherEmail.canonical, of: test.again(thief), by: test.client
        ).get()
        #expect(notice.dueAt == test.now - 60 + FlowLifetime.undoLink, "Not before the former address may object.")
        #expect(try await test.user(user.id).isDisabled)
        guard case .accomplished(.emailChanged(let restored)) = try await test.follow(handle, [.restoreEmail]) else {
            Issue.record("The change was not taken back.")
            return
        }
        #expect(restored.email == TestRealm.email && restored.deletionDueAt == nil && !restored.isDisabled)
        #expect(try await test.events(.deletionWithdrawn).count == 1)
        #expect(
            try await test.realm.store.read { try $0.factors(of: user.id) }.allSatisfy { $0.frozenAt != nil },
            "The thief's password is no answer.")
        #expect(try await test.realm.machineTokens.list().map(\.id) == [kept.id])
        #expect(try await test.events(.emailRestored).first?.details["tokens"] == .array([.string(made.id)]))
    }

    @Test
    func `An address is taken back within a day, also after another change, and no later`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        let begun = try await begin(test, own)
        _ = try await test.realm.ownAccount.completeAddressChange(
            begun.handle, code: Secret(begun.code), of: own, by: test.client
        ).get()
        let handle = try await undo(in: test)
        var next = AccountChange()
        next.email = .some(EmailAddress(kept: "third@example.org"))
        _ = try await test.realm.accounts.change(user.id, next, by: test.client)
        test.clock.advance(86_399)
        #expect(try await test.follow(handle, [.restoreEmail]).isAccomplished)
        #expect(try await test.user(user.id).email == TestRealm.email)

        let late = try await TestRealm.make()
        let other = try await late.addUser()
        let session = try await late.session(of: other)
        let pending = try await begin(late, session)
        _ = try await late.realm.ownAccount.completeAddressChange(
            pending.handle, code: Secret(pending.code), of: session, by: late.client
        ).get()
        let expired = try await undo(in: late)
        late.clock.advance(86_400)
        #expect(try await late.follow(expired, [.restoreEmail]).reason == .flowExpired)
    }

    @Test
    func `The present address is confirmed by a code, and nothing else changes`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: false)
        let own = try await test.session(of: user)
        let account = test.realm.ownAccount
        let handle = try await account.beginAddressChange(to: TestRealm.email, of: own, by: test.client).get()
        let mail = try #require(try await test.mails().last)
        #expect(mail.message.recipient == TestRealm.email.canonical)
        #expect(
            try await account.completeAddressChange(handle, code: Secret("00000000"), of: own, by: test.client).refusal
                == .wrong(Refusal(.wrongAnswer)))
        let code = try #require(mail.content.values["code"])
        let after = try await account.completeAddressChange(handle, code: Secret(code), of: own, by: test.client).get()
        #expect(after.profile.emailVerified && after.email == user.email && after.tokenEpoch == user.tokenEpoch)
        #expect(try await test.mails().count == 1, "There is no former address that could take it back.")
        #expect(try await account.profile(of: own).get().user.profile.emailVerified)
        #expect(
            try await account.beginAddressChange(to: TestRealm.email, of: own, by: test.client).refusal
                == .invalid("address"), "It is confirmed.")
        #expect(
            try await account.completeAddressChange(handle, code: Secret(code), of: own, by: test.client).refusal
                != nil, "A code counts once.")
    }

    @Test
    func `An address of another account is not taken, and a code is for one session's user`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let other = try await test.addUser(TestRealm.otherEmail)
        let own = try await test.session(of: user)
        let account = test.realm.ownAccount
        let taken = try await account.beginAddressChange(to: TestRealm.otherEmail, of: own, by: test.client).get()
        let mail = try #require(try await test.mails().last, "A taken address is answered as a free one.")
        #expect(mail.message.recipient == TestRealm.otherEmail.canonical)
        #expect(
            try await account.completeAddressChange(
                taken, code: Secret(mail.content.values["code"] ?? ""), of: own, by: test.client
            ).refusal == .addressTaken)
        #expect(try await test.user(user.id).email == TestRealm.email)
        try await test.changeSettings { $0.privacy.hidesAddresses = false }
        #expect(
            try await account.beginAddressChange(to: TestRealm.otherEmail, of: own, by: test.client).refusal
                == .addressTaken)
        try await test.changeSettings { $0.privacy.hidesAddresses = true }
        #expect(
            try await account.beginAddressChange(to: TestRealm.email, of: own, by: test.client).refusal
                == .invalid("address"))
        let free = EmailAddress(kept: "free@example.org")
        let handle = try await account.beginAddressChange(to: free, of: own, by: test.client).get()
        let code = try await test.mails().last?.content.values["code"] ?? ""
        let foreign = try await test.session(of: other)
        #expect(
            try await account.completeAddressChange(handle, code: Secret(code), of: foreign, by: test.client).refusal
                == .wrong(Refusal(.unknownFlow)))
    }

    // MARK: Password

    @Test(arguments: TestStore.available)
    func `A new password ends all sessions but this one`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let (own, other) = (try await test.session(of: user), try await test.session(of: user))
        let account = test.realm.ownAccount
        let short = try await account.setPassword(Secret("short"), of: own, by: test.client).refusal
        guard case .weakPassword(.tooShort)? = short else {
            Issue.record("\(String(describing: short))")
            return
        }
        #expect(
            try await account.setPassword(Secret(TestRealm.password), of: own, by: test.client).refusal
                == .weakPassword(.recentlyUsed))
        try await account.setPassword(Secret("difference engine two"), of: own, by: test.client).get()
        #expect(try await test.isLiving(own))
        #expect(try await !test.isLiving(other))
        #expect(try await test.signIn(password: "difference engine two").signedIn != nil)
        #expect(try await test.signIn().reason == .wrongAnswer)
        #expect(try await test.templates().contains("password-changed"))
        // The session goes on for the next change.
        #expect(try await account.removePassword(of: test.again(own), by: test.client).refusal == nil)
        #expect(try await test.isLiving(own))
        #expect(try await account.removePassword(of: test.again(own), by: test.client).refusal == .unknown)
    }

    @Test
    func `A mailbox is no other way in where no mail leaves the server`() async throws {
        let test = try await TestRealm.make()
        let own = try await test.session(of: test.addUser())
        let account = test.realm.ownAccount
        func start(_ mail: Deployment.Mail, isDevelopment: Bool = false) async throws {
            try await test.realm.note(
                PublicAddress(url: "https://login.example.com", isConfigured: true),
                Deployment(
                    isDevelopment: isDevelopment, isEncrypted: true, mail: mail, hashMemory: 19_456, hashPasses: 2))
        }
        let password = try #require(try await test.factors(of: own).first)
        #expect(!password.isLastWayIn)
        try await start(.none)
        #expect(try await test.factors(of: own).first?.isLastWayIn == true)
        #expect(try await account.removePassword(of: own, by: test.client).refusal == .lastWayIn)
        #expect(try await account.remove(password.id, of: own, by: test.client).refusal == .lastWayIn)
        try await start(.encrypted)
        #expect(try await account.removePassword(of: own, by: test.client).refusal == nil)
    }

    @Test
    func `The last way in is not removed`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: false)
        let own = try await test.session(of: user)
        #expect(try await test.realm.ownAccount.removePassword(of: own, by: test.client).refusal == .lastWayIn)
        let password = try #require(try await test.factors(of: own).first)
        #expect(password.isLastWayIn)
        #expect(
            try await test.realm.ownAccount.remove(password.id, of: own, by: test.client).refusal == .lastWayIn)
        #expect(
            try await test.realm.ownAccount.reportLost(password.id, of: own, by: test.client).refusal == .lastWayIn)
    }
}
