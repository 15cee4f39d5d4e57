import CoreTestSupport
import CountersignCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AdminServer

/// Operations on a user who administers, and on an application that acts in such a user's name, by who may not change administrators. An
/// operation that changes something and has no row fails.
@Suite("Operations on those who administer")
struct AdministratorGuardTests {
    /// What the operations of a row are about. The user is in one group, and not in the other.
    private struct Target: Sendable {
        let user: UserID
        let address: String
        let factor: FactorID
        let ownGroup: String
        let otherGroup: String
        let application: String
    }

    private typealias Row = @Sendable (Target) -> [any AdministrationOperation]

    /// What is refused of an administrator.
    private static let guarded: [String: Row] = [
        "users:disable": { [DisableUser(user: $0.user.rawValue)] },
        "users:enable": { [EnableUser(user: $0.user.rawValue)] },
        "users:set-locale": { [SetUserLocale(user: $0.user.rawValue, locale: "de")] },
        "users:set": {
            [
                SetUser(user: $0.user.rawValue, displayName: "Eve"),
                SetUser(user: $0.user.rawValue, claims: ["a": .bool(true)]),
            ]
        },
        "users:delete": {
            [DeleteUser(user: $0.user.rawValue), DeleteUser(user: $0.user.rawValue, graceDays: 7)]
        },
        "users:bulk": { target in
            ["disable", "reset-mfa", "delete"].map { ChangeUsers(action: $0, users: [target.address]) } + [
                ChangeUsers(action: "add-to-group", users: [target.address], group: target.otherGroup),
                ChangeUsers(action: "remove-from-group", users: [target.address], group: target.ownGroup),
            ]
        },
        "users:reset-password": { target in
            [ResetPassword.Method.link, .generate].map { ResetPassword(user: target.user.rawValue, method: $0) }
        },
        "users:reset-mfa": { [ResetSecondFactors(user: $0.user.rawValue)] },
        "users:mail-recovery-code": { [MailRecoveryCode(user: $0.user.rawValue)] },
        "users:invite-to-enrol": { [InviteToEnrol(user: $0.user.rawValue)] },
        "users:mail-confirmation": { [MailConfirmation(user: $0.user.rawValue)] },
        "users:remove-factor": { [RemoveFactor(user: $0.user.rawValue, factor: $0.factor.rawValue)] },
        "users:import": { target in
            [
                ImportUsers(
                    lines: [SecretText(#"{"localId":"\#(target.user)","email":"eve-\#(target.address)"}"#)],
                    overwrite: true)
            ]
        },
        "groups:add-member": { [AddGroupMember(group: $0.otherGroup, user: $0.user.rawValue)] },
        "groups:remove-member": { [RemoveGroupMember(group: $0.ownGroup, user: $0.user.rawValue)] },
        "groups:remove": { [RemoveGroup(group: $0.ownGroup)] },
        "limits:lift": { target in
            [
                LiftLimit(kind: "factor", subject: target.factor.rawValue),
                LiftLimit(kind: "password", subject: target.factor.rawValue),
                LiftLimit(kind: "new-passwords", subject: target.user.rawValue),
            ]
        },
        "applications:add": { _ in
            OwnScopes.account.union([OwnScopes.admin]).sorted().map { scope in
                var change = RegistrationChange()
                change.scopes = ["openid", scope]
                return AddApplication(registration: change)
            }
        },
        "applications:set": { target in
            var (moved, renewed, renamed) = (RegistrationChange(), RegistrationChange(), RegistrationChange())
            moved.redirectURIs = ["https://operator.example/callback"]
            renewed.secret = SecretText("a secret that an operator knows")
            renamed.displayName = "Your bank"
            return [moved, renewed, renamed].map { ChangeApplication(id: target.application, registration: $0) }
        },
        "applications:set-logo": { [SetApplicationLogo(id: $0.application, png: nil)] },
        "applications:remove": { [RemoveApplication(id: $0.application)] },
    ]

    /// What an administrator is not guarded from, and why.
    private static let open: [String: String] = [
        "users:add": "makes a user, who has no role",
        "users:invite": "is about an address without account",
        "users:end-session": "the user signs in again; support ends sessions of whoever asks for it",
        "users:end-sessions": "as for one",
        "users:revoke-application": "the user allows it again, as a session is begun again",
        "users:export": "whoever moves users reads all of them; owners alone may, and tokens that owners made for it",
        "registration-tokens:add": "what registers itself never has a scope of this server",
        "registration-tokens:remove": "as above",
        "registrations:approve": "as above",
        "documents:forget": "as above",
        "documents:block": "as above",
        "resources:put": "an API has no scope of this server",
        "resources:remove": "as above",
        "clients:set-status": "an installation acts as its user after the user's checks alone",
        "clients:unblock": "as above",
        "clients:remove": "as above",
        "groups:add": "a group without members",
        "groups:set": "what people are told of a group, which moves nobody",
        "delivery:retry": "sends what waits anyway",
        "delivery:test-mail": "says that it is a trial",
        "delivery:test-push": "says that it is a trial",
        "extensions:add": "is about no user, and not for operators",
        "extensions:remove": "as above",
        "extensions:check": "as above",
        "hooks:add": "as above",
        "hooks:set": "as above",
        "hooks:rotate-secret": "as above",
        "hooks:remove": "as above",
        "hooks:test": "as above",
        "hooks:replay": "as above",
        "keys:rotate": "as above",
        "keys:retire": "as above",
        "audit:accept": "as above",
        "settings:set": "as above",
    ]

    @Test func `Each operation that changes something is guarded, or says why it is not`() {
        let changing = AdministrationOperations.all.filter { type in
            type.rights.contains { !$0.isReading && $0 != .changeAdministrators }
        }
        let (guarded, open) = (Set(Self.guarded.keys), Set(Self.open.keys))
        #expect(guarded.isDisjoint(with: open))
        #expect(guarded.union(open) == Set(changing.map { $0.name }), "An operation has no row, or a row no operation.")
        let target = Target(
            user: UserID(rawValue: "u"), address: "u@example.org", factor: FactorID(rawValue: "f"), ownGroup: "a",
            otherGroup: "b", application: "c")
        for (name, row) in Self.guarded {
            let operations = row(target)
            #expect(!operations.isEmpty && operations.allSatisfy { type(of: $0).name == name }, "\(name)")
        }
    }

    // MARK: Callers

    private static let callers: [AdministrationCaller] = [
        .user(UserID(rawValue: "operator"), .operator),
        .machine(
            MachineToken(
                id: "all-but-one", digest: Data(), name: "",
                scopes: Set(AdministrationRight.allCases.filter { $0 != .changeAdministrators }.map { .right($0) }),
                createdBy: nil, createdAt: .distantPast, expiresAt: .distantFuture)),
    ]

    /// Whether an operation was refused because of whom it is about.
    private static func isRefused<Operation: AdministrationOperation>(
        _ operation: Operation, on test: TestRealm, as caller: AdministrationCaller
    ) async throws -> Bool {
        do {
            let answer = try await operation.perform(on: test.realm, as: caller, by: test.client)
            switch answer {
            case let answer as ImportUsers.Answer:
                return answer.replaced == 0 && answer.refused.map(\.index) == [0]
                    && answer.refused.allSatisfy { $0.reason.contains("administers") }
            case let answer as ChangeUsers.Answer:
                return answer.done == 0 && answer.refused.count == 1
                    && answer.refused.allSatisfy { $0.reason.contains("administers") }
            default: return false
            }
        } catch let error as AdministrationError {
            return error.code == .forbidden
        }
    }

    // MARK: What is given away

    private static func machine(_ rights: Set<AdministrationRight>) -> AdministrationCaller {
        .machine(
            MachineToken(
                id: "giver", digest: Data(), name: "", scopes: Set(rights.map { .right($0) }), createdBy: nil,
                createdAt: .distantPast, expiresAt: .distantFuture))
    }

    /// What each of them takes, by hand. Each leaves what it is about as the next one expects it.
    private static func gifts(
        to user: UserID, manager: String, hook: String
    ) -> [(operation: any AdministrationOperation, rights: Set<AdministrationRight>)] {
        func adding(_ scopes: String...) -> AddApplication {
            var change = RegistrationChange()
            change.scopes = scopes
            return AddApplication(registration: change)
        }
        var secret = RegistrationChange()
        secret.secret = SecretText("a secret that the giver of this knows")
        let all = Set(AdministrationRight.allCases)
        return [
            (
                AddMachineToken(scopes: ["users:read", "audit:read"], lifetime: 60),
                [.changeAdministrators, .readUsers, .readLog]
            ),
            (AddMachineToken(scopes: ["*"], lifetime: 60), all), (InviteOwner(), all),
            (
                GrantRole(user: user.rawValue, role: "support"),
                [
                    .changeAdministrators, .readUsers, .mailResets, .endSessions, .readGroups, .readFigures,
                    .readLimits,
                ]
            ),
            (adding("openid", "accounts"), [.changeApplications]),
            (adding("clients:*"), [.changeApplications, .readClients, .changeClients]),
            (adding("*"), [.changeApplications, .readClients, .changeClients]),
            (adding("clients:read"), [.changeApplications, .readClients]),
            (adding("openid", "clients:del*"), [.changeApplications, .changeClients]),
            (ChangeApplication(id: manager, registration: secret), [.changeApplications, .changeClients]),
            (AddHook(url: "https://hooks.example.com/in", events: ["users"]), [.changeHooks, .readLog]),
            (ChangeHook(id: hook, url: "https://hooks.example.com/other"), [.changeHooks, .readLog]),
            (ChangeHook(id: hook, events: ["*"]), [.changeHooks, .readLog]),
            (ChangeHook(id: hook, label: "Ledger", isEnabled: true), [.changeHooks]),
            (RemoveApplication(id: manager), [.changeApplications, .changeClients]),
            (
                AddExtension(event: "token-issuance-start", targetURL: "https://api.example.com/claims"),
                [.changeExtensions, .readUsers]
            ),
            (
                AddExtension(event: "otp-send", targetURL: "https://api.example.com/codes"),
                [.changeExtensions, .readUsers, .changeUsers, .changeAdministrators]
            ),
        ]
    }

    @Test func `A token gives nobody more than it opens itself`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser().id
        _ = try #require(
            try await test.realm.applications.add(
                id: ClientID(rawValue: "manager"), ApplicationRegistration(scopes: ["clients:modify"]),
                by: test.client))
        let hook = try await AddHook(url: "https://hooks.example.com/", events: ["users"]).perform(
            on: test.realm, as: .commandLine, by: test.client
        ).hook.id
        let all = Set(AdministrationRight.allCases)
        for (operation, rights) in Self.gifts(to: user, manager: "manager", hook: hook) {
            for right in all.sorted(by: { $0.rawValue < $1.rawValue }) where rights.contains(right) {
                let without = Self.machine(all.subtracting([right]))
                let isRefused = try await Self.isRefused(operation, on: test, as: without)
                #expect(isRefused, "\(operation) without \(right.rawValue)")
            }
            let isRefused = try await Self.isRefused(operation, on: test, as: Self.machine(rights))
            #expect(!isRefused, "\(operation)")
        }
        // An import gives roles as well, line by line.
        let line = SecretText(#"{"localId":"eve","email":"eve@example.org","role":"owner"}"#)
        func imported(_ rights: Set<AdministrationRight>) async throws -> Int {
            try await ImportUsers(lines: [line]).perform(on: test.realm, as: Self.machine(rights), by: test.client)
                .imported
        }
        #expect(try await imported([.transferUsers, .changeAdministrators]) == 0)
        #expect(try await imported(all) == 1)
    }

    // MARK: Applications whose users are not asked

    /// Owners are users: a code of theirs would go to whoever chose the redirect URI, and no page would be in between.
    @Test(arguments: callers.indices)
    func `Who may not change administrators makes no application first-party, and hands none over`(_ index: Int)
        async throws
    {
        let caller = Self.callers[index]
        let test = try await TestRealm.make()
        func registration(_ isFirstParty: Bool) -> ApplicationRegistration {
            var registration = ApplicationRegistration(
                redirectURIs: ["https://shop.example/callback"], scopes: ["openid", "email"])
            registration.oauth = OAuthRegistration(kind: .browser)
            registration.oauth.isFirstParty = isFirstParty
            return registration
        }
        for (id, isFirstParty) in [("own", true), ("third", false)] {
            _ = try #require(
                try await test.realm.applications.add(
                    id: ClientID(rawValue: id), registration(isFirstParty), by: test.client))
        }
        func set(_ id: String, isTrial: Bool = false, _ change: (inout RegistrationChange) -> Void) async throws -> Bool
        {
            var registration = RegistrationChange()
            change(&registration)
            return try await Self.isRefused(
                ChangeApplication(id: id, registration: registration, dryRun: isTrial), on: test, as: caller)
        }
        var first = RegistrationChange()
        first.isFirstParty = true
        #expect(try await Self.isRefused(AddApplication(registration: first), on: test, as: caller))
        #expect(try await !Self.isRefused(AddApplication(), on: test, as: caller))
        for isTrial in [true, false] {
            #expect(try await set("third", isTrial: isTrial) { $0.isFirstParty = true })
            #expect(try await set("own", isTrial: isTrial) { $0.redirectURIs = ["https://operator.example/callback"] })
        }
        // What leaves answers where they went.
        #expect(try await !set("own") { $0.displayName = "Shop" })
        #expect(try await !set("own") { $0.redirectURIs = ["https://shop.example/other"] })
        #expect(try await !set("third") { $0.redirectURIs = ["https://operator.example/callback"] })
        let own = try #require(try await test.realm.applications.registered(ClientID(rawValue: "own"))).registration
        #expect(own.oauth.isFirstParty && own.redirectURIs == ["https://shop.example/other"])
        #expect(try await !set("own") { $0.isFirstParty = false })
        #expect(try await set("own") { $0.isFirstParty = true })
        var again = RegistrationChange()
        again.isFirstParty = true
        _ = try await ChangeApplication(id: "own", registration: again).perform(
            on: test.realm, as: .user(UserID(rawValue: "owner"), .owner), by: test.client)
    }

