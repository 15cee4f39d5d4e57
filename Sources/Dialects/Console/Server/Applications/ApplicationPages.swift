import AdminServer
import CountersignCore
import WebPages

/// `/console/applications`: which programs may ask users to sign in.
enum ApplicationPages {
    static let routes: [ConsoleRoute] = [
        .page("applications", of: ListApplications.self, in: .applications, isEntry: true) { try await list($0) },
        .page("applications/{id}", of: ShowApplication.self, in: .applications) { try await show($0) },
        .page("applications/{id}/sessions", of: ListApplicationSessions.self, in: .applications) {
            try await sessions($0)
        },
        .action(
            "applications-add", AddApplication.self, in: .applications,
            ask: { addition($0) }, make: { try added($0) },
            done: { _, answer in
                .lead(
                    to: path(of: answer.application.id), notice: "consoleDoneApplicationAdded",
                    secret: answer.secret?.secret)
            }),
        .action(
            "applications/{id}/settings", ChangeApplication.self, in: .applications,
            ask: { try await ApplicationForm.question($0) }, make: { try await ApplicationForm.change($0) },
            review: { try await ApplicationForm.review($0, $1) },
            done: { _, answer in
                .lead(to: path(of: answer.application.id), notice: "consoleDoneApplicationChanged")
            }),
        .action(
            "applications/{id}/logo", SetApplicationLogo.self, in: .applications, takesFiles: true,
            ask: { try await LogoForm.question($0) }, make: { try await LogoForm.change($0) },
            review: { try await LogoForm.review($0, $1) },
            done: { _, answer in .lead(to: path(of: answer.application.id), notice: "consoleDoneLogo") }),
        .action(
            "applications/{id}/version", ChangeApplication.self, in: .applications,
            ask: { try await VersionForm.question($0) }, make: { try await VersionForm.change($0) },
            review: { try await VersionForm.review($0, $1) },
            done: { _, answer in
                .lead(to: path(of: answer.application.id), notice: "consoleDoneApplicationChanged")
            }),
        .action(
            "applications/{id}/version-remove", ChangeApplication.self, in: .applications,
            ask: { try await VersionForm.removalQuestion($0) }, make: { try await VersionForm.removal($0) },
            done: { _, answer in
                .lead(to: path(of: answer.application.id), notice: "consoleDoneApplicationChanged")
            }),
        .action(
            "applications/{id}/secret", ChangeApplication.self, in: .applications,
            ask: { scene in
                let id = try await id(scene)
                var question = ConsoleQuestion(
                    title: scene.words("consoleSecretTitle", ["id": .chosen(id)]),
                    text: scene.words("consoleSecretText"), button: scene.words.plain("consoleSecret"),
                    back: path(of: id))
                var field = PageField(
                    name: "overlap", label: scene.words.plain("consoleSecretOverlap"), type: "number",
                    value: scene.field("overlap") ?? "24", autocomplete: "off", isInvalid: scene.isForm)
                field.hint = scene.words.plain("consoleSecretOverlapHint")
                question.fields = [field]
                return question
            },
            make: { scene in
                var change = RegistrationChange()
                change.hasSecret = true
                if let text = scene.field("overlap"), text != "0" {
                    guard let hours = Int(text) else {
                        throw scene.missing
                    }
                    change.secretOverlap = hours
                }
                return ChangeApplication(id: scene.parameter("id"), registration: change)
            },
            done: { _, answer in
                .lead(
                    to: path(of: answer.application.id), notice: "consoleDoneSecret", secret: answer.secret?.secret)
            }),
        .action(
            "applications/{id}/disable", ChangeApplication.self, in: .applications,
            ask: {
                try await question(
                    $0, "consoleApplicationDisableTitle", "consoleApplicationDisableText", "consoleApplicationDisable")
            },
            make: { disabling($0, true) },
            done: { _, answer in .lead(to: path(of: answer.application.id), notice: "consoleDoneApplicationDisabled") }),
        .action(
            "applications/{id}/enable", ChangeApplication.self, in: .applications,
            ask: {
                try await question(
                    $0, "consoleApplicationEnableTitle", "consoleApplicationEnableText", "consoleApplicationEnable")
            },
            make: { disabling($0, false) },
            done: { _, answer in .lead(to: path(of: answer.application.id), notice: "consoleDoneApplicationEnabled") }),
        .action(
            "applications/{id}/remove", RemoveApplication.self, in: .applications,
            ask: { scene in
                let id = try await id(scene)
                return ConsoleQuestion(
                    title: scene.words("consoleApplicationRemoveTitle"),
                    text: scene.words("consoleApplicationRemoveText", ["id": .chosen(id)]),
                    button: scene.words.plain("consoleRemove"), isDangerous: true, back: path(of: id))
            },
            make: { RemoveApplication(id: $0.parameter("id")) },
            done: { _, _ in .lead(to: "/console/applications", notice: "consoleDoneApplicationRemoved") }),
    ]

