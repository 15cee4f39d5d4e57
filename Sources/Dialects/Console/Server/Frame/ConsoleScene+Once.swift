import AdminServer
import CountersignCore
import WebPages

/// Forms that act once, however often a browser sends them (docs/decisions/0582).
extension ConsoleScene {
    /// Does what the form of this page says; nil where the form was sent before.
    ///
    /// The form is noted first, so that nothing happens twice. An operation that is refused has done nothing: then the form is good again, for
    /// who goes back to it. After any other failure it is not known what was done, and the form stays noted.
    /// - Throws: ``AdministrationError``; ``ConsoleProblem`` where the form has no id of this page, or is too old.
    func performOnce<Operation: AdministrationOperation>(_ operation: Operation) async throws -> Operation.Answer? {
        if let repeats = route.repeats, repeats(self) { return try await perform(operation) }
        guard let form = formID() else { throw ConsoleProblem(words("staleForm")) }
        guard try await realm.sentForms.note(form.text, of: user.id, until: form.expiresAt) else { return nil }
        do {
            return try await perform(operation)
        } catch let error as AdministrationError {
            try await realm.sentForms.giveBack(form.text, of: user.id)
            throw error
        }
    }

    /// What a form that was sent before is answered. It says nothing of what came of it then, least of all a secret.
    /// - Parameter question: what the form's page asks; nil where it does not ask any more, since what it was about is gone.
    ///   Then the way leads to the list.
    func sentBefore(_ question: ConsoleQuestion?) -> Page {
        var page = Page("form-sent", words("formSentTitle"), words("formSentText"))
        page.isWide = true
        let back = question?.back ?? route.section?.path ?? "/console"
        page.blocks.append(.links([.init(words("formSentSee"), to: back, isButton: true)]))
        return page
    }
}
