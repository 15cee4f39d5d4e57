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
        .page("users/{user}/log", of: ListAuditEvents.self, in: .users) { try await log($0) },
        .download("users/{user}/data.json", of: ShowUserData.self, in: .users) { try await data($0) },
    ]

    /// The users' parts that a page of one user is divided into.
    private enum Tab: String, CaseIterable {
        case profile, factors, sessions, applications, log

        var label: String {
            switch self {
            case .profile: "consoleProfile"
            case .factors: "consoleFactors"
            case .sessions: "consoleSessions"
            case .applications: "consoleApplications"
            case .log: "consoleLog"
            }
        }

        func path(of user: String) -> String {
            self == .profile ? ConsolePath.to("users", user) : ConsolePath.to("users", user, rawValue)
        }
    }

    private static func page(_ tab: Tab, of user: UserSummary, _ scene: ConsoleScene) -> Page {
        let words = scene.words
        var page = scene.page(
            PageKind(rawValue: tab == .profile ? "console-user" : "console-user-\(tab.rawValue)"),
            PageText(chosen: user.shownName))
        if user.isDisabled { page.text = words("consoleIsDisabled") }
        let tabs = Tab.allCases.filter { $0 != .log || scene.may(.readLog) }
        page.blocks.append(
            .tabs(
                .init(
                    words.plain("consoleParts"),
                    tabs.map {
                        .init(words.plain($0.label), to: $0.path(of: user.id), isPresent: $0 == tab)
                    })))
        return page
    }

    // MARK: Tabs

    private static func profile(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let operation = ShowUser(user: scene.parameter("user"))
        let answer = try await scene.perform(operation)
        let user = answer.user
        var page = page(.profile, of: user, scene)
        page.blocks += scene.secretBlocks("consolePasswordOnce")
        var facts: [PageBlock.Fact] = [
            .init(words.plain("consoleID"), PageText(chosen: user.id)),
            .init(
                words.plain("consoleAddress"), user.email.map { PageText(chosen: $0) } ?? words("consoleNothing"),
                mark: user.email == nil
                    ? nil
                    : user.emailVerified
                        ? .init(words("consoleVerified"), .good) : .init(words("consoleUnverified"), .alarming)),
            .init(
                words.plain("consoleUserName"),
                user.displayName.map { PageText(chosen: $0) } ?? words("consoleNothing")),
            .init(words.plain("consoleCreated"), words.instant(user.createdAt.date)),
            .init(
                words.plain("consoleLastSignIn"),
                user.lastSignInAt.map { words.moment($0.date, now: scene.now) } ?? words("consoleNever")),
            .init(
                words.plain("consolePasswordChanged"),
                answer.passwordChangedAt.map { words.moment($0.date, now: scene.now) } ?? words("consoleNever")),
            .init(words.plain("consoleLivingSessions"), PageText("\(answer.sessions)")),
        ]
        if !user.providers.isEmpty {
            facts.append(.init(words.plain("consoleWaysIn"), PageText(chosen: user.providers.joined(separator: ", "))))
        }
        page.blocks.append(.facts(facts))
        if scene.may(.readGroups) {
            let groups = try await scene.perform(ListGroups(user: user.id, limit: ConsoleScene.pageLength)).groups
            page.blocks.append(.heading(words.plain("consoleGroups")))
            page.blocks.append(
                groups.isEmpty
                    ? .text(words("consoleNone"))
                    : .links(
                        groups.map { .init(PageText(chosen: $0.name), to: ConsolePath.to("groups", $0.name)) }))
        }
        if !answer.customClaims.isEmpty {
            page.blocks.append(.heading(words.plain("consoleClaims")))
            page.blocks.append(.listing(JSONListing.text(of: .object(answer.customClaims))))
        }
        page.blocks.append(.heading(words.plain("consoleActions")))
        page.blocks.append(.links(actions(on: user, scene)))
        page.blocks += scene.command(operation)
        return page
    }

    private static func actions(on user: UserSummary, _ scene: ConsoleScene) -> [PageBlock.Link] {
        let words = scene.words
        func link(_ label: String, _ action: String) -> PageBlock.Link {
            .init(words(label), to: ConsolePath.to("users", user.id, action))
        }
        var links: [PageBlock.Link] = []
        if scene.may(.mailResets) { links.append(link("consoleResetPassword", "reset-password")) }
        if scene.may(.endSessions) { links.append(link("consoleEndSessions", "end-sessions")) }
        if scene.may(.changeUsers) {
            links.append(link("consoleResetFactors", "reset-mfa"))
            links.append(user.isDisabled ? link("consoleEnable", "enable") : link("consoleDisable", "disable"))
            links.append(link("consoleDelete", "delete"))
        }
        links.append(
            .init(
                words("consoleData"), to: ConsolePath.to("users", user.id, "data.json"),
                download: "\(user.id.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }).json"))
        return links
    }

    private static func factors(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let operation = ShowUser(user: scene.parameter("user"))
        let answer = try await scene.perform(operation)
        var page = page(.factors, of: answer.user, scene)
        let changes = scene.may(.changeUsers)
        page.blocks.append(
            answer.factors.isEmpty
                ? .text(words("consoleNone"))
                : .table(
                    PageTable(
                        words.plain("consoleFactors"),
                        columns: ["consoleKind", "consoleUserName", "consoleSince", "consoleUsed", "consoleWrong"].map {
                            words.plain($0)
                        } + (changes ? [words.plain("consoleRemove")] : []),
                        rows: answer.factors.map { factor in
                            [
                                .init(PageText(factor.kind), marks: marks(of: factor, words)),
                                .init(PageText(chosen: factor.name)), .init(words.instant(factor.createdAt.date)),
                                .init(
                                    factor.lastUsedAt.map { words.moment($0.date, now: scene.now) }
                                        ?? words("consoleNever")),
                                .init(PageText("\(factor.wrongAnswers)")),
                                .init(
                                    words("consoleRemove"),
                                    to: ConsolePath.to("users", answer.user.id, "factors", factor.id, "remove")),
                            ]
                        })))
        if changes {
            page.blocks.append(
                .links([
                    .init(words("consoleResetFactors"), to: ConsolePath.to("users", answer.user.id, "reset-mfa"))
                ]))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static func marks(of factor: FactorSummary, _ words: Words) -> [PageBlock.Mark] {
        switch factor.state {
        case .open: []
        case .disabled: [.init(words("consoleDisabled"), .alarming)]
        case .locked:
            [
                .init(
                    factor.lockedUntil.map { words("consoleLockedUntil", ["time": .text(words.instant($0.date))]) }
                        ?? words("consoleLocked"), .alarming)
            ]
        }
    }

    private static func sessions(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        let operation = ListSessions(user: user.id)
        let answer = try await scene.perform(operation)
        var page = page(.sessions, of: user, scene)
        let ends = scene.may(.endSessions)
        let sessions = answer.sessions.filter(\.isLiving)
        page.blocks.append(
            sessions.isEmpty
                ? .text(words("consoleNoSessions"))
                : .table(
                    PageTable(
                        words.plain("consoleSessions"),
                        columns: ["consoleSince", "consoleFrom", "consoleBrowser", "consoleProofs"].map {
                            words.plain($0)
                        } + (ends ? [words.plain("consoleEnd")] : []),
                        rows: sessions.map { session in
                            [
                                .init(words.instant(session.createdAt.date)),
                                .init(PageText(chosen: session.address ?? "")),
                                .init(PageText(chosen: session.userAgent ?? "")),
                                .init(PageText(session.proofs.joined(separator: ", "))),
                                .init(
                                    words("consoleEnd"),
                                    to: ConsolePath.to("users", user.id, "sessions", session.id, "end")),
                            ]
                        })))
        if ends, !sessions.isEmpty {
            page.blocks.append(
                .links([.init(words("consoleEndSessions"), to: ConsolePath.to("users", user.id, "end-sessions"))]))
        }
        page.blocks += scene.command(operation)
        return page
    }

    /// What applications got of the sessions that go on.
    private static func applications(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        let answer = try await scene.perform(ListSessions(user: user.id))
        var page = page(.applications, of: user, scene)
        let grants = answer.sessions.flatMap { session in session.grants.filter(\.isLiving).map { (session, $0) } }
        page.blocks.append(
            grants.isEmpty
                ? .text(words("consoleNone"))
                : .table(
                    PageTable(
                        words.plain("consoleApplications"),
                        columns: ["consoleApplication", "consoleScopes", "consoleSince", "consoleExpires"].map {
                            words.plain($0)
                        },
                        rows: grants.map { session, grant in
                            [
                                .init(PageText(chosen: grant.application)),
                                .init(PageText(chosen: grant.scopes.joined(separator: " "))),
                                .init(words.instant(grant.createdAt.date)),
                                .init(words.instant(grant.expiresAt.date)),
                            ]
                        })))
        return page
    }

    private static func log(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let user = try await scene.perform(ShowUser(user: scene.parameter("user"))).user
        let operation = ListAuditEvents(user: user.id, limit: ConsoleScene.pageLength)
        let events = try await scene.perform(operation).events.reversed()
        var page = page(.log, of: user, scene)
        page.blocks.append(
            events.isEmpty
                ? .text(words("consoleNone"))
                : .table(
                    PageTable(
                        words.plain("consoleLog"),
                        columns: ["consoleEvent", "consoleTime", "consoleFrom", "consoleApplication", "consoleReason"]
                            .map { words.plain($0) },
                        rows: events.map { event in
                            [
                                .init(PageText(chosen: event.kind)), .init(words.instant(event.at.date)),
                                .init(PageText(chosen: event.source ?? "")),
                                .init(PageText(chosen: event.clientID ?? "")),
                                .init(PageText(chosen: event.reason ?? "")),
                            ]
                        })))
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
    static func text(of value: JSONValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
