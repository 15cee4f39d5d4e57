import AdminServer
import CountersignCore
import WebPages

/// `/console/apis`: what access tokens are issued for.
enum APIPages {
    static let routes: [ConsoleRoute] = [
        .page("apis", of: ListResources.self, in: .apis, isEntry: true) { try await list($0) },
        .action(
            "apis/put", PutResource.self, in: .apis,
            ask: { try await question($0) }, make: { try await resource($0) },
            done: { _, _ in .lead(to: "/console/apis", notice: "consoleDoneAPI") }),
        .action(
            "apis/remove", RemoveResource.self, in: .apis,
            ask: { scene in
                var question = ConsoleQuestion(
                    title: scene.words("consoleAPIRemoveTitle"),
                    text: scene.words("consoleAPIRemoveText", ["uri": .chosen(scene.field("uri") ?? "")]),
                    button: scene.words.plain("consoleRemove"), isDangerous: true, back: "/console/apis")
                question.hidden = [.init(name: "uri", value: scene.field("uri") ?? "")]
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
        func value(_ name: String, _ present: String?) -> String? {
            scene.isForm ? scene.fields[name] : present
        }
        func field(_ name: String, _ label: String, _ present: String?, type: String = "text") -> PageField {
            PageField(
                name: name, label: words.plain(label), type: type, value: value(name, present), autocomplete: "off",
                maximumLength: 2048, isRequired: false, isFirst: false)
        }
        var uri = PageField(
            name: "uri", label: words.plain("consoleAPI"), value: scene.field("uri"), autocomplete: "off",
            maximumLength: 2048, isInvalid: scene.isForm)
        uri.hint = words.plain("consoleAPIHint")
        let level = value("level", present?.commonACR) ?? ""
        var levels = field("levels", "consoleScopeLevels", present.map { Self.levelsText($0) })
        levels.hint = words.plain("consoleScopeLevelsHint")
        let format = value("format", present?.tokenFormat) ?? ""
        let algorithm = value("algorithm", present?.tokenAlgorithm) ?? ""
        var claims = field("claims", "consoleScopeClaims", present.map { Self.claimsText($0) })
        claims.hint = words.plain("consoleScopeClaimsHint")
        return ConsoleQuestion(
            title: words("consoleAPIAdd"),
            fields: [
                uri, field("name", "consoleName", present?.name),
                field("scopes", "consoleScopes", present?.scopes.map(\.name).joined(separator: " ")), claims,
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
                field("owner", "consoleAPIOwner", present?.owner),
                field("lifetime", "consoleLifetimeSeconds", present?.lifetime.map { "\($0)" }, type: "number"),
            ], button: words.plain("consoleSave"), back: "/console/apis")
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
        let lifetime = try scene.field("lifetime").map { text -> Int in
            guard let seconds = Int(text) else {
                throw scene.missing
            }
            return seconds
        }
        let uri = try scene.typed("uri", placeholder: "https://api.example.com")
        let present = try await scene.perform(ListResources()).resources.first { $0.uri == uri }
        let scopes = (scene.field("scopes") ?? "").split { $0 == " " || $0 == "," }.map(String.init)
        // What the form does not show stays.
        var texts: [String: [String: String]] = [:]
        for scope in present?.scopes ?? [] where scopes.contains(scope.name) {
            var own = scope.texts ?? [:]
            own[""] = scope.text
            if !own.isEmpty { texts[scope.name] = own }
        }
        return PutResource(
            uri: uri, displayName: scene.field("name").map { PageField.edited($0, from: present?.name) },
            scopes: scopes, scopeTexts: texts.isEmpty ? nil : texts, scopeClaims: claims(scene.field("claims") ?? ""),
            minimumACR: scene.field("level"), scopeACRs: levels(scene.field("levels") ?? ""),
            owner: scene.field("owner"), lifetime: lifetime,
            tokenFormat: scene.field("format"), tokenAlgorithm: scene.field("algorithm"))
    }
}
