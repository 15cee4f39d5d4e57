import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// One request for a page under `/account`: the scene, and whose account it is.
///
/// ``AccountPages/addAccount(to:)`` makes one before a page is shown. A browser without a session signs in first and comes back; for a
/// change a session that was proven too long ago is proven anew first (``ConfirmPage``).
struct AccountScene: Sendable {
    var scene: PageScene
    let session: Session
    let user: User
    /// The token of the browser's session.
    let token: Secret<String>
    /// What the names of fields begin with whose text comes back with the user who has to confirm first.
    var typedFields: Set<String> = []
    /// What a form came to that led here.
    private(set) var outcome: PageOutcome?

    /// Nil where the browser has no session.
    init?(_ scene: PageScene) {
        guard let present = scene.present, let token = scene.visit.sessionToken else { return nil }
        self.scene = scene
        session = present.session
        user = present.user
        self.token = token
    }

    /// What a page demands of the session before it does anything.
    enum Proof: Sendable {
        /// That it goes on.
        case none
        /// That something was proven in the last minutes: for what only narrows what others can do.
        case recent
        /// That all was proven in the last minutes.
        case full
    }

    func has(_ proof: Proof) -> Bool {
        let times = session.proofs.map(\.at)
        let since = realm.clock.now - Enrolments.recency
        switch proof {
        case .none: return true
        case .recent: return times.max().map { $0 > since } ?? false
        case .full: return times.min().map { $0 > since } ?? false
        }
    }

    /// Reads what a form came to that led to this page. What is said above the page is said once.
    mutating func hear() {
        guard let said = scene.visit.outcome(at: now) else { return }
        if said.awaitsProof {
            // Who went elsewhere instead has proven nothing, and finds the form as it was.
            guard session.proofs.contains(where: { said.isNotLater(than: $0.at) }) else { return }
            scene.fill(in: said.typed)
        }
        if said.notice != nil { scene.visit.forgetOutcome() }
        outcome = said
    }

    var realm: Realm { scene.realm }
    var words: Words { scene.words }
    var client: ClientContext { scene.client }
    var now: Date { realm.clock.now }
    func field(_ name: String) -> String? { scene.field(name) }
    var fields: [String: String] { scene.fields }

    /// What the account is called.
    var address: String { user.email?.canonical ?? user.id.rawValue }

    /// The session as the core judges it.
    var own: OwnSession {
        OwnSession(
            userID: user.id, evidence: SessionEvidence(dialect: .oauth, proofs: session.proofs), epoch: user.tokenEpoch,
            session: session.id)
    }

    // MARK: Pages

    /// A page of the account in its frame.
    /// - Parameters:
    ///   - section: the entry of the menu that it belongs to.
    ///   - problem: why a form of the page was refused.
    func page(
        _ kind: PageKind, in section: AccountSection, _ title: PageText, _ text: PageText? = nil,
        problem: PageText? = nil, _ blocks: [PageBlock] = []
    ) -> Page {
        var page = Page(kind, title, text, problem: problem, blocks)
        page.isWide = true
        page.menu = PageMenu(
            label: words.plain("accountMenu"),
            entries: AccountSection.allCases.map {
                .init(words.plain($0.title), to: $0.path, isPresent: $0 == section)
            },
            who: PageText(address: address),
            signOut: PageForm(
                action: "/sign-out", hidden: [csrf("sign-out")],
                buttons: [.init(words.plain("signOut"), name: "decision", value: "this", isQuiet: true)]))
        if problem == nil, let notice = outcome?.notice { page.blocks.insert(.notice(words(notice)), at: 0) }
        return page
    }

    func show(_ page: Page) -> Response {
        scene.show(page, status: page.problem == nil ? .ok : .unprocessableContent)
    }

    func redirect(to path: String) -> Response { scene.redirect(to: path) }

    /// Leads to a page of the account that says what the form has done.
    /// - Parameter notice: the key of the message.
    func redirect(to path: String, saying notice: String) throws -> Response {
        var scene = scene
        try scene.visit.say(PageOutcome(notice: notice, on: path, at: now), realm.random)
        return scene.redirect(to: path)
    }

    /// Has the page say after a proof that its form has done nothing yet, with what was typed into it, or that this was too long to keep.
    /// - Parameter page: its path, without a query.
    func keepTyped(for page: String, in scene: inout PageScene) throws {
        let typed = scene.typed(in: typedFields)
        let notices = typed.isEmpty ? ["accountConfirmed"] : ["accountConfirmedTyped", "accountConfirmedUntyped"]
        for (notice, kept) in zip(notices, [typed, [:]]) {
            let outcome = PageOutcome(notice: notice, afterProofOn: page, typed: kept, at: now)
            if try scene.visit.say(outcome, realm.random) { return }
        }
    }

    /// What forms of the account send along: their token, what tells each from every other one, and more.
    func hidden(_ purpose: String, _ more: [(String, String)] = []) -> [PageForm.HiddenField] {
        let id = FormID(for: purpose, session: token, at: now, realm.random)
        let said: [PageForm.HiddenField] = more.map { .init(name: $0.0, value: $0.1) }
        return [csrf(purpose), .init(name: FormID.field, value: id.text)] + said
    }

    private func csrf(_ purpose: String) -> PageForm.HiddenField {
        .init(name: "csrf", value: FormToken.text(for: purpose, session: token))
    }

    /// A form of one button.
    func button(
        _ label: String, _ action: String, for purpose: String, _ fields: [(String, String)] = []
    ) -> PageForm {
        PageForm(
            action: action, hidden: hidden(purpose, fields), buttons: [.init(words.plain(label), isSecondary: true)])
    }

    /// How long ago something was.
    func ago(_ date: Date) -> Words.Value { .text(words.moment(date, now: now)) }
}

/// The entries of the account's menu.
enum AccountSection: String, CaseIterable {
    case overview
    case profile
    case security
    case sessions
    case applications
    case activity
    case data

    var path: String { self == .overview ? "/account" : "/account/\(rawValue)" }
    /// The key of its name.
    var title: String {
        switch self {
        case .overview: "accountOverview"
        case .profile: "accountProfile"
        case .security: "accountSecurity"
        case .sessions: "accountSessions"
        case .applications: "accountApplications"
        case .activity: "accountActivity"
        case .data: "accountData"
        }
    }
}
