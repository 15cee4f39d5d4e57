import AdminServer
import CountersignCore
import WebPages

/// The form of one version of an application: what it asks of the clients of security checks.
///
/// Texts among the settings of checks may be secrets, so the page never has them: a mark stands for each, and leaves it as it is
/// (`docs/decisions/0536`).
enum VersionForm {
    /// The fields of lines.
    private enum Lines: String, CaseIterable {
        case elements
        case settings
    }

    private static let boxes: [(name: String, label: String)] = [
        ("refresh-tokens", "consoleVersionRefresh"), ("not-served", "consoleVersionNotServed"),
    ]

    /// The page of one version; without one, the page that adds one.
    static func path(of application: String, _ version: ApplicationSummary.CheckedVersion? = nil) -> String {
        PagePath(ApplicationPages.path(of: application) + "/version", items(of: version)).text
    }

    /// The page that asks whether to remove one.
    static func removal(of version: ApplicationSummary.CheckedVersion, from application: String) -> String {
        PagePath(ApplicationPages.path(of: application) + "/version-remove", items(of: version)).text
    }

    private static func items(of version: ApplicationSummary.CheckedVersion?) -> [(String, String?)] {
        [("platform", version?.platform), ("number", version?.number)]
    }

    /// A line of a field that says nothing, counted from one.
    private struct UnreadLine: Error {
        let number: Int
    }

    /// What the form is about.
    private struct Subject {
        let application: ApplicationSummary
        let revision: String?
        /// Nil where the application has no such version.
        let present: ApplicationVersionDraft?
        let platform: String
        let number: String
        /// Whether the form's page showed a version that was there.
        let isThere: Bool
        let fields: ShownFields
        /// As the form shows them.
        let settings: [String: [String: String]]

        func lines(_ lines: Lines) -> String { fields.value(lines.rawValue) }
    }

    private static func subject(_ scene: ConsoleScene) async throws -> Subject {
        let words = scene.words
        let answer = try await scene.perform(ShowApplication(id: scene.parameter("id")))
        let platform = scene.field("platform") ?? "*"
        let number = scene.field("number") ?? "*"
        let isNamed = scene.isForm || scene.field("platform") != nil
        let present = isNamed ? answer.application.version(number, on: platform) : nil
        let isThere = scene.isForm ? scene.field("there") != nil : present != nil
        let settings = try await shownSettings(of: present, scene)
        let draft = present ?? ApplicationVersionDraft()
        let (elementLines, settingLines) = (text(of: draft.elements), text(of: settings))
        let fields = ShownFields(
            scene,
            [
                .lines(Lines.elements.rawValue, words.plain("consoleVersionScopes"), elementLines),
                .text("mandatory", words.plain("consoleVersionMandatory"), draft.mandatoryScope),
                .text("lifetime", words.plain("consoleVersionLifetime"), "\(draft.lifetime)"),
                .lines(Lines.settings.rawValue, words.plain("consoleVersionSettings"), settingLines),
                .text("shared", words.plain("consoleVersionShared"), draft.sharedChecks.joined(separator: " ")),
                .box("refresh-tokens", words.plain("consoleVersionRefresh"), draft.refreshTokens),
                .box("not-served", words.plain("consoleVersionNotServed"), !draft.isServed),
                .text("message", words.plain("consoleVersionMessage"), draft.message),
                .text("link", words.plain("consoleVersionLink"), draft.downloadLink),
            ])
        return Subject(
            application: answer.application, revision: answer.revision, present: present, platform: platform,
            number: number, isThere: isThere, fields: isThere == (present != nil) ? fields : fields.ofAnother,
            settings: settings)
    }

    /// The settings of a version, with the values of those that the server's checks read as numbers or truth values: others may be secrets.
    private static func shownSettings(
        of present: ApplicationVersionDraft?, _ scene: ConsoleScene
    ) async throws -> [String: [String: String]] {
        guard let present, !present.settings.isEmpty else { return [:] }
        let checks = try await scene.perform(ListSecurityChecks(application: scene.parameter("id"))).checks
        let name = "\(present.platform) \(present.number)"
        var shown: [String: [String: String]] = [:]
        for (check, settings) in present.settings {
            let use = checks.first { $0.name == check }?.uses.first { $0.version == name }
            for property in settings.keys {
                let value = use?.properties.first { $0.name == property }?.value
                shown[check, default: [:]][property] = value ?? ConcealedValue.mark
            }
        }
        return shown
    }

    // MARK: The form

