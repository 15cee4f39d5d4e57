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
        var question = ConsoleQuestion(
            title: words("consoleApplicationChangeTitle", ["id": .chosen(id)]), changes: shown.changes,
            button: words.plain("consoleSave"), back: ApplicationPages.path(of: id))
        func lines(_ name: String, _ label: String) -> PageField {
            .lines(
                name: name, label: words.plain(label), value: shown.value(name), maximumLength: 8192, isRequired: false)
        }
        var note = PageField(
            name: "note", label: words.plain("consoleOwnerNote"), value: shown.value("note"), autocomplete: "off",
            maximumLength: ApplicationRegistration.longestOwnerNote, isRequired: false, isFirst: false)
        note.hint = words.plain("consoleOwnerNoteHint")
        question.fields = [
            PageField(
                name: "name", label: words.plain("consoleName"), value: shown.value("name"), autocomplete: "off",
                isRequired: false),
            lines("redirects", "consoleRedirects"), lines("logout-redirects", "consoleLogoutRedirects"),
            PageField(
                name: "scopes", label: words.plain("consoleScopes"), value: shown.value("scopes"), autocomplete: "off",
                maximumLength: 4096, isRequired: false, isFirst: false),
            lines("resources", "consoleAPIs"), note, lines("contacts", "consoleContactsField"),
        ]
        question.checkboxes = PageForm.Checkboxes(
            legend: words.plain("consoleRules"),
            boxes: boxes.map { .init(name: $0.name, label: words.plain($0.label), isChecked: shown.isTicked($0.name)) })
        question.hidden = [shown.hidden]
        return question
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
        change.displayName = shown.edited("name")
        change.redirectURIs = shown.edited("redirects").map(ApplicationPages.lines)
        change.postLogoutRedirectURIs = shown.edited("logout-redirects").map(ApplicationPages.lines)
        change.scopes = shown.edited("scopes").map { $0.split { $0 == " " || $0 == "," }.map(String.init) }
        change.resources = shown.edited("resources").map(ApplicationPages.lines)
        change.ownerNote = shown.edited("note")
        change.contacts = shown.edited("contacts").map(contactLines)
        change.isFirstParty = shown.ticked("first-party")
        change.requiresSecondFactor = shown.ticked("require-mfa")
        change.requiresPAR = shown.ticked("require-par")
        change.requiresDPoP = shown.ticked("require-dpop")
        change.revealsAddresses = shown.ticked("reveal-addresses")
        change.redirectsOn = shown.ticked("redirects-on")
        return ChangeApplication(id: scene.parameter("id"), registration: change, expecting: present.revision)
    }
}
