import AdminServer
import CountersignCore
import JSON
import WebPages

/// `/console/checks`: installations of mobile applications that registered themselves, for security checks; `/console/checks/open`: what is
/// open of these checks.
enum ClientPages {
    static let routes: [ConsoleRoute] = [
        .page("checks", of: ListClients.self, in: .checks, isEntry: true) { try await list($0) },
        .page("checks/client", of: ShowClient.self, in: .checks) { try await show($0) },
        .page("checks/open", of: ListOpenChecks.self, in: .checks) { try await listOpen($0) },
        .action(
            "checks/status", SetClientStatus.self, in: .checks,
            ask: { scene in
                let client = try await client(scene).client
                var question = ConsoleQuestion(
                    title: scene.words("consoleClientStatusTitle"),
                    text: scene.words("consoleClientStatusText", ["client": .chosen(client.client)]),
                    fields: [
                        .choice(
                            name: "status", label: scene.words.plain("consoleState"),
                            options: states.map {
                                .init($0, scene.words.plain(WordFamily.key("client", $0.lowercased())))
                            })
                    ], button: scene.words.plain("consoleSave"), isDangerous: true, back: list(from: scene))
                question.hidden = hidden(of: scene)
                return question
            },
            make: { SetClientStatus(client: $0.field("client") ?? "", status: $0.field("status") ?? states[0]) },
            done: { scene, _ in .lead(to: list(from: scene), notice: "consoleDoneClient") }),
        .action(
            "checks/unblock", UnblockClient.self, in: .checks,
            ask: { scene in
                let (found, check) = (try await client(scene), scene.field("check") ?? "")
                // Another server may have the check, and then none is listed here.
                guard found.checks?.contains(where: { $0.check == check }) ?? true else { throw scene.gone }
                var question = ConsoleQuestion(
                    title: scene.words("consoleClientUnblockTitle"),
                    text: scene.words(
                        "consoleClientUnblockText",
                        ["check": .chosen(check), "client": .chosen(found.client.client)]),
                    button: scene.words.plain("consoleClientUnblock"), back: list(from: scene))
                question.hidden = hidden(of: scene) + [.init(name: "check", value: check)]
                return question
            },
            make: { UnblockClient(client: $0.field("client") ?? "", check: $0.field("check") ?? "") },
            done: { scene, _ in .lead(to: list(from: scene), notice: "consoleDoneClientUnblocked") }),
        .action(
            "checks/remove", RemoveClient.self, in: .checks,
            ask: { scene in
                let client = try await client(scene).client
                var question = ConsoleQuestion(
                    title: scene.words("consoleClientRemoveTitle"),
                    text: scene.words("consoleClientRemoveText", ["client": .chosen(client.client)]),
                    button: scene.words.plain("consoleRemove"), isDangerous: true, back: list(from: scene))
                question.hidden = hidden(of: scene)
                return question
            },
            make: { RemoveClient(client: $0.field("client") ?? "") },
            done: { scene, _ in .lead(to: list(from: scene), notice: "consoleDoneClientRemoved") }),
    ]

    /// The client that a form is about.
    /// - Throws: ``AdministrationError`` of code `not_found`.
    private static func client(_ scene: ConsoleScene) async throws -> ShowClient.Answer {
        try await scene.perform(ShowClient(client: scene.field("client") ?? ""))
    }

    private static let (whole, wholeOpen) = ("/console/checks", "/console/checks/open")

    /// The list that a form began at: all clients, those of a user, or the open checks.
    private static func list(from scene: ConsoleScene) -> String {
        if let user = scene.field("user") { return ConsolePath.to("users", user, "checks") }
        return scene.field("list") == "open" ? wholeOpen : whole
    }

    /// What each form says beside what is asked.
    private static func hidden(of scene: ConsoleScene) -> [PageForm.HiddenField] {
        ["client", "user", "list"].compactMap { name in scene.field(name).map { .init(name: name, value: $0) } }
    }

