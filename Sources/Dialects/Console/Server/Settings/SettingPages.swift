import AdminServer
import CountersignCore
import Foundation
import JSON
import WebPages

/// `/console/settings`: every setting, what it is, where it comes from, who changed it.
enum SettingPages {
    static let routes: [ConsoleRoute] = [
        .page("settings", of: ShowSettings.self, in: .settings, isEntry: true) { try await list($0) },
        .page("settings/{key}", right: ChangeSetting.right, in: .settings) { try await form($0) },
        .action(
            "settings/{key}/change", ChangeSetting.self, in: .settings,
            ask: { try await question($0) },
            make: { scene in
                let value = scene.fields["value"] ?? scene.words.plain("consoleSettingValue")
                var change = ChangeSetting(
                    key: scene.parameter("key"), value: .string(value),
                    confirmed: scene.field("confirmed") == nil ? nil : true)
                if scene.isForm, let setting = try await setting(scene.parameter("key"), scene) {
                    guard !shown(setting, scene).isOther("present") else {
                        throw ConsoleProblem(
                            scene.words(
                                "consoleSettingMeanwhile",
                                ["value": .chosen(text(setting.value, scene.words))]))
                    }
                    change.expecting = setting.value
                }
                return change
            },
            review: { try await review($0, $1) },
            // What is agreed to is said where it is shown.
            asSeen: { operation in
                var asked = operation
                asked.confirmed = nil
                return asked
            },
            done: { scene, _ in
                let isRule = RulesPage.isRule(scene.parameter("key"))
                return .lead(to: isRule ? "/console/rules" : "/console/settings", notice: "consoleDoneSetting")
            }),
    ]