    // MARK: What is kept of a target

    private struct Kept: Equatable {
        let user: User?
        let factors: [FactorRecord]
        let groups: [GroupName]
        let application: Application?
    }

    private static func kept(_ target: Target, _ test: TestRealm) async throws -> Kept {
        try await test.store.read { transaction in
            Kept(
                user: try transaction.user(target.user), factors: try transaction.factors(of: target.user),
                groups: try transaction.groups(of: target.user, limit: 10),
                application: try transaction.registeredApplication(ClientID(rawValue: target.application)))
        }
    }

    private static func target(_ number: Int, scopes: [String], _ test: TestRealm) async throws -> Target {
        let address = "user\(number)@example.org"
        let enrolled = try await test.addEnrolledUser(EmailAddress(kept: address))
        let target = Target(
            user: enrolled.user.id, address: address, factor: enrolled.factor.id, ownGroup: "own\(number)",
            otherGroup: "other\(number)", application: "application\(number)")
        for name in [target.ownGroup, target.otherGroup] {
            _ = try await test.realm.groups.add(try #require(GroupName(name)), summary: "", by: test.client).get()
        }
        _ = try await test.realm.groups.addMember(
            target.user, to: try #require(GroupName(target.ownGroup)), by: test.client
        ).get()
        _ = try #require(
            try await test.realm.applications.add(
                id: ClientID(rawValue: target.application),
                ApplicationRegistration(redirectURIs: ["https://shop.example/callback"], scopes: scopes),
                by: test.client))
        return target
    }

