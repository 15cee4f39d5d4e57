import AdminServer
import CountersignCore
import WebPages

/// `/console/hooks`: services that are told what happens.
enum HookPages {
    static let routes: [ConsoleRoute] = [
        .page("hooks", of: ListHooks.self, in: .hooks, isEntry: true) { try await list($0) },
        .action(
            "hooks/add", AddHook.self, in: .hooks,
            ask: { scene in
                let words = scene.words
                var question = ConsoleQuestion(
                    title: words("consoleHookAdd"), text: words("consoleHookAddText"),
                    fields: [
                        PageField(
                            name: "url", label: words.plain("consoleHook"), type: "url", value: scene.field("url"),
                            autocomplete: "off", maximumLength: 2048, isInvalid: scene.isForm),
                        PageField(
                            name: "label", label: words.plain("consoleName"), value: scene.field("label"),
                            autocomplete: "off", isRequired: false, isFirst: false),
                    ], button: words.plain("consoleAdd"), back: "/console/hooks")
                question.checkboxes = PageForm.Checkboxes(
                    legend: words.plain("consoleHookEvents"),
                    boxes: EventCategory.allCases.map {
                        .init(
                            name: "event-\($0.rawValue)", label: $0.rawValue,
                            isChecked: scene.isForm ? scene.field("event-\($0.rawValue)") != nil : true)
                    })
                return question
            },
            make: { scene in
                let chosen = EventCategory.allCases.map(\.rawValue).filter { scene.field("event-\($0)") != nil }
                return AddHook(
                    url: try scene.typed("url", placeholder: "https://service.example.com/hook"),
                    events: scene.isForm ? chosen : ["*"], label: scene.field("label"))
            },
            done: { _, answer in
                .lead(to: "/console/hooks", notice: "consoleDoneHookAdded", secret: answer.secret.secret)
            }),
        .action(
            "hooks/{hook}/enable", ChangeHook.self, in: .hooks,
            ask: { scene in
                ConsoleQuestion(
                    title: scene.words("consoleHookEnableTitle"), button: scene.words.plain("consoleHookEnable"),
                    back: "/console/hooks")
            },
            make: { ChangeHook(id: $0.parameter("hook"), isEnabled: true) },
            done: { _, _ in .lead(to: "/console/hooks", notice: "consoleDoneHookEnabled") }),
        .action(
            "hooks/{hook}/remove", RemoveHook.self, in: .hooks,
            ask: { scene in
                ConsoleQuestion(
                    title: scene.words("consoleHookRemoveTitle"), button: scene.words.plain("consoleRemove"),
                    isDangerous: true, back: "/console/hooks")
            },
            make: { RemoveHook(id: $0.parameter("hook")) },
            done: { _, _ in .lead(to: "/console/hooks", notice: "consoleDoneHookRemoved") }),
    ]

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let hooks = try await scene.perform(ListHooks()).hooks
        let mayChange = scene.may(AddHook.right)
        var page = scene.page("console-hooks", "consoleHooks")
        page.blocks += scene.secretBlocks("consoleHookSecret")
        page.blocks.append(
            hooks.isEmpty
                ? .text(words("consoleNothingFound"))
                : .table(
                    PageTable(
                        words.plain("consoleHooks"),
                        columns: [
                            words.plain("consoleHook"), words.plain("consoleName"), words.plain("consoleHookEvents"),
                            words.plain("consoleState"), words.plain("consoleHookDelivered"),
                            words.plain("consoleHookFailed"), words.plain("consoleHookError"),
                        ] + (mayChange ? [words.plain("consoleAction"), words.plain("consoleRemove")] : []),
                        rows: hooks.map { row($0, scene) })))
        if mayChange {
            page.blocks.append(.links([.init(words("consoleHookAdd"), to: "/console/hooks/add", isButton: true)]))
        }
        return page
    }

    private static func row(_ hook: HookSummary, _ scene: ConsoleScene) -> [PageTable.Cell] {
        let words = scene.words
        let state: PageBlock.Mark =
            if !hook.isEnabled {
                .init(words("consoleHookDisabled"), .alarming)
            } else if let since = hook.failingSince {
                .init(words("consoleHookFailing", ["time": .text(words.instant(since.date))]), .alarming)
            } else {
                .init(words("consoleHookDelivers"), .good)
            }
        return [
            .init(PageText(chosen: hook.url)), .init(PageText(chosen: hook.label.isEmpty ? "–" : hook.label)),
            .init(PageText(hook.events.joined(separator: ", "))), .init(PageText(""), marks: [state]),
            .init(PageText("\(hook.delivered)")), .init(PageText("\(hook.failed)")),
            .init(PageText(chosen: hook.lastError ?? "–")),
            .init(
                hook.isEnabled ? PageText("–") : words("consoleHookEnable"),
                to: hook.isEnabled ? nil : ConsolePath.to("hooks", hook.id, "enable")),
            .init(words("consoleRemove"), to: ConsolePath.to("hooks", hook.id, "remove")),
        ]
    }
}
