import AdminServer
import CountersignCore
import Foundation
import JSON
import WebPages

/// `/console/settings`: every setting, what it is, where it comes from, who changed it.
enum SettingPages {
    static let routes: [ConsoleRoute] = [
        .page("settings", of: ShowSettings.self, in: .settings, isEntry: true) { try await list($0) },
        .action(
            "settings/{key}", ChangeSetting.self, in: .settings,
            ask: { try await question($0) },
            make: { scene in
                ChangeSetting(
                    key: scene.parameter("key"),
                    value: .string(scene.fields["value"] ?? scene.words.plain("consoleSettingValue")))
            },
            done: { _, _ in .lead(to: "/console/settings", notice: "consoleDoneSetting") }),
    ]

    // MARK: The list

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let sought = scene.field("q")?.lowercased() ?? ""
        func isSought(_ texts: String...) -> Bool {
            sought.isEmpty || texts.contains { $0.lowercased().contains(sought) }
        }
        let settings = try await scene.perform(ShowSettings()).settings.filter { isSought($0.key, $0.summary) }
        let changes = try await changes(scene)
        var page = scene.page(
            "console-settings", "consoleSettings",
            [
                .search(
                    PageSearch(
                        words.plain("consoleSettingsSearch"), action: "/console/settings",
                        fields: [
                            PageField(
                                name: "q", label: words.plain("consoleSettingsSearch"), type: "search",
                                value: scene.field("q").map { PageText.harmless($0) },
                                autocomplete: "off", isRequired: false, isFirst: false)
                        ], button: words.plain("consoleShow")))
            ])
        page.text = words("consoleSettingsText")
        page.blocks.append(.heading(words.plain("consoleSettingsDatabase")))
        page.blocks.append(
            settings.isEmpty
                ? .text(words("consoleNothingFound"))
                : .table(
                    PageTable(
                        words.plain("consoleSettingsDatabase"),
                        columns: [
                            words.plain("consoleSetting"), words.plain("consoleMeaning"), words.plain("consoleValue"),
                            words.plain("consoleDefault"), words.plain("consoleChangedBy"),
                        ],
                        rows: settings.map { row($0, changes[$0.key], scene) })))
        page.blocks += try await started(scene, isSought)
        page.blocks += scene.command(ShowSettings())
        return page
    }

    private static func row(
        _ setting: SettingSummary, _ change: (at: Date, by: String)?, _ scene: ConsoleScene
    ) -> [PageTable.Cell] {
        let words = scene.words
        let isDefault = setting.value == setting.defaultValue
        return [
            .init(
                PageText(chosen: setting.key),
                to: scene.may(ChangeSetting.right) ? path(of: setting.key) : nil),
            .init(PageText(setting.summary)),
            .init(
                PageText(chosen: text(setting.value, words)),
                marks: isDefault ? [] : [.init(words("consoleSettingSet"))]),
            .init(PageText(chosen: text(setting.defaultValue, words))),
            .init(
                change.map { change in
                    words(
                        "consoleChangedByAt",
                        ["by": .chosen(change.by), "time": .text(scene.words.instant(change.at))])
                } ?? PageText("–")),
        ]
    }

    private static func path(of key: String) -> String { ConsolePath.to("settings", key) }

    /// Who changed each setting last, as far as the log goes back.
    private static func changes(_ scene: ConsoleScene) async throws -> [String: (at: Date, by: String)] {
        guard scene.may(SearchAuditEvents.right) else { return [:] }
        let events = try await scene.perform(SearchAuditEvents(kinds: ["settings.changed"], limit: 1000)).events
        var changes: [String: (at: Date, by: String)] = [:]
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

    private static func question(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let key = scene.parameter("key")
        guard let setting = try await setting(key, scene) else { throw AdministrationError(.notFound, "") }
        var question = ConsoleQuestion(
            title: PageText(chosen: key), text: PageText(setting.summary),
            button: words.plain("consoleSave"), back: "/console/settings")
        var field = PageField(
            name: "value", label: words.plain("consoleValue"),
            value: scene.fields["value"] ?? plain(setting.value), autocomplete: "off", maximumLength: 8192,
            isInvalid: scene.isForm)
        field.hint = words.plain("consoleSettingTakes", ["values": .chosen(setting.accepts)])
        field.isMultiline = plain(setting.value).contains("\n")
        question.fields = [field]
        question.changes = [
            .init(
                words.plain("consoleDefault"), from: PageText(chosen: text(setting.value, words)),
                to: PageText(chosen: text(setting.defaultValue, words)))
        ]
        if key == "passkeys.rpID" { question.text = words("consoleSettingRPID") }
        return question
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
    private static func text(_ value: JSONValue, _ words: Words) -> String {
        value == .null ? words.plain("consoleSettingNone") : plain(value)
    }
}
