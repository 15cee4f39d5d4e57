import WebPages

/// What a form of changes showed when its page was made, field by field. A field that came back as it was shown changes nothing, so that what
/// another caller changed meanwhile stays; one that both changed is shown again, with both values (docs/decisions/0415).
///
/// The form carries a mark of each value, which this session's key makes, and not the value.
struct ShownFields {
    struct Field {
        let name: String
        let label: String
        /// As the record has it now.
        let present: String
        var isMultiline = false
        /// Whether it is a box to tick, which a form says nothing of where it is not ticked.
        var isBox = false
        /// Fields that mean one thing together: a change of one is one of all.
        var group: String?

        static func text(_ name: String, _ label: String, _ present: String?) -> Field {
            Field(name: name, label: label, present: present ?? "")
        }

        static func lines(_ name: String, _ label: String, _ present: String) -> Field {
            Field(name: name, label: label, present: present, isMultiline: true)
        }

        static func box(_ name: String, _ label: String, _ present: Bool) -> Field {
            Field(name: name, label: label, present: present ? "1" : "", isBox: true)
        }
    }

    /// The name of the field that carries the marks.
    static let name = "shown"

    private let scene: ConsoleScene
    private let fields: [Field]
    private var marks: [String: String]
    /// The names of the fields that the form's page showed.
    private let named: Set<String>

    /// The path that takes the form.
    private let path: String

    /// - Parameter path: of the page that takes the form, where it is not this one.
    init(_ scene: ConsoleScene, _ fields: [Field], at path: String? = nil) {
        self.scene = scene
        self.path = path ?? scene.path
        self.fields = fields
        var marks: [String: String] = [:]
        for part in (scene.fields[Self.name] ?? "").split(separator: " ") {
            guard let end = part.lastIndex(of: "=") else { continue }
            marks[String(part[..<end])] = String(part[end...].dropFirst())
        }
        self.marks = marks
        named = Set(marks.keys)
    }

    /// What the form carries, of the values that it shows now.
    var hidden: PageForm.HiddenField {
        .init(name: Self.name, value: fields.map { "\($0.name)=\(mark(of: $0, shown(in: $0)))" }.joined(separator: " "))
    }

    /// What the field has: what was typed, or what the record has.
    func value(_ name: String) -> String { edited(name) ?? field(name).present }

    func isTicked(_ name: String) -> Bool { ticked(name) ?? !field(name).present.isEmpty }

    /// What was typed; nil where the field was left as it was shown, and where it says what the record says.
    func edited(_ name: String) -> String? {
        let field = field(name)
        guard let typed = typed(in: field), !isLeft(field, typed), !isPresent(field, typed) else { return nil }
        return scene.isForm && !field.isBox ? scene.fields[name] ?? "" : typed
    }

    /// The same of a box.
    func ticked(_ name: String) -> Bool? { edited(name).map { !$0.isEmpty } }

    /// The fields that the form and another caller changed, each to another value.
    private var conflicts: [Field] {
        fields.filter { field in
            let edits = edited(field.name) != nil
            guard let group = field.group else { return edits && isOther(field.name) }
            let together = fields.filter { $0.group == group }
            return (edits || isOther(field.name)) && together.contains { edited($0.name) != nil }
                && together.contains { isOther($0.name) }
        }
    }

    /// The names of the fields that both changed.
    var conflicting: [String] { conflicts.map(\.name) }

    /// What both changed, as the page shows it.
    var changes: [ConsoleQuestion.Change] { conflicts.map(change) }

    /// What the form changes of the record, as a page shows it before that is done.
    /// - Parameter others: names of fields that the page says in another way.
    func edits(but others: Set<String> = []) -> [ConsoleQuestion.Change] {
        fields.filter { !others.contains($0.name) && edited($0.name) != nil }.map(change)
    }

    private func change(of field: Field) -> ConsoleQuestion.Change {
        guard !field.isBox else {
            func text(_ isTicked: Bool) -> PageText { scene.words(isTicked ? "consoleYes" : "consoleNo") }
            return .init(field.label, from: text(!field.present.isEmpty), to: text(isTicked(field.name)))
        }
        return .init(field.label, from: Self.text(field.present), to: Self.text(value(field.name)))
    }

    /// - Throws: ``ConsoleProblem`` where another caller changed what the form changes.
    func judge() throws {
        let labels = conflicts.map(\.label)
        guard !labels.isEmpty else { return }
        throw ConsoleProblem(
            scene.words(
                "consoleChangedMeanwhile",
                ["fields": .words(labels.joined(separator: scene.words.plain("listSeparator")))]))
    }

    /// Whether the form says of the field what its page showed.
    func isLeft(_ name: String) -> Bool { typed(in: field(name)).map { isLeft(field(name), $0) } ?? true }

    /// Whether the record has another value now than the form's page showed.
    func isOther(_ name: String) -> Bool {
        marks[name].map { $0 != mark(of: field(name), shown(in: field(name))) } ?? false
    }

    /// The fields that the form's page showed, by name, as the form says.
    static func names(_ scene: ConsoleScene) -> [String] {
        (scene.fields[name] ?? "").split(separator: " ").compactMap { part in
            part.lastIndex(of: "=").map { String(part[..<$0]) }
        }
    }

    /// The same where the form is about another record than its page was: everything in it was typed.
    var ofAnother: ShownFields {
        var other = self
        other.marks = [:]
        return other
    }

    /// Characters of a value that are shown beside another.
    private static let longest = 2048

    static func text(_ value: String) -> PageText {
        value.isEmpty
            ? PageText("–")
            : PageText(
                lines: value.split(whereSeparator: \.isNewline).map { PageText(chosen: String($0), longest: longest) })
    }

    private func field(_ name: String) -> Field {
        fields.first { $0.name == name } ?? .text(name, name, nil)
    }

    /// What the form says of a field; nil where it says nothing, or none was sent.
    private func typed(in field: Field) -> String? {
        guard scene.isForm else { return nil }
        guard field.isBox else { return scene.fields[field.name].map(Self.lines) }
        if scene.field(field.name) != nil { return "1" }
        // Browsers send nothing of a box that is not ticked. Of one that the form's page did not show, nothing is said.
        return named.contains(field.name) ? "" : nil
    }

    private func isLeft(_ field: Field, _ typed: String) -> Bool { marks[field.name] == mark(of: field, typed) }

    /// By bytes, as marks are: the same letter may be written in two ways.
    private func isPresent(_ field: Field, _ typed: String) -> Bool {
        typed.utf8.elementsEqual(shown(in: field).utf8)
    }

    private func shown(in field: Field) -> String {
        Self.lines(PageField.shown(field.present, isMultiline: field.isMultiline))
    }

    private static func lines(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    private func mark(of field: Field, _ text: String) -> String {
        String(scene.csrf(of: "shown \(path) \(field.name) \(text)").value.prefix(22))
    }
}
