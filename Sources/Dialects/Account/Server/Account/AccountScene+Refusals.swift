import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

extension AccountScene {
    /// What follows an operation that was refused: a page that can do something about it, or the same form with the reason.
    /// - Parameters:
    ///   - page: where a new proof leads back to.
    ///   - items: what that page's query says.
    ///   - form: the page of the form with what was wrong.
    func refused(
        _ refusal: OwnAccount.Refusal, backTo page: String, _ items: [(String, String?)] = [],
        _ form: (PageText) async throws -> Response
    ) async throws -> Response {
        switch refusal {
        case .revoked: return scene.redirect(to: "/sign-in")
        case .proofTooOld: return try confirm(backTo: page, items)
        case .wrong(let wrong):
            switch scene.outcome(of: wrong, wrong: "codeWrong") {
            case .problem(let problem): return try await form(problem)
            case .page: return try await form(words("accountTooLate"))
            }
        default: return try await form(text(of: refusal))
        }
    }

    /// Has the user prove who they are, and come back, with what was typed (WCAG 2.2, success criterion 3.3.7).
    /// - Parameters:
    ///   - items: what the page's query says.
    ///   - isForm: whether a form was sent, which the page is to say when its user comes back.
    func confirm(
        backTo page: String, _ items: [(String, String?)] = [], ofForm isForm: Bool = false
    ) throws -> Response {
        var scene = scene
        if isForm || !scene.typed(in: typedFields).isEmpty { try keepTyped(for: page, in: &scene) }
        return scene.redirect(to: scene.path(ConfirmPage.path, leadingBackTo: PagePath(page, items).text))
    }

    /// A page for a refusal of what cannot be shown at all.
    func unavailable(_ refusal: OwnAccount.Refusal, _ section: AccountSection) -> Response {
        if case .revoked = refusal { return scene.redirect(to: "/sign-in") }
        let page = page(
            "error", in: section, words("errorTitle"), problem: text(of: refusal),
            [.links([.init(words("accountBack"), to: section.path)])])
        return scene.show(page, status: .conflict)
    }

    private func text(of refusal: OwnAccount.Refusal) -> PageText {
        switch refusal {
        case .unknown: words("accountGone")
        case .lastWayIn: words("passkeyLast")
        case .lastOwner: words("refusedLastOwner")
        case .notOffered: words("refusedNotOffered")
        case .limitReached: words("refusedTooMany")
        case .unverifiedEmail: words("refusedUnverified")
        case .unsupportedFirstFactor, .noAddress: words("refusedNoAddress")
        case .wrongAddress: words(user.email == nil ? "deleteWrong" : "deleteWrongAddress")
        case .addressTaken: words("refusedAddressTaken")
        case .invalid: words("refusedInvalid")
        case .weakPassword(let fault): PageText(PasswordWords.of(scene.visit.language).fault(fault))
        case .limited(let until): scene.wait(until: until)
        case .revoked, .proofTooOld, .wrong, .busy: words("busyProblem")
        }
    }
}

/// What a form has begun and the page after it shows, for five minutes: kept by the browser, sealed for the session
/// (`PageVisit.note(_:of:_:)`).
struct AccountNote: Sendable {
    enum Kind: String, Sendable {
        /// Handle, secret in Base32.
        case authenticator
        /// Handle.
        case device
        /// Handle, address.
        case address
        /// The codes.
        case recoveryCodes = "recovery-codes"
    }

    let kind: Kind
    let values: [String]

    fileprivate static let separator: Character = "\n"
}

extension PageScene {
    /// What an earlier form has begun; nil where it was something else, too long ago, or of another session.
    func note(_ kind: AccountNote.Kind) -> [String]? {
        guard let text = visit.note(at: realm.clock.now)?.reveal() else { return nil }
        let parts = text.split(separator: AccountNote.separator, omittingEmptySubsequences: false).map(String.init)
        return parts.first == kind.rawValue && parts.count > 1 ? Array(parts.dropFirst()) : nil
    }

    /// - Parameter session: the token of the session whose pages show it.
    mutating func keep(_ note: AccountNote, of session: Secret<String>) throws {
        let text = ([note.kind.rawValue] + note.values).joined(separator: String(AccountNote.separator))
        try visit.note(Secret(text), of: session, at: realm.clock.now, realm.random)
    }
}

extension AccountScene {
    func note(_ kind: AccountNote.Kind) -> [String]? { scene.note(kind) }

    mutating func keep(_ note: AccountNote) throws { try scene.keep(note, of: token) }
}

extension PageScene {
    /// Leads a form whose session has ended to the sign-in, and from there to its page, which says that nothing was changed. What was typed is
    /// not kept: another user may sign in.
    /// - Parameters:
    ///   - page: its path, without a query.
    ///   - items: what its query says.
    mutating func signInAnew(toPage page: String, _ items: [(String, String?)]) throws -> Response {
        try visit.say(
            PageOutcome(notice: "accountConfirmed", afterProofOn: page, typed: [:], at: realm.clock.now), realm.random)
        let target = path("/sign-in", leadingBackTo: PagePath(page, items).text)
        return redirect(to: target)
    }
}