    // MARK: The list

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let sought = scene.field("q")?.lowercased() ?? ""
        func isSought(_ texts: String...) -> Bool {
            sought.isEmpty || texts.contains { $0.lowercased().contains(sought) }
        }
        let settings = try await scene.perform(ShowSettings()).settings.filter {
            isSought($0.key, $0.summary, words.saying($0.summary).plain)
        }
        let changes = try await changes(of: settings, scene)
        let names = try await UserNames(actors: changes.values.map(\.by), scene)
        var page = scene.page(
            "console-settings", "consoleSettings",
            [
                .search(
                    PageSearch(
                        words.plain("consoleSettingsSearch"), action: "/console/settings",
                        fields: [
                            PageField(
                                name: "q", label: words.plain("consoleSettingsSearch"), type: "search",
                                value: scene.field("q"),
                                autocomplete: "off", isRequired: false, isFirst: false)
                        ], button: words.plain("consoleShow")))
            ])
        page.text = words("consoleSettingsText")
        page.blocks.append(.heading(words.plain("consoleSettingsDatabase")))
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleSettingsDatabase"),
                    columns: [
                        words.plain("consoleSetting"), words.plain("consoleMeaning"), words.plain("consoleValue"),
                        words.plain("consoleDefault"), words.plain("consoleChangedBy"),
                    ],
                    rows: settings.map { row($0, changes[$0.key], names, scene) }), none: words("consoleNothingFound")))
        page.blocks += try await started(scene, isSought)
        page.blocks += scene.command(ShowSettings())
        return page
    }

    private static func row(
        _ setting: SettingSummary, _ change: (at: Date, by: String)?, _ names: UserNames, _ scene: ConsoleScene
    ) -> [PageTable.Cell] {
        let words = scene.words
        let isDefault = setting.value == setting.defaultValue
        return [
            .init(
                PageText(chosen: setting.key),
                to: scene.may(ChangeSetting.right) ? path(of: setting.key) : nil),
            .init(words.saying(setting.summary)),
            .init(
                PageText(chosen: text(setting.value, words)),
                marks: isDefault ? [] : [.init(words("consoleSettingSet"))]),
            .init(PageText(chosen: text(setting.defaultValue, words))),
            .init(
                change.map { change in
                    words(
                        "consoleChangedByAt",
                        ["by": .chosen(names.name(actor: change.by)), "time": .text(scene.words.instant(change.at))])
                } ?? PageText("–"), to: change.flatMap { names.path(actor: $0.by) }),
        ]
    }

    static func path(of key: String) -> String { ConsolePath.to("settings", key) }

    /// Who changed each setting last. What was changed before servers remembered that is looked for in the newest part of the log.
    private static func changes(
        of settings: [SettingSummary], _ scene: ConsoleScene
    ) async throws -> [String: (at: Date, by: String)] {
        var changes: [String: (at: Date, by: String)] = [:]
        var isKnown = true
        for setting in settings {
            if let at = setting.changedAt, let by = setting.changedBy {
                changes[setting.key] = (at.date, by.isEmpty ? "–" : by)
            } else if setting.value != setting.defaultValue {
                isKnown = false
            }
        }
        guard !isKnown, scene.may(SearchAuditEvents.right) else { return changes }
        let events = try await scene.perform(SearchAuditEvents(kinds: ["settings.changed"], limit: 1000)).events
        for event in events {
            guard let key = event.details["setting"]?.stringValue, changes[key] == nil else { continue }
            changes[key] = (event.at.date, event.details["by"]?.stringValue ?? event.clientID ?? "–")
        }
        return changes
    }

    /// What the servers were started with.
    private static func started(
        _ scene: ConsoleScene, _ isSought: (String...) -> Bool
    ) async throws -> [PageBlock] {
        let words = scene.words
        let values = try await scene.perform(ShowStart()).values.filter { isSought($0.key, $0.key) }
        guard !values.isEmpty else { return [] }
        return [
            .heading(words.plain("consoleSettingsStart")), .text(words("consoleSettingsStartText")),
            .table(
                PageTable(
                    words.plain("consoleSettingsStart"),
                    columns: [
                        words.plain("consoleSetting"), words.plain("consoleValue"), words.plain("consoleWhere"),
                    ],
                    rows: values.map { value in
                        let shown =
                            value.text
                            ?? words.plain(
                                value.source == .standard ? "consoleSettingStandard" : "consoleSettingSecret")
                        return [
                            .init(PageText(chosen: value.key)), .init(PageText(chosen: shown)),
                            .init(
                                words(
                                    WordFamily.key("consoleSettingFrom", value.source.rawValue),
                                    ["place": .chosen(value.place)])),
                        ]
                    })),
        ]
    }

    // MARK: One setting

    /// What the setting is to be, and, where that was said, what it would change. Nothing is changed by this page.
    private static func form(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let key = scene.parameter("key")
        guard let setting = try await setting(key, scene) else { throw AdministrationError(.notFound, "") }
        var page = scene.page("console-setting", PageText(chosen: key))
        page.text = key == "passkeys.rpID" ? words("consoleSettingRPID") : words.saying(setting.summary)
        let present = plain(setting.value)
        let isMultiline = present.contains("\n")
        let typed = scene.fields["value"].map { PageField.edited($0, from: present, isMultiline: isMultiline) }
        var field = PageField(
            name: "value", label: words.plain("consoleValue"), value: typed ?? present, autocomplete: "off",
            maximumLength: 8192, isRequired: false)
        field.hint = words.plain("consoleSettingTakes", ["values": .text(accepted(by: setting, words))])
        field.isMultiline = isMultiline
        var effects: [PageBlock] = []
        if let typed {
            do {
                effects = try await preview(typed, scene)
            } catch let error as AdministrationError where error.isAboutForm {
                page.problem = scene.problem(error)
                field.isInvalid = true
            }
        }
        page.blocks.append(
            .search(
                PageSearch(key, action: path(of: key), fields: [field], button: words.plain("consoleSettingPreview"))))
        page.blocks += effects
        page.blocks.append(
            .facts([
                .init(words.plain("consoleSettingPresent"), PageText(chosen: text(setting.value, words))),
                .init(words.plain("consoleDefault"), PageText(chosen: text(setting.defaultValue, words))),
            ]))
        page.blocks += scene.command(
            PreviewSetting(key: key, value: .string(typed ?? present)))
        return page
    }

    /// What would be different, for how many users, and the button that does it.
    private static func preview(_ value: String, _ scene: ConsoleScene) async throws -> [PageBlock] {
        let words = scene.words
        let key = scene.parameter("key")
        let answer = try await scene.perform(PreviewSetting(key: key, value: .string(value)))
        guard answer.setting.value != answer.present.value else { return [.text(words("consoleSettingSame"))] }
        let action = ConsolePath.to("settings", key, "change")
        var button = PageForm.Button(words.plain("consoleSave"))
        button.isDangerous = isDangerous(answer)
        // What the form does, and what it expects.
        let change = ChangeSetting(key: key, value: .string(value), expecting: answer.present.value)
        let mark = try scene.seen(change, at: action)
        let said: [PageForm.HiddenField] = [
            .init(name: "value", value: value), shown(answer.present, scene).hidden, mark,
        ]
        var form = PageForm(action: action, hidden: scene.locks(of: action) + said, buttons: [button])
        if answer.lostPasskeys > 0 {
            form.checkbox = .init(name: "confirmed", label: words.plain("consoleSettingConfirmed"))
        }
        return [.heading(words.plain("consoleSettingEffects")), standing(answer, words), .form(form)]
    }

    private static func isDangerous(_ answer: PreviewSetting.Answer) -> Bool {
        !answer.warnings.isEmpty || answer.lostPasskeys > 0
    }

    /// The same of a form that no page with effects has sent.
    private static func review(_ scene: ConsoleScene, _ change: ChangeSetting) async throws -> ConsoleReview {
        let answer = try await scene.perform(PreviewSetting(key: change.key, value: change.value))
        guard answer.setting.value != answer.present.value else { return ConsoleReview(changes: []) }
        var review = ConsoleReview(changes: [], isDangerous: isDangerous(answer))
        review.blocks = [standing(answer, scene.words)]
        if answer.lostPasskeys > 0 {
            review.checkbox = .init(name: "confirmed", label: scene.words.plain("consoleSettingConfirmed"))
        }
        return review
    }

    private static func standing(_ answer: PreviewSetting.Answer, _ words: Words) -> PageBlock {
        let change = words(
            "consoleSettingChange",
            [
                "before": .chosen(text(answer.present.value, words)),
                "after": .chosen(text(answer.setting.value, words)),
            ])
        var texts = answer.warnings.map { words.saying($0) }
        texts += answer.concerned.map {
            words(WordFamily.key("consoleConcerned", $0.effect), ["count": .number($0.users)])
        }
        if answer.lostPasskeys > 0 {
            texts.append(words("consoleLostPasskeys", ["count": .number(answer.lostPasskeys)]))
        }
        if answer.concerned.isEmpty, answer.lostPasskeys == 0 { texts.append(words("consoleConcernedNone")) }
        if !answer.isWhole { texts.append(words("consoleConcernedSeen", ["count": .number(answer.seen)])) }
        return .standing(.init(answer.warnings.isEmpty ? .plain : .alarming, change, texts))
    }

    /// The same where a browser opens the form itself.
    private static func question(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let key = scene.parameter("key")
        guard let setting = try await setting(key, scene) else { throw AdministrationError(.notFound, "") }
        let value = scene.fields["value"] ?? plain(setting.value)
        var field = PageField(
            name: "value", label: words.plain("consoleValue"), value: value, autocomplete: "off",
            maximumLength: 8192, isRequired: false, isInvalid: scene.isForm)
        field.hint = words.plain("consoleSettingTakes", ["values": .text(accepted(by: setting, words))])
        field.isMultiline = value.contains("\n")
        var question = ConsoleQuestion(
            title: PageText(chosen: key), text: words.saying(setting.summary), fields: [field],
            button: words.plain("consoleSave"), back: path(of: key))
        question.hidden = [shown(setting, scene).hidden]
        if key == "passkeys.rpID" {
            question.checkbox = .init(name: "confirmed", label: words.plain("consoleSettingConfirmed"))
        }
        return question
    }

    /// What the form was made of: the value that is to be replaced.
    private static func shown(_ setting: SettingSummary, _ scene: ConsoleScene) -> ShownFields {
        let about = ConsolePath.to("settings", setting.key, "change")
        return ShownFields(scene, [.lines("present", "", plain(setting.value))], at: about)
    }

    /// What it takes: in words, or words of the setting itself, which are typed as they are.
    private static func accepted(by setting: SettingSummary, _ words: Words) -> PageText {
        words.said(setting.accepts) ?? PageText(chosen: setting.accepts)
    }

    /// The setting that the path names; nil where there is none.
    private static func setting(_ key: String, _ scene: ConsoleScene) async throws -> SettingSummary? {
        do {
            return try await scene.perform(ShowSettings(key: key)).settings.first { $0.key == key }
        } catch let error as AdministrationError where error.code == .invalid {
            return nil
        }
    }

    /// As a form has it.
    private static func plain(_ value: JSONValue) -> String {
        switch value {
        case .null: "none"
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .array(let elements): elements.compactMap(\.stringValue).joined(separator: ", ")
        case .object: ""
        }
    }

    /// As a list shows it.
    static func text(_ value: JSONValue, _ words: Words) -> String {
        value == .null ? words.plain("consoleSettingNone") : plain(value)
    }
}