    static func question(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let subject = try await subject(scene)
        let id = subject.application.id
        let shown = subject.fields
        let unread = Lines.allCases.first { Self.unread($0, of: subject) != nil }?.rawValue
        func line(
            _ name: String, _ label: String, type: String = "text", value: String? = nil, hint: String? = nil
        ) -> PageField {
            var field = PageField(
                name: name, label: words.plain(label), type: type, value: value ?? shown.value(name),
                autocomplete: "off", maximumLength: 2048, isRequired: value != nil, isFirst: false)
            field.hint = hint.map { words.plain($0) }
            return field
        }
        func lines(_ lines: Lines, _ label: String, hint: PageText) -> PageField {
            var field = PageField.lines(
                name: lines.rawValue, label: words.plain(label), value: subject.lines(lines), maximumLength: 16_384,
                isRequired: false, isInvalid: unread == lines.rawValue)
            field.hint = hint.plain
            return field
        }
        var question = ConsoleQuestion(
            title: subject.isThere
                ? words(
                    "consoleVersionTitle",
                    ["id": .chosen(id), "version": .chosen("\(subject.platform) \(subject.number)")])
                : words("consoleVersionAddTitle", ["id": .chosen(id)]),
            text: words("consoleVersionText"), changes: shown.changes, button: words.plain("consoleSave"),
            back: ApplicationPages.path(of: id))
        question.hidden = [shown.hidden]
        if subject.isThere {
            question.hidden += [
                .init(name: "platform", value: subject.platform), .init(name: "number", value: subject.number),
                .init(name: "there", value: "1"),
            ]
        } else {
            question.fields = [
                line("platform", "consoleVersionPlatform", value: subject.platform, hint: "consoleVersionPlatformHint"),
                line("number", "consoleVersionNumber", value: subject.number, hint: "consoleVersionNumberHint"),
            ]
        }
        question.fields += [
            lines(.elements, "consoleVersionScopes", hint: words("consoleVersionScopesHint")),
            line("mandatory", "consoleVersionMandatory", hint: "consoleVersionMandatoryHint"),
            line("lifetime", "consoleVersionLifetime", type: "number"),
            lines(
                .settings, "consoleVersionSettings",
                hint: words(
                    "consoleVersionSettingsHint", ["mark": .words(ConcealedValue.mark)])),
            line("shared", "consoleVersionShared"), line("message", "consoleVersionMessage"),
            line("link", "consoleVersionLink", type: "url"),
        ]
        question.checkboxes = PageForm.Checkboxes(
            legend: words.plain("consoleRules"),
            boxes: boxes.map { .init(name: $0.name, label: words.plain($0.label), isChecked: shown.isTicked($0.name)) })
        question.problemField = unread
        return question
    }

    /// The application with what the form says of the version, and the others as they are.
    static func change(_ scene: ConsoleScene) async throws -> ChangeApplication {
        let subject = try await subject(scene)
        let shown = subject.fields
        if scene.isForm {
            guard scene.field("platform") != nil, scene.field("number") != nil else { throw scene.missing }
            guard subject.isThere == (subject.present != nil) else {
                throw ConsoleProblem(scene.words(subject.isThere ? "consoleVersionGone" : "consoleVersionThere"))
            }
        }
        try shown.judge()
        guard let lifetime = Int(shown.value("lifetime")) else { throw scene.missing }
        var draft = subject.present ?? ApplicationVersionDraft()
        draft.platform = subject.platform
        draft.number = subject.number
        do throws(UnreadLine) {
            // A field that was left alone may have what no line can say.
            if shown.edited(Lines.elements.rawValue) != nil { draft.elements = try elements(of: subject) }
            if shown.edited(Lines.settings.rawValue) != nil { draft.settings = try settings(of: subject) }
        } catch {
            throw ConsoleProblem(scene.words("consoleVersionLine", ["number": .number(error.number)]))
        }
        draft.mandatoryScope = shown.value("mandatory")
        draft.lifetime = lifetime
        draft.sharedChecks = shown.value("shared").split(separator: " ").map(String.init)
        draft.refreshTokens = shown.isTicked("refresh-tokens")
        draft.isServed = !shown.isTicked("not-served")
        draft.message = shown.value("message")
        draft.downloadLink = shown.value("link")
        var change = RegistrationChange()
        change.put(draft, among: subject.application)
        return ChangeApplication(
            id: subject.application.id, registration: change, expecting: scene.isForm ? subject.revision : nil)
    }

    /// What the form changes. Values of settings that the form does not show are not shown here either.
    static func review(_ scene: ConsoleScene, _ change: ChangeApplication) async throws -> ConsoleReview {
        let words = scene.words
        let subject = try await subject(scene)
        var changes = subject.fields.edits(but: [Lines.settings.rawValue])
        if subject.fields.edited(Lines.settings.rawValue) != nil {
            changes.append(
                .init(
                    words.plain("consoleVersionSettings"), from: ShownFields.text(text(of: subject.settings)),
                    to: ShownFields.text(text(of: concealed((try? settings(of: subject)) ?? [:], of: subject, words)))))
        }
        if !subject.isThere {
            let name = PageText(chosen: "\(subject.platform) \(subject.number)")
            changes.insert(.init(words.plain("consoleApplicationVersion"), from: PageText("–"), to: name), at: 0)
        }
        return ConsoleReview(changes: changes, warnings: try await scene.warnings(of: change))
    }

