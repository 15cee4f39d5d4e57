import AdminServer
import CountersignCore
import JSON
import WebPages

/// What a form changes, which the console shows before it is done (docs/decisions/0546).
struct ConsoleReview: Sendable {
    /// What the page begins with; nil: that nothing is changed yet.
    var text: PageText?
    /// What does it; nil: as the form calls it.
    var button: String?
    /// Whether nothing would be done: then nothing does it, and the way leads back to the form.
    var isForNothing = false
    /// What each value is now, and what it will be.
    var changes: [ConsoleQuestion.Change]
    /// What becomes weaker by it, or whom it locks out.
    var warnings: [PageText] = []
    /// What follows from it beside.
    var notes: [PageText] = []
    /// More of what changes, where that is no list of values.
    var blocks: [PageBlock] = []
    /// Whether it locks people out, or cannot be undone, beside what the warnings say.
    var isDangerous = false
    /// What the form of the page says beside what was typed, such as a file that came with it.
    var hidden: [PageForm.HiddenField] = []
    /// Names of fields that were typed and that the page does not carry: they are secret, or stand in ``hidden``.
    var dropped: Set<String> = []
    /// What has to be agreed to.
    var checkbox: PageForm.Checkbox?

    /// Whether the form says what there is already.
    var isEmpty: Bool { changes.isEmpty && blocks.isEmpty }
}

extension ConsoleScene {
    /// The name of the field that shows what its sender has seen (``seen(_:at:)``).
    static let seenField = "seen"
    /// The name of the button that leads from what would change back to the form.
    static let againButton = "again"

    /// The mark of an operation that this session is shown: it is of everything that the operation does, and of the record that it expects, so
    /// that none is done in its place.
    /// - Parameter path: of the page that takes the form.
    func seen(_ operation: some AdministrationOperation, at path: String) throws -> PageForm.HiddenField {
        let text = try RecordRevision.text(of: operation)
        return .init(name: Self.seenField, value: csrf(of: "seen \(path) \(text)").value)
    }

    /// Whether the form brings the mark.
    func brings(_ mark: PageForm.HiddenField) -> Bool {
        guard let brought = fields[mark.name], !mark.value.isEmpty else { return false }
        return ConstantTime.equal(Array(brought.utf8), Array(mark.value.utf8))
    }

    /// What would change, with the buttons that do it and that lead back to the form; what was typed is kept.
    /// - Parameter question: what the form's own page says.
    func page(
        of review: ConsoleReview, _ question: ConsoleQuestion, for operation: any AdministrationOperation,
        _ mark: PageForm.HiddenField
    ) -> Page {
        var page = Page(PageKind(rawValue: "console-review"), question.title, review.text ?? words("consoleReviewText"))
        page.isWide = true
        if field(Self.seenField) != nil {
            page.problem = words("consoleRefused", ["reason": .text(words("consoleReviewMeanwhile"))])
        }
        if !review.changes.isEmpty { page.blocks.append(table(of: review.changes)) }
        page.blocks += review.blocks + review.notes.map { .text($0) }
        if !review.warnings.isEmpty {
            page.blocks.append(.standing(.init(.alarming, words("consoleReviewWarnings"), review.warnings)))
        }
        // What stands in the form by itself.
        var own: Set = ["csrf", FormID.field, Self.seenField, Self.againButton, ""]
        own.formUnion(review.hidden.map(\.name) + review.dropped)
        if let checkbox = review.checkbox { own.insert(checkbox.name) }
        let typed: [PageForm.HiddenField] = fields.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }
            .map { .init(name: $0.key, value: $0.value) }
        var button = PageForm.Button(review.button ?? question.button)
        button.isDangerous = question.isDangerous || review.isDangerous || !review.warnings.isEmpty
        let again = PageForm.Button(
            words.plain("consoleReviewAgain"), name: Self.againButton, value: "1", isSecondary: true,
            skipsValidation: true)
        var form = PageForm(
            action: path,
            hidden: locks() + [mark] + typed + review.hidden,
            buttons: review.isForNothing ? [again] : [button, again])
        form.checkbox = review.checkbox
        page.blocks.append(.form(form))
        if let back = question.back { page.blocks.append(.links([.init(words("consoleCancel"), to: back)])) }
        page.blocks += command(operation)
        return page
    }

    /// Values as they are and as they will be.
    func table(of changes: [ConsoleQuestion.Change]) -> PageBlock {
        .table(
            PageTable(
                words.plain("consoleChanges"),
                columns: [words.plain("consoleChanged"), words.plain("consoleBefore"), words.plain("consoleAfter")],
                rows: changes.map { [.init(PageText($0.label)), .init($0.before), .init($0.after)] }))
    }
}

extension ConsoleQuestion {
    /// The same without what is wrong with it.
    var withoutProblem: ConsoleQuestion {
        var question = self
        question.problemField = nil
        for index in question.fields.indices { question.fields[index].isInvalid = false }
        return question
    }
}
