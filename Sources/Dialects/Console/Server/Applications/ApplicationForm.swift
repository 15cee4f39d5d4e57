import AdminServer
import CountersignCore
import WebPages

/// The form that changes an application's registration.
enum ApplicationForm {
    private static let flags = ["first-party", "require-mfa", "require-par", "require-dpop", "reveal-addresses"]

    static func question(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let id = scene.parameter("id")
        let application = try await scene.perform(ShowApplication(id: id)).application
        var question = ConsoleQuestion(
            title: words("consoleApplicationChangeTitle", ["id": .chosen(id)]), button: words.plain("consoleSave"),
            back: ApplicationPages.path(of: id))
        func value(_ name: String, _ present: String) -> String { scene.isForm ? scene.fields[name] ?? "" : present }
        func lines(_ name: String, _ label: String, _ present: [String]) -> PageField {
            .lines(
                name: name, label: words.plain(label), value: value(name, present.joined(separator: "\n")),
                maximumLength: 8192, isRequired: false)
        }
        var note = PageField(
            name: "note", label: words.plain("consoleOwnerNote"), value: value("note", application.ownerNote ?? ""),
            autocomplete: "off", maximumLength: ApplicationRegistration.longestOwnerNote, isRequired: false,
            isFirst: false)
        note.hint = words.plain("consoleOwnerNoteHint")
        question.fields = [
            PageField(
                name: "name", label: words.plain("consoleName"), value: value("name", application.displayName ?? ""),
                autocomplete: "off", isRequired: false),
            lines("redirects", "consoleRedirects", application.redirectURIs),
            lines("logout-redirects", "consoleLogoutRedirects", application.oauth.postLogoutRedirectURIs),
            PageField(
                name: "scopes", label: words.plain("consoleScopes"),
                value: value("scopes", application.scopes.joined(separator: " ")), autocomplete: "off",
                maximumLength: 4096, isRequired: false, isFirst: false),
            lines("resources", "consoleAPIs", application.oauth.resources),
            note, lines("contacts", "consoleContactsField", application.contacts ?? []),
        ]
        let present = [
            application.oauth.isFirstParty, application.requiresSecondFactor, application.oauth.requiresPAR,
            application.oauth.requiresDPoP, application.revealsAddresses,
        ]
        let labels = [
            "consoleFirstParty", "consoleRequiresMFA", "consoleRequiresPAR", "consoleRequiresDPoP",
            "consoleRevealsAddresses",
        ]
        question.checkboxes = PageForm.Checkboxes(
            legend: words.plain("consoleRules"),
            boxes: flags.indices.map { index in
                .init(
                    name: flags[index], label: words.plain(labels[index]),
                    isChecked: scene.isForm ? scene.field(flags[index]) != nil : present[index])
            })
        return question
    }

    /// What stands on each line, with the spaces within it.
    private static func contactLines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }.map { line in
            String(line.reversed().trimmingPrefix { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
    }

    /// A form that was sent says everything that it shows.
    static func change(_ scene: ConsoleScene) async throws -> ChangeApplication {
        var change = RegistrationChange()
        if scene.isForm {
            let present = try await scene.perform(ShowApplication(id: scene.parameter("id"))).application
            change.displayName = PageField.edited(scene.fields["name"] ?? "", from: present.displayName)
            change.redirectURIs = ApplicationPages.lines(scene.fields["redirects"] ?? "")
            change.postLogoutRedirectURIs = ApplicationPages.lines(scene.fields["logout-redirects"] ?? "")
            let scopes = (scene.fields["scopes"] ?? "").split { $0 == " " || $0 == "," }.map(String.init)
            // What was not edited is no list that an administrator wrote: one holds an application that registered itself to it.
            if scopes != present.scopes { change.scopes = scopes }
            change.resources = ApplicationPages.lines(scene.fields["resources"] ?? "")
            change.ownerNote = PageField.edited(scene.fields["note"] ?? "", from: present.ownerNote)
            // What an application said of itself stays its own word until another is written.
            let contacts = contactLines(scene.fields["contacts"] ?? "")
            if contacts != present.contacts ?? [] { change.contacts = contacts }
            change.isFirstParty = scene.field("first-party") != nil
            change.requiresSecondFactor = scene.field("require-mfa") != nil
            change.requiresPAR = scene.field("require-par") != nil
            change.requiresDPoP = scene.field("require-dpop") != nil
            change.revealsAddresses = scene.field("reveal-addresses") != nil
        }
        return ChangeApplication(id: scene.parameter("id"), registration: change)
    }
}
