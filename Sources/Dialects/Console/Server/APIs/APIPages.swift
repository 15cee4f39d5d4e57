import AdminServer
import CountersignCore
import WebPages

/// `/console/apis`: what access tokens are issued for.
enum APIPages {
    static let routes: [ConsoleRoute] = [
        .page("apis", of: ListResources.self, in: .apis, isEntry: true) { try await list($0) },
        .action(
            "apis/put", PutResource.self, in: .apis,
            ask: { try await question($0) }, make: { try await resource($0) }, review: { try await review($0, $1) },
            done: { _, _ in .lead(to: "/console/apis", notice: "consoleDoneAPI") }),
        .action(
            "apis/remove", RemoveResource.self, in: .apis,
            ask: { scene in
                let uri = scene.field("uri") ?? ""
                guard try await scene.perform(ListResources()).resources.contains(where: { $0.uri == uri }) else {
                    throw scene.gone
                }
                var question = ConsoleQuestion(
                    title: scene.words("consoleAPIRemoveTitle"),
                    text: scene.words("consoleAPIRemoveText", ["uri": .chosen(uri)]),
                    button: scene.words.plain("consoleRemove"), isDangerous: true, back: "/console/apis")
                question.hidden = [.init(name: "uri", value: uri)]
                return question
            },
            make: { RemoveResource(uri: $0.field("uri") ?? "") },
            done: { _, _ in .lead(to: "/console/apis", notice: "consoleDoneAPIRemoved") }),
    ]

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let resources = try await scene.perform(ListResources()).resources
        let mayChange = scene.may(PutResource.right)
        var page = scene.page("console-apis", "consoleAPIs")
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleAPIs"),
                    columns: [
                        words.plain("consoleAPI"), words.plain("consoleName"), words.plain("consoleScopes"),
                        words.plain("consoleAssurance"), words.plain("consoleTokenForm"),
                        words.plain("consoleLifetime"),
                    ] + (mayChange ? [words.plain("consoleAction")] : []),
                    rows: resources.map { resource in
                        [
                            .init(
                                PageText(address: resource.uri),
                                to: mayChange
                                    ? PagePath("/console/apis/put", [("uri", resource.uri)]).text : nil),
                            .init(PageText(chosen: resource.name ?? "–")),
                            .init(PageText(chosen: resource.scopes.map(\.name).joined(separator: " "))),
                            .init(PageText(chosen: assurance(of: resource))),
                            .init(PageText(resource.tokenFormat ?? "jwt")),
                            .init(PageText(resource.lifetime.map { "\($0) s" } ?? "–")),
                            .init(
                                words("consoleRemove"),
                                to: PagePath("/console/apis/remove", [("uri", resource.uri)]).text),
                        ]
                    }), none: words("consoleNothingFound")))
        if mayChange {
            page.blocks.append(.links([.init(words("consoleAPIAdd"), to: "/console/apis/put", isButton: true)]))
        }
        page.blocks += scene.command(ListResources())
        return page
    }

    private static func question(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let present = try await scene.perform(ListResources()).resources.first { $0.uri == scene.field("uri") }
        let shown = shown(present, scene)
        func field(_ name: String, _ label: String, type: String = "text") -> PageField {
            PageField(
                name: name, label: words.plain(label), type: type, value: shown.value(name), autocomplete: "off",
                maximumLength: 2048, isRequired: false, isFirst: false)
        }
        var uri = PageField(
            name: "uri", label: words.plain("consoleAPI"), value: scene.field("uri"), autocomplete: "off",
            maximumLength: 2048, isInvalid: scene.isForm)
        uri.hint = words.plain("consoleAPIHint")
        let level = shown.value("level")
        var levels = field("levels", "consoleScopeLevels")
        levels.hint = words.plain("consoleScopeLevelsHint")
        let format = shown.value("format")
        let algorithm = shown.value("algorithm")
        var claims = field("claims", "consoleScopeClaims")
        claims.hint = words.plain("consoleScopeClaimsHint")
        var texts = PageField.lines(
            name: "texts", label: words.plain("consoleScopeTexts"), value: shown.value("texts"), maximumLength: 16_384,
            isRequired: false)
        texts.hint = words.plain("consoleScopeTextsHint")
        var question = ConsoleQuestion(
            title: words("consoleAPIAdd"),
            fields: [
                uri, field("name", "consoleName"), field("scopes", "consoleScopes"), texts, claims,
                .choice(
                    name: "level", label: words.plain("consoleAssurance"),
                    options: [
                        .init("", words.plain("consoleAnySession"), isChosen: level.isEmpty),
                        .init("aal1", "aal1", isChosen: level == "aal1"),
                        .init("aal2", "aal2", isChosen: level == "aal2"),
                    ]), levels,
                .choice(
                    name: "format", label: words.plain("consoleTokenForm"),
                    options: [
                        .init("", "jwt", isChosen: format != "opaque"),
                        .init("opaque", "opaque", isChosen: format == "opaque"),
                    ]),
                .choice(
                    name: "algorithm", label: words.plain("consoleAlgorithm"),
                    options: [.init("", "–", isChosen: algorithm.isEmpty)]
                        + SigningAlgorithm.allCases.map {
                            .init($0.rawValue, $0.rawValue, isChosen: algorithm == $0.rawValue)
                        }),
                field("owner", "consoleAPIOwner"), field("lifetime", "consoleLifetimeSeconds", type: "number"),
            ], changes: shown.changes, button: words.plain("consoleSave"), back: "/console/apis")
        question.hidden = [shown.hidden]
        return question
    }

    /// What the form changes, or adds.
    private static func review(_ scene: ConsoleScene, _ put: PutResource) async throws -> ConsoleReview {
        _ = try await scene.perform(put.rehearsal)
        let present = try await scene.perform(ListResources()).resources.first { $0.uri == put.uri }
        var changes = shown(present, scene).edits(but: ["uri", "there"])
        if present == nil {
            let uri = PageText(address: put.uri, longest: 2048)
            changes.insert(.init(scene.words.plain("consoleAPI"), from: PageText("–"), to: uri), at: 0)
        }
        return ConsoleReview(changes: changes)
    }

    /// - Parameter present: nil where there is none of the identifier, and its fields are empty.
    private static func shown(_ present: ResourceSummary?, _ scene: ConsoleScene) -> ShownFields {
        let words = scene.words
        // Which scopes there are, the level of all, and those of single ones say one thing together.
        let levels: Set = ["scopes", "level", "levels"]
        func field(_ name: String, _ label: String, _ value: String?) -> ShownFields.Field {
            var field = ShownFields.Field.text(name, words.plain(label), value)
            if levels.contains(name) { field.group = "levels" }
            return field
        }
        let shown = ShownFields(
            scene,
            [
                // Which API the form is about, and whether it is there.
                field("uri", "consoleAPI", scene.field("uri")),
                field("there", "consoleAPI", present == nil ? nil : "1"),
                field("name", "consoleName", present?.name),
                field("scopes", "consoleScopes", present?.scopes.map(\.name).joined(separator: " ")),
                .lines("texts", words.plain("consoleScopeTexts"), present.map { textsText($0) } ?? ""),
                field("claims", "consoleScopeClaims", present.map { claimsText($0) }),
                field("level", "consoleAssurance", present?.commonACR),
                field("levels", "consoleScopeLevels", present.map { levelsText($0) }),
                field("format", "consoleTokenForm", present?.tokenFormat),
                field("algorithm", "consoleAlgorithm", present?.tokenAlgorithm),
                field("owner", "consoleAPIOwner", present?.owner),
                field("lifetime", "consoleLifetimeSeconds", present?.lifetime.map { "\($0)" }),
            ])
        return shown.isLeft("uri") && !isGone(shown, present) ? shown : shown.ofAnother
    }

    private static func isGone(_ shown: ShownFields, _ present: ResourceSummary?) -> Bool {
        present == nil && shown.isOther("there")
    }

    /// What the list says of an API: the level of all scopes, or of those that have one.
    private static func assurance(of resource: ResourceSummary) -> String {
        if let level = resource.commonACR { return level }
        let apart = levelsText(resource)
        return apart.isEmpty ? "–" : apart
    }

    /// `read=aal1 pay=aal2`; empty where all scopes have the same level.
    private static func levelsText(_ resource: ResourceSummary) -> String {
        if resource.commonACR != nil { return "" }
        return resource.scopes.compactMap { scope in scope.minimumACR.map { "\(scope.name)=\($0)" } }
            .joined(separator: " ")
    }

    /// What was typed as ``levelsText(_:)`` writes it.
    private static func levels(_ text: String) -> [String: String]? {
        var levels: [String: String] = [:]
        for entry in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            let end = entry.lastIndex(of: "=") ?? entry.endIndex
            levels[String(entry[..<end])] = String(entry[end...].dropFirst())
        }
        return levels.isEmpty ? nil : levels
    }

    private static func texts(of resource: ResourceSummary?) -> [String: [String: String]] {
        var texts: [String: [String: String]] = [:]
        for scope in resource?.scopes ?? [] {
            var own = scope.texts ?? [:]
            own[""] = scope.text
            if !own.isEmpty { texts[scope.name] = own }
        }
        return texts
    }

    /// `read = Read your notes` and `read@de = Ihre Notizen lesen`, a line each.
    private static func textsText(_ resource: ResourceSummary) -> String {
        let all = texts(of: resource)
        let lines = resource.scopes.flatMap { scope -> [String] in
            (all[scope.name] ?? [:]).sorted { $0.key < $1.key }.map { language, text in
                language.isEmpty ? "\(scope.name) = \(text)" : "\(scope.name)@\(language) = \(text)"
            }
        }
        return lines.joined(separator: "\n")
    }

    /// What was typed as ``textsText(_:)`` writes it. A scope has no spaces in it, and may have the other signs.
    /// - Throws: ``ConsoleProblem`` for a line that says nothing, and for the second one about a scope and a language.
    private static func texts(_ typed: String, _ scene: ConsoleScene) throws -> [String: [String: String]] {
        var texts: [String: [String: String]] = [:]
        let lines = typed.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where !line.allSatisfy({ $0 == " " }) {
            let separator = line.firstRange(of: " = ")
            var name = line[..<(separator?.lowerBound ?? line.startIndex)].drop { $0 == " " }
            var language = ""
            if let mark = name.lastIndex(of: "@"), isLanguage(name[mark...].dropFirst()) {
                language = String(name[mark...].dropFirst())
                name = name[..<mark]
            }
            guard let end = separator, !name.isEmpty, !name.contains(" "), texts[String(name)]?[language] == nil else {
                throw ConsoleProblem(scene.words("consoleNoScopeText", ["number": .number(index + 1)]))
            }
            texts[String(name), default: [:]][language] = String(line[end.upperBound...])
        }
        return texts
    }

    private static func isLanguage(_ text: Substring) -> Bool {
        (2...3).contains(text.utf8.count) && text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }

    /// `read=plan,attributes.city write=plan`.
    private static func claimsText(_ resource: ResourceSummary) -> String {
        resource.scopes.compactMap { scope in scope.claims.map { "\(scope.name)=\($0.joined(separator: ","))" } }
            .joined(separator: " ")
    }

    /// What was typed as ``claimsText(_:)`` writes it. A scope may have an equals sign in it, a claim has none.
    private static func claims(_ text: String) -> [String: [String]]? {
        var claims: [String: [String]] = [:]
        for entry in text.split(separator: " ") {
            let end = entry.lastIndex(of: "=") ?? entry.endIndex
            claims[String(entry[..<end]), default: []] += entry[end...].dropFirst().split(separator: ",").map(
                String.init)
        }
        return claims.isEmpty ? nil : claims
    }

    private static func resource(_ scene: ConsoleScene) async throws -> PutResource {
        let uri = try scene.typed("uri", placeholder: "https://api.example.com")
        let present = try await scene.perform(ListResources()).resources.first { $0.uri == uri }
        let shown = shown(present, scene)
        try shown.judge()
        let asShown = ShownFields(scene, [.text("uri", "", uri), .text("there", "", present == nil ? nil : "1")])
        if asShown.isLeft("uri"), isGone(asShown, present) { throw ConsoleProblem(scene.words("consoleAPIGone")) }
        if present != nil, !asShown.isLeft("uri") { throw ConsoleProblem(scene.words("consoleAPIThere")) }
        func value(_ name: String) -> String? {
            let value = scene.isForm ? shown.value(name) : scene.field(name) ?? ""
            return value.isEmpty ? nil : value
        }
        let lifetime = try value("lifetime").map { text -> Int in
            guard let seconds = Int(text) else {
                throw scene.missing
            }
            return seconds
        }
        let scopes = value("scopes")?.typedWords ?? []
        // A field that was left alone may have what no line can say; texts of scopes that go, go with them.
        var texts = texts(of: present).filter { scopes.contains($0.key) }
        if shown.edited("texts") != nil { texts = try Self.texts(shown.value("texts"), scene) }
        return PutResource(
            uri: uri, displayName: value("name"), scopes: scopes, scopeTexts: texts.isEmpty ? nil : texts,
            scopeClaims: claims(value("claims") ?? ""), minimumACR: value("level"),
            scopeACRs: levels(value("levels") ?? ""), owner: value("owner"), lifetime: lifetime,
            tokenFormat: value("format"), tokenAlgorithm: value("algorithm"),
            expecting: scene.isForm ? present.map(\.revision) ?? "" : nil)
    }
}
