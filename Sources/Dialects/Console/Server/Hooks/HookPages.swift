import AdminServer
import CountersignCore
import WebPages

/// `/console/hooks`: services that are told what happens.
enum HookPages {
    static let routes: [ConsoleRoute] = [
        .page("hooks", of: ListHooks.self, in: .hooks, isEntry: true) { try await list($0) },
        .page("hooks/{hook}", of: ShowHook.self, in: .hooks) { try await show($0) },
        .action(
            "hooks/add", AddHook.self, in: .hooks,
            ask: { scene in
                // A link fills nothing in.
                let typed = scene.isForm ? scene.fields : [:]
                var question = ConsoleQuestion(
                    title: scene.words("consoleHookAdd"), text: scene.words("consoleHookAddText"),
                    fields: fields(scene, url: typed["url"], label: typed["label"]),
                    button: scene.words.plain("consoleAdd"), back: "/console/hooks")
                question.checkboxes = events(scene) {
                    !scene.isForm || scene.field("event-\($0.rawValue)") != nil
                }
                return question
            },
            make: { scene in
                let placeholder = "https://service.example.com/hook"
                // Neither is the command that the page shows made of what a link says.
                guard scene.isForm else { return AddHook(url: placeholder, events: ["*"], label: nil) }
                return AddHook(
                    url: try scene.typed("url", placeholder: placeholder), events: chosen(scene),
                    label: scene.field("label"))
            },
            done: { _, answer in
                .lead(to: path(of: answer.hook.id), notice: "consoleDoneHookAdded", secret: answer.secret.secret)
            }),
        .action(
            "hooks/{hook}/settings", ChangeHook.self, in: .hooks,
            ask: { scene in
                let hook = try await hook(scene)
                let shown = shown(hook, scene)
                var question = ConsoleQuestion(
                    title: scene.words("consoleHookChangeTitle"), text: PageText(chosen: hook.url),
                    fields: fields(scene, url: shown.value("url"), label: shown.value("label")),
                    changes: shown.changes, button: scene.words.plain("consoleSave"), back: path(of: hook.id))
                question.checkboxes = events(scene) { shown.isTicked("event-\($0.rawValue)") }
                question.hidden = [shown.hidden]
                return question
            },
            make: { scene in
                guard scene.isForm else { return ChangeHook(id: scene.parameter("hook"), events: ["*"]) }
                let present = try await scene.perform(ShowHook(id: scene.parameter("hook")))
                let shown = shown(present.hook, scene)
                try shown.judge()
                let isOther = EventCategory.allCases.contains { shown.ticked("event-\($0.rawValue)") != nil }
                let events = EventCategory.allCases.filter { shown.isTicked("event-\($0.rawValue)") }
                return ChangeHook(
                    id: scene.parameter("hook"), url: shown.edited("url"),
                    events: isOther ? events.map(\.rawValue) : nil, label: shown.edited("label"),
                    expecting: present.revision)
            },
            review: { scene, change in
                let edits = shown(try await hook(scene), scene).edits()
                // It is judged after what it is compared with was read: with that the revision is of the same hook.
                _ = try await scene.perform(change.rehearsal)
                return ConsoleReview(changes: edits)
            },
            done: { _, answer in .lead(to: path(of: answer.hook.id), notice: "consoleDoneHookChanged") }),
        .action(
            "hooks/{hook}/secret", RotateHookSecret.self, in: .hooks,
            ask: {
                try await question(
                    $0, title: "consoleHookSecretTitle", text: "consoleHookSecretText", button: "consoleSecret")
            },
            make: { RotateHookSecret(id: $0.parameter("hook")) },
            done: { _, answer in
                .lead(to: path(of: answer.hook.id), notice: "consoleDoneHookSecret", secret: answer.secret.secret)
            }),
        .action(
            "hooks/{hook}/enable", ChangeHook.self, in: .hooks,
            ask: { scene in
                var question = try await question(
                    scene, title: "consoleHookEnableTitle", text: "consoleHookEnableText", button: "consoleHookEnable")
                question.checkbox = .init(
                    name: "skip", label: scene.words.plain("consoleHookSkip"), isChecked: scene.field("skip") != nil)
                return question
            },
            make: { scene in
                ChangeHook(
                    id: scene.parameter("hook"), isEnabled: true, skipMissed: scene.field("skip") == nil ? nil : true)
            },
            done: { _, answer in .lead(to: path(of: answer.hook.id), notice: "consoleDoneHookEnabled") }),
        .action(
            "hooks/{hook}/disable", ChangeHook.self, in: .hooks,
            ask: {
                var question = try await question(
                    $0, title: "consoleHookDisableTitle", text: "consoleHookDisableText", button: "consoleHookDisable")
                question.isDangerous = true
                return question
            },
            make: { ChangeHook(id: $0.parameter("hook"), isEnabled: false) },
            done: { _, answer in .lead(to: path(of: answer.hook.id), notice: "consoleDoneHookDisabled") }),
        .action(
            "hooks/{hook}/test", TestHook.self, in: .hooks,
            ask: {
                try await question(
                    $0, title: "consoleHookTestTitle", text: "consoleHookTestText", button: "consoleHookTest")
            },
            make: { TestHook(id: $0.parameter("hook")) },
            done: { scene, sending in
                try judge(sending, scene)
                return .lead(to: path(of: scene.parameter("hook")), notice: "consoleDoneHookTested")
            }),
        .action(
            "hooks/{hook}/replay", ReplayEvent.self, in: .hooks,
            ask: { scene in
                var question = try await question(
                    scene, title: "consoleHookReplayTitle", text: "consoleHookReplayText", button: "consoleHookReplay")
                question.fields = [
                    PageField(
                        name: "event", label: scene.words.plain("consoleHookEventID"),
                        value: scene.field("event"), autocomplete: "off",
                        maximumLength: 100, isInvalid: scene.isForm)
                ]
                return question
            },
            make: { scene in
                ReplayEvent(
                    id: scene.parameter("hook"),
                    event: try scene.typed("event", placeholder: "evt_00063f1c2b3a4d5e0a1b2c3d"))
            },
            done: { scene, sending in
                try judge(sending, scene)
                return .lead(to: path(of: scene.parameter("hook")), notice: "consoleDoneHookReplayed")
            }),
        .action(
            "hooks/{hook}/remove", RemoveHook.self, in: .hooks,
            ask: {
                var question = try await question(
                    $0, title: "consoleHookRemoveTitle", text: "consoleHookRemoveText", button: "consoleRemove")
                question.isDangerous = true
                return question
            },
            make: { RemoveHook(id: $0.parameter("hook")) },
            done: { _, _ in .lead(to: "/console/hooks", notice: "consoleDoneHookRemoved") }),
    ]

