import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-up`: a new account for an address, which gets a code first.
struct SignUpPage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response {
        guard try await scene.realm.settings().signUp.isOpen else {
            return scene.state(
                "sign-up", "signUpTitle", "signUpClosed", link: ("signInInstead", scene.path("/sign-in")),
                status: .forbidden)
        }
        return page(scene)
    }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let email = scene.field("email").flatMap(EmailAddress.init) else {
            return page(scene, problem: scene.words("usernameProblem"))
        }
        let realm = scene.realm
        let required = scene.pending?.application.registration.attributes.filter(\.isRequired) ?? []
        switch try await realm.journeys.begin(
            .signUp(email, .init(wantsPassword: true, required: required)), offered: [.mailedCode],
            taken: [.mailedCode], abilities: .ofPages, by: scene.client)
        {
        case .begun(let handle):
            switch try await realm.journeys.ask(handle, expecting: .signUpCode, by: scene.client) {
            case .refused(let refusal): return refused(refusal, scene)
            default: return scene.redirect(to: scene.path("/sign-up/verify", attempt: handle))
            }
        case .beyondClient: return refused(Refusal(.unexpectedAnswer), scene)
        case .refused(let refusal): return refused(refusal, scene)
        }
    }

    private func refused(_ refusal: Refusal, _ scene: PageScene) -> Response {
        switch scene.outcome(of: refusal, wrong: "usernameProblem") {
        case .page(let response): response
        case .problem(let problem): page(scene, problem: problem)
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) -> Response {
        let words = scene.words
        var page = Page(
            "sign-up", words("signUpTitle"), words("signUpText"), problem: problem,
            [
                .form(
                    PageForm(
                        action: "/sign-up", hidden: scene.hidden("sign-up"),
                        fields: [
                            PageField(
                                name: "email", label: words.plain("usernameLabel"), type: "email",
                                value: scene.field("email").map { PageText.harmless($0) }, autocomplete: "email",
                                maximumLength: 254, isInvalid: problem != nil)
                        ], buttons: [.init(words.plain("goOn"))])),
                .links([.init(words("signInInstead"), to: scene.path("/sign-in"))]),
            ])
        page.problemField = problem == nil ? nil : "email"
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}

/// A page for a password that is chosen: of a sign-up, or of a reset.
struct NewPasswordPage: Sendable {
    let kind: PageKind
    let path: String
    let title: String
    let text: String?
    let expectation: FlowExpectation

    static var signUp: NewPasswordPage {
        NewPasswordPage(
            kind: "new-password", path: "/sign-up/new-password", title: "newPasswordTitle", text: nil,
            expectation: .signUpDetails)
    }

    static var reset: NewPasswordPage {
        NewPasswordPage(
            kind: "reset", path: "/reset", title: "resetTitle", text: "resetText", expectation: .newPassword)
    }

    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        var client = scene.client
        client.refusesFormerPasswords = true
        let verdict = try await scene.realm.authenticator.answer(
            .newPassword(Secret(scene.fields["new_password"] ?? "")), to: .flow(handle, expectation), by: client)
        if case .refused(let refusal) = verdict {
            switch scene.outcome(of: refusal, wrong: "busyProblem") {
            case .page(let response): return response
            case .problem(let problem): return try await page(scene, problem: problem)
            }
        }
        var next = NextStep(scene)
        return try await next.after(verdict, of: handle) ?? scene.over()
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let status = try await scene.realm.authenticator.status(of: handle, expecting: expectation)
        guard case .open(let summary) = status, summary.journey?.awaitsPassword == true else {
            var next = NextStep(scene)
            return try await next.go(handle)
        }
        let words = scene.words
        let minimum = try await scene.realm.accounts.minimumPasswordLength(of: summary.userID)
        var page = Page(
            kind, words(title), text.map { words($0) }, problem: problem,
            [
                .form(
                    PageForm(
                        action: path, hidden: scene.hidden("new-password"),
                        fields: [
                            .newPassword(
                                name: "new_password",
                                label: words.plain("newPasswordLabel", ["count": .number(minimum)]),
                                minimumLength: minimum, isInvalid: problem != nil)
                        ], buttons: [.init(words.plain("goOn"))]))
            ])
        page.problemField = problem == nil ? nil : "new_password"
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
                return try await page(scene, problem: scene.words("profileProblem"))
            }
            given[attribute.name] = value
        }
        let verdict = try await scene.realm.authenticator.answer(
            .attributes(given), to: .flow(handle, .signUpDetails), by: scene.client)
        if case .refused(let refusal) = verdict {
            switch scene.outcome(of: refusal, wrong: "profileProblem") {
            case .page(let response): return response
            case .problem(let problem): return try await page(scene, problem: problem)
            }
        }
        var next = NextStep(scene)
        return try await next.after(verdict, of: handle) ?? scene.over()
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

    private func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let status = try await scene.realm.authenticator.status(of: handle, expecting: .signUpDetails)
        guard case .open(let summary) = status, summary.journey?.awaitsPassword == false else {
            var next = NextStep(scene)
            return try await next.go(handle)
        }
        let words = scene.words
        let fields = asked(scene).enumerated().map { index, attribute in
            PageField(
                name: "attribute_\(attribute.name)", label: PageText.harmless(attribute.name),
                value: scene.field("attribute_\(attribute.name)").map { PageText.harmless($0) }, maximumLength: 1000,
                isFirst: index == 0, isInvalid: problem != nil)
        }
        let page = Page(
            "profile", words("profileTitle"), words("profileText"), problem: problem,
            [
                .form(
                    PageForm(
                        action: "/sign-up/profile", hidden: scene.hidden("profile"), fields: fields,
                        buttons: [.init(words.plain("goOn"))]))
            ])
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
        let realm = scene.realm
        switch try await realm.journeys.begin(
            .resetPassword(email), offered: [.mailedCode], taken: [.mailedCode], abilities: .ofPages, by: scene.client)
        {
        case .begun(let handle):
            switch try await realm.journeys.ask(handle, expecting: .resetCode, by: scene.client) {
            case .refused(let refusal): return refused(refusal, scene)
            default: return scene.redirect(to: scene.path("/forgot/verify", attempt: handle))
            }
        case .beyondClient: return refused(Refusal(.unexpectedAnswer), scene)
        case .refused(let refusal): return refused(refusal, scene)
        }
    }

    private func refused(_ refusal: Refusal, _ scene: PageScene) -> Response {
        switch scene.outcome(of: refusal, wrong: "usernameProblem") {
        case .page(let response): response
        case .problem(let problem): page(scene, problem: problem)
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) -> Response {
        let words = scene.words
        var page = Page(
            "forgot", words("forgotTitle"), words("forgotText"), problem: problem,
            [
                .form(
                    PageForm(
                        action: "/forgot", hidden: scene.hidden("forgot"),
                        fields: [
                            PageField(
                                name: "email", label: words.plain("usernameLabel"), type: "email",
                                value: scene.field("email").map { PageText.harmless($0) }, autocomplete: "email",
                                maximumLength: 254, isInvalid: problem != nil)
                        ], buttons: [.init(words.plain("goOn"))])),
                .links([.init(words("signInInstead"), to: scene.path("/sign-in"))]),
            ])
        page.problemField = problem == nil ? nil : "email"
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}
