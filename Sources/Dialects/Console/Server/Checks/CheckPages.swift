import AdminServer
import CountersignCore
import WebPages

/// `/console/checks-catalogue`: the security checks of the server, and the applications that name them.
enum CheckPages {
    static let routes: [ConsoleRoute] = [
        .page("checks-catalogue", of: ListSecurityChecks.self, in: .catalogue, isEntry: true) { try await list($0) }
    ]

    private static let whole = "/console/checks-catalogue"

    /// The page with what one application names.
    static func path(of application: String) -> String { PagePath(whole, [("application", application)]).text }

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let operation = ListSecurityChecks(application: scene.field("application"))
        let answer = try await scene.perform(operation)
        let defined = answer.checks.filter(\.isDefined)
        var page = scene.page("console-checks-catalogue", "consoleCatalogue")
        page.text = words("consoleCatalogueText")
        if let application = operation.application {
            page.blocks += [
                .text(words("consoleCatalogueOf", ["id": .chosen(application)])),
                .links([.init(words("consoleCatalogueAll"), to: whole)]),
            ]
        }
        if !answer.isWhole {
            page.blocks.append(.text(words("consoleCatalogueMore", ["count": .number(ListSecurityChecks.most)])))
        }
        page.blocks.append(overview(of: defined, words))
        for (index, check) in defined.enumerated() {
            page.blocks.append(.heading(PageText(chosen: check.name).plain, anchor: anchor(of: index)))
            page.blocks.append(.facts(facts(of: check, words)))
            page.blocks += properties(of: check, words) + uses(of: check, scene)
        }
        page.blocks += undefined(answer.checks.filter { !$0.isDefined }, scene)
        page.blocks += scene.command(operation)
        return page
    }

    private static func anchor(of index: Int) -> String { "check-\(index + 1)" }

    private static func overview(of checks: [SecurityCheckSummary], _ words: Words) -> PageBlock {
        .table(
            PageTable(
                words.plain("consoleCatalogue"),
                columns: ["consoleCheck", "consoleCheckAsks", "consoleCheckAfter", "consoleApplications"].map {
                    words.plain($0)
                },
                rows: checks.enumerated().map { index, check in
                    [
                        .init(PageText(chosen: check.name), to: "#" + anchor(of: index)), .init(kind(of: check, words)),
                        .init(names(check.dependencies)),
                        .init(PageText("\(Set(check.uses.map(\.application)).count)")),
                    ]
                }), none: words("consoleCatalogueNone"))
    }

    private static func kind(of check: SecurityCheckSummary, _ words: Words) -> PageText {
        check.kind.map { words(WordFamily.key("checkKind", $0)) } ?? PageText("–")
    }

    private static func names(_ names: [String]) -> PageText {
        names.isEmpty ? PageText("–") : PageText(lines: names.map { PageText(chosen: $0, longest: 1024) })
    }

    // MARK: One check

    private static func facts(of check: SecurityCheckSummary, _ words: Words) -> [PageBlock.Fact] {
        var facts: [PageBlock.Fact] = [
            .init(words.plain("consoleCheckAsks"), kind(of: check, words)),
            .init(words.plain("consoleCheckType"), check.type.map { PageText(code: $0) } ?? PageText("–")),
            .init(words.plain("consoleCheckAfter"), names(check.dependencies)),
        ]
        if let most = check.maxAttempts {
            facts.append(.init(words.plain("consoleCheckAttempts"), PageText("\(most)")))
        }
        let states = check.states.map { state in
            words("consoleCheckLasts", ["state": .text(name(of: state, words)), "seconds": .words("\(state.seconds)")])
        }
        facts.append(.init(words.plain("consoleCheckStates"), states.isEmpty ? PageText("–") : PageText(lines: states)))
        if let seconds = check.inactivityTimeout, seconds > 0 {
            facts.append(.init(words.plain("consoleCheckInactivity"), PageText("\(seconds) s")))
        }
        if let seconds = check.rememberMeDuration {
            facts.append(.init(words.plain("consoleCheckRemember"), PageText("\(seconds) s")))
        }
        return facts
    }

    private static func name(of state: SecurityCheckSummary.State, _ words: Words) -> PageText {
        ["success", "attempting", "blocked"].contains(state.name)
            ? words(WordFamily.key("consoleCheckState", state.name)) : PageText(chosen: state.name)
    }

    private static func properties(of check: SecurityCheckSummary, _ words: Words) -> [PageBlock] {
        if check.properties.isEmpty { return [] }
        return [
            .table(
                PageTable(
                    words.plain("consoleCheckProperties", ["check": .chosen(check.name)]),
                    columns: ["consoleCheckProperty", "consoleValue", "consoleWhere"].map { words.plain($0) },
                    rows: check.properties.map { property in
                        [
                            .init(PageText(chosen: property.name)),
                            .init(value(of: property, words), marks: marks(of: property, words)),
                            .init(words(WordFamily.key("consoleCheckFrom", property.source))),
                        ]
                    }))
        ]
    }

    private static func value(of property: SecurityCheckSummary.Property, _ words: Words) -> PageText {
        property.value.map { PageText($0) } ?? words("consoleCheckConcealed")
    }

    private static func marks(of property: SecurityCheckSummary.Property, _ words: Words) -> [PageBlock.Mark] {
        property.isRead ? [] : [.init(words("consoleCheckUnread"), .alarming)]
    }

    // MARK: Applications

    private static func uses(of check: SecurityCheckSummary, _ scene: ConsoleScene) -> [PageBlock] {
        let words = scene.words
        if check.uses.isEmpty { return [.text(words("consoleCheckUnused"))] }
        return [
            .table(
                PageTable(
                    words.plain("consoleCheckUses", ["check": .chosen(check.name)]),
                    columns: [
                        "consoleApplication", "consoleApplicationVersion", "consoleCheckScopes", "consoleCheckOwn",
                    ].map { words.plain($0) },
                    rows: check.uses.map { row(of: $0, scene) }))
        ]
    }

    private static func row(of use: SecurityCheckSummary.Use, _ scene: ConsoleScene) -> [PageTable.Cell] {
        let words = scene.words
        let own = use.properties.map { property in
            words("consoleCheckSet", ["name": .chosen(property.name), "value": .text(value(of: property, words))])
        }
        return [
            .init(
                PageText(chosen: use.application),
                to: scene.may(ShowApplication.right) ? ApplicationPages.path(of: use.application) : nil),
            .init(PageText(chosen: use.version)),
            .init(
                names(use.elements),
                marks: (use.isMandatory ? [.init(words("consoleMandatoryScope"))] : [])
                    + (use.isShared ? [.init(words("consoleCheckShared"))] : [])),
            .init(
                own.isEmpty ? PageText("–") : PageText(lines: own),
                marks: marks(of: use, words)),
        ]
    }

    private static func marks(of use: SecurityCheckSummary.Use, _ words: Words) -> [PageBlock.Mark] {
        var marks: [PageBlock.Mark] = []
        if use.properties.contains(where: { !$0.isRead }) {
            marks.append(.init(words("consoleCheckUnread"), .alarming))
        }
        if !use.faults.isEmpty { marks.append(.init(words("consoleCheckFaulty"), .alarming)) }
        return marks
    }

    /// What applications name and the server does not have: a scope that leads to one is refused.
    private static func undefined(_ checks: [SecurityCheckSummary], _ scene: ConsoleScene) -> [PageBlock] {
        if checks.isEmpty { return [] }
        let words = scene.words
        let title = words.plain("consoleChecksUndefined")
        let columns = [
            "consoleCheck", "consoleApplication", "consoleApplicationVersion", "consoleCheckScopes", "consoleCheckOwn",
        ]
        return [
            .heading(title), .text(words("consoleChecksUndefinedText")),
            .table(
                PageTable(
                    title, columns: columns.map { words.plain($0) },
                    rows: checks.flatMap { check -> [[PageTable.Cell]] in
                        let name = PageTable.Cell(PageText(chosen: check.name))
                        return check.uses.map { [name] + row(of: $0, scene) }
                    })),
        ]
    }
}
