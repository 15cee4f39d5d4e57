import AdminServer
import CountersignCore
import WebPages

/// `/console/extensions`: services that are asked in the middle of a sign-in or a sign-up.
enum ExtensionPages {
    static let routes: [ConsoleRoute] = [
        .page("extensions", of: ListExtensions.self, in: .extensions, isEntry: true) { try await list($0) },
        .page("extensions/{extension}", of: ShowExtension.self, in: .extensions) { try await show($0) },
        .action(
            "extensions/add", AddExtension.self, in: .extensions,
            ask: { addition($0) }, make: { try added($0) },
            done: { _, answer in .lead(to: path(of: answer.extension.id), notice: "consoleDoneExtensionAdded") }),
        .action(
            "extensions/{extension}/check", CheckExtension.self, in: .extensions,
            ask: {
                try await question(
                    $0, "consoleExtensionCheckTitle", "consoleExtensionCheckText", "consoleExtensionCheck")
            },
            make: { CheckExtension(id: $0.parameter("extension")) },
            done: { scene, answer in
                if let failure = failure(answer, scene.words) { throw ConsoleProblem(failure) }
                return .lead(to: path(of: answer.id), notice: "consoleDoneExtensionChecked")
            }),
        .action(
            "extensions/{extension}/remove", RemoveExtension.self, in: .extensions,
            ask: {
                var question = try await question(
                    $0, "consoleExtensionRemoveTitle", "consoleExtensionRemoveText", "consoleRemove")
                question.isDangerous = true
                return question
            },
            make: { RemoveExtension(id: $0.parameter("extension")) },
            done: { _, _ in .lead(to: "/console/extensions", notice: "consoleDoneExtensionRemoved") }),
    ]

    private static func path(of id: String) -> String { ConsolePath.to("extensions", id) }

    /// What is wrong with the service's answer; nil where nothing is.
    private static func failure(_ answer: CheckExtension.Answer, _ words: Words) -> PageText? {
        answer.code.map { code in
            words(
                answer.detail == nil ? "consoleExtensionFailed" : "consoleExtensionFailedSaying",
                [
                    "advice": .text(words.saying(answer.advice ?? "")), "number": .words("\(code)"),
                    "name": .words(answer.name ?? ""), "detail": .chosen(answer.detail ?? ""),
                ])
        }
    }

    private static func found(_ scene: ConsoleScene) async throws -> ExtensionSummary {
        try await scene.perform(ShowExtension(id: scene.parameter("extension"))).extension
    }

    private static func question(
        _ scene: ConsoleScene, _ title: String, _ text: String, _ button: String
    ) async throws -> ConsoleQuestion {
        let found = try await found(scene)
        return ConsoleQuestion(
            title: scene.words(title), text: scene.words(text, ["url": .chosen(found.targetURL)]),
            button: scene.words.plain(button), back: path(of: found.id))
    }

    // MARK: Adding one

    private static func addition(_ scene: ConsoleScene) -> ConsoleQuestion {
        let words = scene.words
        func field(_ name: String, _ label: String, type: String = "text", hint: String? = nil) -> PageField {
            var field = PageField(
                name: name, label: words.plain(label), type: type,
                value: scene.fields[name], autocomplete: "off", maximumLength: 2048,
                isRequired: false, isFirst: false)
            field.hint = hint.map { words.plain($0) }
            return field
        }
        var url = field("url", "consoleHook", type: "url")
        url.isRequired = true
        url.isInvalid = scene.isForm
        let chosen = scene.field("event")
        return ConsoleQuestion(
            title: words("consoleExtensionAdd"), text: words("consoleExtensionAddText"),
            fields: [
                .choice(
                    name: "event", label: words.plain("consoleExtensionEvent"),
                    options: ExtensionEvent.allCases.map {
                        .init(
                            $0.rawValue, words.plain(WordFamily.key("extension", $0.rawValue)),
                            isChosen: $0.rawValue == chosen)
                    }),
                url, field("name", "consoleName"),
                field("apps", "consoleApplications", hint: "consoleExtensionAppsHint"),
                field("claims", "consoleExtensionClaims", hint: "consoleExtensionClaimsHint"),
                field("timeout", "consoleExtensionTimeout", type: "number"),
            ], button: words.plain("consoleAdd"), back: "/console/extensions")
    }

