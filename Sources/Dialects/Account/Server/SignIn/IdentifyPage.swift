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
                if demand.needsPasskey { return scene.redirect(to: scene.path(PasskeyPage.path)) }
                if demand.createsAccount { return scene.redirect(to: scene.path("/sign-up")) }
                if demand.selectsAccount, let user = scene.present?.user { return choose(user, scene) }
                return try page(scene, address: address(demand, scene))
            case .secondFactor:
                guard let session = scene.present?.session else { return try page(scene, address: nil) }
                return try await raise(session, &scene)
            case .passkeyEnrolment:
                guard let session = scene.present?.session else { return try page(scene, address: nil) }
                return try await raise(session, byEnrolling: .passkey, &scene)
            case .terms, .consent, .ready, .impossible: return scene.redirect(to: scene.destination)
            }
        }
        if scene.leadsToConsole, let present = scene.present { return try await administer(present, &scene) }
        if scene.present != nil { return scene.redirect(to: scene.destination) }
        return try page(scene, address: scene.field("username"))
    }

    func submit(_ scene: inout PageScene) async throws -> Response {
        switch scene.fields["account"] {
        case "present": return try await takePresent(scene)
        case "forget":
            scene.visit.keep(knownAccounts: nil)
            return scene.redirect(to: scene.beginning)
        default: break
        }
        scene.stays = scene.offersStaying && scene.field("stay") != nil
        if try await isDone(scene) { return scene.redirect(to: scene.destination) }
        guard let email = scene.field("username").flatMap(EmailAddress.init) else {
            return try page(
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
            case .refused(let refusal): return try refused(refusal, scene)
            default: return scene.redirect(to: scene.path("/sign-in/mail", attempt: handle))
            }
        case .beyondClient: return try refused(Refusal(.unexpectedAnswer), scene)
        case .refused(let refusal): return try refused(refusal, scene)
        }
    }

    /// What the first field holds: what was typed, what the application says, or the user who has to prove all factors anew. Of another user
    /// whom the request names, nothing is shown: a client that knows an id would learn the address.
    private func address(_ demand: SignInDemand, _ scene: PageScene) -> String? {
        if let typed = scene.field("username") ?? demand.identifier { return typed }
        guard let present = scene.present?.user, demand.user.map({ $0 == present.id }) ?? demand.isFresh else {
            return nil
        }
        return present.email?.canonical
    }

    /// Whether the application's request needs nothing of this page any more: another tab has signed in since it was shown.
    private func isDone(_ scene: PageScene) async throws -> Bool {
        guard let pending = scene.pending, let present = scene.present else { return false }
        switch try await scene.realm.authorizations.standing(of: pending, session: present.session) {
        case .signIn: return false
        case .secondFactor, .passkeyEnrolment, .terms, .consent, .ready, .impossible: return true
        }
    }

    private func refused(_ refusal: Refusal, _ scene: PageScene) throws -> Response {
        switch scene.outcome(of: refusal, wrong: "usernameProblem") {
        case .page(let response): response
        case .problem(let problem): try page(scene, address: scene.field("username"), problem: problem)
        }
    }

    private func page(_ scene: PageScene, address: String?, problem: PageText? = nil) throws -> Response {
        let words = scene.words
        let field = PageField(
            name: "username", label: words.plain("usernameLabel"), value: address,
            autocomplete: "username webauthn", maximumLength: 254, isInvalid: problem != nil)
        var form = PageForm(
            action: "/sign-in", hidden: scene.hidden("sign-in"), fields: [field],
            buttons: [.init(words.plain("goOn"))])
        if scene.offersStaying {
            form.checkbox = .init(
                name: "stay", label: words.plain("stayLabel"), hint: words.plain("stayHint"), isChecked: scene.stays)
        }
        var page = Page("sign-in", words("signInTitle"), scene.purposeText, problem: problem, [.form(form)])
        page.blocks += try knownAccounts(scene)
        var links: [PageBlock.Link] = []
        if scene.offersOtherDevice, scene.target != ConfirmBrowserPage.target.rawValue {
            links.append(.init(words("otherDeviceLink"), to: scene.pathAfterAttempt(OtherDevicePage.path)))
        }
        if scene.offersSignUp { links.append(.init(words("createAccount"), to: scene.path("/sign-up"))) }
        links.append(.init(words("forgotLink"), to: scene.path("/forgot")))
        page.blocks.append(.links(links))
        page.problemField = problem == nil ? nil : "username"
        scene.offerPasskey(on: &page)
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }

    /// The accounts that the user of this browser asked it to remember; their sign-in stays, as that is what was asked for.
    private func knownAccounts(_ scene: PageScene) throws -> [PageBlock] {
        guard scene.offersStaying, let cookie = scene.visit.knownAccounts else { return [] }
        let accounts = try scene.realm.sessions.knownAccounts(in: cookie)
        if accounts.isEmpty { return [] }
        let words = scene.words
        var form = PageForm(
            action: "/sign-in", hidden: scene.hidden("sign-in") + [.init(name: "stay", value: "1")],
            buttons: accounts.map {
                .init(PageText.harmless($0.address), name: "username", value: $0.address, isSecondary: true)
            })
        form.buttons.append(.init(words.plain("knownForget"), name: "account", value: "forget", isQuiet: true))
        return [.heading(words.plain("knownAccounts")), .form(form)]
    }

    // MARK: A user is signed in

    /// Asks for what the console wants beside the present session.
    private func administer(
        _ present: (session: Session, user: User), _ scene: inout PageScene
    ) async throws -> Response {
        switch try await scene.realm.consoleSessions.judge(
            present.session, of: present.user, mark: scene.visit.consoleMark)
        {
        case .open, .closed: return scene.redirect(to: scene.destination)
        case .demanding(.secondFactor): return try await raise(present.session, &scene)
        case .demanding(.passkey): return scene.redirect(to: scene.path(PasskeyPage.path))
        case .demanding(.signIn):
            return try page(scene, address: scene.field("username") ?? present.user.email?.canonical)
        }
    }

    /// Begins to ask for the second factor that the present session lacks, or to enrol one.
    private func raise(
        _ session: Session, byEnrolling kind: FactorKind? = nil, _ scene: inout PageScene
    ) async throws -> Response {
        switch try await scene.realm.journeys.begin(raising: session, byEnrolling: kind, by: scene.client) {
        case .begun(let handle):
            return try await scene.goOn(with: handle)
        case .refused(let refusal): return try refused(refusal, scene)
        case .beyondClient: return try refused(Refusal(.unexpectedAnswer), scene)
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
        JourneyAbilities(givesSecondFactor: true, registersSecondFactor: true, answersChallenges: true)
    }
}
