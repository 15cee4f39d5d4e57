import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/activity`: what happened to the account, in words. `/account/activity/not-me?event=…`: what was not its user's doing.
struct ActivityPages: Sendable {
    static let reportPath = "/account/activity/not-me"
    static let purpose = "not-me"
    private static let shown = 50

    /// The sentence of an event: the key of its message.
    static let sentences: [AuditEvent.Kind: String] = [
        .signedIn: "didSignIn", .secondFactorAsked: "didAskSecond", .answerRefused: "didRefuse",
        .signedOut: "didSignOut", .sessionEnded: "didEndSession", .approvalAllowed: "didAllow",
        .approvalRejected: "didReject", .signInDisowned: "didDisown", .eventDisowned: "didDisown",
        .refreshTokenReused: "didReuse", .authorizationCodeReused: "didReuse", .tokensRevoked: "didRevokeTokens",
        .passwordChanged: "didChangePassword", .passwordReset: "didResetPassword", .factorEnrolled: "didEnrol",
        .factorWithdrawn: "didWithdraw", .factorFrozen: "didFreeze", .factorUnfrozen: "didRestore",
        .factorsReset: "didResetFactors", .recoveryCodeMade: "didMakeCodes", .deviceInvited: "didInvite",
        .deviceChanged: "didChangeDevice", .passkeyCounter: "didCopyPasskey", .consentGiven: "didConsent",
        .consentRevoked: "didRevokeConsent", .grantEnded: "didEndGrant", .signedUp: "didSignUp",
        .userCreated: "didCreate", .userImported: "didCreate", .userChanged: "didChange",
        .emailChanged: "didChangeAddress", .emailRestored: "didRestoreAddress", .emailVerified: "didVerifyAddress",
        .userDisabled: "didDisable", .userEnabled: "didEnable", .userDataShown: "didShowData",
        .deletionRequested: "didRequestDeletion", .deletionWithdrawn: "didWithdrawDeletion",
        .factorPutOff: "didPutOff", .administratorGranted: "didGetRole", .administratorRevoked: "didLoseRole",
        .groupMemberAdded: "didJoinGroup", .groupMemberRemoved: "didLeaveGroup", .termsAccepted: "didAcceptTerms",
        .deviceDecided: "didDecideDevice", .limitLifted: "didLiftLimit",
    ]

    /// What cannot be undone by ending sessions, or was done by the server itself or an administrator, is not asked about.
    private static let reportable: Set<AuditEvent.Kind> = [
        .signedIn, .secondFactorAsked, .answerRefused, .approvalAllowed, .passwordChanged, .passwordReset,
        .factorEnrolled, .factorWithdrawn,
        .recoveryCodeMade, .deviceChanged, .consentGiven, .userChanged, .emailChanged, .userDataShown,
    ]

    private static let refusals: Set<AuditEvent.Kind> = [
        .answerRefused, .approvalRejected, .signInDisowned, .eventDisowned, .refreshTokenReused,
        .authorizationCodeReused, .passkeyCounter,
    ]

    private static func title(of kind: ActivityKind?) -> String {
        switch kind {
        case nil: "activityEverything"
        case .signIns: "activitySignIns"
        case .factors: "activityFactors"
        case .passwords: "activityPasswords"
        case .sessions: "activitySessions"
        case .applications: "accountApplications"
        case .account: "activityAccount"
        }
    }

    /// - Parameters:
    ///   - names: of what events are about.
    ///   - asksBack: whether the entry has the way to report it.
    static func item(
        _ event: AuditEvent, _ names: ActivityNames, _ account: AccountScene, asksBack: Bool = true
    ) -> PageBlock.Item {
        let words = account.words
        var details = names.of(event) + [words.moment(event.at, now: account.now)]
        if let source = event.source {
            // What the command line did on the server's machine came from no address.
            let isOnServer = source == ClientContext.commandLine.source
            details.append(
                isOnServer ? words("activityOnServer") : words("activityFrom", ["address": .chosen(source)]))
        }
        if let by = event.details["by"]?.stringValue {
            details.append(words("activityBy", ["name": .chosen(by)]))
        }
        let asks = asksBack && !event.isByAdministrator && reportable.contains(event.kind)
        return PageBlock.Item(
            words(sentences[event.kind] ?? "kindOther"),
            mark: refusals.contains(event.kind) ? .init(words("activityRefused"), .alarming) : nil, details: details,
            links: asks
                ? [.init(words("activityNotMe"), to: PagePath(reportPath, [("event", event.id)]).text)] : [])
    }

    func show(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        let kind = account.field("kind").flatMap(ActivityKind.init(rawValue:))
        let found: CountersignCore.ActivityPage
        switch try await account.realm.ownAccount.activity(
            of: account.own, kind: kind, before: account.field("before"), after: account.field("after"),
            limit: Self.shown)
        {
        case .success(let page): found = page
        case .failure(let refusal): return account.unavailable(refusal, .activity)
        }
        func path(_ kind: ActivityKind?, before: String? = nil, after: String? = nil) -> String {
            PagePath(AccountSection.activity.path, [("kind", kind?.rawValue), ("before", before), ("after", after)])
                .text
        }
        let names = try await ActivityNames(of: found.events, account)
        var page = account.page(
            "account-activity", in: .activity, words("accountActivity"),
            words("activityText", ["days": .number(OwnAccount.activityDays)]))
        page.blocks.append(
            .tabs(
                .init(
                    words.plain("activityFilter"),
                    ([nil] + ActivityKind.allCases.map { $0 as ActivityKind? }).map {
                        .init(words.plain(Self.title(of: $0)), to: path($0), isPresent: $0 == kind)
                    })))
        page.blocks.append(
            found.events.isEmpty
                ? .text(words("activityNone")) : .items(found.events.map { Self.item($0, names, account) }))
        page.blocks.append(
            .pager(
                PagePager(
                    words.plain("accountActivity"),
                    back: found.previous.map { .init(words("activityNewer"), to: path(kind, after: $0)) },
                    forward: found.next.map { .init(words("activityOlder"), to: path(kind, before: $0)) })))
        return account.show(page)
    }

    // MARK: That was not me

    func ask(_ account: inout AccountScene) async throws -> Response {
        let words = account.words
        guard let event = try await event(account) else { return account.redirect(to: AccountSection.activity.path) }
        let names = try await ActivityNames(of: [event], account)
        return account.show(
            account.page(
                "account-not-me", in: .activity, words("notMeTitle"), words("notMeText"),
                [
                    .items([Self.item(event, names, account, asksBack: false)]),
                    .heading(words.plain("notMeWhat")),
                    .items([
                        .init(words("notMeSessions")), .init(words("notMeFactor")), .init(words("notMePassword")),
                    ]),
                    .form(
                        PageForm(
                            action: Self.reportPath, hidden: account.hidden(Self.purpose, [("event", event.id)]),
                            buttons: [.init(words.plain("notMeButton"))])),
                    .links([.init(words("notMeBack"), to: AccountSection.activity.path)]),
                ]))
    }

    private func event(_ account: AccountScene) async throws -> AuditEvent? {
        guard let id = account.field("event"), id.utf8.count <= 64,
            case .success(let page) = try await account.realm.ownAccount.activity(
                of: account.own, before: id + "0", limit: 1)
        else { return nil }
        return page.events.first { $0.id == id }
    }

    func report(_ account: inout AccountScene) async throws -> Response {
        let path = AccountSection.activity.path
        guard let event = account.field("event") else { return account.redirect(to: path) }
        switch try await account.realm.ownAccount.disown(event, of: account.own, by: account.client) {
        case .success(let done):
            return try account.scene.redirect(
                to: "\(Self.reportPath)/done",
                saying: [
                    Said.ended: String(done.endedSessions), Said.frozen: String(done.frozen.count),
                    Said.mailed: done.resetMailed ? "1" : "",
                ])
        case .failure(.unknown): return account.redirect(to: path)
        case .failure(.proofTooOld):
            return try account.confirm(backTo: PagePath(Self.reportPath, [("event", event)]).text)
        case .failure(let refusal): return account.unavailable(refusal, .activity)
        }
    }

    /// The names of what was done.
    private enum Said {
        static let ended = "ended"
        static let frozen = "frozen"
        static let mailed = "mailed"
    }

    /// What was done, and what is left to do.
    func done(_ account: inout AccountScene) async throws -> Response {
        guard let said = account.outcome?.values else { return account.redirect(to: AccountSection.activity.path) }
        let words = account.words
        func count(_ name: String) -> Int { said[name].flatMap(Int.init) ?? 0 }
        var items: [PageBlock.Item] = [
            .init(words("notMeEnded", ["count": .number(count(Said.ended))])),
            .init(
                count(Said.frozen) == 0
                    ? words("notMeNotFrozen") : words("notMeFrozen", ["count": .number(count(Said.frozen))])),
        ]
        if said[Said.mailed] == "1" { items.append(.init(words("notMeMailed"))) }
        return account.show(
            account.page(
                "account-not-me", in: .activity, words(count(Said.frozen) == 0 ? "notMeNextTitle" : "notMeDoneTitle"),
                words("notMeDoneText"),
                [
                    .items(items),
                    .links([
                        .init(words("passwordChangeLink"), to: AccountPasswordPage.path, isButton: true),
                        .init(
                            words("notMeCheck"), to: AccountSection.security.path, isButton: true, isSecondary: true),
                    ]),
                ]))
    }
}
