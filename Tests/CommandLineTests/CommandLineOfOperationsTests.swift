import AdminServer
import ArgumentParser
import CountersignCore
import Foundation
import Synchronization
import Testing

@testable import countersign

/// The console says which command does the same as a page: the words of each operation, read by the program's own parser, do that
/// operation.
@Suite("The command that does the same")
struct CommandLineOfOperationsTests {
    /// Values as people may have chosen them, and as parsers take them for something else: each of those by itself. What shells alone take for
    /// something else stands in two values, as the words are parted here already; for shells there is `ShellWordTests`.
    private static let names = [
        "ada", "ada@example.com", "-x", "--yes", "--", "=x", "*", "it's a b; a\\b a;b a\"b `id` $(reboot) * #",
        "~ünï 日本 $(reboot)",
    ]

    private static func samples(_ name: String) -> [any CommandedOperation] {
        [
            SearchUsers(text: name, filter: "disabled", after: name, limit: 50),
            SearchUsers(before: name, limit: 50), DisableUser(user: name), EnableUser(user: name),
            EnableUser(user: name, keepTokens: true),
            ShowUser(user: name), DeleteUser(user: name), DeleteUser(user: name, graceDays: 14),
            SetUser(user: name, emailVerified: false),
            SetUser(
                user: name, email: name, emailVerified: true, displayName: name, locale: name, picture: name,
                attributes: ["a=b": .string(name), "n": .null], claims: [name: .array([.integer(1), .bool(true)])]),
            ChangeUsers(action: "disable", users: [name, "ada", name]),
            ChangeUsers(action: "add-to-group", users: [name], group: name),
            ChangeUsers(action: "delete", users: [name]), MailRecoveryCode(user: name),
            MailRecoveryCode(user: name, hold: 48), InviteToEnrol(user: name),
            MailConfirmation(user: name),
            InviteUser(email: name, locale: name, givesLink: true), InviteUser(email: name),
            SearchUsers(sort: "name", limit: 50),
            ResetPassword(user: name), ResetPassword(user: name, method: .generate),
            ResetPassword(user: name, method: .link), ResetSecondFactors(user: name),
            ListSessions(user: name, limit: 100),
            ListSessions(user: name, living: true, limit: 50, before: name), EndSession(user: name, session: name),
            EndSession(user: "ada", session: "s", application: name), EndSessions(user: name),
            RemoveFactor(user: name, factor: name), ListUserApplications(user: name),
            RevokeUserApplication(user: name, application: name),
            AddUser(email: "ada@example.com", displayName: name, emailVerified: true, id: "ada"),
            ChangeGroup(group: name, summary: name),
            AddGroup(group: name, summary: name), ListGroups(user: name, limit: 50, after: name),
            ShowGroup(group: name, limit: 50, after: name), RemoveGroup(group: name),
            AddGroupMember(group: name, user: name), RemoveGroupMember(group: name, user: name),
            GrantRole(user: name, role: "owner"), RevokeRole(user: name),
            ListAdministrators(limit: 50, after: name), RevokeMachineToken(id: name),
            AddMachineToken(label: name, scopes: ["users:read", "*"], lifetime: 90 * 86_400),
            SearchAuditEvents(
                user: name, kinds: [name, "user"], application: name, source: name, since: name, until: name,
                before: name, limit: 50),
            ShowAuditEvent(id: name), ListLimits(limit: 50, after: name), LiftLimit(kind: name, subject: name),
            ShowSettings(key: name), ChangeSetting(key: name, value: .string(name)),
            RunDoctor(level: 1, assurance: 3, except: [name]), RetryDelivery(channel: name),
            SendTestMail(address: name, locale: name), ListApplications(limit: 50, after: name),
            ListApplications(text: name, limit: 50, before: name),
            ShowApplication(id: name), SetApplicationLogo(id: name, png: nil),
            RemoveApplication(id: name), TestRedirect(id: name, uri: name),
            ListApplicationSessions(id: name, limit: 50, after: name), ListRegistrations(limit: 50, after: name),
            ApproveRegistration(id: name), ApproveRegistration(id: name, isApproved: false),
            RemoveRegistrationToken(id: name),
            AddRegistrationToken(
                label: name, lifetime: 7 * 86_400, count: 1, grantTypes: ["client_credentials"],
                resources: [name, "https://a.example"], scopes: ["read", "write"]),
            AddApplication(id: name, registration: registration(name)),
            ChangeApplication(id: name, registration: registration(name)),
            PutResource(
                uri: name, displayName: name, scopes: ["read"],
                scopeTexts: ["read": ["": name, "de": name]], scopeClaims: ["read": ["plan", "attributes.city"]],
                minimumACR: name, scopeACRs: ["read": "aal2"], owner: name, lifetime: 60,
                tokenFormat: name, tokenAlgorithm: name),
            ListClientDocuments(limit: 50, after: name), ForgetClientDocument(id: name),
            BlockClientDocuments(pattern: name), BlockClientDocuments(pattern: name, lift: true),
            RemoveResource(uri: name), ListClients(limit: 50, after: name, status: name),
            ListSecurityChecks(application: name), ListClientChecks(user: name),
            ListOpenChecks(limit: 50, after: name, application: name, check: name, state: name),
            ShowClient(client: name), UnblockClient(client: name, check: "x"),
            SetClientStatus(client: name, status: "ACTIVE"), SetClientStatus(client: name, status: "LOST"),
            RemoveClient(client: name), PreviewSetting(key: name, value: .string(name)),
            ChangeSetting(key: name, value: .string(name), confirmed: true), RetireKey(id: name),
            AddHook(url: name, events: ["users", "sign-ins"], label: name), ShowHook(id: name),
            ChangeHook(id: name, url: name, events: ["*"], label: name),
            ChangeHook(id: name, isEnabled: true, skipMissed: true), ChangeHook(id: name, isEnabled: false),
            SendTestPush(device: name), PreviewMail(template: name, locale: name), ShowExtension(id: name),
            CheckExtension(id: name), RemoveExtension(id: name),
            AddExtension(
                event: name, targetURL: name, displayName: name, resourceID: name, applications: [name, "notes"],
                timeout: 500, retries: 1, onError: name,
                claims: [
                    .init(id: "roles"), .init(id: "date", jwtClaimType: "born"),
                    .init(value: "2", jwtClaimType: "v"),
                ], tokens: ["id", "access"], replaces: name),
            RotateHookSecret(id: name), RemoveHook(id: name), TestHook(id: name),
            ListGroups(text: name, limit: 50, before: name), ShowGroup(group: name, limit: 50, before: name),
            ListAdministrators(limit: 50, before: name), ListLimits(limit: 50, before: name),
            ListApplications(limit: 50, before: name), ListClients(limit: 50, before: name, user: name),
            ListApplicationSessions(id: name, limit: 50, before: name),
            ListClientDocuments(limit: 50, before: name),
            ListRegistrations(limit: 50, before: name), SearchAuditEvents(after: name),
            SearchUsers(text: name, before: name, limit: 50),
            ReplayEvent(id: name, event: name), ListMachineTokens(limit: 50, after: name),
            ListRegistrationTokens(limit: 50, before: name), ListHooks(limit: 50, after: name),
        ]
    }

