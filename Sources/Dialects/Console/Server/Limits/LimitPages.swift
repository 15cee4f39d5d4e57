import AdminServer
import CountersignCore
import WebPages

/// `/console/limits`: who and what is refused at the moment, and until when.
enum LimitPages {
    static let routes: [ConsoleRoute] = [
        .page("limits", of: ListLimits.self, in: .limits, isEntry: true) { try await list($0) },
        .action(
            "limits/lift", LiftLimit.self, in: .limits,
            ask: { scene in
                let (kind, subject) = (scene.field("kind") ?? "", scene.field("subject") ?? "")
                guard let known = StandingLimit.Kind(rawValue: kind),
                    try await scene.realm.standingLimits.counts(known, of: subject)
                else { throw scene.gone }
                var question = ConsoleQuestion(
                    title: scene.words("consoleLiftTitle"), text: scene.words("consoleLiftText"),
                    button: scene.words.plain("consoleLift"), back: "/console/limits")
                question.hidden =
                    (scene.field("user").map { [.init(name: "user", value: $0)] } ?? []) + [
                        .init(name: "kind", value: kind), .init(name: "subject", value: subject),
                    ]
                question.changes = [
                    .init(
                        name(of: kind, scene).plain, from: PageText(chosen: subject),
                        to: scene.words("consoleLimitNone"))
                ]
                return question
            },
            make: { LiftLimit(kind: $0.field("kind") ?? "", subject: $0.field("subject") ?? "") },
            done: { scene, _ in
                // The page of the user whom it was about has the same button.
                .lead(
                    to: scene.field("user").map { ConsolePath.to("users", $0) } ?? "/console/limits",
                    notice: "consoleDoneLifted")
            }),
    ]

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListLimits(limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        let names = try await UserNames(answer.limits.map(\.userID), scene)
        var page = scene.page("console-limits", "consoleLimits")
        page.text = words("consoleLimitsText")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleLimits"),
                    columns: [
                        words.plain("consoleLimit"), words.plain("consoleOf"), words.plain("consoleUser"),
                        words.plain("consoleCount"), words.plain("consoleUntil"),
                    ] + (scene.may(LiftLimit.right) ? [words.plain("consoleAction")] : []),
                    rows: answer.limits.map { row($0, names, scene) }), none: words("consoleLimitsNone")))
        page.blocks.append(scene.pager("/console/limits", before: answer.previous, after: answer.next))
        page.blocks += scene.command(operation)
        return page
    }

    private static func row(_ limit: LimitSummary, _ names: UserNames, _ scene: ConsoleScene) -> [PageTable.Cell] {
        let words = scene.words
        return [
            .init(name(of: limit.kind, scene)), .init(PageText(chosen: limit.subject)),
            names.cell(limit.userID),
            .init(PageText("\(limit.count)")),
            .init(limit.until.map { scene.words.instant($0.date) } ?? words("consoleLimitForGood")),
            .init(
                words("consoleLift"),
                to: PagePath("/console/limits/lift", [("kind", limit.kind), ("subject", limit.subject)]).text),
        ]
    }

    static func name(of kind: String, _ scene: ConsoleScene) -> PageText {
        StandingLimit.Kind(rawValue: kind).map { scene.words(WordFamily.key("limit", $0.rawValue)) }
            ?? PageText(chosen: kind)
    }
}
