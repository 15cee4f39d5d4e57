import AdminServer
import CountersignCore
import WebPages

/// `/console/registrations`: applications that registered themselves, and the tokens that let them.
enum RegistrationPages {
    static let routes: [ConsoleRoute] = [
        .page("registrations", of: ListRegistrations.self, in: .registrations, isEntry: true) { try await list($0) },
        .action(
            "registrations/{registered}/approve", ApproveRegistration.self, in: .registrations,
            ask: { try await question($0, "consoleApproveTitle", "consoleApproveText", "consoleApprove") },
            make: { ApproveRegistration(id: $0.parameter("registered")) },
            done: { _, answer in
                .lead(to: ApplicationPages.path(of: answer.application.id), notice: "consoleDoneApproved")
            }),
        .action(
            "registrations/{registered}/withdraw", ApproveRegistration.self, in: .registrations,
            ask: { try await question($0, "consoleWithdrawTitle", "consoleWithdrawText", "consoleWithdraw") },
            make: { ApproveRegistration(id: $0.parameter("registered"), isApproved: false) },
            done: { _, answer in
                .lead(to: ApplicationPages.path(of: answer.application.id), notice: "consoleDoneWithdrawn")
            }),
        .page("registrations-tokens", of: ListRegistrationTokens.self, in: .registrations) { try await tokens($0) },
        .action(
            "registrations-tokens/add", AddRegistrationToken.self, in: .registrations,
            ask: { try await addition($0) }, make: { try await added($0) },
            done: { _, answer in
                .lead(to: tokensPath, notice: "consoleDoneToken", secret: answer.secret.secret)
            }),
        .action(
            "registrations-tokens/{initial}/remove", RemoveRegistrationToken.self, in: .registrations,
            ask: { scene in
                // As many as there can be.
                let tokens = try await scene.perform(ListRegistrationTokens(limit: RegistrationTokens.most)).tokens
                guard let token = tokens.first(where: { $0.id == scene.parameter("initial") }) else {
                    throw AdministrationError(.notFound, "There is no such token.")
                }
                return ConsoleQuestion(
                    title: scene.words("consoleRegistrationTokenRemove", ["token": .chosen(token.shownName)]),
                    text: scene.words("consoleRegistrationTokenRemoveText"), button: scene.words.plain("consoleRemove"),
                    isDangerous: true, back: tokensPath)
            },
            make: { RemoveRegistrationToken(id: $0.parameter("initial")) },
            done: { _, _ in .lead(to: tokensPath, notice: "consoleDoneRegistrationTokenRemoved") }),
    ]

    private static let path = "/console/registrations"
    private static let tokensPath = "/console/registrations-tokens"

    /// Leads from each list of the section to the others.
    /// - Parameter present: the path of the list that is shown.
    static func tabs(at present: String, _ scene: ConsoleScene) -> PageBlock {
        let lists = [
            (path, "consoleRegistrations"), (tokensPath, "consoleRegistrationTokens"),
            (DocumentPages.path, "consoleDocuments"),
        ]
        return .tabs(
            .init(
                scene.words.plain("consoleRegistrations"),
                lists.map { target, label in
                    .init(scene.words.plain(label), to: target, isPresent: target == present)
                }))
    }

    private static let days = [1, 7, 30, 90, 365]

    private static func question(
        _ scene: ConsoleScene, _ title: String, _ text: String, _ button: String
    ) async throws -> ConsoleQuestion {
        let id = try await scene.perform(ShowApplication(id: scene.parameter("registered"))).application.id
        return ConsoleQuestion(
            title: scene.words(title), text: scene.words(text, ["id": .chosen(id)]),
            button: scene.words.plain(button), back: ApplicationPages.path(of: id))
    }