    private static func disable(_ target: Target, _ test: TestRealm) async throws {
        _ = try await DisableUser(user: target.user.rawValue).perform(
            on: test.realm, as: .commandLine, by: test.client)
    }

    private static func leaveUnconfirmed(_ target: Target, _ test: TestRealm) async throws {
        _ = try await SetUser(user: target.user.rawValue, emailVerified: false).perform(
            on: test.realm, as: .commandLine, by: test.client)
    }

    // MARK: The table

    @Test(arguments: TestStore.available)
    func `Who may not change administrators changes none, nor what acts in their names`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        // So that the others are not the last one.
        _ = try await test.realm.administrators.grant(
            .owner, to: test.addUser(EmailAddress(kept: "owner@example.org")).id, by: test.client
        ).get()
        for (number, (name, row)) in Self.guarded.sorted(by: { $0.key < $1.key }).enumerated() {
            let scope = number.isMultiple(of: 2) ? OwnScopes.admin : "account"
            let target = try await Self.target(number, scopes: ["openid", scope], test)
            _ = try await test.realm.administrators.grant(.owner, to: target.user, by: test.client).get()
            if name == EnableUser.name { try await Self.disable(target, test) }
            let before = try await Self.kept(target, test)
            for operation in row(target) {
                for caller in Self.callers {
                    let isRefused = try await Self.isRefused(operation, on: test, as: caller)
                    #expect(isRefused, "\(operation)")
                }
            }
            let after = try await Self.kept(target, test)
            #expect(after == before, "\(name)")
        }
    }

    @Test(arguments: TestStore.available)
    func `A role and a scope that are given between the look and the write count`(store: TestStore) async throws {
        let interposed = InterposingStore(try await store.open())
        let test = try TestRealm.make(keptIn: interposed)
        _ = try await test.realm.administrators.grant(
            .owner, to: test.addUser(EmailAddress(kept: "owner@example.org")).id, by: test.client
        ).get()
        var number = 0
        for (name, row) in Self.guarded.sorted(by: { $0.key < $1.key }) where name != AddApplication.name {
            let sample = Target(
                user: UserID(rawValue: "u"), address: "", factor: FactorID(rawValue: "f"), ownGroup: "a",
                otherGroup: "b", application: "c")
            for index in row(sample).indices {
                number += 1
                let target = try await Self.target(number, scopes: ["openid"], test)
                if name == EnableUser.name { try await Self.disable(target, test) }
                if name == MailConfirmation.name { try await Self.leaveUnconfirmed(target, test) }
                let before = try await Self.kept(target, test)
                let now = test.now
                interposed.beforeNextWrite { transaction in
                    _ = try transaction.put(
                        Administrator(userID: target.user, role: .owner, grantedBy: nil, createdAt: now))
                    let id = ClientID(rawValue: target.application)
                    guard var application = try transaction.registeredApplication(id) else { return }
                    application.registration.scopes.append("account")
                    _ = try transaction.update(application)
                }
                let operation = row(target)[index]
                let caller = Self.callers[1]
                let isRefused = try await Self.isRefused(operation, on: test, as: caller)
                #expect(isRefused, "\(operation)")
                #expect(interposed.isDone, "\(name) has written nothing.")
                let after = try await Self.kept(target, test)
                #expect(after.user == before.user && after.factors == before.factors, "\(name)")
                #expect(after.groups == before.groups, "\(name)")
                #expect(
                    after.application?.registration.redirectURIs == before.application?.registration.redirectURIs,
                    "\(name)")
            }
        }
    }

    @Test(arguments: TestStore.available)
    func `A token that is revoked while another is made with it leaves none that nobody answers for`(
        store: TestStore
    ) async throws {
        let interposed = InterposingStore(try await store.open())
        let test = try TestRealm.make(keptIn: interposed)
        let owner = try await test.addUser(EmailAddress(kept: "owner@example.org"))
        _ = try await test.realm.administrators.grant(.owner, to: owner.id, by: test.client).get()
        let addition = AddMachineToken(scopes: ["*"], lifetime: 3600)
        func make(as caller: AdministrationCaller) async throws -> AddMachineToken.Answer {
            try await addition.perform(on: test.realm, as: caller, by: test.client)
        }
        let first = try await make(as: .user(owner.id, .owner))
        let parent = try #require(try await test.realm.machineTokens.judge(first.secret.secret)?.get())
        #expect(try await make(as: .machine(parent)).token.createdBy == "user:\(owner.id)")
        interposed.beforeNextWrite { _ = try $0.deleteMachineToken(parent.id) }
        await #expect(throws: AdministrationError.self) { try await make(as: .machine(parent)) }
        #expect(interposed.isDone)
        let left = try await test.realm.machineTokens.list()
        #expect(left.count == 1 && left.allSatisfy { $0.createdBy == "user:\(owner.id)" })
    }

    @Test func `An operator comes into no group by an operator's hand, and users without a role do`() async throws {
        let test = try await TestRealm.make()
        let own = try await test.addUser().id
        let other = try await test.addUser(EmailAddress(kept: "bob@example.org")).id
        _ = try await test.realm.administrators.grant(.operator, to: own, by: test.client).get()
        let caller = AdministrationCaller.user(own, .operator)
        func perform<Operation: AdministrationOperation>(_ operation: Operation) async throws -> Operation.Answer {
            try await operation.perform(on: test.realm, as: caller, by: test.client)
        }
        _ = try await perform(AddGroup(group: "staff"))
        await #expect(throws: AdministrationError.self) {
            _ = try await perform(AddGroupMember(group: "staff", user: own.rawValue))
        }
        #expect(try await perform(AddGroupMember(group: "staff", user: other.rawValue)).isChanged)
        #expect(try await perform(RemoveGroupMember(group: "staff", user: other.rawValue)).isChanged)
        _ = try await perform(RemoveGroup(group: "staff"))
        let staff = try #require(GroupName("staff"))
        #expect(try await test.realm.groups.group(staff) == nil)
    }

    @Test func `A role that is taken on trial is refused and named as it would be`() async throws {
        let test = try await TestRealm.make()
        let owner = try await test.addUser().id
        let second = try await test.addUser(EmailAddress(kept: "bob@example.org")).id
        _ = try await test.realm.administrators.grant(.owner, to: owner, by: test.client).get()
        _ = try await test.realm.administrators.grant(.support, to: second, by: test.client).get()
        func revoke(_ user: UserID, dryRun: Bool) async throws -> RevokeRole.Answer {
            try await RevokeRole(user: user.rawValue, dryRun: dryRun).perform(
                on: test.realm, as: .commandLine, by: test.client)
        }
        _ = try await DisableUser(user: second.rawValue).perform(on: test.realm, as: .commandLine, by: test.client)
        for dryRun in [true, false] {
            await #expect(throws: AdministrationError.lastOwner) { try await revoke(owner, dryRun: dryRun) }
            #expect(try await revoke(second, dryRun: dryRun).role == "support")
        }
        #expect(try await revoke(second, dryRun: true).role == nil)
        #expect(try await test.realm.administrators.role(of: owner) == .owner)
    }

    // MARK: Imports

    @Test(arguments: TestStore.available)
    func `Rows that replace an administrator or move in groups are refused by themselves`(store: TestStore) async throws
    {
        let test = try await TestRealm.make(on: store)
        func perform(
            _ lines: [String], _ rights: AdministrationRight..., rehearses: Bool = false
        ) async throws -> ImportUsers.Answer {
            let caller = AdministrationCaller.machine(
                MachineToken(
                    id: "mover", digest: Data(), name: "", scopes: Set(rights.map { .right($0) }), createdBy: nil,
                    createdAt: .distantPast, expiresAt: .distantFuture))
            return try await ImportUsers(
                lines: lines.map { SecretText($0) }, overwrite: true, dryRun: rehearses
            ).perform(on: test.realm, as: caller, by: test.client)
        }
        let ada = #"{"localId":"ada","email":"ada@example.org","emailVerified":true}"#
        let bob = #"{"localId":"bob","email":"bob@example.org","emailVerified":true}"#
        #expect(try await perform([ada, bob], .transferUsers).imported == 2)
        _ = try await test.realm.administrators.grant(.owner, to: UserID(rawValue: "ada"), by: test.client).get()

        let taken = #"{"localId":"ada","email":"eve@example.org","rawPassword":"known to whoever imports"}"#
        let renamed = #"{"localId":"bob","email":"bob@example.org","displayName":"Bob"}"#
        let grouped = #"{"localId":"eve","email":"carol@example.org","groups":["staff"]}"#
        for rehearses in [true, false] {
            let answer = try await perform([taken, renamed, ada, grouped], .transferUsers, rehearses: rehearses)
            #expect(answer.replaced == 1 && answer.alreadyThere == 1 && answer.imported == 0)
            #expect(answer.refused.map(\.index) == [0, 3])
            #expect(answer.refused.first?.reason.contains("administrators:write") == true)
            #expect(answer.refused.last?.reason.contains("groups:write") == true)
        }
        let owner = try #require(try await test.realm.accounts.user(UserID(rawValue: "ada")))
        #expect(owner.email?.canonical == "ada@example.org")
        #expect(try await test.store.read { try $0.factors(of: owner.id) }.isEmpty, "There is no password.")
        let staff = try #require(GroupName("staff"))
        #expect(try await test.realm.groups.group(staff) == nil)

        #expect(try await perform([grouped], .transferUsers, .changeGroups).imported == 1)
        let left = #"{"localId":"eve","email":"carol@example.org","groups":[]}"#
        #expect(try await perform([left], .transferUsers).refused.count == 1)
        #expect(try await perform([left], .transferUsers, .changeGroups).replaced == 1)
        #expect(try await perform([taken], .transferUsers, .changeAdministrators).replaced == 1)
    }
}

/// A store in which something else is written before the next write, as another server would in between.
final class InterposingStore: ForwardingStore {
    let base: any Store
    private let pending = Mutex<(@Sendable (any StoreTransaction) throws -> Void)?>(nil)

    init(_ base: any Store) { self.base = base }

    func beforeNextWrite(_ body: @escaping @Sendable (any StoreTransaction) throws -> Void) {
        pending.withLock { $0 = body }
    }

    var isDone: Bool { pending.withLock { $0 == nil } }

    func aroundWrite<T: Sendable>(_ pass: () async throws -> T) async throws -> T {
        let interposed = pending.withLock { pending in
            defer { pending = nil }
            return pending
        }
        if let interposed { try await base.write(interposed) }
        return try await pass()
    }
}
