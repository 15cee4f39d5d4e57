import AdminServer
import CountersignCore
import WebPages

/// `/console/tokens`: the bearer tokens of programs that administer.
enum TokenPages {
    static let routes: [ConsoleRoute] = [
        .page("tokens", of: ListMachineTokens.self, in: .tokens, isEntry: true) { try await list($0) },
        .action(
            "tokens/add", AddMachineToken.self, in: .tokens,
            ask: { ask($0) }, make: { try make($0) },
            done: { _, answer in
                .lead(to: "/console/tokens", notice: "consoleDoneToken", secret: answer.secret.secret)
            }),
        .action(
            "tokens/{token}/revoke", RevokeMachineToken.self, in: .tokens,
            ask: { scene in
                // As many as there can be.
                let tokens = try await scene.perform(ListMachineTokens(limit: MachineTokens.most)).tokens
                guard let token = tokens.first(where: { $0.id == scene.parameter("token") }) else {
                    throw AdministrationError(.notFound, "There is no such token.")
                }
                return ConsoleQuestion(
                    title: scene.words("consoleRevokeToken", ["token": .chosen(token.shownName)]),
                    text: scene.words("consoleRevokeTokenText"), button: scene.words.plain("consoleRevoke"),
                    isDangerous: true, back: "/console/tokens")
            },
            make: { RevokeMachineToken(id: $0.parameter("token")) },
            done: { _, _ in .lead(to: "/console/tokens", notice: "consoleDoneRevoked") }),
    ]

    private static let all = "all"
    private static let scope = "scope."
    private static let days = [1, 7, 30, 90, 365]

    private static func ask(_ scene: ConsoleScene) -> ConsoleQuestion {
        let words = scene.words
        let chosen = scene.field("days").flatMap(Int.init) ?? 90
        var question = ConsoleQuestion(
            title: words("consoleTokenAdd"), text: words("consoleTokenAddText"),
            fields: [
                PageField(
                    name: "label", label: words.plain("consoleLabel"), value: scene.field("label"),
                    autocomplete: "off", maximumLength: MachineTokens.longestName, isRequired: false),
                .choice(
                    name: "days", label: words.plain("consoleLifetime"),
                    options: days.map {
                        .init("\($0)", words.plain("consoleDays", ["count": .number($0)]), isChosen: $0 == chosen)
                    }),
            ], button: words.plain("consoleAdd"), back: "/console/tokens")
        question.checkboxes = PageForm.Checkboxes(
            legend: words.plain("consoleScopes"),
            boxes: [
                .init(
                    name: scope + all, label: words.plain("consoleEverything"),
                    isChecked: scene.field(scope + all) != nil)
            ]
                + AdministrationRight.allCases.map { right in
                    .init(
                        name: scope + right.rawValue, label: right.rawValue,
                        isChecked: scene.field(scope + right.rawValue) != nil)
                })
        return question
    }

    private static func make(_ scene: ConsoleScene) throws -> AddMachineToken {
        let rights = AdministrationRight.allCases.map(\.rawValue).filter { scene.field(scope + $0) != nil }
        var scopes = scene.field(scope + all) == nil ? rights : ["*"]
        if scopes.isEmpty, !scene.isForm { scopes = [AdministrationRight.readUsers.rawValue] }
        let count = scene.field("days").flatMap(Int.init).flatMap { days.contains($0) ? $0 : nil } ?? 90
        return AddMachineToken(label: scene.field("label"), scopes: scopes, lifetime: count * 86_400)
    }

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListMachineTokens(limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        let tokens = answer.tokens
        let changes = scene.may(.changeAdministrators)
        let names = try await UserNames(actors: tokens.map(\.createdBy), scene)
        // The token of the data directory is the first, and ends by no button.
        let first: [PageTable.Cell] = [
            .init(PageText("admin-token")), .init(PageText("*")), .init(words("consoleNever")),
            .init(answer.adminTokenLastUsedAt.map { words.moment($0.date, now: scene.now) } ?? words("consoleNever")),
            .init(PageText("")), .init(PageText("")),
        ]
        var page = scene.page("console-tokens", "consoleTokens")
        page.text = words("consoleTokensText")
        page.blocks += scene.secretBlocks("consoleTokenOnce")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleTokens"),
                    columns: ["consoleLabel", "consoleScopes", "consoleExpires", "consoleUsed", "consoleGrantedBy"]
                        .map { words.plain($0) } + (changes ? [words.plain("consoleRevoke")] : []),
                    rows: (answer.previous == nil ? [first] : [])
                        + tokens.map { token in
                            [
                                .init(
                                    PageText(chosen: token.shownName),
                                    marks: mark(of: token, words)),
                                .init(PageText(token.scopes.joined(separator: " "))),
                                .init(words.instant(token.expiresAt.date)),
                                .init(
                                    token.lastUsedAt.map { words.moment($0.date, now: scene.now) }
                                        ?? words("consoleNever")),
                                names.cell(actor: token.createdBy, words),
                                .init(words("consoleRevoke"), to: ConsolePath.to("tokens", token.id, "revoke")),
                            ]
                        }), none: words("consoleNone")))
        page.blocks.append(scene.pager("/console/tokens", before: answer.previous, after: answer.next))
        if changes {
            page.blocks.append(.links([.init(words("consoleTokenAdd"), to: "/console/tokens/add", isButton: true)]))
        }
        page.blocks += scene.command(operation)
        return page
    }
}

extension TokenPages {
    /// Why it does not open what its scopes say.
    private static func mark(of token: MachineTokenSummary, _ words: Words) -> [PageBlock.Mark] {
        switch token.standing.flatMap({ MachineToken.Standing(rawValue: $0) }) {
        case .expired: [.init(words("consoleExpired"), .alarming)]
        case .dormant: [.init(words("consoleTokenDormant"), .alarming)]
        case .limited: [.init(words("consoleTokenLimited"), .alarming)]
        case .open, nil: []
        }
    }
}

extension MachineTokenSummary {
    fileprivate var shownName: String { label.isEmpty ? id : label }
}