    static func path(of id: String) -> String { ConsolePath.to("hooks", id) }

    // MARK: Forms

    private static func hook(_ scene: ConsoleScene) async throws -> HookSummary {
        try await scene.perform(ShowHook(id: scene.parameter("hook"))).hook
    }

    /// A question about one hook, which its text names.
    private static func question(
        _ scene: ConsoleScene, title: String, text: String, button: String
    ) async throws -> ConsoleQuestion {
        let hook = try await hook(scene)
        return ConsoleQuestion(
            title: scene.words(title), text: scene.words(text, ["url": .chosen(hook.url)]),
            button: scene.words.plain(button), back: path(of: hook.id))
    }

    private static func fields(_ scene: ConsoleScene, url: String?, label: String?) -> [PageField] {
        [
            PageField(
                name: "url", label: scene.words.plain("consoleHook"), type: "url",
                value: url, autocomplete: "off", maximumLength: 2048,
                isInvalid: scene.isForm),
            PageField(
                name: "label", label: scene.words.plain("consoleName"),
                value: label, autocomplete: "off", isRequired: false, isFirst: false),
        ]
    }

    private static func shown(_ hook: HookSummary, _ scene: ConsoleScene) -> ShownFields {
        ShownFields(
            scene,
            [
                .text("url", scene.words.plain("consoleHook"), hook.url),
                .text("label", scene.words.plain("consoleName"), hook.label),
            ]
                + EventCategory.allCases.map { category in
                    .box(
                        "event-\(category.rawValue)",
                        scene.words.plain(WordFamily.key("category", category.rawValue)),
                        hook.events.contains(category.rawValue))
                })
    }