    /// Those that have no value of a user's choice.
    private static var plain: [any CommandedOperation] {
        [
            AddMachineToken(scopes: ["users:read"], lifetime: 7200), AddMachineToken(scopes: ["*"], lifetime: 1800),
            AddRegistrationToken(lifetime: 3600), ListRegistrationTokens(limit: 100),
            ListMachineTokens(limit: 100), ListEndingSecrets(), ListEndingSecrets(days: 7), SearchAuditEvents(),
            ListLimits(limit: 100), ShowSettings(), ListKeys(), RotateKeys(),
            AcceptAuditFault(seal: 7),
            RunDoctor(), ShowDelivery(), ListResources(), ListHooks(limit: 100), ShowFigures(), ListMailTemplates(),
            ListSecurityChecks(), ListExtensions(), AddHook(url: "u", events: ["*"]),
            PutResource(uri: "https://api.example.com", scopes: []),
            ChangeApplication(id: "shop", registration: emptied),
        ]
    }

    private static func registration(_ name: String) -> RegistrationChange {
        var change = RegistrationChange()
        change.displayName = name
        change.hasSecret = true
        change.secretOverlap = 2
        change.kind = name
        change.redirectURIs = [name, "https://a.example"]
        change.authMethod = name
        change.postLogoutRedirectURIs = [name]
        change.backchannelLogoutURI = name
        change.resources = [name]
        change.scopes = ["openid", "email"]
        change.audiences = [name]
        change.ownerNote = name
        change.contacts = [name, "dev@example.com"]
        change.isFirstParty = true
        change.requiresPAR = false
        change.requiresDPoP = true
        change.requiresSecondFactor = true
        change.revealsAddresses = true
        change.redirectsOn = true
        change.isDisabled = true
        change.grantTypes = ["authorization_code", "refresh_token"]
        change.issuerStyle = name
        change.assertionAudience = name
        change.jwksURI = name
        change.defaultACR = ["aal2", "aal1"]
        change.defaultMaxAge = 600
        change.idTokenAlgorithm = name
        change.initiateLoginURI = name
        change.clientURI = name
        change.policyURI = name
        change.termsURI = name
        change.accent = name
        change.challengeTypes = ["oob", "password"]
        change.attributes = [
            .init(name: "city", type: "string", isRequired: true, pattern: ".*/: [a-z]"),
            .init(name: "age", type: "integer", isRequired: false),
        ]
        return change
    }

