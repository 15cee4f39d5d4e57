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
                    ], button: scene.words.plain("consoleSave"), isDangerous: true, back: "/console/checks")
                question.hidden = [.init(name: "client", value: scene.field("client") ?? "")]
                return question
            },
            make: { SetClientStatus(client: $0.field("client") ?? "", status: $0.field("status") ?? states[0]) },
            done: { _, _ in .lead(to: "/console/checks", notice: "consoleDoneClient") }),
        .action(
            "checks/remove", RemoveClient.self, in: .checks,
            ask: { scene in
                var question = ConsoleQuestion(
                    title: scene.words("consoleClientRemoveTitle"),
                    text: scene.words("consoleClientRemoveText", ["client": .chosen(scene.field("client") ?? "")]),
                    button: scene.words.plain("consoleRemove"), isDangerous: true, back: "/console/checks")
                question.hidden = [.init(name: "client", value: scene.field("client") ?? "")]
                return question
            },
            make: { RemoveClient(client: $0.field("client") ?? "") },
            done: { _, _ in .lead(to: "/console/checks", notice: "consoleDoneClientRemoved") }),
    ]

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

    static func table(of clients: [ClientSummary], _ scene: ConsoleScene) async throws -> PageBlock {
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
                rows: clients.map { row($0, names, scene) }), none: words("consoleNothingFound"))
    }

    private static func row(_ client: ClientSummary, _ names: UserNames, _ scene: ConsoleScene) -> [PageTable.Cell] {
        let words = scene.words
        return [
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
            .init(words("consoleChange"), to: PagePath("/console/checks/status", [("client", client.client)]).text),
            .init(words("consoleRemove"), to: PagePath("/console/checks/remove", [("client", client.client)]).text),
        ]
    }
}