    private static func added(_ scene: ConsoleScene) throws -> AddExtension {
        func list(_ name: String) -> [String] {
            (scene.field(name) ?? "").split { $0 == " " || $0 == "," }.map(String.init)
        }
        let timeout = try scene.field("timeout").map { text -> Int in
            guard let number = Int(text) else {
                throw scene.missing
            }
            return number
        }
        return AddExtension(
            event: try scene.typed("event", placeholder: "token-issuance-start"),
            targetURL: try scene.typed("url", placeholder: "https://service.example.com/claims"),
            displayName: scene.field("name"), applications: list("apps"), timeout: timeout ?? 1000, retries: 0,
            claims: list("claims").map { text in
                // A name of a claim may be a URL: only the first colon separates.
                let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
                return .init(id: parts.first, jwtClaimType: parts.count == 2 ? parts[1] : nil)
            })
    }

    // MARK: Pages

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let extensions = try await scene.perform(ListExtensions()).extensions
        var page = scene.page("console-extensions", "consoleExtensions")
        page.text = words("consoleExtensionsText")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleExtensions"),
                    columns: [
                        words.plain("consoleExtension"), words.plain("consoleExtensionEvent"),
                        words.plain("consoleHook"), words.plain("consoleApplications"),
                    ],
                    rows: extensions.map { found in
                        [
                            .init(PageText(chosen: found.displayName ?? found.id), to: path(of: found.id)),
                            .init(words(WordFamily.key("extension", found.event))),
                            .init(PageText(address: found.targetURL)), .init(applications(of: found, words)),
                        ]
                    }), none: words("consoleExtensionsNone")))
        if scene.may(AddExtension.right) {
            page.blocks.append(
                .links([.init(words("consoleExtensionAdd"), to: "/console/extensions/add", isButton: true)]))
        }
        page.blocks += scene.command(ListExtensions())
        return page
    }

    private static func applications(of found: ExtensionSummary, _ words: Words) -> PageText {
        found.applications.isEmpty
            ? words("consoleExtensionAll") : PageText(chosen: found.applications.joined(separator: ", "))
    }

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let found = try await found(scene)
        var page = scene.page("console-extension", PageText(chosen: found.displayName ?? found.id))
        let claims = found.claims.map { claim in
            claim.value.map { "\(claim.jwtClaimType ?? "") = \($0)" }
                ?? [claim.id, claim.jwtClaimType].compactMap { $0 }.joined(separator: " → ")
        }
        page.blocks.append(
            .facts([
                .init(words.plain("consoleExtensionEvent"), words(WordFamily.key("extension", found.event))),
                .init(words.plain("consoleHook"), PageText(chosen: found.targetURL)),
                .init(words.plain("consoleExtensionResource"), PageText(chosen: found.resourceID)),
                .init(words.plain("consoleApplications"), applications(of: found, words)),
                .init(words.plain("consoleExtensionTimeout"), PageText("\(found.timeout)")),
                .init(
                    words.plain("consoleExtensionClaims"),
                    PageText(chosen: claims.isEmpty ? "–" : claims.joined(separator: ", "))),
                .init(words.plain("consoleMade"), words.instant(found.createdAt.date)),
            ]))
        if scene.may(CheckExtension.right) {
            let own = path(of: found.id)
            page.blocks.append(
                .links([
                    .init(words("consoleExtensionCheck"), to: own + "/check", isButton: true),
                    .init(words("consoleRemove"), to: own + "/remove", isButton: true, isSecondary: true),
                ]))
        }
        page.blocks += try await DeliveryPages.blocks(ofExtension: found.id, scene)
        page.blocks += scene.command(ShowExtension(id: found.id))
        return page
    }
}
