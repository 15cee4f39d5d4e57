import AdminServer
import CountersignCore
import WebPages

/// The form that changes an application's registration.
enum ApplicationForm {
    private static let boxes: [(name: String, label: String)] = [
        ("first-party", "consoleFirstParty"), ("require-mfa", "consoleRequiresMFA"),
        ("require-par", "consoleRequiresPAR"), ("require-dpop", "consoleRequiresDPoP"),
        ("reveal-addresses", "consoleRevealsAddresses"), ("redirects-on", "consoleRedirectsOn"),
    ]

    /// The groups of the page, each with the fields and boxes in it.
    private static let parts: [(legend: String, anchor: String, names: [String])] = [
        ("consoleFormAbout", "part-about", ["name", "note", "contacts"]),
        (
            "consoleFormSignIn", "part-sign-in",
            ["redirects", "redirects-on", "first-party", "require-mfa", "require-par", "reveal-addresses"]
        ),
        ("consoleFormTokens", "part-tokens", ["scopes", "resources", "require-dpop"]),
        ("consoleFormLogout", "part-logout", ["logout-redirects", "backchannel-logout"]),
    ]

    private typealias Setter = @Sendable (inout RegistrationChange, ShownFields, String) -> Void

    /// What each field changes, by its name, in the order of the page.
    private static let setters: [(name: String, set: Setter)] = [
        ("name", { $0.displayName = $1.edited($2) }), ("note", { $0.ownerNote = $1.edited($2) }),
        ("contacts", { $0.contacts = $1.edited($2).map(ApplicationForm.contactLines) }),
        ("redirects", { $0.redirectURIs = $1.edited($2).map(ApplicationPages.lines) }),
        ("redirects-on", { $0.redirectsOn = $1.ticked($2) }), ("first-party", { $0.isFirstParty = $1.ticked($2) }),
        ("require-mfa", { $0.requiresSecondFactor = $1.ticked($2) }),
        ("require-par", { $0.requiresPAR = $1.ticked($2) }),
        ("reveal-addresses", { $0.revealsAddresses = $1.ticked($2) }),
        ("scopes", { $0.scopes = $1.edited($2).map(ApplicationForm.scopes) }),
        ("resources", { $0.resources = $1.edited($2).map(ApplicationPages.lines) }),
        ("require-dpop", { $0.requiresDPoP = $1.ticked($2) }),
        ("logout-redirects", { $0.postLogoutRedirectURIs = $1.edited($2).map(ApplicationPages.lines) }),
        ("backchannel-logout", { $0.backchannelLogoutURI = $1.edited($2) }),
    ]

    private static func shown(_ application: ApplicationSummary, _ scene: ConsoleScene) -> ShownFields {
        let words = scene.words
        func lines(_ name: String, _ label: String, _ present: [String]) -> ShownFields.Field {
            .lines(name, words.plain(label), present.joined(separator: "\n"))
        }
        let flags = [
            application.oauth.isFirstParty, application.requiresSecondFactor, application.oauth.requiresPAR,
            application.oauth.requiresDPoP, application.revealsAddresses, application.oauth.redirectsOn == true,
        ]
        return ShownFields(
            scene,
            [
                .text("name", words.plain("consoleName"), application.displayName),
                lines("redirects", "consoleRedirects", application.redirectURIs),
                lines("logout-redirects", "consoleLogoutRedirects", application.oauth.postLogoutRedirectURIs),
                .text(
                    "backchannel-logout", words.plain("consoleBackchannelLogout"),
                    application.oauth.backchannelLogoutURI),
                .text("scopes", words.plain("consoleScopes"), application.scopes.joined(separator: " ")),
                lines("resources", "consoleAPIs", application.oauth.resources),
                .text("note", words.plain("consoleOwnerNote"), application.ownerNote),
                lines("contacts", "consoleContactsField", application.contacts ?? []),
            ] + zip(boxes, flags).map { .box($0.name, words.plain($0.label), $1) })
    }

