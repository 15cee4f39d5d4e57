import AdminServer
import WebPages

/// What is asked before something is changed.
struct ConsoleQuestion: Sendable {
    /// What a value is now, and what it will be.
    struct Change: Sendable {
        var label: String
        var before: PageText
        var after: PageText

        init(_ label: String, from before: PageText, to after: PageText) {
            self.label = label
            self.before = before
            self.after = after
        }
    }

    var title: PageText
    var text: PageText?
    var fields: [PageField] = []
    var choices: PageForm.Choices?
    var checkbox: PageForm.Checkbox?
    var checkboxes: PageForm.Checkboxes?
    /// The groups that fields and checkboxes of a long form stand in.
    var parts: [PageForm.Part] = []
    /// The name of the field that a form which was refused is refused for, where that is known.
    var problemField: String?
    var hidden: [PageForm.HiddenField] = []
    /// The picture of what it is about: a path of this server.
    var picture: String?
    /// What it is about, where that is several things.
    var items: [PageText] = []
    /// What will be different.
    var changes: [Change] = []
    /// What sends it; empty where there is nothing to send.
    var button: String
    /// Whether it locks people out, or cannot be undone.
    var isDangerous = false
    /// The command that does the same, where the operation itself has none: the words after `countersign`.
    var command: [String] = []
    /// Where it leads instead: a path of this server.
    var back: String?

    init(
        title: PageText, text: PageText? = nil, fields: [PageField] = [], changes: [Change] = [], button: String,
        isDangerous: Bool = false, back: String? = nil
    ) {
        self.title = title
        self.text = text
        self.fields = fields
        self.changes = changes
        self.button = button
        self.isDangerous = isDangerous
        self.back = back
    }
}

extension ConsoleScene {
    /// - Parameter operation: what the form does, where it is known by now.
    func page(of question: ConsoleQuestion, for operation: (any AdministrationOperation)?) -> Page {
        var page = Page(PageKind(rawValue: "console-ask"), question.title, question.text)
        page.isWide = true
        page.problemField = question.problemField
        page.picture = question.picture
        if !question.changes.isEmpty { page.blocks.append(table(of: question.changes)) }
        if !question.items.isEmpty { page.blocks.append(.items(question.items.map { .init($0) })) }
        var button = PageForm.Button(question.button)
        button.isDangerous = question.isDangerous
        var form = PageForm(
            action: path, hidden: locks() + question.hidden, fields: question.fields, choices: question.choices,
            buttons: [button])
        form.checkbox = question.checkbox
        form.checkboxes = question.checkboxes
        form.parts = question.parts
        if !question.parts.isEmpty {
            page.blocks.append(
                .tabs(
                    .init(
                        words.plain("consoleFormParts"),
                        question.parts.map { .init($0.legend, to: "#" + $0.anchor) })))
        }
        if !question.button.isEmpty { page.blocks.append(.form(form)) }
        if let back = question.back {
            page.blocks.append(.links([.init(words("consoleCancel"), to: back)]))
        }
        if !question.command.isEmpty {
            page.blocks.append(
                .command(PageCommand(words.plain("consoleCommand"), ShellCommand.line(question.command))))
        } else if let operation {
            page.blocks += command(operation)
        }
        return page
    }
}
