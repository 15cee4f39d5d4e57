import AdminServer
import WebPages

/// Why a page does not take what a form says, in the words of the page: no operation was asked yet, or what it answered is told as a problem.
///
/// What an operation refuses is an `AdministrationError` with an English sentence, which pages look up (`Words.saying`).
struct ConsoleProblem: Error {
    let text: PageText

    init(_ text: PageText) {
        self.text = text
    }
}

extension ConsoleScene {
    /// What the page says of a form that is not taken, where another form could be right; nil for every other error.
    func problem(ofForm error: any Error) -> PageText? {
        switch error {
        case let problem as ConsoleProblem: words("consoleRefused", ["reason": .text(problem.text)])
        case let error as AdministrationError where error.isAboutForm: problem(error)
        default: nil
        }
    }

    /// What the page asks about is not there, or not any more: the answer is that of a path that there is not.
    var gone: AdministrationError { AdministrationError(.notFound, "") }

    /// A required field has nothing, or what it cannot have.
    var missing: ConsoleProblem { ConsoleProblem(words("consoleMissing")) }
}