    /// Every list that a form can empty.
    private static var emptied: RegistrationChange {
        var change = RegistrationChange()
        change.redirectURIs = []
        change.postLogoutRedirectURIs = []
        change.resources = []
        change.scopes = []
        change.audiences = []
        change.contacts = []
        change.versions = []
        change.grantTypes = []
        change.defaultACR = []
        change.defaultMaxAge = -1
        change.challengeTypes = []
        change.attributes = []
        change.jwks = .object(["keys": .array([])])
        return change
    }

    /// Remembers what a command would do.
    private final class Recorder: Administration {
        struct Recorded: Error {}

        let done = Mutex<[JSONValue]>([])

        func perform<Operation: AdministrationOperation>(_ operation: Operation) async throws -> Operation.Answer {
            let body = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(operation))
            done.withLock { $0.append(.object(["name": .string(Operation.name), "body": body])) }
            throw Recorded()
        }

        func close() async throws {}
    }

    /// What an operation and an absent member mean alike: false, or the standard.
    private static func essence(_ operation: any AdministrationOperation) throws -> JSONValue {
        let body = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(operation))
        return .object(["name": .string(type(of: operation).name), "body": body])
    }

    private static func withoutDefaults(_ value: JSONValue) -> JSONValue {
        guard case .object(let members) = value else { return value }
        return .object(
            members.compactMapValues { member in
                switch member {
                case .null, .bool(false): nil
                default: withoutDefaults(member)
                }
            })
    }

    /// A value at a time, so that they are shared out; last the operations without one.
    @Test(arguments: names + [""])
    func `The words of each operation do that operation, whatever its values are`(name: String) async throws {
        for operation in name.isEmpty ? Self.plain : Self.samples(name) {
            let words = operation.commandLine
            let recorder = Recorder()
            await #expect(throws: Recorder.Recorded.self, "\(words)") {
                try await RealmOptions.$standIn.withValue(recorder) {
                    let parsed = try Countersign.parseAsRoot(words)
                    var command = try #require(parsed as? any AsyncParsableCommand)
                    try await command.run()
                }
            }
            let done = recorder.done.withLock { $0 }.map(Self.withoutDefaults)
            #expect(done == [Self.withoutDefaults(try Self.essence(operation))], "\(words)")
        }
    }
}
