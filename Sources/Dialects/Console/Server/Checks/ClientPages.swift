import AdminServer
import CountersignCore
import WebPages

/// `/console/checks`: installations of mobile applications that registered themselves, for security checks.
enum ClientPages {
    static let routes: [ConsoleRoute] = [
        .page("checks", of: ListClients.self, in: .checks, isEntry: true) { try await list($0) },
        .action(
            "checks/status", SetClientStatus.self, in: .checks,
            ask: { scene in
                var question = ConsoleQuestion(
                    title: scene.words("consoleClientStatusTitle"),
                    text: scene.words("consoleClientStatusText", ["client": .chosen(scene.field("client") ?? "")]),
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
                var question = ConsoleQuestion(
                    title: scene.words("consoleClientUnblockTitle"),
                    text: scene.words(
                        "consoleClientUnblockText",
                        [
                            "check": .chosen(scene.field("check") ?? ""),
                            "client": .chosen(scene.field("client") ?? ""),
                        ]),
                    button: scene.words.plain("consoleClientUnblock"), back: list(from: scene))
                question.hidden = hidden(of: scene) + [.init(name: "check", value: scene.field("check") ?? "")]
                return question
            },
            make: { UnblockClient(client: $0.field("client") ?? "", check: $0.field("check") ?? "") },
            done: { scene, _ in .lead(to: list(from: scene), notice: "consoleDoneClientUnblocked") }),
        .action(
            "checks/remove", RemoveClient.self, in: .checks,
            ask: { scene in
                var question = ConsoleQuestion(
                    title: scene.words("consoleClientRemoveTitle"),
                    text: scene.words("consoleClientRemoveText", ["client": .chosen(scene.field("client") ?? "")]),
                    button: scene.words.plain("consoleRemove"), isDangerous: true, back: list(from: scene))
                question.hidden = hidden(of: scene)
                return question
            },
            make: { RemoveClient(client: $0.field("client") ?? "") },
            done: { scene, _ in .lead(to: list(from: scene), notice: "consoleDoneClientRemoved") }),
    ]

    /// The list that a form began at: all clients, or those of a user.
    private static func list(from scene: ConsoleScene) -> String {
        scene.field("user").map { ConsolePath.to("users", $0, "checks") } ?? "/console/checks"
    }

    /// What each form says beside what is asked.
    private static func hidden(of scene: ConsoleScene) -> [PageForm.HiddenField] {
        ["client", "user"].compactMap { name in scene.field(name).map { .init(name: name, value: $0) } }
    }

    private static let states = ["ACTIVE", "DISABLED", "LOST", "STOLEN", "EXPIRED"]

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListClients(
            limit: ConsoleScene.pageLength, after: places.after, before: places.before, status: scene.field("status"))
        let answer = try await scene.perform(operation)
        var page = scene.page("console-checks", "consoleChecks")
        page.text = words("consoleChecksText")
        page.blocks.append(
            .tabs(
                .init(
                    words.plain("consoleState"),
                    [
                        .init(
                            words.plain("consoleLogAll"), to: "/console/checks", isPresent: scene.field("status") == nil
                        )
                    ]
                        + states.map {
                            .init(
                                words.plain(WordFamily.key("client", $0.lowercased())),
                                to: PagePath("/console/checks", [("status", $0)]).text,
                                isPresent: scene.field("status") == $0)
                        })))
        page.blocks.append(try await table(of: answer.clients, scene))
        page.blocks.append(
            scene.pager(
                "/console/checks", [("status", scene.field("status"))], before: answer.previous, after: answer.next))
        page.blocks += scene.command(operation)
        return page
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
                words.plain("consoleChecks"),
                columns: [
                    words.plain("consoleClient"), words.plain("consoleApplication"), words.plain("consoleDevice"),
                    words.plain("consoleUser"), words.plain("consoleState"), words.plain("consoleSeen"),
                ] + (mayChange ? [words.plain("consoleAction"), words.plain("consoleRemove")] : []),
                rows: clients.map { row($0, names, user, scene) }), none: words("consoleNothingFound"))
    }

    /// The open checks of clients of a user, with what lifts a block.
    static func table(ofChecks clients: [ListClientChecks.Client], user: String, _ scene: ConsoleScene) -> PageBlock {
        let words = scene.words
        let mayChange = scene.may(UnblockClient.right)
        let columns = ["consoleCheck", "consoleApplication", "consoleDevice", "consoleState", "consoleExpires"]
        return .table(
            PageTable(
                words.plain("consoleOpenChecks"),
                columns: (columns + (mayChange ? ["consoleAction"] : [])).map { words.plain($0) },
                rows: clients.flatMap { found in
                    found.checks.map { check -> [PageTable.Cell] in
                        let unblocking = PagePath(
                            "/console/checks/unblock",
                            [("client", found.client.client), ("check", check.check), ("user", user)])
                        let cells: [PageTable.Cell] = [
                            .init(PageText(chosen: check.check)), .init(PageText(chosen: found.client.application)),
                            .init(PageText(chosen: found.client.deviceName ?? found.client.hardware)),
                            .init(PageText(""), marks: [mark(of: check, words)]),
                            .init(words.instant(check.until.date)),
                        ]
                        if !mayChange { return cells }
                        return cells + [
                            check.isBlocked
                                ? .init(words("consoleClientUnblock"), to: unblocking.text) : .init(PageText("–"))
                        ]
                    }
                }), none: words("consoleOpenChecksNone"))
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
            .init(PageText(chosen: client.client)), .init(PageText(chosen: client.application)),
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
