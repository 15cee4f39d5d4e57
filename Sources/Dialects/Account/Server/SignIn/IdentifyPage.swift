import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in`: who signs in. One field, and then the page that the address leads to.
struct IdentifyPage: Sendable {
    let pages: AccountPages

    func show(_ scene: inout PageScene) async throws -> Response {
        if let pending = scene.pending {
            switch try await scene.realm.authorizations.standing(of: pending, session: scene.present?.session) {
            case .signIn(let demand):
                if demand.createsAccount { return scene.redirect(to: scene.path("/sign-up")) }
                if demand.selectsAccount, let user = scene.present?.user { return choose(user, scene) }
                return page(scene, address: try await address(demand, scene))
            case .secondFactor:
                guard let session = scene.present?.session else { return page(scene, address: nil) }
                return try await raise(session, &scene)
            case .consent, .ready, .impossible: return scene.redirect(to: scene.destination)
            }
        }
        if scene.present != nil { return scene.redirect(to: scene.destination) }
        return page(scene, address: scene.field("username"))
    }

    func submit(_ scene: inout PageScene) async throws -> Response {
        if scene.fields["account"] == "present" { return try await takePresent(scene) }
        if try await isDone(scene) { return scene.redirect(to: scene.destination) }
        guard let email = scene.field("username").flatMap(EmailAddress.init) else {
            return page(
                scene, address: scene.field("username"), problem: scene.words("usernameProblem"))
        }
        let realm = scene.realm
        switch try await realm.journeys.begin(
            .signIn(email), offered: [.password, .mailedCode], taken: [.password, .mailedCode],
            abilities: .ofPages, by: scene.client)
        {
        case .begun(let handle):
            let status = try await realm.authenticator.status(of: handle, expecting: .firstProof)
            guard case .open(let summary) = status, summary.journey?.method == .mailedCode else {
                return scene.redirect(to: scene.path("/sign-in/password", attempt: handle))
            }
            switch try await realm.journeys.ask(handle, expecting: .firstProof, by: scene.client) {
            case .refused(let refusal): return refused(refusal, scene)
            default: return scene.redirect(to: scene.path("/sign-in/mail", attempt: handle))
            }
        case .beyondClient: return refused(Refusal(.unexpectedAnswer), scene)
        case .refused(let refusal): return refused(refusal, scene)
        }
    }

    /// What the first field holds: what was typed, what the application says, or the user who has to prove all factors anew.
    private func address(_ demand: SignInDemand, _ scene: PageScene) async throws -> String? {
        if let typed = scene.field("username") ?? demand.identifier { return typed }
        if let user = demand.user { return try await scene.realm.accounts.user(user)?.email?.canonical }
        return demand.isFresh ? scene.present?.user.email?.canonical : nil
    }

    /// Whether the application's request needs nothing of this page any more: another tab has signed in since it was shown.
    private func isDone(_ scene: PageScene) async throws -> Bool {
        guard let pending = scene.pending, let present = scene.present else { return false }
        switch try await scene.realm.authorizations.standing(of: pending, session: present.session) {
        case .signIn: return false
        case .secondFactor, .consent, .ready, .impossible: return true
        }
    }

    private func refused(_ refusal: Refusal, _ scene: PageScene) -> Response {
        switch scene.outcome(of: refusal, wrong: "usernameProblem") {
        case .page(let response): response
        case .problem(let problem): page(scene, address: scene.field("username"), problem: problem)
        }
    }

    private func page(_ scene: PageScene, address: String?, problem: PageText? = nil) -> Response {
        let words = scene.words
        let field = PageField(
            name: "username", label: words.plain("usernameLabel"), value: address.map { PageText.harmless($0) },
            autocomplete: "username webauthn", maximumLength: 254, isInvalid: problem != nil)
        var page = Page(
            "sign-in", words("signInTitle"), scene.purposeText, problem: problem,
            [
                .form(
                    PageForm(
                        action: "/sign-in", hidden: scene.hidden("sign-in"), fields: [field],
                        buttons: [.init(words.plain("goOn"))])),
                .links(
                    (scene.offersSignUp ? [.init(words("createAccount"), to: scene.path("/sign-up"))] : []) + [
                        .init(words("forgotLink"), to: scene.path("/forgot"))
                    ]),
            ])
        page.problemField = problem == nil ? nil : "username"
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }

    // MARK: A user is signed in

    /// Begins to ask for the second factor that the present session lacks.
    private func raise(_ session: Session, _ scene: inout PageScene) async throws -> Response {
        switch try await scene.realm.journeys.begin(raising: session, by: scene.client) {
        case .begun(let handle):
            return try await scene.goOn(with: handle)
        case .refused(let refusal): return refused(refusal, scene)
        case .beyondClient: return refused(Refusal(.unexpectedAnswer), scene)
        }
    }

    /// Asks whether the account of the present session is meant.
    private func choose(_ user: User, _ scene: PageScene) -> Response {
        let words = scene.words
        let address = user.email?.canonical ?? user.id.rawValue
        return scene.show(
            Page(
                "sign-in", words("chooseTitle"), scene.purposeText,
                [
                    .form(
                        PageForm(
                            action: "/sign-in",
                            hidden: scene.hidden("sign-in") + [.init(name: "account", value: "present")],
                            buttons: [.init(words.plain("chooseAccount", ["address": .chosen(address)]))])),
                    .form(
                        PageForm(
                            action: "/sign-in", hidden: scene.hidden("sign-in"),
                            fields: [
                                PageField(
                                    name: "username", label: words.plain("chooseOther"),
                                    autocomplete: "username", maximumLength: 254, isFirst: false)
                            ], buttons: [.init(words.plain("goOn"), isSecondary: true)])),
                ]))
    }

    private func takePresent(_ scene: PageScene) async throws -> Response {
        guard let pending = scene.pending, let key = scene.key, let session = scene.present?.session else {
            return scene.redirect(to: scene.beginning)
        }
        _ = try await scene.realm.authorizations.answer(
            .accountChosen, to: pending.handle, in: key, session: session.id, by: scene.client)
        return scene.redirect(to: scene.destination)
    }
}

extension JourneyAbilities {
    /// Pages ask for every second factor, and have one registered where one is missing.
    static var ofPages: JourneyAbilities {
        JourneyAbilities(givesSecondFactor: true, registersSecondFactor: true)
    }
}
