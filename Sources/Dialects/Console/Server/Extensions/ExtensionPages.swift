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
            ask: { form(nil, $0) }, make: { try registration($0, in: nil) },
            done: { _, answer in .lead(to: path(of: answer.extension.id), notice: "consoleDoneExtensionAdded") }),
        .action(
            "extensions/{extension}/settings", AddExtension.self, in: .extensions,
            ask: { form(try await found($0), $0) },
            make: { scene in
                let present = try await scene.perform(ShowExtension(id: scene.parameter("extension")))
                return try registration(scene, in: present.extension, expecting: present.revision)
            },
            review: { try await review($0, $1) },
            done: { _, answer in .lead(to: path(of: answer.extension.id), notice: "consoleDoneExtensionChanged") }),
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

    // MARK: Adding and changing one

    /// Of the tokens that have the claims.
    private static let both = "id access"

    /// - Parameter present: nil where one is added.
    private static func shown(_ present: ExtensionSummary?, _ scene: ConsoleScene) -> ShownFields {
        let words = scene.words
        func field(_ name: String, _ label: String, _ value: String?) -> ShownFields.Field {
            .text(name, words.plain(label), value)
        }
        let claims = present?.claims ?? []
        let named = claims.compactMap { claim in
            claim.id.map { id in claim.renamed.map { "\(id):\($0)" } ?? id }
        }
        let constants = claims.compactMap { claim in claim.value.map { "\(claim.jwtClaimType ?? "") = \($0)" } }
        return ShownFields(
            scene,
            [
                field("event", "consoleExtensionEvent", present?.event),
                field("url", "consoleHook", present?.targetURL),
                field("name", "consoleName", present?.displayName),
                field("resource-id", "consoleExtensionResource", present?.resourceID),
                field("apps", "consoleApplications", present?.applications.joined(separator: " ")),
                field("claims", "consoleExtensionClaims", named.joined(separator: " ")),
                .lines(
                    "constants", words.plain("consoleExtensionConstants"), constants.joined(separator: "\n")),
                field("tokens", "consoleExtensionTokens", present.map { $0.tokens.count == 1 ? $0.tokens[0] : both }),
                field("timeout", "consoleExtensionTimeout", present.map { "\($0.timeout)" }),
                field("retries", "consoleExtensionRetries", present.map { "\($0.retries)" }),
                field("on-error", "consoleExtensionOnError", present?.onError),
            ])
    }

    private static func form(_ present: ExtensionSummary?, _ scene: ConsoleScene) -> ConsoleQuestion {
        let words = scene.words
        let shown = shown(present, scene)
        func field(_ name: String, _ label: String, type: String = "text", hint: String? = nil) -> PageField {
            var field = PageField(
                name: name, label: words.plain(label), type: type, value: shown.value(name), autocomplete: "off",
                maximumLength: 2048, isRequired: false, isFirst: false)
            field.hint = hint.map { words.plain($0) }
            return field
        }
        func choice(_ name: String, _ label: String, _ values: [(String, String)]) -> PageField {
            let chosen = shown.value(name)
            return .choice(
                name: name, label: words.plain(label),
                options: values.map { PageField.Option($0.0, $0.1, isChosen: $0.0 == chosen) })
        }
        var url = field("url", "consoleHook", type: "url")
        url.isRequired = true
        url.isInvalid = scene.isForm
        var constants = PageField.lines(
            name: "constants", label: words.plain("consoleExtensionConstants"), value: shown.value("constants"),
            maximumLength: 8192, isRequired: false)
        constants.hint = words.plain("consoleExtensionConstantsHint")
        let events = ExtensionEvent.allCases.map {
            ($0.rawValue, words.plain(WordFamily.key("extension", $0.rawValue)))
        }
        var question = ConsoleQuestion(
            title: words(present == nil ? "consoleExtensionAdd" : "consoleExtensionChangeTitle"),
            text: words("consoleExtensionAddText"),
            fields: [
                choice("event", "consoleExtensionEvent", events), url, field("name", "consoleName"),
                field("apps", "consoleApplications", hint: "consoleExtensionAppsHint"),
                field("claims", "consoleExtensionClaims", hint: "consoleExtensionClaimsHint"), constants,
                choice(
                    "tokens", "consoleExtensionTokens",
                    [both, "id", "access"].map { ($0, $0) }),
                field("timeout", "consoleExtensionTimeout", type: "number"),
                choice("retries", "consoleExtensionRetries", [("0", "0"), ("1", "1")]),
                choice(
                    "on-error", "consoleExtensionOnError",
                    ["refuse", "fallback"].map { ($0, words.plain(WordFamily.key("extensionOnError", $0))) }),
                field("resource-id", "consoleExtensionResource", hint: "consoleExtensionResourceHint"),
            ], changes: shown.changes, button: words.plain(present == nil ? "consoleAdd" : "consoleSave"),
            back: present.map { path(of: $0.id) } ?? "/console/extensions")
        question.hidden = [shown.hidden]
        return question
    }

    /// - Parameter present: which one it takes the place of; nil where one is added.
    private static func registration(
        _ scene: ConsoleScene, in present: ExtensionSummary?, expecting revision: String? = nil
    ) throws -> AddExtension {
        let shown = shown(present, scene)
        try shown.judge()
        func value(_ name: String) -> String? {
            let value = shown.value(name)
            return value.isEmpty ? nil : value
        }
        func list(_ name: String) -> [String] {
            shown.value(name).typedWords
        }
        func number(_ name: String) throws -> Int? {
            guard let text = value(name) else { return nil }
            guard let number = Int(text) else { throw scene.missing }
            return number
        }
        let (event, url) = (value("event"), value("url"))
        guard !scene.isForm || event != nil && url != nil else { throw scene.missing }
        let tokens = list("tokens")
        // One that was left alone goes with the host of the address.
        let resource = shown.edited("resource-id").flatMap { $0.isEmpty ? nil : $0 }
        return AddExtension(
            event: event ?? "token-issuance-start", targetURL: url ?? "https://service.example.com/claims",
            displayName: value("name"), resourceID: resource, applications: list("apps"),
            timeout: try number("timeout") ?? 1000, retries: try number("retries") ?? 0, onError: value("on-error"),
            claims: try claims(shown, list("claims"), present, scene), tokens: tokens.count == 1 ? tokens : nil,
            replaces: present?.id, expecting: revision)
    }

    /// What was typed, or what is there: a name of it may be none that the form can say.
    private static func claims(
        _ shown: ShownFields, _ named: [String], _ present: ExtensionSummary?, _ scene: ConsoleScene
    ) throws -> [ExtensionSummary.Claim] {
        if let present, shown.edited("claims") == nil, shown.edited("constants") == nil { return present.claims }
        var claims = named.map { text -> ExtensionSummary.Claim in
            // A name of a claim may be a URL: only the first colon separates.
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            return .init(id: parts.first, jwtClaimType: parts.count == 2 ? parts[1] : nil)
        }
        let lines = shown.value("constants").split(whereSeparator: \.isNewline)
        for line in lines where !line.allSatisfy({ $0 == " " }) {
            guard let separator = line.firstRange(of: " = ") else {
                throw ConsoleProblem(scene.words("consoleNoConstant"))
            }
            let name = line[..<separator.lowerBound].drop { $0 == " " }
            claims.append(.init(value: String(line[separator.upperBound...]), jwtClaimType: String(name)))
        }
        return claims
    }

    private static func review(_ scene: ConsoleScene, _ change: AddExtension) async throws -> ConsoleReview {
        let edits = shown(try await found(scene), scene).edits()
        // It is judged after what it is compared with was read: with that the revision is of the same extension.
        let warnings = try await scene.perform(change.rehearsal).warnings
        return ConsoleReview(changes: edits, warnings: warnings.map { scene.words.saying($0) })
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
                ?? [claim.id, claim.renamed].compactMap { $0 }.joined(separator: " → ")
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
                    .init(words("consoleChange"), to: own + "/settings", isButton: true, isSecondary: true),
                    .init(words("consoleRemove"), to: own + "/remove", isButton: true, isSecondary: true),
                ]))
        }
        page.blocks += try await DeliveryPages.blocks(ofExtension: found.id, scene)
        page.blocks += scene.command(ShowExtension(id: found.id))
        return page
    }
}