    private static let states = ["ACTIVE", "DISABLED", "LOST", "STOLEN", "EXPIRED"]

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListClients(
            limit: ConsoleScene.pageLength, after: places.after, before: places.before, status: scene.field("status"))
        let answer = try await scene.perform(operation)
        var page = scene.page("console-checks", "consoleClients")
        page.text = words("consoleChecksText")
        let listed = try await table(of: answer.clients, scene)
        page.blocks += [
            lists(at: whole, scene),
            filter(
                states.map { (word: $0, label: words.plain(WordFamily.key("client", $0.lowercased()))) }, "status",
                whole, scene),
            listed,
            scene.pager(whole, [("status", scene.field("status"))], before: answer.previous, after: answer.next),
        ]
        page.blocks += scene.command(operation)
        return page
    }

    /// The open checks of all clients.
    private static func listOpen(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListOpenChecks(
            limit: ConsoleScene.pageLength, after: places.after, before: places.before,
            application: scene.field("application"), check: scene.field("check"), state: scene.field("state"))
        let answer = try await scene.perform(operation)
        let names = try await UserNames(answer.checks.map(\.client.user), scene)
        var page = scene.page("console-checks-open", "consoleOpenChecks")
        page.text = words("consoleOpenChecksText")
        let items = ["state", "application", "check"].map { ($0, scene.field($0)) }
        page.blocks += [
            lists(at: wholeOpen, scene),
            filter(
                checkStates.map { (word: $0, label: words.plain(WordFamily.key("consoleCheckState", $0))) }, "state",
                wholeOpen, scene),
            .search(search(scene)),
            table(
                ofChecks: answer.checks.map { (client: $0.client, check: $0.check) }, names,
                none: answer.next == nil ? "consoleOpenChecksNone" : "consoleOpenChecksNoneHere", scene),
            scene.pager(wholeOpen, items, before: answer.previous, after: answer.next),
        ]
        page.blocks += scene.command(operation)
        return page
    }

    private static let checkStates = ["blocked", "success", "attempting"]

    private static func search(_ scene: ConsoleScene) -> PageSearch {
        func field(_ name: String, _ label: String) -> PageField {
            PageField(
                name: name, label: scene.words.plain(label), value: scene.field(name), autocomplete: "off",
                isRequired: false, isFirst: false)
        }
        return PageSearch(
            scene.words.plain("consoleOpenChecksFilter"), action: wholeOpen,
            hidden: scene.field("state").map { [.init(name: "state", value: $0)] } ?? [],
            fields: [field("application", "consoleApplication"), field("check", "consoleCheck")],
            button: scene.words.plain("consoleShow"))
    }

    /// One client, with its open checks and what is kept with it.
    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        var page = scene.page("console-client", "consoleClientOne")
        guard let client = scene.field("client") else {
            page.blocks.append(.text(words("consoleNothingFound")))
            return page
        }
        let operation = ShowClient(client: client)
        let answer = try await scene.perform(operation)
        page.blocks.append(try await table(of: [answer.client], scene))
        let checks = (answer.checks ?? []).map { (client: answer.client, check: $0) }
        page.blocks += [
            .heading(words.plain("consoleOpenChecks")), table(ofChecks: checks, none: "consoleOpenChecksNone", scene),
        ]
        if !answer.publicAttributes.isEmpty {
            page.blocks += [
                .heading(words.plain("consoleClientPublic")),
                .listing(JSONListing.text(of: .object(answer.publicAttributes))),
            ]
        }
        // Their values are the checks' own.
        if !answer.protectedAttributes.isEmpty {
            page.blocks += [
                .heading(words.plain("consoleClientProtected")),
                .items(answer.protectedAttributes.map { .init(PageText(chosen: $0)) }),
            ]
        }
        page.blocks += scene.command(operation)
        return page
    }

    /// Leads from the clients to their open checks, and back.
    private static func lists(at path: String, _ scene: ConsoleScene) -> PageBlock {
        .tabs(
            .init(
                scene.words.plain("consoleClients"),
                [(whole, "consoleInstallations"), (wholeOpen, "consoleOpenChecks")].map { target, label in
                    .init(scene.words.plain(label), to: target, isPresent: target == path)
                }))
    }

    /// All, or those of one state.
    private static func filter(
        _ states: [(word: String, label: String)], _ name: String, _ path: String, _ scene: ConsoleScene
    ) -> PageBlock {
        let present = scene.field(name)
        let all = PageMenu.Entry(scene.words.plain("consoleLogAll"), to: path, isPresent: present == nil)
        return .tabs(
            .init(
                scene.words.plain("consoleState"),
                [all]
                    + states.map { word, label in
                        .init(label, to: PagePath(path, [(name, word)]).text, isPresent: present == word)
                    }))
    }

    /// - Parameter user: whose page shows the table, and is led back to; nil: the list of all clients.
    static func table(
        of clients: [ClientSummary], user: String? = nil, _ scene: ConsoleScene
    ) async throws -> PageBlock {
        let words = scene.words
        let names = try await UserNames(clients.map(\.user), scene)
        let mayChange = scene.may(SetClientStatus.right)
        return .table(
            PageTable(
                words.plain("consoleInstallations"),
                columns: [
                    words.plain("consoleClient"), words.plain("consoleApplication"), words.plain("consoleDevice"),
                    words.plain("consoleUser"), words.plain("consoleState"), words.plain("consoleSeen"),
                ] + (mayChange ? [words.plain("consoleAction"), words.plain("consoleRemove")] : []),
                rows: clients.map { row($0, names, user, scene) }), none: words("consoleNothingFound"))
    }

    /// The open checks of clients of a user, with what lifts a block.
    static func table(ofChecks clients: [ListClientChecks.Client], user: String, _ scene: ConsoleScene) -> PageBlock {
        table(
            ofChecks: clients.flatMap { found in found.checks.map { (client: found.client, check: $0) } }, user: user,
            none: "consoleOpenChecksNone", scene)
    }

    /// Open checks with their clients.
    /// - Parameters:
    ///   - names: of the users who logged in there last; nil where all are of one user.
    ///   - user: whose page shows the table, and is led back to; nil: the list of all.
    private static func table(
        ofChecks checks: [(client: ClientSummary, check: CheckSummary)], _ names: UserNames? = nil,
        user: String? = nil, none: String, _ scene: ConsoleScene
    ) -> PageBlock {
        let words = scene.words
        let mayChange = scene.may(UnblockClient.right)
        var columns = ["consoleCheck", "consoleApplication", "consoleDevice"]
        if names != nil { columns.append("consoleUser") }
        columns += ["consoleState", "consoleExpires"]
        if mayChange { columns += ["consoleAction"] + (user == nil ? ["consoleRemove"] : []) }
        return .table(
            PageTable(
                words.plain("consoleOpenChecks"), columns: columns.map { words.plain($0) },
                rows: checks.map { client, check -> [PageTable.Cell] in
                    var cells: [PageTable.Cell] = [
                        .init(PageText(chosen: check.check)), .init(PageText(chosen: client.application)),
                        .init(PageText(chosen: client.deviceName ?? client.hardware)),
                    ]
                    if let names { cells.append(names.cell(client.user)) }
                    cells += [
                        .init(PageText(""), marks: [mark(of: check, words)]), .init(words.instant(check.until.date)),
                    ]
                    if !mayChange { return cells }
                    let place: [(String, String?)] = [
                        ("client", client.client), ("user", user), ("list", user == nil ? "open" : nil),
                    ]
                    let unblocking = PagePath("/console/checks/unblock", place + [("check", check.check)])
                    cells.append(
                        check.isBlocked
                            ? .init(words("consoleClientUnblock"), to: unblocking.text) : .init(PageText("–")))
                    if user == nil {
                        cells.append(.init(words("consoleRemove"), to: PagePath("/console/checks/remove", place).text))
                    }
                    return cells
                }), none: words(none))
    }

    private static func mark(of check: CheckSummary, _ words: Words) -> PageBlock.Mark {
        let key = WordFamily.key("consoleCheckState", check.state)
        return .init(
            ["success", "attempting", "blocked"].contains(check.state) ? words(key) : PageText(chosen: check.state),
            check.isBlocked ? .alarming : check.state == "success" ? .good : .plain)
    }

    private static func row(
        _ client: ClientSummary, _ names: UserNames, _ user: String?, _ scene: ConsoleScene
    ) -> [PageTable.Cell] {
        let words = scene.words
        let named: [(String, String?)] = [("client", client.client), ("user", user)]
        let cells: [PageTable.Cell] = [
            .init(
                PageText(chosen: client.client),
                to: PagePath("/console/checks/client", [("client", client.client)]).text),
            .init(PageText(chosen: client.application)),
            .init(PageText(chosen: client.deviceName ?? client.hardware)),
            names.cell(client.user),
            .init(
                PageText(""),
                marks: [
                    .init(
                        words(WordFamily.key("client", client.status.lowercased())),
                        client.status == "ACTIVE" ? .good : .alarming)
                ]),
            .init(scene.words.instant(client.seenAt.date)),
        ]
        if !scene.may(SetClientStatus.right) { return cells }
        return cells + [
            .init(words("consoleChange"), to: PagePath("/console/checks/status", named).text),
            .init(words("consoleRemove"), to: PagePath("/console/checks/remove", named).text),
        ]
    }
}
