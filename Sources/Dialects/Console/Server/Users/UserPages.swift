import AdminServer
import CountersignCore
import Foundation
import JSON
import WebPages

/// `/console/users/{user}`: one user, in tabs, with what can be done for and about the user.
enum UserPages {
    static let routes: [ConsoleRoute] = [
        .page("users/{user}", of: ShowUser.self, in: .users) { try await profile($0) },
        .page("users/{user}/factors", of: ShowUser.self, in: .users) { try await factors($0) },
        .page("users/{user}/sessions", of: ListSessions.self, in: .users) { try await sessions($0) },
        .page("users/{user}/applications", of: ListSessions.self, in: .users) { try await applications($0) },
        .page("users/{user}/checks", of: ListClientChecks.self, in: .users) { try await checks($0) },
        .page("users/{user}/log", of: ListAuditEvents.self, in: .users) { try await log($0) },
        .page("users/{user}/data", of: ShowUserData.self, in: .users) { try await dossier($0) },
        .download("users/{user}/data.json", of: ShowUserData.self, in: .users) { try await data($0) },
    ]

    /// The users' parts that a page of one user is divided into.
    private enum Tab: String, CaseIterable {
        case profile, factors, sessions, applications, checks, log, data

        var label: String {
            switch self {
            case .profile: "consoleProfile"
            case .factors: "consoleFactors"
            case .sessions: "consoleSessions"
            case .applications: "consoleApplications"
            case .checks: "consoleChecks"
            case .log: "consoleLog"
            case .data: "consoleKept"
            }
        }

        func path(of user: String) -> String {
            self == .profile ? ConsolePath.to("users", user) : ConsolePath.to("users", user, rawValue)
        }
    }

    /// Events that the first tab shows.
    private static let latest = 5

    private static func page(_ tab: Tab, of user: UserSummary, _ scene: ConsoleScene) -> Page {
        let words = scene.words
        var page = scene.page(
            PageKind(rawValue: tab == .profile ? "console-user" : "console-user-\(tab.rawValue)"),
            PageText(address: user.shownName))
        let tabs = Tab.allCases.filter {
            ($0 != .log || scene.may(.readLog)) && ($0 != .checks || scene.may(.readClients))
        }
        page.blocks.append(
            .tabs(
                .init(
                    words.plain("consoleParts"),
                    tabs.map {
                        .init(words.plain($0.label), to: $0.path(of: user.id), isPresent: $0 == tab)
                    })))
        return page
    }

    // MARK: The first tab