    static let kinds = ["web", "browser", "native", "service", "device"]

    static func path(of id: String) -> String { ConsolePath.to("applications", id) }

    /// The id of the application that a form is about.
    /// - Throws: ``AdministrationError`` of code `not_found`.
    private static func id(_ scene: ConsoleScene) async throws -> String {
        try await scene.perform(ShowApplication(id: scene.parameter("id"))).application.id
    }

    private static func question(
        _ scene: ConsoleScene, _ title: String, _ text: String, _ button: String
    ) async throws -> ConsoleQuestion {
        let id = try await id(scene)
        return ConsoleQuestion(
            title: scene.words(title), text: scene.words(text, ["id": .chosen(id)]),
            button: scene.words.plain(button), isDangerous: button == "consoleApplicationDisable", back: path(of: id))
    }

    private static func disabling(_ scene: ConsoleScene, _ isDisabled: Bool) -> ChangeApplication {
        var change = RegistrationChange()
        change.isDisabled = isDisabled
        return ChangeApplication(id: scene.parameter("id"), registration: change)
    }

    // MARK: The list

    private static func list(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let (text, places) = (scene.field("q"), scene.places)
        let operation = ListApplications(
            text: text, limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        var page = scene.page("console-applications", "consoleApplications")
        page.blocks.append(
            .search(
                words.plain("consoleSearchApplications"), hint: words.plain("consoleSearchApplicationsHint"), text,
                at: "/console/applications", scene))
        page.blocks += PageBlock.found(
            PageTable(
                words.plain("consoleApplications"),
                columns: [
                    words.plain("consoleApplication"), words.plain("consoleName"), words.plain("consoleKind"),
                    words.plain("consoleProtocols"), words.plain("consoleUsed"), words.plain("consoleOwnerNote"),
                ],
                rows: answer.applications.map { application in
                    [
                        .init(PageText(chosen: application.id), to: path(of: application.id)),
                        .init(PageText(chosen: application.displayName ?? "–")),
                        .init(
                            words(WordFamily.key("kind", application.oauth.kind ?? "none")),
                            marks: (application.isConfidential ? [] : [.init(words("consolePublic"))])
                                + (application.isDisabled
                                    ? [.init(words("consoleApplicationDisabled"), .alarming)] : [])),
                        .init(
                            PageText(
                                (application.protocols ?? []).map { name(of: $0, words) }.joined(
                                    separator: words.plain("listSeparator")))),
                        .init(used(application.lastUsedAt, scene)),
                        .init(PageText(chosen: application.ownerNote ?? "–")),
                    ]
                }),
            isPartial: answer.isPartial == true, none: "consoleNothingFound", soFar: "consoleApplicationsSoFar", scene)
        page.blocks.append(
            scene.pager("/console/applications", [("q", text)], before: answer.previous, after: answer.next))
        if scene.may(AddApplication.right) {
            page.blocks.append(.heading(words.plain("consoleApplicationAdd")))
            page.blocks.append(
                .links(
                    kinds.map {
                        .init(
                            words(WordFamily.key("kind", $0)),
                            to: PagePath("/console/applications-add", [("kind", $0)]).text, isButton: true,
                            isSecondary: true)
                    }))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static func used(_ instant: Timestamp?, _ scene: ConsoleScene) -> PageText {
        instant.map { scene.words.moment($0.date, now: scene.now) } ?? scene.words("consoleNever")
    }

    private static func name(of use: ApplicationSummary.ProtocolUse, _ words: Words) -> String {
        // What a later program noted has no word here.
        guard Dialect.signing.contains(Dialect(rawValue: use.name)) else { return use.name }
        return words.plain(WordFamily.key("dialect", use.name))
    }

    /// What it is registered for, and what it has used and when.
    private static func protocols(of application: ApplicationSummary, _ scene: ConsoleScene) -> [PageBlock] {
        guard let protocols = application.protocols else { return [] }
        return [
            .heading(scene.words.plain("consoleProtocols")),
            .items(
                protocols.map { use in
                    let name = name(of: use, scene.words)
                    return .init(
                        use.lastUsedAt.map {
                            scene.words(
                                "consoleProtocolUsed",
                                [
                                    "name": .words(name),
                                    "time": .text(scene.words.moment($0.date, now: scene.now)),
                                ])
                        } ?? scene.words("consoleProtocolUnused", ["name": .words(name)]))
                }),
        ]
    }

    // MARK: Adding one

    private static func kind(_ scene: ConsoleScene) -> String {
        scene.field("kind").flatMap { kinds.contains($0) ? $0 : nil } ?? "web"
    }

    private static func addition(_ scene: ConsoleScene) -> ConsoleQuestion {
        let words = scene.words
        let kind = kind(scene)
        var question = ConsoleQuestion(
            title: words("consoleApplicationAddTitle", ["kind": .text(words(WordFamily.key("kind", kind)))]),
            text: words(WordFamily.key("kindText", kind)), button: words.plain("consoleAdd"),
            back: "/console/applications")
        question.hidden = [.init(name: "kind", value: kind)]
        var id = PageField(
            name: "id", label: words.plain("consoleClientID"), value: scene.field("id"), autocomplete: "off",
            maximumLength: 128, isRequired: false)
        id.hint = words.plain("consoleClientIDHint")
        question.fields = [
            id,
            PageField(
                name: "name", label: words.plain("consoleName"), value: scene.field("name"), autocomplete: "off",
                isFirst: false),
        ]
        if ["web", "browser", "native"].contains(kind) {
            question.fields.append(
                .lines(
                    name: "redirects", label: words.plain("consoleRedirects"), value: scene.field("redirects"),
                    maximumLength: 8192, isRequired: true))
        }
        return question
    }

    private static func added(_ scene: ConsoleScene) throws -> AddApplication {
        let kind = kind(scene)
        var change = RegistrationChange()
        change.kind = kind
        change.displayName = try scene.typed("name", placeholder: "Shop")
        if ["web", "browser", "native"].contains(kind) {
            change.redirectURIs = lines(
                try scene.typed("redirects", placeholder: "https://shop.example.com/callback"))
        }
        if kind == "web" || kind == "service" { change.hasSecret = true }
        change.authMethod = kind == "web" || kind == "service" ? "client_secret_basic" : "none"
        change.scopes = kind == "service" ? [] : ["openid", "profile", "email", "offline_access"]
        change.audiences = []
        return AddApplication(id: scene.field("id"), registration: change)
    }

    /// What stands on each line.
    static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { String($0.drop { $0 == " " }.prefix { $0 != " " }) }
            .filter { !$0.isEmpty }
    }

    // MARK: One application

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let operation = ShowApplication(id: scene.parameter("id"))
        let application = try await scene.perform(operation).application
        var page = scene.page("console-application", PageText(chosen: application.displayName ?? application.id))
        page.picture = application.oauth.logo.map(PageAddresses.logo)
        page.blocks += scene.secretBlocks("consoleSecretOnce")
        if application.isDisabled {
            page.blocks.append(.standing(.init(.alarming, words("consoleApplicationIsDisabled"))))
        }
        page.blocks.append(.facts(RegistrationPages.facts(application, words) + facts(application, words)))
        let own = path(of: application.id)
        if scene.may(ChangeApplication.right) {
            page.blocks.append(
                .links(
                    approval(of: application, words) + [
                        .init(words("consoleChange"), to: own + "/settings", isButton: true),
                        .init(words("consoleLogo"), to: own + "/logo", isButton: true, isSecondary: true),
                        .init(words("consoleSecret"), to: own + "/secret", isButton: true, isSecondary: true),
                        .init(
                            words(application.isDisabled ? "consoleApplicationEnable" : "consoleApplicationDisable"),
                            to: own + (application.isDisabled ? "/enable" : "/disable"), isButton: true,
                            isSecondary: true),
                        .init(words("consoleRemove"), to: own + "/remove", isButton: true, isSecondary: true),
                    ]))
        }
        for section in sections(application, words) {
            page.blocks += [.heading(words.plain(section.heading)), .facts(section.facts)]
        }
        page.blocks += versions(of: application, scene) + protocols(of: application, scene)
        var more: [PageBlock.Link] = []
        if scene.may(ListApplicationSessions.right) {
            more.append(.init(words("consoleApplicationSessions"), to: own + "/sessions"))
        }
        if scene.may(SearchAuditEvents.right) {
            more.append(
                .init(
                    words("consoleApplicationLog"),
                    to: PagePath("/console/log", [("application", application.id)]).text))
        }
        if !more.isEmpty { page.blocks.append(.links(more)) }
        if application.oauth.grantTypes.contains("authorization_code") {
            page.blocks += try await tester(application, scene)
        }
        page.blocks.append(.heading(words.plain("consoleSnippets")))
        page.blocks.append(.text(words("consoleSnippetsText")))
        for snippet in Snippet.all(
            for: application, issuer: scene.realm.site.baseURLs.first ?? "https://login.example.com")
        {
            page.blocks += [.heading(snippet.title), .listing(snippet.text)]
        }
        page.blocks += scene.command(operation)
        return page
    }

    /// What an administrator says of an application that registered itself.
    private static func approval(of application: ApplicationSummary, _ words: Words) -> [PageBlock.Link] {
        guard let origin = application.origin, origin.by == "itself" else { return [] }
        let isApproved = origin.approvedAt != nil
        return [
            .init(
                words(isApproved ? "consoleWithdraw" : "consoleApprove"),
                to: ConsolePath.to("registrations", application.id, isApproved ? "withdraw" : "approve"),
                isButton: true, isSecondary: isApproved)
        ]
    }

    // MARK: Who is signed in

    private static func sessions(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        let id = scene.parameter("id")
        let places = scene.places
        let operation = ListApplicationSessions(
            id: id, limit: ConsoleScene.pageLength, after: places.after, before: places.before)
        let answer = try await scene.perform(operation)
        let ends = scene.may(.endSessions)
        var page = scene.page(
            "console-application-sessions",
            words("consoleApplicationSessionsTitle", ["application": .chosen(id)]))
        page.blocks.append(
            .table(
                PageTable(
                    words.plain("consoleApplicationSessions"),
                    columns: ["consoleUser", "consoleSince", "consoleFrom", "consoleProofs", "consoleScopes"].map {
                        words.plain($0)
                    } + (ends ? [words.plain("consoleAction")] : []),
                    rows: answer.sessions.map { row(of: $0, ends: ends, scene) }), none: words("consoleNoSessions")))
        page.blocks.append(scene.pager(path(of: id) + "/sessions", before: answer.previous, after: answer.next))
        if scene.may(ShowApplication.right) {
            page.blocks.append(.links([.init(words("consoleApplicationBack"), to: path(of: id))]))
        }
        page.blocks += scene.command(operation)
        return page
    }

    private static func row(
        of found: ListApplicationSessions.Answer.Presence, ends: Bool, _ scene: ConsoleScene
    ) -> [PageTable.Cell] {
        let words = scene.words
        let (user, session) = (found.user, found.session)
        let grant = session.grants.first
        let proofs = session.proofs.map { words.plain(Words.key(of: FactorKind(rawValue: $0))) }
        return [
            .init(PageText(chosen: user.email ?? user.id), to: ConsolePath.to("users", user.id)),
            .init(words.instant((grant?.createdAt ?? session.createdAt).date)),
            .init(PageText(chosen: session.address ?? "–")),
            .init(PageText(proofs.joined(separator: words.plain("listSeparator")))),
            .init(PageText(chosen: grant?.scopes.joined(separator: " ") ?? "–")),
        ]
            + (ends
                ? [.init(words("consoleEnd"), to: ConsolePath.to("users", user.id, "sessions", session.id, "end"))]
                : [])
    }

    private static func lines(of values: [String]) -> PageText {
        values.isEmpty ? PageText("–") : PageText(lines: values.map { PageText(address: $0, longest: 2048) })
    }

    /// Which application it is.
    private static func facts(_ application: ApplicationSummary, _ words: Words) -> [PageBlock.Fact] {
        [
            .init(words.plain("consoleClientID"), PageText(chosen: application.id)),
            .init(words.plain("consoleKind"), words(WordFamily.key("kind", application.oauth.kind ?? "none"))),
            .init(
                words.plain("consoleOwnerNote"),
                PageText(
                    chosen: application.ownerNote ?? "–", longest: ApplicationRegistration.longestOwnerNote)),
            .init(words.plain("consoleContacts"), lines(of: application.contacts ?? [])),
            .init(words.plain("consoleMade"), words.instant(application.createdAt.date)),
        ]
    }

    /// Its settings, by what they are about: the key of a heading, and what stands below it.
    private static func sections(
        _ application: ApplicationSummary, _ words: Words
    ) -> [(heading: String, facts: [PageBlock.Fact])] {
        func flag(_ label: String, _ value: Bool) -> PageBlock.Fact {
            .init(words.plain(label), words(value ? "consoleYes" : "consoleNo"))
        }
        func list(_ label: String, _ values: [String]) -> PageBlock.Fact {
            .init(
                words.plain(label),
                values.isEmpty ? PageText("–") : PageText(chosen: values.joined(separator: ", "), longest: 4096))
        }
        func addresses(_ label: String, _ values: [String]) -> PageBlock.Fact {
            .init(words.plain(label), lines(of: values))
        }
        /// What most applications are not registered with: nothing of those that are not.
        func said(_ texts: [(label: String, value: String?)]) -> [PageBlock.Fact] {
            texts.compactMap { label, value in
                value.map { PageBlock.Fact(words.plain(label), PageText(address: $0, longest: 2048)) }
            }
        }
        let oauth = application.oauth
        let former = application.formerSecretUntil.map { until -> PageBlock.Mark in
            .init(words("consoleFormerSecret", ["time": .text(words.instant(until.date))]))
        }
        var credentials = flag("consoleCredentials", application.isConfidential)
        credentials.mark = former
        // The names of keys that it registered, or where it publishes them.
        let names = (application.keyIDs ?? []).map { $0.isEmpty ? words.plain("consoleKeyUnnamed") : $0 }
        let keys = addresses("consoleKeys", oauth.jwksURI.map { [$0] } ?? names)
        var redirects = [
            addresses("consoleRedirectsSet", application.redirectURIs),
            addresses("consoleLogoutRedirectsSet", oauth.postLogoutRedirectURIs),
            addresses("consoleBackchannelLogout", oauth.backchannelLogoutURI.map { [$0] } ?? []),
            flag("consoleRedirectsOn", oauth.redirectsOn == true),
        ]
        redirects += said([
            ("consoleBeginsSignIn", oauth.initiateLoginURI), ("consoleHomePage", oauth.clientURI),
            ("consolePrivacyPolicy", oauth.policyURI), ("consoleTermsOfUse", oauth.termsURI),
        ])
        let attributes = application.attributes.map { $0.isRequired ? "\($0.name) *" : $0.name }
        let access = [
            list("consoleScopes", application.scopes), list("consoleGrants", oauth.grantTypes),
            addresses("consoleAPIs", oauth.resources),
            // Where none were ever set, tokens are issued for any.
            addresses("consoleAudiences", application.audiences ?? ["*"]),
            list("consoleAttributesAsked", attributes),
        ]
        var rules = [
            flag("consoleFirstParty", oauth.isFirstParty),
            flag("consoleRequiresMFA", application.requiresSecondFactor),
            flag("consoleRequiresPAR", oauth.requiresPAR), flag("consoleRequiresDPoP", oauth.requiresDPoP),
            flag("consoleRevealsAddresses", application.revealsAddresses),
            PageBlock.Fact(words.plain("consoleIDTokens"), PageText(oauth.idTokenAlgorithmInUse ?? "–")),
        ]
        let isUsualIssuer = oauth.issuerStyle == RegistrationChange.issuerStyles.first
        let challengeTypes = application.challengeTypes.joined(separator: " ")
        rules += said([
            ("consoleDefaultACR", oauth.defaultACR?.joined(separator: " ")),
            ("consoleDefaultMaxAge", oauth.defaultMaxAge.map { "\($0) s" }),
            ("consoleChallengeTypes", challengeTypes.isEmpty ? nil : challengeTypes),
            ("consoleAccent", oauth.accent),
            ("consoleIssuerStyle", isUsualIssuer ? nil : oauth.issuerStyle),
        ])
        let hasKeys = application.keyIDs != nil || oauth.jwksURI != nil
        var proof = [credentials, keys]
        proof += said([
            ("consoleAuthMethod", oauth.authMethod),
            ("consoleAssertionsFor", hasKeys ? oauth.assertionAudience : nil),
        ])
        return [
            ("consolePartProof", proof), ("consolePartAddresses", redirects),
            ("consolePartAccess", access), ("consolePartRules", rules),
        ]
    }

    /// The security checks that its versions ask for; of an application that takes part in none, only the way to its first version.
    private static func versions(of application: ApplicationSummary, _ scene: ConsoleScene) -> [PageBlock] {
        let words = scene.words
        let versions = application.checkedVersions
        let mayChange = scene.may(ChangeApplication.right)
        let adding: [PageBlock.Link] =
            mayChange ? [.init(words("consoleVersionAdd"), to: VersionForm.path(of: application.id))] : []
        if versions.isEmpty { return adding.isEmpty ? [] : [.links(adding)] }
        let columns =
            [
                "consoleApplicationVersion", "consoleScopeChecks", "consoleMandatoryScope", "consoleLifetime",
                "consoleState",
            ] + (mayChange ? ["consoleAction"] : [])
        let rows = versions.map { version -> [PageTable.Cell] in
            let elements = version.elements.map { PageText(chosen: $0, longest: 1024) }
            let mandatory = version.mandatoryScope.isEmpty ? "–" : version.mandatoryScope
            return [
                .init(
                    PageText(chosen: version.name),
                    to: mayChange ? VersionForm.path(of: application.id, version) : nil),
                .init(elements.isEmpty ? PageText("–") : PageText(lines: elements)),
                .init(PageText(chosen: mandatory)), .init(PageText("\(version.lifetime) s")),
                .init(
                    PageText(""),
                    marks: [
                        version.isServed
                            ? .init(words(WordFamily.key("client", "active")), .good)
                            : .init(words(WordFamily.key("client", "disabled")), .alarming)
                    ]),
                .init(words("consoleRemove"), to: VersionForm.removal(of: version, from: application.id)),
            ]
        }
        let title = words.plain("consoleChecks")
        var links = adding
        if scene.may(ListSecurityChecks.right) {
            links.append(.init(words("consoleCatalogueOfApplication"), to: CheckPages.path(of: application.id)))
        }
        return [
            .heading(title), .table(PageTable(title, columns: columns.map { words.plain($0) }, rows: rows)),
            .links(links),
        ]
    }

    /// "Would this URI pass?"
    private static func tester(_ application: ApplicationSummary, _ scene: ConsoleScene) async throws -> [PageBlock] {
        let words = scene.words
        var blocks: [PageBlock] = [.heading(words.plain("consoleTester"))]
        if let uri = scene.field("uri") {
            let operation = TestRedirect(id: application.id, uri: uri)
            let answer = try await scene.perform(operation)
            var texts = [PageText(chosen: uri)]
            if let reason = answer.reason { texts.append(words.saying(reason)) }
            if let nearest = answer.nearest {
                texts.append(words("consoleTesterNearest", ["uri": .chosen(nearest)]))
            }
            blocks.append(
                .standing(
                    .init(
                        answer.isAdmitted ? .good : .alarming,
                        words(answer.isAdmitted ? "consoleTesterYes" : "consoleTesterNo"), texts)))
            blocks += scene.command(operation)
        }
        blocks.append(
            .search(
                PageSearch(
                    words.plain("consoleTester"), action: path(of: application.id),
                    fields: [
                        PageField(
                            name: "uri", label: words.plain("consoleTesterURI"), value: scene.field("uri"),
                            autocomplete: "off", maximumLength: 2048, isFirst: false)
                    ], button: words.plain("consoleTesterTry"))))
        return blocks
    }
}