    private static func events(
        _ scene: ConsoleScene, isChosen: (EventCategory) -> Bool
    ) -> PageForm.Checkboxes {
        PageForm.Checkboxes(
            legend: scene.words.plain("consoleHookEvents"),
            boxes: EventCategory.allCases.map { category in
                .init(
                    name: "event-\(category.rawValue)",
                    label: scene.words.plain(WordFamily.key("category", category.rawValue)),
                    isChecked: isChosen(category))
            })
    }

    private static func chosen(_ scene: ConsoleScene) -> [String] {
        EventCategory.allCases.map(\.rawValue).filter { scene.field("event-\($0)") != nil }
    }

    /// - Throws: ``ConsoleProblem`` where the message did not arrive.
    private static func judge(_ sending: HookSending, _ scene: ConsoleScene) throws {
        guard !sending.isDelivered else { return }
        throw ConsoleProblem(
            scene.words("consoleHookNotDelivered", ["result": .text(words(of: sending.result, scene))]))
    }

    // MARK: The list

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListHooks(limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        let hooks = answer.hooks
        var page = scene.page("console-hooks", "consoleHooks")
        page.text = words("consoleHooksText")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleHooks"),
                    columns: [
                        words.plain("consoleHook"), words.plain("consoleState"),
                        words.plain("consoleHookDelivered"), words.plain("consoleHookFailed"),
                        words.plain("consoleHookError"),
                    ],
                    rows: hooks.map { hook in
                        [
                            .init(
                                PageText(address: hook.label.isEmpty ? hook.url : hook.label), to: path(of: hook.id)),
                            .init(
                                hook.isEnabled
                                    ? hook.failingSince.map { words.moment($0.date, now: scene.now) }
                                        ?? PageText("")
                                    : PageText(""),
                                marks: [state(of: hook, words)]),
                            .init(PageText("\(hook.delivered)")), .init(PageText("\(hook.failed)")),
                            .init(hook.lastError.map { HookPages.words(of: $0, scene) } ?? PageText("–")),
                        ]
                    }), none: words("consoleHooksNone")))
        page.blocks.append(scene.pager("/console/hooks", before: answer.previous, after: answer.next))
        if scene.may(AddHook.right) {
            page.blocks.append(.links([.init(words("consoleHookAdd"), to: "/console/hooks/add", isButton: true)]))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static func state(of hook: HookSummary, _ words: Words) -> PageBlock.Mark {
        if !hook.isEnabled { return .init(words("consoleHookDisabled"), .alarming) }
        return hook.failingSince == nil
            ? .init(words("consoleHookDelivers"), .good) : .init(words("consoleHookIsFailing"), .alarming)
    }

    /// What the overview says of hooks that nothing can be delivered to.
    static func warnings(_ scene: ConsoleScene) async throws -> [PageBlock] {
        guard scene.may(ListHooks.right) else { return [] }
        // As many as there can be.
        return try await scene.perform(ListHooks(limit: EventHooks.most)).hooks.compactMap { hook in
            guard hook.disabledBecause != nil || hook.isEnabled && hook.failingSince != nil else { return nil }
            return .standing(
                .init(
                    .alarming,
                    scene.words(
                        hook.isEnabled ? "consoleHookFails" : "consoleHookDead",
                        ["hook": .chosen(hook.label.isEmpty ? hook.url : hook.label)]),
                    hook.lastError.map { [HookPages.words(of: $0, scene)] } ?? [],
                    link: .init(scene.words("consoleHookLook"), to: path(of: hook.id))))
        }
    }

    // MARK: One hook

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let hook = try await hook(scene)
        var page = scene.page("console-hook", PageText(chosen: hook.label.isEmpty ? hook.url : hook.label))
        page.blocks += scene.secretBlocks("consoleHookSecret")
        if let reason = hook.disabledBecause {
            page.blocks.append(
                .standing(
                    .init(
                        .alarming, words("consoleHookDisabled"),
                        [words(reason == "gone" ? "consoleHookGone" : "consoleHookUnreachable")])))
        }
        page.blocks.append(.facts(facts(hook, scene)))
        if scene.may(ChangeHook.right) { page.blocks.append(.links(links(hook, words))) }
        page.blocks.append(.heading(words.plain("consoleHookAnswers")))
        page.blocks.append(answers(hook, scene))
        page.blocks += scene.command(ShowHook(id: hook.id))
        return page
    }

    private static func facts(_ hook: HookSummary, _ scene: ConsoleScene) -> [PageBlock.Fact] {
        let words = scene.words
        func time(_ timestamp: Timestamp?) -> PageText { timestamp.map { words.instant($0.date) } ?? PageText("–") }
        let categories = hook.events.map { words.plain(WordFamily.key("category", $0)) }
        return [
            .init(words.plain("consoleHook"), PageText(chosen: hook.url)),
            .init(
                words.plain("consoleState"),
                hook.isEnabled
                    ? hook.failingSince.map { words("consoleHookFailing", ["time": .text(words.instant($0.date))]) }
                        ?? PageText("") : PageText(""),
                mark: state(of: hook, words)),
            .init(words.plain("consoleHookEvents"), PageText(categories.joined(separator: ", "))),
            .init(words.plain("consoleMade"), time(hook.createdAt)),
            .init(words.plain("consoleHookDelivered"), PageText("\(hook.delivered)")),
            .init(words.plain("consoleHookFailed"), PageText("\(hook.failed)")),
            .init(words.plain("consoleHookLast"), time(hook.lastDeliveredAt)),
            .init(
                words.plain("consoleHookError"), hook.lastError.map { HookPages.words(of: $0, scene) } ?? PageText("–")),
            .init(words.plain("consoleNextAttempt"), time(hook.nextAttemptAt)),
        ]
    }

    private static func links(_ hook: HookSummary, _ words: Words) -> [PageBlock.Link] {
        func link(_ label: String, _ step: String) -> PageBlock.Link {
            .init(words(label), to: ConsolePath.to("hooks", hook.id, step), isButton: true, isSecondary: true)
        }
        return [
            link("consoleChange", "settings"), link("consoleHookTest", "test"), link("consoleHookReplay", "replay"),
            link("consoleSecret", "secret"),
            hook.isEnabled ? link("consoleHookDisable", "disable") : link("consoleHookEnable", "enable"),
            link("consoleRemove", "remove"),
        ]
    }

    /// What a service answered, or why there is no answer.
    private static func words(of result: String, _ scene: ConsoleScene) -> PageText {
        scene.words.said(result) ?? PageText(chosen: result)
    }

    private static func answers(_ hook: HookSummary, _ scene: ConsoleScene) -> PageBlock {
        let words = scene.words
        let mayReplay = scene.may(ReplayEvent.right)
        return .table(
            PageTable(
                words.plain("consoleHookAnswers"),
                columns: [words.plain("consoleTime"), words.plain("consoleEvent"), words.plain("consoleHookResult")]
                    + (mayReplay ? [words.plain("consoleAction")] : []),
                rows: hook.answers.map { answer in
                    [
                        .init(words.instant(answer.at.date)),
                        .init(
                            PageText(answer.event),
                            to: scene.may(.readLog) ? ConsolePath.to("log", answer.event) : nil),
                        .init(
                            PageText(""),
                            marks: [
                                .init(HookPages.words(of: answer.result, scene), answer.isDelivered ? .good : .alarming)
                            ]),
                    ]
                        + (mayReplay
                            ? [
                                .init(
                                    words("consoleHookReplay"),
                                    to: PagePath(
                                        ConsolePath.to("hooks", hook.id, "replay"), [("event", answer.event)]
                                    ).text)
                            ] : [])
                }), none: words("consoleHookAnswersNone"))
    }
}
