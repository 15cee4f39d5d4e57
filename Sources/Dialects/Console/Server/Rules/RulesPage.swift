import AdminServer
import CountersignCore
import WebPages

/// `/console/rules`: by what users sign in, and what is asked of them. Each rule is a setting; its page says, before it is changed, how many
/// users that concerns.
enum RulesPage {
    static let routes: [ConsoleRoute] = [
        .page("rules", of: ShowSettings.self, in: .rules, isEntry: true) { try await show($0) }
    ]

    /// What belongs together: the key of its heading, and beginnings of settings' names.
    private static let groups: [(heading: String, settings: [String])] = [
        ("consoleRulesSecond", ["secondFactors"]), ("consoleRulesPasswords", ["passwords"]),
        ("consoleRulesPasskeys", ["passkeys"]), ("consoleRulesSignUp", ["signUp", "terms", "privacy"]),
        ("consoleRulesSessions", ["browserSessions", "tokens.sessionDays"]),
    ]

    /// Whether a setting is one of these rules.
    static func isRule(_ key: String) -> Bool {
        groups.contains { group in group.settings.contains { key == $0 || key.hasPrefix($0 + ".") } }
    }

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        var page = scene.page("console-rules", "consoleRules")
        page.text = words("consoleRulesText")
        let settings = try await scene.perform(ShowSettings()).settings
        for group in groups {
            let own = settings.filter { setting in
                group.settings.contains { setting.key == $0 || setting.key.hasPrefix($0 + ".") }
            }
            let heading = words.plain(group.heading)
            page.blocks += [
                .heading(heading),
                .table(
                    PageTable(
                        heading,
                        columns: [
                            words.plain("consoleMeaning"), words.plain("consoleValue"), words.plain("consoleDefault"),
                        ],
                        rows: own.map { row($0, scene) })),
            ]
        }
        if scene.may(.readApplications) { page.blocks += try await applications(scene) }
        page.blocks += scene.command(ShowSettings())
        return page
    }

    private static func row(_ setting: SettingSummary, _ scene: ConsoleScene) -> [PageTable.Cell] {
        let words = scene.words
        return [
            .init(
                // Several say the same, as those of one language each.
                PageText(lines: [words.saying(setting.summary), PageText(code: setting.key)]),
                to: scene.may(ChangeSetting.right) ? SettingPages.path(of: setting.key) : nil
            ),
            .init(
                PageText(chosen: SettingPages.text(setting.value, words)),
                marks: setting.value == setting.defaultValue ? [] : [.init(words("consoleSettingSet"))]),
            .init(PageText(chosen: SettingPages.text(setting.defaultValue, words))),
        ]
    }

    /// Applications that ask for more than everybody has to give, among the first thousand.
    private static func applications(_ scene: ConsoleScene) async throws -> [PageBlock] {
        let words = scene.words
        let strict = try await scene.perform(ListApplications(limit: 1000)).applications.filter(\.requiresSecondFactor)
        return [
            .heading(words.plain("consoleRulesApplications")),
            strict.isEmpty
                ? .text(words("consoleRulesApplicationsNone"))
                : .items(
                    strict.prefix(ConsoleScene.pageLength).map { application in
                        .init(
                            PageText(chosen: application.displayName ?? application.id),
                            links: [
                                .init(
                                    words("consoleHookLook"), to: ApplicationPages.path(of: application.id))
                            ])
                    }),
        ]
    }
}