    /// What a person who is on the phone with the user wants to know first: whether the user can sign in, and if not, why.
    private static func profile(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let operation = ShowUser(user: scene.parameter("user"))
        let answer = try await scene.perform(operation)
        let user = answer.user
        var page = page(.profile, of: user, scene)
        page.blocks += scene.secretBlocks("consolePasswordOnce")
        page.blocks += standing(of: answer, scene)
        page.blocks.append(.links(actions(on: user, scene)))
        page.blocks.append(.facts(facts(of: answer, scene)))
        page.blocks += try await GroupPages.blocks(ofUser: user.id, scene)
        page.blocks += listing("consoleAttributes", answer.attributes ?? [:], words)
        page.blocks += listing("consoleClaims", answer.customClaims, words)
        if scene.may(.readLog) {
            let events = try await scene.perform(ListAuditEvents(user: user.id, limit: latest)).events.reversed()
            page.blocks.append(.heading(words.plain("consoleLatest")))
            page.blocks.append(table(of: Array(events), scene))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static func listing(_ title: String, _ members: [String: JSONValue], _ words: Words) -> [PageBlock] {
        if members.isEmpty { return [] }
        return [.heading(words.plain(title)), .listing(JSONListing.text(of: .object(members)))]
    }

    /// Whether the user can sign in; below it one button for each reason why not.
    private static func standing(of answer: ShowUser.Answer, _ scene: ConsoleScene) -> [PageBlock] {
        let words = scene.words
        let (user, limits) = (answer.user, answer.limits ?? [])
        let kinds = secondFactors(of: answer, words)
        let factors =
            kinds.isEmpty
            ? words("consoleNoSecondFactor")
            : words("consoleSecondFactors", ["kinds": .words(kinds.joined(separator: words.plain("listSeparator")))])
        func enabling(_ label: String) -> PageBlock.Link? {
            scene.may(EnableUser.right)
                ? .init(words(label), to: ConsolePath.to("users", user.id, "enable")) : nil
        }
        if let due = user.deletionDueAt {
            return [
                .standing(
                    .init(
                        .alarming, words("consoleIsLeaving", ["time": .text(words.instant(due.date))]), [factors],
                        link: enabling("consoleKeep")))
            ]
        }
        if user.isDisabled {
            return [
                .standing(.init(.alarming, words("consoleIsDisabled"), [factors], link: enabling("consoleEnable")))
            ]
        }
        guard !limits.isEmpty else {
            return [.standing(.init(.good, words("consoleCanSignIn"), [factors]))]
        }
        let reasons = limits.map { limit in
            words(
                limit.until == nil ? "consoleRefusedForGood" : "consoleRefusedUntil",
                [
                    "limit": .text(LimitPages.name(of: limit.kind, scene)), "count": .number(limit.count),
                    "time": .text(limit.until.map { words.instant($0.date) } ?? PageText("")),
                ])
        }
        var blocks: [PageBlock] = [.standing(.init(.alarming, words("consoleIsLimited"), reasons + [factors]))]
        guard scene.may(LiftLimit.right) else { return blocks }
        blocks += limits.map { limit in
            scene.button(
                "consoleLiftNow", "/console/limits/lift",
                [("kind", limit.kind), ("subject", limit.subject), ("user", user.id)],
                of: LimitPages.name(of: limit.kind, scene).plain)
        }
        return blocks
    }

    /// What a second factor of the user is called, each kind once.
    private static func secondFactors(of answer: ShowUser.Answer, _ words: Words) -> [String] {
        answer.factors.map { FactorKind(rawValue: $0.kind) }.filter { $0 != .password }.reduce(into: []) {
            names, kind in
            let name = words.plain(Words.key(of: kind))
            if !names.contains(name) { names.append(name) }
        }
    }

    private static func facts(of answer: ShowUser.Answer, _ scene: ConsoleScene) -> [PageBlock.Fact] {
        let words = scene.words
        let user = answer.user
        func moment(_ date: Timestamp?) -> PageText {
            date.map { words.moment($0.date, now: scene.now) } ?? words("consoleNever")
        }
        var facts: [PageBlock.Fact] = [
            .init(
                words.plain("consoleUserName"),
                user.displayName.map { PageText(chosen: $0) } ?? words("consoleNothing")),
            .init(
                words.plain("consoleAddress"), user.email.map { PageText(address: $0) } ?? words("consoleNothing"),
                mark: user.email == nil
                    ? nil
                    : user.emailVerified
                        ? .init(words("consoleVerified"), .good) : .init(words("consoleUnverified"), .alarming)),
            .init(words.plain("consoleID"), PageText(chosen: user.id)),
        ]
        if let role = answer.role.flatMap(AdministratorRole.init(rawValue:)) {
            facts.append(.init(words.plain("consoleRole"), words(role.label), mark: .init(words("consoleAdministers"))))
        }
        facts += [
            .init(words.plain("consoleLastSignIn"), moment(user.lastSignInAt)),
            .init(
                words.plain("consoleLivingSessions"), PageText("\(answer.sessions)"),
                link: .init(words("consoleShow"), to: Tab.sessions.path(of: user.id))),
            .init(words.plain("consolePasswordChanged"), moment(answer.passwordChangedAt)),
            .init(words.plain("consoleCreated"), words.instant(user.createdAt.date)),
        ]
        // Nothing is loaded from there.
        if let picture = user.picture { facts.append(.init(words.plain("dataPicture"), PageText(chosen: picture))) }
        if let locale = user.locale { facts.append(.init(words.plain("consoleLanguage"), PageText(chosen: locale))) }
        return facts
    }

    private static func actions(on user: UserSummary, _ scene: ConsoleScene) -> [PageBlock.Link] {
        let words = scene.words
        func link(_ label: String, _ action: String) -> PageBlock.Link {
            .init(words(label), to: ConsolePath.to("users", user.id, action), isButton: true, isSecondary: true)
        }
        var links: [PageBlock.Link] = []
        if scene.may(.mailResets) { links.append(link("consoleResetPassword", "reset-password")) }
        if scene.may(.endSessions) { links.append(link("consoleEndSessions", "end-sessions")) }
        if scene.may(.mailResets) {
            links.append(link("consoleRecovery", "mail-recovery-code"))
            links.append(link("consoleInviteToEnrol", "invite-to-enrol"))
            if user.email != nil, !user.emailVerified, !user.isDisabled {
                links.append(link("consoleConfirm", "mail-confirmation"))
            }
        }
        if scene.may(.changeUsers) {
            links.append(link("consoleEdit", "edit"))
            links.append(user.isDisabled ? link("consoleEnable", "enable") : link("consoleDisable", "disable"))
            links.append(link("consoleDelete", "delete"))
        }
        if scene.may(GrantRole.right), !user.isDisabled {
            links.append(
                .init(
                    words("consoleGrantRole"),
                    to: PagePath("/console/administrators/grant", [("user", user.id)]).text, isButton: true,
                    isSecondary: true))
        }
        return links
    }

    // MARK: Factors

    private static func factors(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let operation = ShowUser(user: scene.parameter("user"))
        let answer = try await scene.perform(operation)
        var page = page(.factors, of: answer.user, scene)
        let changes = scene.may(.changeUsers)
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleFactors"),
                    columns: ["consoleKind", "consoleUserName", "consoleSince", "consoleUsed", "consoleWrong"].map {
                        words.plain($0)
                    } + (changes ? [words.plain("consoleAction")] : []),
                    rows: answer.factors.map { factor in
                        [
                            .init(
                                words(Words.key(of: FactorKind(rawValue: factor.kind))),
                                marks: marks(of: factor, words)),
                            .init(PageText(chosen: factor.name)), .init(words.instant(factor.createdAt.date)),
                            .init(
                                factor.lastUsedAt.map { words.moment($0.date, now: scene.now) }
                                    ?? words("consoleNever")),
                            .init(PageText("\(factor.wrongAnswers)")),
                            factor.kind == FactorKind.password.rawValue
                                ? .init(
                                    words("consoleResetPassword"),
                                    to: ConsolePath.to("users", answer.user.id, "reset-password"))
                                : .init(
                                    words("consoleRemove"),
                                    to: ConsolePath.to("users", answer.user.id, "factors", factor.id, "remove")),
                        ]
                    }), none: words("consoleNone")))
        var links: [PageBlock.Link] = []
        func add(_ label: String, _ action: String) {
            links.append(
                .init(
                    words(label), to: ConsolePath.to("users", answer.user.id, action), isButton: true,
                    isSecondary: true))
        }
        if scene.may(.mailResets) {
            add("consoleRecovery", "mail-recovery-code")
            add("consoleInviteToEnrol", "invite-to-enrol")
        }
        if changes { add("consoleResetFactors", "reset-mfa") }
        page.blocks.append(.links(links))
        page.blocks += scene.command(operation)
        return page
    }

    private static func marks(of factor: FactorSummary, _ words: Words) -> [PageBlock.Mark] {
        let frozen: [PageBlock.Mark] =
            factor.frozenAt == nil ? [] : [.init(words("consoleReportedLost"), .alarming)]
        switch factor.state {
        case .open: return frozen
        case .disabled: return frozen + [.init(words("consoleLocked"), .alarming)]
        case .locked:
            return frozen + [
                .init(
                    factor.lockedUntil.map { words("consoleLockedUntil", ["time": .text(words.instant($0.date))]) }
                        ?? words("consoleLocked"), .alarming)
            ]
        }
    }

    // MARK: Sessions

    /// Where a user is signed in: a browser or program, and the network address that it came from.
    private struct Device: Hashable {
        let userAgent: String?
        let address: String?
    }

    private static func sessions(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        let places = scene.places
        let operation = ListSessions(
            user: user.id, living: true, limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        var page = page(.sessions, of: user, scene)
        let ends = scene.may(.endSessions)
        let sessions = answer.sessions
        let isWhole = answer.previous == nil && answer.next == nil
        if sessions.isEmpty, isWhole { page.blocks.append(.text(words("consoleNoSessions"))) }
        var devices: [(device: Device, sessions: [SessionSummary])] = []
        for session in sessions {
            let device = Device(userAgent: session.userAgent, address: session.address)
            if let index = devices.firstIndex(where: { $0.device == device }) {
                devices[index].sessions.append(session)
            } else {
                devices.append((device, [session]))
            }
        }
        for (device, sessions) in devices {
            let name = PageText.harmless(BrowserName.text(of: device.userAgent, words))
            page.blocks.append(.heading(name))
            page.blocks.append(
                .text(
                    words(
                        "consoleFromAddress", ["address": .chosen(device.address ?? words.plain("unknown"))])))
            page.blocks.append(
                .table(
                    PageTable(
                        name,
                        columns: ["consoleSince", "consoleProofs", "consoleApplications", "consoleExpires"].map {
                            words.plain($0)
                        } + (ends ? [words.plain("consoleAction")] : []),
                        rows: sessions.map { row(of: $0, user, scene) })))
        }
        page.blocks.append(scene.pager(Tab.sessions.path(of: user.id), before: answer.previous, after: answer.next))
        if ends, !sessions.isEmpty || !isWhole {
            page.blocks.append(
                .links([
                    .init(
                        words("consoleEndSessions"), to: ConsolePath.to("users", user.id, "end-sessions"),
                        isButton: true, isSecondary: true)
                ]))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static func row(
        of session: SessionSummary, _ user: UserSummary, _ scene: ConsoleScene
    ) -> [PageTable.Cell] {
        let words = scene.words
        let proofs = session.proofs.map { words.plain(Words.key(of: FactorKind(rawValue: $0))) }
        let applications = Set(session.grants.filter(\.isLiving).map(\.application)).sorted()
        return [
            .init(words.instant(session.createdAt.date)),
            .init(PageText(proofs.joined(separator: words.plain("listSeparator")))),
            .init(PageText(chosen: applications.isEmpty ? "–" : applications.joined(separator: ", "))),
            .init(words.instant(session.expiresAt.date)),
            .init(words("consoleEnd"), to: ConsolePath.to("users", user.id, "sessions", session.id, "end")),
        ]
    }

    // MARK: Applications

    /// What the user has allowed applications, and what they have of sessions.
    private static func applications(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        let operation = ListUserApplications(user: user.id)
        let answer = try await scene.perform(operation)
        var page = page(.applications, of: user, scene)
        let revokes = scene.may(RevokeUserApplication.right)
        let looks = scene.may(ShowApplication.right)
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleApplications"),
                    columns: ["consoleApplication", "consoleScopes", "consoleAPIs", "consoleSince", "consoleUsed"].map {
                        words.plain($0)
                    } + (revokes ? [words.plain("consoleAction")] : []),
                    rows: answer.applications.map { application in
                        [
                            .init(
                                PageText(chosen: application.displayName ?? application.id),
                                to: looks && application.isRegistered
                                    ? ConsolePath.to("applications", application.id) : nil,
                                marks: application.isAllowed ? [] : [.init(words("consoleApplicationNotAsked"))]),
                            .init(PageText(chosen: application.scopes.joined(separator: " "))),
                            .init(PageText(chosen: application.resources.joined(separator: " "))),
                            .init(words.instant(application.since.date)),
                            .init(
                                application.lastUsedAt.map { words.moment($0.date, now: scene.now) }
                                    ?? words("consoleApplicationNoSession")),
                        ]
                            + (revokes
                                ? [
                                    application.isRevocable
                                        ? .init(
                                            words("consoleRevoke"),
                                            to: ConsolePath.to(
                                                "users", user.id, "applications", application.id, "revoke"))
                                        : .init(PageText("–"))
                                ] : [])
                    }), none: words("consoleNone")))
        page.blocks += scene.command(operation)
        return page
    }

    // MARK: Security checks

    /// Installations of applications in which the user logged in last, or has a check open, and the open checks.
    private static func checks(_ scene: ConsoleScene) async throws -> Page {
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        let operation = ListClientChecks(user: user.id)
        let answer = try await scene.perform(operation)
        var page = page(.checks, of: user, scene)
        page.blocks.append(.heading(scene.words.plain("consoleOpenChecks")))
        page.blocks.append(ClientPages.table(ofChecks: answer.clients, user: user.id, scene))
        page.blocks.append(.heading(scene.words.plain("consoleInstallations")))
        page.blocks.append(
            try await ClientPages.table(of: answer.clients.map(\.client), user: user.id, scene))
        if !answer.isWhole { page.blocks.append(.text(scene.words("consoleChecksMore"))) }
        page.blocks += scene.command(operation)
        return page
    }

    // MARK: Log

    private static func log(_ scene: ConsoleScene) async throws -> Page {
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        let operation = ListAuditEvents(user: user.id, limit: ConsoleScene.pageLength)
        let events = try await scene.perform(operation).events.reversed()
        var page = page(.log, of: user, scene)
        page.blocks.append(table(of: Array(events), scene))
        page.blocks.append(
            .links([
                .init(scene.words("consoleLogMore"), to: PagePath("/console/log", [("user", user.id)]).text)
            ]))
        page.blocks += scene.command(operation)
        return page
    }

    private static func table(of events: [AuditEntry], _ scene: ConsoleScene) -> PageBlock {
        let words = scene.words
        return .table(
            PageTable(
                words.plain("consoleLog"),
                columns: ["consoleTime", "consoleEvent", "consoleFrom", "consoleApplication"].map { words.plain($0) },
                rows: events.map { event in
                    [
                        .init(words.instant(event.at.date), to: ConsolePath.to("log", event.id)),
                        .init(LogWords.sentence(event, scene), marks: LogWords.marks(of: event, scene)),
                        .init(PageText(chosen: event.source ?? "–")), .init(PageText(chosen: event.clientID ?? "–")),
                    ]
                }), none: words("consoleNone"))
    }

    // MARK: What is kept

    private static func dossier(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let operation = ShowUserData(user: scene.parameter("user"))
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        let answer = try await scene.perform(operation)
        var page = page(.data, of: user, scene)
        page.text = words("consoleKeptText")
        page.blocks.append(
            .links([
                .init(
                    words("consoleData"), to: ConsolePath.to("users", user.id, "data.json"), isButton: true,
                    isSecondary: true, download: "\(user.id.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }).json"
                )
            ]))
        if let data = answer.data {
            page.blocks.append(
                .facts(
                    [
                        ("consoleFactors", data.factors.count), ("consoleSessions", data.sessions.count),
                        ("consoleKeptAttempts", data.attempts.count),
                        ("consoleKeptConsents", data.consents?.count ?? 0),
                        ("consoleKeptMessages", data.messages.count),
                        ("consoleKeptCounters", data.counters.count), ("consoleKeptEvents", answer.log.count),
                        ("consoleKeptDays", data.logKeptForDays),
                    ].map { .init(words.plain($0.0), PageText("\($0.1)")) }))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            page.blocks.append(.listing(String(decoding: try encoder.encode(data), as: UTF8.self)))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static func data(_ scene: ConsoleScene) async throws -> ConsoleDownload {
        let answer = try await scene.perform(ShowUserData(user: scene.parameter("user")))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return ConsoleDownload(
            name: "user-data.json", type: "application/json", bytes: Array(try encoder.encode(answer)))
    }
}

/// JSON as people read it.
enum JSONListing {
    /// What deceives has escapes, so that a form gives the same JSON back.
    static func text(of value: JSONValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(value) else { return "" }
        return PageText.escapedJSON(closingEmpty(String(decoding: bytes, as: UTF8.self)))
    }

    /// Objects and lists with nothing in them on one line: `{}`. No text in JSON has two ends of line.
    private static func closingEmpty(_ text: String) -> String {
        let parts = text.components(separatedBy: "\n\n")
        return parts[0] + parts.dropFirst().map { String($0.drop { $0 == " " }) }.joined()
    }
}