    static func question(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let id = scene.parameter("id")
        let shown = shown(try await scene.perform(ShowApplication(id: id)).application, scene)
        // The page of a form that was sent is shown again where it was refused.
        var problem: String?
        if scene.isForm { problem = await faulty(shown, scene) }
        var question = ConsoleQuestion(
            title: words("consoleApplicationChangeTitle", ["id": .chosen(id)]), changes: shown.changes,
            button: words.plain("consoleSave"), back: ApplicationPages.path(of: id))
        func lines(_ name: String, _ label: String) -> PageField {
            .lines(
                name: name, label: words.plain(label), value: shown.value(name), maximumLength: 8192,
                isRequired: false, isInvalid: name == problem)
        }
        func line(
            _ name: String, _ label: String, type: String = "text", longest: Int = 256, hint: String? = nil
        ) -> PageField {
            var field = PageField(
                name: name, label: words.plain(label), type: type, value: shown.value(name), autocomplete: "off",
                maximumLength: longest, isRequired: false, isFirst: name == "name", isInvalid: name == problem)
            field.hint = hint.map { words.plain($0) }
            return field
        }
        question.fields = [
            line("name", "consoleName"),
            line(
                "note", "consoleOwnerNote", longest: ApplicationRegistration.longestOwnerNote,
                hint: "consoleOwnerNoteHint"),
            lines("contacts", "consoleContactsField"),
            lines("redirects", "consoleRedirects"), line("scopes", "consoleScopes", longest: 4096),
            lines("resources", "consoleAPIs"), lines("logout-redirects", "consoleLogoutRedirects"),
            line(
                "backchannel-logout", "consoleBackchannelLogout", type: "url", longest: 2048,
                hint: "consoleBackchannelLogoutHint"),
        ]
        question.checkboxes = PageForm.Checkboxes(
            legend: words.plain("consoleRules"),
            boxes: boxes.map { .init(name: $0.name, label: words.plain($0.label), isChecked: shown.isTicked($0.name)) })
        question.parts = parts.map { PageForm.Part(words.plain($0.legend), anchor: $0.anchor, names: $0.names) }
        question.problemField = problem
        question.hidden = [shown.hidden]
        return question
    }

    /// The field for which a form was refused, where it is one alone: what both changed, or what is refused of each by itself. Nothing is changed.
    private static func faulty(_ shown: ShownFields, _ scene: ConsoleScene) async -> String? {
        if let name = shown.conflicting.first { return name }
        for (name, set) in setters where shown.edited(name) != nil {
            var change = RegistrationChange()
            set(&change, shown, name)
            do {
                _ = try await scene.perform(
                    ChangeApplication(id: scene.parameter("id"), registration: change, dryRun: true))
            } catch let error as AdministrationError where error.isAboutForm {
                return name
            } catch {
                return nil
            }
        }
        return nil
    }

    private static func scopes(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "," }.map(String.init)
    }

    /// What stands on each line, with the spaces within it.
    private static func contactLines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }.map { line in
            String(line.reversed().trimmingPrefix { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
    }

    /// What the form changes, and nothing that it shows: a list that no administrator wrote holds an application that registered itself to it, and
    /// what an application said of itself stays its own word until another is written.
    static func change(_ scene: ConsoleScene) async throws -> ChangeApplication {
        var change = RegistrationChange()
        guard scene.isForm else { return ChangeApplication(id: scene.parameter("id"), registration: change) }
        let present = try await scene.perform(ShowApplication(id: scene.parameter("id")))
        let shown = shown(present.application, scene)
        try shown.judge()
        for (name, set) in setters { set(&change, shown, name) }
        return ChangeApplication(id: scene.parameter("id"), registration: change, expecting: present.revision)
    }

    /// What the form changes, and what becomes weaker by it.
    static func review(_ scene: ConsoleScene, _ change: ChangeApplication) async throws -> ConsoleReview {
        let present = try await scene.perform(ShowApplication(id: change.id)).application
        return ConsoleReview(
            changes: shown(present, scene).edits(), warnings: try await scene.warnings(of: change))
    }
}

extension ConsoleScene {
    /// What becomes weaker by a change of an application. Nothing is changed.
    /// - Throws: ``AdministrationError`` where the change would be refused.
    func warnings(of change: ChangeApplication) async throws -> [PageText] {
        var trial = change
        trial.dryRun = true
        return try await perform(trial).warnings.map { words.saying($0) }
    }
}