    /// Typed settings as a page shows them.
    private static func concealed(
        _ settings: [String: [String: String]], of subject: Subject, _ words: Words
    ) -> [String: [String: String]] {
        var shown = settings
        for (check, own) in settings {
            for (property, value) in own {
                let (before, isOther) = (
                    subject.settings[check]?[property], value != subject.present?.settings[check]?[property]
                )
                if let before, before != ConcealedValue.mark { continue }
                shown[check]?[property] =
                    before != nil && isOther
                    ? words.plain("consoleVersionOther", ["mark": .words(ConcealedValue.mark)]) : ConcealedValue.mark
            }
        }
        return shown
    }

    // MARK: Removing one

    static func removalQuestion(_ scene: ConsoleScene) async throws -> ConsoleQuestion {
        let words = scene.words
        let application = try await scene.perform(ShowApplication(id: scene.parameter("id"))).application
        let (platform, number) = (scene.field("platform") ?? "*", scene.field("number") ?? "*")
        guard application.version(number, on: platform) != nil else { throw scene.gone }
        var question = ConsoleQuestion(
            title: words("consoleVersionRemoveTitle", ["version": .chosen("\(platform) \(number)")]),
            text: words("consoleVersionRemoveText"), button: words.plain("consoleRemove"), isDangerous: true,
            back: ApplicationPages.path(of: application.id))
        question.hidden = [.init(name: "platform", value: platform), .init(name: "number", value: number)]
        return question
    }

    static func removal(_ scene: ConsoleScene) async throws -> ChangeApplication {
        let answer = try await scene.perform(ShowApplication(id: scene.parameter("id")))
        let (platform, number) = (scene.field("platform") ?? "*", scene.field("number") ?? "*")
        if scene.isForm, answer.application.version(number, on: platform) == nil {
            throw ConsoleProblem(scene.words("consoleVersionGone"))
        }
        var change = RegistrationChange()
        change.removeVersion(number, on: platform, from: answer.application)
        return ChangeApplication(
            id: answer.application.id, registration: change, expecting: scene.isForm ? answer.revision : nil)
    }

    // MARK: Lines

    /// The line of a field that does not read.
    private static func unread(_ lines: Lines, of subject: Subject) -> Int? {
        guard subject.fields.edited(lines.rawValue) != nil else { return nil }
        do throws(UnreadLine) {
            switch lines {
            case .elements: _ = try elements(of: subject)
            case .settings: _ = try settings(of: subject)
            }
            return nil
        } catch {
            return error.number
        }
    }

    /// `payments = Login Totp`
    private static func text(of elements: [String: String]) -> String {
        elements.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: "\n")
    }

    /// What was typed as ``text(of:)`` writes it. A line without an equals sign is none: an element without checks asks for nothing.
    /// - Throws: ``UnreadLine``, also for the second line about one element.
    private static func elements(of subject: Subject) throws(UnreadLine) -> [String: String] {
        var elements: [String: String] = [:]
        for line in try lines(.elements, of: subject) {
            guard line.names.count == 1, let element = line.names.first, elements[element] == nil else {
                throw UnreadLine(number: line.number)
            }
            elements[element] = line.value.split(separator: " ").joined(separator: " ")
        }
        return elements
    }

    /// `PinCodeAttempts maxAttempts = 3`
    private static func text(of settings: [String: [String: String]]) -> String {
        let lines = settings.sorted { $0.key < $1.key }.flatMap { check, own in
            own.sorted { $0.key < $1.key }.map { property, value in "\(check) \(property) = \(value)" }
        }
        return lines.joined(separator: "\n")
    }

    /// What was typed as ``text(of:)`` writes it. The mark of a value that is not shown stands for the value that the version has.
    /// - Throws: ``UnreadLine``, also for the second line about one setting.
    private static func settings(of subject: Subject) throws(UnreadLine) -> [String: [String: String]] {
        var settings: [String: [String: String]] = [:]
        for line in try lines(.settings, of: subject) {
            guard line.names.count == 2, settings[line.names[0]]?[line.names[1]] == nil else {
                throw UnreadLine(number: line.number)
            }
            let (check, property) = (line.names[0], line.names[1])
            let isMark = line.value == ConcealedValue.mark
            let present = subject.present?.settings[check]?[property]
            settings[check, default: [:]][property] = isMark ? present ?? line.value : line.value
        }
        return settings
    }

    /// The lines that say something: the words before the first equals sign, and what follows it.
    private static func lines(
        _ lines: Lines, of subject: Subject
    ) throws(UnreadLine) -> [(number: Int, names: [String], value: String)] {
        var read: [(number: Int, names: [String], value: String)] = []
        let all = subject.lines(lines).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in all.enumerated() where !line.allSatisfy({ $0 == " " }) {
            guard let end = line.firstIndex(of: "=") else { throw UnreadLine(number: index + 1) }
            let names = line[..<end].split(separator: " ").map(String.init)
            var value = line[end...].dropFirst().drop { $0 == " " }
            while value.last == " " { value.removeLast() }
            read.append((index + 1, names, String(value)))
        }
        return read
    }
}
