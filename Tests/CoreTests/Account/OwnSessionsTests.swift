import CoreTestSupport
import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Users' own sessions, activity and removal")
struct OwnSessionsTests {
    @Test
    func `Sessions are grouped by device, ended one by one and all but this`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user, address: "192.0.2.1")
        let (second, third) = (
            try await test.session(of: user, address: "192.0.2.1"),
            try await test.session(of: user, address: "192.0.2.2")
        )
        let account = test.realm.ownAccount
        let devices = try await account.devices(of: own).get()
        #expect(devices.count == 2 && devices[0].isCurrent && devices[0].sessions.count == 2)
        #expect(devices[0].sessions.filter(\.isCurrent).map(\.session.id) == [own.session])
        try await account.endSession(try #require(third.session), of: own, by: test.client).get()
        #expect(
            try await account.endSession(try #require(third.session), of: own, by: test.client).refusal == .unknown)
        #expect(try await account.endOtherSessions(of: own, by: test.client).get() == 1)
        #expect(try await !test.isLiving(second))
        #expect(try await test.isLiving(own))
        #expect(try await account.endOtherSessions(of: own, by: test.client).get() == 0)
        let stranger = try await test.session(of: test.addUser(TestRealm.otherEmail))
        #expect(
            try await account.endSession(try #require(own.session), of: stranger, by: test.client).refusal == .unknown)
        #expect(try await test.templates().filter { $0 == "sessions-ended" }.count == 2)
    }

    /// Sessions that were ended a while ago, newer than all others of the user.
    private func addEnded(_ count: Int, of user: User, in test: TestRealm) async throws {
        let (now, present) = (test.now, try await test.user(user.id))
        try await test.store.write { transaction in
            for number in 0..<count {
                let session = Session(
                    id: SessionID(rawValue: "ended \(number)"), userID: user.id, dialect: .oauth,
                    tokenEpoch: present.tokenEpoch, createdAt: now + 1, expiresAt: now + 86_400, revokedAt: now + 2,
                    proofs: [])
                _ = try transaction.insert(session)
            }
        }
    }

    @Test
    func `All other sessions end, also one that a thousand newer ones came after, and as many as there are`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let old = try await test.session(of: user)
        try await addEnded(1001, of: user, in: test)
        test.clock.advance(10)
        var others = [old]
        for _ in 0..<401 { others.append(try await test.session(of: user)) }
        let own = try await test.session(of: user)
        #expect(try await test.realm.ownAccount.endOtherSessions(of: own, by: test.client).get() == 402)
        for other in others { #expect(try await !test.isLiving(other)) }
        #expect(try await test.isLiving(own))
        let told = try await test.events(.sessionEnded).compactMap { $0.details["others"] }
        #expect(told.count == 3 && told.count { $0 == .integer(200) } == 2 && told.contains(.integer(2)), "\(told)")
        #expect(try await test.templates().filter { $0 == "sessions-ended" }.count == 1)
    }

    @Test
    func `Signing out everywhere ends every session, also one that a thousand newer ones came after`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let old = try await test.session(of: user)
        try await addEnded(1001, of: user, in: test)
        let stranger = try await test.session(of: test.addUser(TestRealm.otherEmail))
        test.clock.advance(10)
        for _ in 0..<200 { _ = try await test.session(of: user) }
        #expect(try await test.realm.sessions.endAll(of: user.id, by: test.client) == 201)
        #expect(try await !test.isLiving(old))
        #expect(try await test.isLiving(stranger))
        #expect(try await test.events(.sessionEnded).count == 201)
        #expect(try await test.realm.sessions.endAll(of: user.id, by: test.client) == 0)
    }

    @Test
    func `A disabled user's browser is signed out for good, however many sessions came and ended after it`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let old = try await test.session(of: user)
        try await addEnded(1001, of: user, in: test)
        var change = AccountChange()
        for isDisabled in [true, false] {
            change.isDisabled = isDisabled
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        }
        #expect(try await !test.isLiving(old))
    }

    @Test(arguments: TestStore.available)
    func `None of a user's sessions counts while the user is disabled, nor when the user is enabled, however many`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        var all: [OwnSession] = []
        for _ in 0..<230 { all.append(try await test.session(of: user)) }
        // As a server of an earlier version left it: disabled, and no session ended.
        _ = try await test.store.write { transaction in
            guard var present = try transaction.user(user.id) else { return false }
            present.isDisabled = true
            return try transaction.update(present)
        }
        for session in all { #expect(try await !test.isLiving(session)) }
        let listed = try await test.realm.sessions.list(of: user.id, limit: 1000)
        let present = try await test.user(user.id)
        #expect(listed.count == 230 && !listed.contains { $0.isLiving(of: present, at: test.now) })
        var change = AccountChange()
        change.isDisabled = false
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await !test.user(user.id).isDisabled)
        for session in all { #expect(try await !test.isLiving(session)) }
        let fresh = try await test.session(of: user)
        #expect(try await test.isLiving(fresh))
        // Who is enabled already stays signed in.
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await test.isLiving(fresh))
    }

    @Test
    func `Sessions that were proven with a lost factor end, however many newer ones there are`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let user = enrolled.user
        var thief: [OwnSession] = []
        for _ in 0..<201 { thief.append(try await test.session(of: user, second: enrolled.factor)) }
        try await addEnded(1001, of: user, in: test)
        test.clock.advance(10)
        var others: [OwnSession] = []
        for _ in 0..<201 { others.append(try await test.session(of: user)) }
        let own = try await test.session(of: user, second: enrolled.factor)
        _ = try await test.realm.ownAccount.reportLost(enrolled.factor.id, of: own, by: test.client).get()
        for session in thief { #expect(try await !test.isLiving(session)) }
        for session in others + [own] { #expect(try await test.isLiving(session)) }
    }

    // MARK: Applications

    /// Puts grants of a session beside it, one microsecond after the other.
    private func addGrants(
        _ count: Int, of session: SessionID, _ user: User, to client: String, scopes: [String] = ["openid"],
        from start: Date, in test: TestRealm
    ) async throws {
        try await test.store.write { transaction in
            for number in 0..<count {
                let grant = Grant(
                    id: GrantID(rawValue: "\(client) \(number)"), sessionID: session, userID: user.id,
                    clientID: ClientID(rawValue: client), dialect: .oauth,
                    createdAt: Date(microseconds: start.microseconds + Int64(number)), expiresAt: start + 86_400,
                    refresh: RefreshTokenState(currentDigest: Data()), terms: GrantTerms(scopes: scopes), proofs: [])
                _ = try transaction.insert(grant)
            }
        }
    }

    @Test
    func `An application is listed also where thousands of newer grants of others came after its own`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        let session = try #require(own.session)
        try await addGrants(1, of: session, user, to: "oldest", scopes: ["openid", "notes"], from: test.now, in: test)
        try await addGrants(2300, of: session, user, to: "busy", from: test.now + 1, in: test)
        let ended = try await test.session(of: user)
        try await addGrants(1, of: try #require(ended.session), user, to: "over", from: test.now, in: test)
        #expect(try await test.realm.sessions.end(try #require(ended.session), of: user.id, by: test.client))
        let listed = try await test.realm.ownAccount.applications(of: own).get()
        #expect(listed.map(\.id.rawValue) == ["busy", "oldest"])
        #expect(listed.last?.scopes == ["openid", "notes"] && listed.last?.isRevocable == true)
        #expect(try await test.realm.consents.applications(of: user).map(\.id.rawValue) == ["busy", "oldest"])
    }

    @Test(arguments: TestStore.available)
    func `A sign-out ends every grant without offline_access, however many newer ones there are`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        let session = try #require(own.session)
        try await addGrants(450, of: session, user, to: "silent", from: test.now, in: test)
        try await addGrants(
            620, of: session, user, to: "kept", scopes: ["openid", "offline_access"], from: test.now + 1, in: test)
        #expect(try await test.realm.sessions.signOut(session, of: user.id, by: test.client))
        let left = try await test.store.read { try $0.grants(of: session, limit: 5000) }
        #expect(left.count == 1070)
        #expect(left.allSatisfy { ($0.revokedAt == nil) == ($0.clientID.rawValue == "kept") })
        let kept = try #require(try await test.store.read { try $0.session(session) })
        #expect(kept.browserDigest == nil && kept.revokedAt == nil)
        #expect(try await test.events(.signedOut).count == 1)
    }

    @Test(arguments: ["signed out", "of the session", "taken back", "taken back by an administrator"])
    func `What takes several transactions to end tells each application of a session once`(how: String) async throws {
        let test = try await TestRealm.make()
        for name in ["silent", "kept", "both"] {
            var registration = ApplicationRegistration()
            registration.oauth.backchannelLogoutURI = "https://\(name).example/logout"
            let id = ClientID(rawValue: name)
            #expect(try await test.realm.applications.add(id: id, registration, by: test.client) != nil)
        }
        let user = try await test.addUser()
        let (own, other) = (try await test.session(of: user), try await test.session(of: user))
        let (session, second) = (try #require(own.session), try #require(other.session))
        let silent = ClientID(rawValue: "silent")
        let offline = ["openid", "offline_access"]
        try await addGrants(1, of: session, user, to: "both", scopes: offline, from: test.now - 9, in: test)
        try await addGrants(450, of: session, user, to: "silent", from: test.now, in: test)
        try await addGrants(1, of: session, user, to: "kept", scopes: offline, from: test.now + 1, in: test)
        // Among the first that end, with one of the same application that does not.
        for (id, client, of) in [("b", "both", session), ("s", "silent", second)] {
            try await test.store.write { [now = test.now] transaction in
                _ = try transaction.insert(
                    Grant(
                        id: GrantID(rawValue: id), sessionID: of, userID: user.id, clientID: ClientID(rawValue: client),
                        dialect: .oauth, createdAt: now + 2, expiresAt: now + 86_400,
                        refresh: RefreshTokenState(currentDigest: Data()), terms: GrantTerms(scopes: ["openid"]),
                        proofs: []))
            }
        }
        var expected = ["silent": 1]
        switch how {
        case "signed out":
            #expect(try await test.realm.sessions.signOut(session, of: user.id, by: test.client))
            expected = ["silent": 1, "kept": 1, "both": 1]
        case "of the session":
            let ended = try await test.realm.grants.endAll(of: session, to: silent, of: user.id, by: test.client)
            #expect(ended.count == 450)
        case "taken back":
            let taken = try await test.realm.ownAccount.revokeApplication(silent, of: own, by: test.client)
            #expect(taken.refusal == nil)
            expected = ["silent": 2]
        default:
            #expect(try await test.realm.consents.revoke(silent, of: user.id, by: test.client))
            expected = ["silent": 2]
        }
        let messages = try await test.store.read { try $0.outboxMessages(limit: 1000) }
        let told = messages.filter { $0.channel == .logout }.map(\.recipient)
        #expect(Dictionary(told.map { ($0, 1) }, uniquingKeysWith: +) == expected)
    }

    @Test
    func `What one application got of a session ends whole, and a token of the oldest grant is found`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        let session = try #require(own.session)
        try await addGrants(1, of: session, user, to: "oldest", from: test.now, in: test)
        try await addGrants(1210, of: session, user, to: "busy", from: test.now + 1, in: test)
        func living(_ client: String) async throws -> GrantedSession? {
            try await test.living(
                session, of: .application(ClientID(rawValue: client), of: .oauth), for: user.id)
        }
        #expect(try await living("oldest")?.grant.id.rawValue == "oldest 0")
        let ended = try await test.realm.grants.endAll(
            of: session, to: ClientID(rawValue: "busy"), of: user.id, by: test.client)
        #expect(ended.count == 1210)
        #expect(try await living("busy") == nil)
        #expect(try await living("oldest") != nil)
        #expect(try await test.events(.grantEnded).count > 900, "The log shows a thousand at once.")
        let stranger = try await test.addUser(TestRealm.otherEmail)
        #expect(
            try await test.realm.grants.endAll(
                of: session, to: ClientID(rawValue: "oldest"), of: stranger.id, by: test.client
            ).isEmpty)
        #expect(try await living("oldest") != nil)
    }

    @Test
    func `Taking back what an application was allowed ends all of its grants, however many came after them`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        let (session, now) = (try #require(own.session), test.now)
        let shop = ClientID(rawValue: "shop")
        var client = test.client
        client.dialect = .oauth
        let opened = try await test.openGrant(
            on: session, of: user.id, terms: GrantTerms(scopes: ["offline_access"]), for: shop, by: client)
        let old = try #require(opened.granted)
        try await test.store.write { transaction in
            for number in 0..<1500 {
                let grant = Grant(
                    id: GrantID(rawValue: "\(number)"), sessionID: session, userID: user.id,
                    clientID: number.isMultiple(of: 3) ? shop : ClientID(rawValue: "bank"),
                    dialect: number < 300 ? .guardian : .oauth, createdAt: now + 1, expiresAt: now + 86_400,
                    refresh: RefreshTokenState(currentDigest: Data()))
                _ = try transaction.insert(grant)
            }
        }
        let owner = HandleOwner.application(shop, of: .oauth)
        #expect(try await test.realm.sessions.evidence(of: old.refreshToken, of: owner) != nil)
        let byAccount = test.realm.ownAccount
        #expect(try await byAccount.revokeApplication(shop, of: own, by: client).refusal == nil)
        guard
            case .refused(.ended) = try await test.realm.sessions.refresh(old.refreshToken, of: owner, by: client)
        else {
            Issue.record("The oldest grant goes on.")
            return
        }
        let left = try await test.store.read { try $0.grants(of: user.id, limit: 2000) }.filter { $0.revokedAt == nil }
        #expect(left.count { $0.clientID == shop } == 100 && left.count { $0.clientID != shop } == 1000)
        #expect(left.allSatisfy { $0.clientID != shop || $0.dialect == .guardian })
        #expect(try await test.events(.consentRevoked).count == 1)
        #expect(try await byAccount.revokeApplication(shop, of: own, by: client).refusal == .unknown)
    }

    @Test
    func `What a user allowed is listed and taken back, however many applications it is`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        let (now, sealer) = (test.now, test.realm.sealer)
        try await test.store.write { transaction in
            for number in 0..<1100 {
                try transaction.remember(
                    Consent(
                        client: ClientID(rawValue: "shop \(number)"), scopes: ["openid"], resources: [],
                        createdAt: now + Double(number)),
                    of: user.id, at: now + Double(number), sealer: sealer)
            }
        }
        let account = test.realm.ownAccount
        #expect(try await account.applications(of: own).get().count == 1100)
        #expect(try await test.realm.consents.applications(of: user).count == 1100)
        // The oldest is the one that a bound would leave out.
        let oldest = ClientID(rawValue: "shop 0")
        #expect(try await account.revokeApplication(oldest, of: own, by: test.client).refusal == nil)
        let left = try await account.applications(of: own).get()
        #expect(left.count == 1099 && !left.contains { $0.id == oldest })
        // What is kept about the user tells each as what it is, and no attempt.
        let kept = try #require(try await test.realm.accounts.personalData(user.id, by: test.client))
        let data = UserData(kept, logDays: 1)
        #expect(data.consents?.count == 1099 && data.consents?.allSatisfy { $0.scopes == ["openid"] } == true)
        #expect(data.attempts.allSatisfy { $0.purpose != "consent" } && !data.isIncomplete)
    }

    // MARK: Activity

    @Test
    func `Activity has the own events of ninety days, by kind and page by page`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        _ = try await test.signIn()
        test.clock.advance(91 * 86_400)
        for _ in 0..<5 { _ = try await test.signIn() }
        // Events of one instant have no order.
        test.clock.advance(1)
        _ = try await test.signIn(password: "wrong")
        let stranger = try await test.addUser(TestRealm.otherEmail)
        _ = try await test.signIn(TestRealm.otherEmail)
        let own = try await test.session(of: user)
        let account = test.realm.ownAccount
        let all = try await account.activity(of: own).get()
        #expect(all.events.count == 6 && all.next == nil && all.events.allSatisfy { $0.userID == user.id })
        #expect(all.events[0].kind == .answerRefused && all.events[1].details["session"] != nil)
        #expect(try await account.activity(of: own, kind: .factors).get().events.isEmpty)
        var pages: [[String]] = []
        var cursor: String?
        repeat {
            let page = try await account.activity(of: own, kind: .signIns, before: cursor, limit: 2).get()
            pages.append(page.events.map(\.id))
            cursor = page.next
        } while cursor != nil && pages.count < 9
        #expect(pages.joined().elementsEqual(all.events.map(\.id)))
        #expect(Set(pages.joined()).count == 6)
        // Back from the last page to the first, which has none before it.
        var back: [[String]] = []
        var place: String? = try #require(pages.last?.first)
        while let later = place, back.count < 9 {
            let page = try await account.activity(of: own, kind: .signIns, after: later, limit: 2).get()
            back.insert(page.events.map(\.id), at: 0)
            #expect(page.next != nil, "There is the page that it came from.")
            place = page.previous
        }
        #expect(back.elementsEqual(pages.dropLast()))
        #expect(stranger.id != user.id)
    }

    @Test
    func `What was not the user's ends sessions, freezes what proved it and mails a reset`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let pending = try await test.pending()
        let thief = try #require(
            try await test.answer(
                enrolled.totp.code(at: test.now).stringCode, of: enrolled.factor.id, for: pending.handle
            ).signedIn)
        let event = try #require(try await test.events(.signedIn).first)
        #expect(event.details["session"] == .string(thief.session.id.rawValue))
        let own = OwnSession(
            userID: enrolled.user.id,
            evidence: SessionEvidence(dialect: .oauth, proofs: [Proof(kind: .email, at: test.now)]),
            epoch: try await test.user(enrolled.user.id).tokenEpoch)
        let done = try await test.realm.ownAccount.disown(event.id, of: own, by: test.client).get()
        #expect(Set(done.frozen.map(\.kind)) == [.password, .totp] && done.resetMailed)
        #expect(done.endedSessions >= 1)
        #expect(try await test.realm.sessions.session(thief.session.id, of: enrolled.user.id) == nil)
        #expect(try await test.signIn().reason == .wrongAnswer)
        let mail = try #require(try await test.mails().first { $0.content.template == "reset-password" })
        #expect(mail.content.values["frozen"] == "true")
        #expect(try await test.realm.ownAccount.disown("no such", of: own, by: test.client).refusal == .unknown)
        let stranger = try await test.session(of: test.addUser(TestRealm.otherEmail))
        #expect(try await test.realm.ownAccount.disown(event.id, of: stranger, by: test.client).refusal == .unknown)
    }

    @Test
    func `The password is frozen of a first step of a sign-in that was not the user's`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let waiting = try await test.pending()
        let event = try #require(try await test.events(.secondFactorAsked).first)
        let own = OwnSession(
            userID: enrolled.user.id,
            evidence: SessionEvidence(dialect: .oauth, proofs: [Proof(kind: .email, at: test.now)]),
            epoch: try await test.user(enrolled.user.id).tokenEpoch)
        let done = try await test.realm.ownAccount.disown(event.id, of: own, by: test.client).get()
        #expect(done.frozen.map(\.kind) == [.password] && done.resetMailed)
        #expect(try await test.signIn().reason == .wrongAnswer)
        // The sign-in that waits is the other's, who may get a code yet.
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: waiting.handle).signedIn == nil)
    }

    @Test
    func `A password that another used is frozen, also where the user's own session was proven with it`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let kept = try await test.machineToken(of: user)
        test.clock.advance(1)
        let thief = try #require(try await test.signIn().signedIn)
        let event = try #require(try await test.events(.signedIn).last)
        let made = try await test.machineToken(of: user)
        let own = try await test.session(of: user)
        let done = try await test.realm.ownAccount.disown(event.id, of: own, by: test.client).get()
        #expect(done.frozen.map(\.kind) == [.password] && done.resetMailed)
        #expect(try await test.realm.machineTokens.list().map(\.id) == [kept.id])
        #expect(try await test.events(.eventDisowned).first?.details["tokens"] == .array([.string(made.id)]))
        #expect(try await test.realm.sessions.session(thief.session.id, of: user.id) == nil)
        #expect(try await test.signIn().reason == .wrongAnswer, "The thief signs in no more.")
        // This session goes on, and sets another one.
        #expect(
            try await test.realm.ownAccount.setPassword(
                Secret("difference engine no 2"), of: own, by: test.client
            ).refusal == nil)
        #expect(try await test.signIn().reason == .wrongAnswer, "The former one is wrong.")
        #expect(
            try await test.realm.ownAccount.factors(of: test.session(of: user)).get().allSatisfy { !$0.isFrozen })
    }

    // MARK: Removal

    private func keeping(in test: TestRealm) async throws -> FlowHandle {
        let mail = try #require(try await test.mails().last { $0.content.template == "deletion-requested" })
        let code = mail.content.values["link"]?.split(separator: "code=").last.map(String.init) ?? ""
        return FlowHandle(String(code.prefix { $0 != "&" }))
    }

    @Test(arguments: TestStore.available)
    func `An account goes when its grace period is over, and stays where its user thinks otherwise`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let account = test.realm.ownAccount
        let own = try await test.session(of: user)
        #expect(
            try await account.requestDeletion(typedName: "ada", of: own, by: test.client).refusal == .wrongAddress)
        let notice = try await account.requestDeletion(
            typedName: " ADA@example.org ", of: own, by: test.client
        ).get()
        #expect(notice == DeletionNotice(dueAt: test.now + 14 * 86_400, undoMailed: true))
        #expect(try await !test.isLiving(own))
        #expect(try await test.user(user.id).isDisabled)
        #expect(try await test.signIn().reason == .userDisabled)

        // The mail itself goes long before.
        let handle = try await keeping(in: test)
        test.clock.advance(14 * 86_400 - 1)
        _ = try await test.realm.maintenance.run()
        #expect(try await test.user(user.id).isDisabled)
        guard case .accomplished(.accountKept) = try await test.follow(handle, [.keepAccount]) else {
            Issue.record("The account is not kept.")
            return
        }
        test.clock.advance(2)
        _ = try await test.realm.maintenance.run()
        #expect(try await test.signIn().signedIn != nil)
        #expect(try await test.follow(handle, [.keepAccount]).reason == .flowFinished)

        let again = try await test.session(of: user)
        _ = try await account.requestDeletion(typedName: "ada@example.org", of: again, by: test.client).get()
        test.clock.advance(14 * 86_400)
        _ = try await test.realm.maintenance.run()
        #expect(try await test.realm.accounts.user(user.id) == nil)
        #expect(try await test.events(.userDeleted).count == 1)
    }

    @Test
    func `A link does not bring back an account that an administrator has disabled`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        _ = try await test.realm.ownAccount.requestDeletion(
            typedName: "ada@example.org", of: own, by: test.client
        ).get()
        var disabling = AccountChange()
        disabling.isDisabled = true
        _ = try await test.realm.accounts.change(user.id, disabling, by: test.client)
        #expect(try await test.follow(keeping(in: test), [.keepAccount]).reason == .userDisabled)
        var enabling = AccountChange()
        enabling.isDisabled = false
        _ = try await test.realm.accounts.change(user.id, enabling, by: test.client)
        #expect(try await test.user(user.id).deletionDueAt == nil)
        #expect(try await test.signIn().signedIn != nil)
    }

    @Test
    func `Without a grace period an account goes at once`() async throws {
        let test = try await TestRealm.make()
        try await test.changeSettings { $0.accounts.deletionGraceDays = 0 }
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        _ = try await test.realm.ownAccount.requestDeletion(
            typedName: "ada@example.org", of: own, by: test.client
        ).get()
        #expect(try await test.realm.accounts.user(user.id) == nil)
    }

    @Test(arguments: TestStore.available)
    func `Of a removal and the link against it at once one has its way`(store: TestStore) async throws {
        let shared = try await store.open()
        let test = try TestRealm.make(keptIn: shared)
        let other = try TestRealm.make(keptIn: shared, clock: test.clock, seed: 2)
        for round in 0..<6 {
            let address = EmailAddress(kept: "ada\(round)@example.org")
            let user = try await test.addUser(address)
            let own = try await test.session(of: user)
            _ = try await test.realm.ownAccount.requestDeletion(
                typedName: address.canonical, of: own, by: test.client
            ).get()
            let handle = try await keeping(in: test)
            // The link expires with the grace period: a clock that is behind still takes it.
            test.clock.advance(14 * 86_400 - 1)
            let clock = ManualClock()
            clock.advance(test.now.timeIntervalSince(clock.now) + 2)
            let late = try TestRealm.make(keptIn: shared, clock: clock, seed: 3)
            let kept = try await race(2, meetingBefore: 1) { racer -> Bool in
                if racer == 0 { return try await other.follow(handle, [.keepAccount]).isAccomplished }
                _ = try await late.realm.accounts.deleteDue()
                return false
            }
            let isThere = try await test.realm.accounts.user(user.id) != nil
            #expect(isThere == kept.contains(true), "\(round)")
            if isThere { #expect(try await !test.user(user.id).isDisabled) }
        }
    }
}
