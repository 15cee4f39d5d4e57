import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-up`: a new account for an address, which gets a code first.
struct SignUpPage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response {
        if let invitation = scene.field(Self.invitation) { return try await showInvited(by: invitation, scene) }
        guard try await scene.realm.settings().signUp.isOpen else {
            return scene.state(
                "sign-up", "signUpTitle", "signUpClosed", link: ("signInInstead", scene.path("/sign-in")),
                status: .forbidden)
        }
        return page(scene)
    }

    /// The parameter that links of invitations have.
    static let invitation = "invitation"

    func submit(_ scene: inout PageScene) async throws -> Response {
        let required = scene.pending?.application.registration.attributes.filter(\.isRequired) ?? []
        var details = Journeys.SignUpDetails(
            wantsPassword: true, required: required, locale: scene.visit.language.rawValue)
        if let text = scene.field(Self.invitation) {
            guard let invited = try await invited(by: text, scene) else { return Self.invitationOver(scene) }
            details.invitation = invited.handle
            return try await scene.mailCode(
                .signUp(invited.email, details), expecting: .signUpCode, then: "/sign-up/verify"
            ) { page(scene, invitedTo: invited.email, problem: $0) }
        }
        guard let email = scene.field("email").flatMap(EmailAddress.init) else {
            return page(scene, problem: scene.words("usernameProblem"))
        }
        return try await scene.mailCode(.signUp(email, details), expecting: .signUpCode, then: "/sign-up/verify") {
            page(scene, problem: $0)
        }
    }

    // MARK: Invitations

    private func invited(
        by text: String, _ scene: PageScene
    ) async throws -> (handle: FlowHandle, email: EmailAddress)? {
        guard text.utf8.count <= 128 else { return nil }
        let handle = FlowHandle(text)
        return try await scene.realm.invitations.address(of: handle).map { (handle, $0) }
    }

    /// Reading the page uses nothing up, and sends nothing: programs that look at mails do so.
    private func showInvited(by text: String, _ scene: PageScene) async throws -> Response {
        guard let invited = try await invited(by: text, scene) else { return Self.invitationOver(scene) }
        return page(scene, invitedTo: invited.email)
    }

    private static func invitationOver(_ scene: PageScene) -> Response {
        scene.state(
            "sign-up", "signUpTitle", "invitationOver", link: ("signInInstead", scene.path("/sign-in")), status: .gone)
    }

    private func page(_ scene: PageScene, invitedTo email: EmailAddress, problem: PageText? = nil) -> Response {
        let words = scene.words
        return scene.show(
            Page(
                "sign-up", words("signUpTitle"), words("invitationText", ["address": .chosen(email.canonical)]),
                problem: problem,
                [
                    .form(
                        PageForm(
                            action: "/sign-up",
                            hidden: scene.hidden("sign-up") + [
                                .init(name: Self.invitation, value: scene.field(Self.invitation) ?? "")
                            ], buttons: [.init(words.plain("goOn"))]))
                ]), status: problem == nil ? .ok : .unprocessableContent)
    }

    static let knownPath = "/sign-up/known"

    /// The address was proven, and has an account: its owner may know, and what to do.
    func showKnown(_ scene: inout PageScene) async throws -> Response {
        guard scene.outcome != nil else { return scene.redirect(to: scene.beginning) }
        let words = scene.words
        return scene.show(
            Page(
                "sign-up", words("signUpKnownTitle"), words("addressTaken"),
                [
                    .links([
                        .init(words("signInInstead"), to: scene.beginning, isButton: true),
                        .init(words("forgotLink"), to: scene.pathAfterAttempt("/forgot")),
                    ])
                ]))
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) -> Response {
        scene.addressPage("sign-up", scene.words("signUpTitle"), scene.words("signUpText"), problem: problem)
    }
}

/// A page for a password that is chosen: of a sign-up, or of a reset.
struct NewPasswordPage: Sendable {
    let kind: PageKind
    let path: String
    let title: String
    let text: String?
    let expectation: FlowExpectation
    /// Whether a passkey will do instead.
    var offersPasskey = false

    static var signUp: NewPasswordPage {
        NewPasswordPage(
            kind: "new-password", path: "/sign-up/new-password", title: "newPasswordTitle", text: nil,
            expectation: .signUpDetails, offersPasskey: true)
    }

    static var reset: NewPasswordPage {
        NewPasswordPage(
            kind: "reset", path: "/reset", title: "resetTitle", text: "resetText", expectation: .newPassword)
    }

    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        if offersPasskey, scene.fields["decision"] == "passkey" {
            let verdict = try await scene.realm.authenticator.answer(
                .enrolling(.passkey), to: .flow(handle, expectation), by: scene.client)
            return try await scene.follow(verdict, of: handle, wrong: "passkeyOff") {
                try await page(scene, problem: $0)
            }
        }
        var client = scene.client
        client.refusesFormerPasswords = true
        let verdict = try await scene.realm.authenticator.answer(
            .newPassword(Secret(scene.fields["new_password"] ?? "")), to: .flow(handle, expectation), by: client)
        return try await scene.follow(verdict, of: handle, wrong: "busyProblem") {
            try await page(scene, problem: $0)
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let status = try await scene.realm.authenticator.status(of: handle, expecting: expectation)
        guard case .open(let summary) = status, summary.journey?.awaitsPassword == true else {
            return try await scene.goOn(with: handle)
        }
        let words = scene.words
        let minimum = try await scene.realm.accounts.minimumPasswordLength(of: summary.userID)
        var page = Page(
            kind, words(title), text.map { words($0) }, problem: problem,
            [
                .form(
                    PageForm(
                        action: path, hidden: scene.hidden("new-password"), account: summary.email?.canonical,
                        fields: [
                            .newPassword(
                                name: "new_password",
                                label: words.plain("newPasswordLabel", ["count": .number(minimum)]),
                                advice: words.plain("newPasswordAdvice"),
                                minimumLength: minimum, isInvalid: problem != nil,
                                revealLabel: words.plain("showPassword"))
                        ], buttons: [.init(words.plain("goOn"))]))
            ])
        page.problemField = problem == nil ? nil : "new_password"
        if offersPasskey, scene.passkeyPlace == .here {
            // The script shows the form where the browser has passkeys. A button with a name is sent as it is, and asks for none yet.
            var form = PageForm(
                action: path, hidden: scene.hidden("new-password"),
                buttons: [
                    .init(words.plain("signUpPasskey"), name: "decision", value: "passkey", isSecondary: true)
                ])
            form.passkey = scene.passkey(.create, options: EnrolPage.path + "/options", isConditional: false)
            page.blocks.append(.form(form))
            page.script = .passkey
        }
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}

/// `/sign-up/profile`: what the application asks of a new account.
struct ProfilePage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    private func asked(_ scene: PageScene) -> [ApplicationRegistration.Attribute] {
        scene.pending?.application.registration.attributes.filter(\.isRequired) ?? []
    }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        var given: [String: JSONValue] = [:]
        for attribute in asked(scene) {
            guard let value = Self.value(scene.field("attribute_\(attribute.name)"), of: attribute) else {
                return try await page(scene, problem: Self.problem(with: attribute, scene), field: attribute.name)
            }
            given[attribute.name] = value
        }
        let verdict = try await scene.realm.authenticator.answer(
            .attributes(given), to: .flow(handle, .signUpDetails), by: scene.client)
        return try await scene.follow(verdict, of: handle, wrong: "profileProblem") {
            try await page(scene, problem: $0)
        }
    }

    /// What was typed as a value of the attribute's type and form; nil where it is none.
    private static func value(_ text: String?, of attribute: ApplicationRegistration.Attribute) -> JSONValue? {
        guard let text else { return nil }
        let value: JSONValue?
        switch attribute.type {
        case "integer": value = Int64(text).map { .integer($0) }
        case "boolean": value = ["true": .bool(true), "false": .bool(false)][text]
        default: value = .string(PlainText(text, longest: 1000).text)
        }
        return value.flatMap { attribute.admits($0) ? $0 : nil }
    }

    /// What is said of a field that is empty, or that has no value of its type and form.
    private static func problem(with attribute: ApplicationRegistration.Attribute, _ scene: PageScene) -> PageText {
        let isEmpty = scene.field("attribute_\(attribute.name)") == nil
        let key =
            switch attribute.type {
            case _ where isEmpty: "profileEmpty"
            case "integer": "profileInteger"
            case "boolean": "profileBoolean"
            default: "profileForm"
            }
        return scene.words(key, ["field": .chosen(attribute.name)])
    }

    /// - Parameter field: the attribute that the problem is about; nil for all of them.
    private func page(
        _ scene: PageScene, problem: PageText? = nil, field: String? = nil
    ) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let status = try await scene.realm.authenticator.status(of: handle, expecting: .signUpDetails)
        guard case .open(let summary) = status, summary.journey?.awaitsPassword == false else {
            return try await scene.goOn(with: handle)
        }
        let words = scene.words
        let fields = asked(scene).enumerated().map { index, attribute in
            PageField(
                name: "attribute_\(attribute.name)", label: PageText.harmless(attribute.name),
                value: scene.field("attribute_\(attribute.name)"), maximumLength: 1000,
                isFirst: index == 0 && problem == nil,
                isInvalid: problem != nil && (field == nil || field == attribute.name))
        }
        var page = Page(
            "profile", words("profileTitle"), words("profileText"), problem: problem,
            [
                .form(
                    PageForm(
                        action: "/sign-up/profile", hidden: scene.hidden("profile"), fields: fields,
                        buttons: [.init(words.plain("goOn"))]))
            ])
        page.problemField = field.map { "attribute_\($0)" }
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}

/// `/forgot`: a code for an address whose password is lost.
struct ForgotPage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response { page(scene) }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let email = scene.field("email").flatMap(EmailAddress.init) else {
            return page(scene, problem: scene.words("usernameProblem"))
        }
        return try await scene.mailCode(.resetPassword(email), expecting: .resetCode, then: "/forgot/verify") {
            page(scene, problem: $0)
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) -> Response {
        scene.addressPage("forgot", scene.words("forgotTitle"), scene.words("forgotText"), problem: problem)
    }
}

extension PageScene {
    /// Begins an attempt whose first proof is a code that is mailed to its address, and leads to the page that takes it.
    /// - Parameter form: the page once more, with what was wrong.
    fileprivate func mailCode(
        _ opening: Journeys.Opening, expecting expectation: FlowExpectation, then next: String,
        form: (PageText) -> Response
    ) async throws -> Response {
        let refusal: Refusal
        switch try await realm.journeys.begin(
            opening, offered: [.mailedCode], taken: [.mailedCode], abilities: .ofPages, by: client)
        {
        case .begun(let handle):
            switch try await realm.journeys.ask(handle, expecting: expectation, by: client) {
            case .refused(let reason): refusal = reason
            default: return redirect(to: path(next, attempt: handle))
            }
        case .beyondClient: refusal = Refusal(.unexpectedAnswer)
        case .refused(let reason): refusal = reason
        }
        return try await refused(refusal, wrong: "usernameProblem", form: form)
    }

    /// A page that begins with an address, of the kind that is also its path: a sign-up, a forgotten password.
    fileprivate func addressPage(
        _ kind: PageKind, _ title: PageText, _ text: PageText, problem: PageText?
    ) -> Response {
        var page = Page(
            kind, title, text, problem: problem,
            [
                .form(
                    PageForm(
                        action: "/\(kind.rawValue)", hidden: hidden(kind.rawValue),
                        fields: [
                            PageField(
                                name: "email", label: words.plain("usernameLabel"), type: "email",
                                value: field("email"), autocomplete: "email",
                                maximumLength: 254, isInvalid: problem != nil)
                        ], buttons: [.init(words.plain("goOn"))])),
                .links([.init(words("signInInstead"), to: path("/sign-in"))]),
            ])
        page.problemField = problem == nil ? nil : "email"
        return show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}