    // MARK: Applications

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListRegistrations(limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        var page = scene.page("console-registrations", "consoleRegistrations")
        // Discovery tells everyone whether there is an endpoint.
        let mode = try await scene.realm.settings().oauth.registration
        page.text = words("consoleRegistrationsText", ["mode": .chosen(mode.rawValue)])
        page.blocks.append(tabs(at: path, scene))
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleRegistrations"),
                    columns: [
                        "consoleApplication", "consoleHost", "consoleRegistered", "consoleFrom",
                        "consoleRegistrationToken", "consoleUsed",
                    ].map { words.plain($0) },
                    rows: answer.registrations.map { row($0, scene) }), none: words("consoleRegistrationsNone")))
        page.blocks.append(scene.pager(path, before: answer.previous, after: answer.next))
        page.blocks += scene.command(operation)
        return page
    }

    private static func row(
        _ found: ListRegistrations.Answer.Registration, _ scene: ConsoleScene
    ) -> [PageTable.Cell] {
        let (words, application) = (scene.words, found.application)
        return [
            .init(
                PageText(chosen: application.displayName ?? application.id),
                to: ApplicationPages.path(of: application.id),
                marks: marks(of: application, words)),
            .init(PageText(address: application.origin?.host ?? "–")),
            .init(words.instant(application.createdAt.date)),
            .init(PageText(chosen: application.origin?.source ?? "–")),
            .init(PageText(chosen: application.origin?.token ?? "–")),
            .init(found.lastUsedAt.map { words.moment($0.date, now: scene.now) } ?? words("consoleNever")),
        ]
    }

    /// Whether an administrator vouches for it, and whether it is blocked.
    static func marks(of application: ApplicationSummary, _ words: Words) -> [PageBlock.Mark] {
        guard let origin = application.origin else { return [] }
        let isApproved = origin.approvedAt != nil
        return [.init(words(isApproved ? "consoleChecked" : "consoleUnchecked"), isApproved ? .good : .plain)]
            + (application.isDisabled ? [.init(words("consoleApplicationDisabled"), .alarming)] : [])
    }

    /// What the page of one application says of how it came.
    static func facts(_ application: ApplicationSummary, _ words: Words) -> [PageBlock.Fact] {
        guard let origin = application.origin else { return [] }
        var facts: [PageBlock.Fact] = [
            .init(
                words.plain("consoleRegisteredBy"),
                words(origin.by == "itself" ? "consoleRegisteredByItself" : "consoleRegisteredByDocument"),
                mark: marks(of: application, words).first),
            .init(words.plain("consoleHost"), PageText(chosen: origin.host ?? "–")),
        ]
        if let source = origin.source { facts.append(.init(words.plain("consoleFrom"), PageText(chosen: source))) }
        if let token = origin.token {
            facts.append(.init(words.plain("consoleRegistrationToken"), PageText(chosen: token)))
        }
        return facts
    }

    // MARK: Tokens

    private static func tokens(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let places = scene.places
        let operation = ListRegistrationTokens(
            limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        let tokens = answer.tokens
        let changes = scene.may(AddRegistrationToken.right)
        let names = try await UserNames(actors: tokens.map(\.createdBy), scene)
        var page = scene.page("console-registration-tokens", "consoleRegistrationTokens")
        page.text = words("consoleRegistrationTokensText")
        page.blocks.append(tabs(at: tokensPath, scene))
        page.blocks += scene.secretBlocks("consoleTokenOnce")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleRegistrationTokens"),
                    columns: [
                        "consoleLabel", "consoleLeft", "consoleExpires", "consoleUsed", "consoleAllows",
                        "consoleGrantedBy",
                    ].map { words.plain($0) } + (changes ? [words.plain("consoleRemove")] : []),
                    rows: tokens.map { token in
                        [
                            .init(
                                PageText(chosen: token.shownName),
                                marks: token.isOpen ? [] : [.init(words("consoleOver"), .alarming)]),
                            .init(token.remaining.map { PageText("\($0)") } ?? words("consoleUnbounded")),
                            .init(words.instant(token.expiresAt.date)),
                            .init(
                                token.lastUsedAt.map { words.moment($0.date, now: scene.now) }
                                    ?? words("consoleNever")),
                            .init(PageText(chosen: token.allowed)), names.cell(actor: token.createdBy, words),
                        ]
                            + (changes
                                ? [
                                    .init(
                                        words("consoleRemove"),
                                        to: ConsolePath.to("registrations-tokens", token.id, "remove"))
                                ] : [])
                    }), none: words("consoleNone")))
        page.blocks.append(scene.pager(tokensPath, before: answer.previous, after: answer.next))
        if changes {
            page.blocks.append(.links([.init(words("consoleTokenAdd"), to: tokensPath + "/add", isButton: true)]))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static let allowing = "allow."

    private static func addition(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let chosen = scene.field("days").flatMap(Int.init) ?? 7
        var count = PageField(
            name: "count", label: words.plain("consoleRegistrationCount"), type: "number",
            value: scene.isForm ? scene.fields["count"] : "1", autocomplete: "off", isRequired: false, isFirst: false)
        count.hint = words.plain("consoleRegistrationCountHint")
        var scopes = PageField(
            name: "scopes", label: words.plain("consoleScopes"), value: scene.field("scopes"), autocomplete: "off",
            maximumLength: 4096, isRequired: false, isFirst: false)
        scopes.hint = words.plain("consoleRegistrationScopesHint")
        var question = ConsoleQuestion(
            title: words("consoleTokenAdd"), text: words("consoleRegistrationTokenAddText"),
            fields: [
                PageField(
                    name: "label", label: words.plain("consoleLabel"), value: scene.field("label"),
                    autocomplete: "off", maximumLength: MachineTokens.longestName, isRequired: false),
                count,
                .choice(
                    name: "days", label: words.plain("consoleLifetime"),
                    options: days.map {
                        .init("\($0)", words.plain("consoleDays", ["count": .number($0)]), isChosen: $0 == chosen)
                    }),
                scopes,
            ], button: words.plain("consoleAdd"), back: tokensPath)
        let apis = try await scene.perform(ListResources()).resources.map(\.uri)
        question.checkboxes = PageForm.Checkboxes(
            legend: words.plain("consoleAllows"),
            boxes: (RegistrationAllowance.furtherGrantTypes + apis).map {
                .init(name: allowing + $0, label: $0, isChecked: scene.field(allowing + $0) != nil)
            })
        return question
    }

    private static func added(_ scene: ConsoleScene) async throws -> AddRegistrationToken {
        let span = scene.field("days").flatMap(Int.init).flatMap { days.contains($0) ? $0 : nil } ?? 7
        let count = try (scene.isForm ? scene.field("count") : "1").map { text -> Int in
            guard let count = Int(text) else {
                throw scene.missing
            }
            return count
        }
        func chosen(_ names: [String]) -> [String]? {
            let chosen = names.filter { scene.field(allowing + $0) != nil }
            return chosen.isEmpty ? nil : chosen
        }
        return AddRegistrationToken(
            label: scene.field("label"), lifetime: span * 86_400, count: count,
            grantTypes: chosen(RegistrationAllowance.furtherGrantTypes),
            resources: chosen(try await scene.perform(ListResources()).resources.map(\.uri)),
            scopes: scene.field("scopes")?.typedWords)
    }
}

extension RegistrationTokenSummary {
    fileprivate var shownName: String { label.isEmpty ? id : label }

    /// What applications may have by it beside users' sign-ins.
    fileprivate var allowed: String {
        let all = grantTypes + resources + (scopes ?? [])
        return all.isEmpty ? "–" : all.joined(separator: " ")
    }
}
