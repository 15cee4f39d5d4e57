import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/password`: the password of the address.
struct PasswordPage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let verdict = try await scene.realm.authenticator.answer(
            .password(Secret(scene.fields["password"] ?? "")), to: .flow(handle, .firstProof), by: scene.client)
        return try await scene.follow(verdict, of: handle, wrong: "passwordWrong") {
            try await page(scene, problem: $0)
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let status = try await scene.realm.authenticator.status(of: handle, expecting: .firstProof)
        guard case .open(let summary) = status, let email = summary.email else {
            return try await scene.goOn(with: handle)
        }
        let words = scene.words
        var field = PageField(
            name: "password", label: words.plain("passwordLabel"), type: "password", autocomplete: "current-password",
            maximumLength: nil, isInvalid: problem != nil)
        field.revealLabel = words.plain("showPassword")
        var page = Page(
            "password", words("passwordTitle"), words("who", ["address": .chosen(email.canonical)]), problem: problem,
            [
                .form(
                    PageForm(
                        action: "/sign-in/password",
                        hidden: scene.hidden("password"), account: email.canonical,
                        fields: [field], buttons: [.init(words.plain("goOn"))])),
                .links(
                    [.init(words("forgotLink"), to: scene.path("/forgot"))]
                        // Whether the address has one is not told: it is offered to all.
                        + (scene.passkeyPlace == .here
                            ? [.init(words("passkeyUse"), to: scene.pathAfterAttempt(PasskeyPage.path))] : [])
                        + [.init(words("otherAddress"), to: scene.beginning)]),
            ])
        page.problemField = problem == nil ? nil : "password"
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}

/// A page that asks for a mailed code: of a sign-in, of a second factor, of a sign-up, of a reset.
struct MailedCodePage: Sendable {
    let kind: PageKind
    let path: String
    let title: String
    let expectation: FlowExpectation
    /// Whether the address is known to be the user's; otherwise the page does not say whether there is an account.
    let isKnown: Bool

    static var signIn: MailedCodePage {
        MailedCodePage(
            kind: "mail", path: "/sign-in/mail", title: "mailTitle", expectation: .firstProof.or(.secondFactor),
            isKnown: false)
    }

    static var signUp: MailedCodePage {
        MailedCodePage(
            kind: "verify", path: "/sign-up/verify", title: "verifyTitle", expectation: .signUpCode, isKnown: true)
    }

    /// In the middle of a sign-in that wants a second factor enrolled, which needs an address that was proven.
    static var address: MailedCodePage {
        MailedCodePage(
            kind: "verify", path: "/sign-in/verify", title: "verifyTitle", expectation: .registration, isKnown: true)
    }

    static var reset: MailedCodePage {
        MailedCodePage(
            kind: "verify", path: "/forgot/verify", title: "mailTitle", expectation: .resetCode, isKnown: false)
    }

    /// What the page says once another code was sent.
    private static let sent = "mailAgainDone"

    func show(_ scene: inout PageScene) async throws -> Response {
        let isSent = scene.visit.outcome(at: scene.realm.clock.now)?.notice == Self.sent
        if isSent { scene.visit.forgetOutcome() }
        return try await page(scene, notice: isSent)
    }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        if scene.fields["again"] != nil { return try await sendAgain(scene, handle) }
        let code = (scene.fields["code"] ?? "").filter { !$0.isWhitespace }
        let verdict = try await scene.realm.authenticator.answer(
            .code(Secret(code)), to: .flow(handle, expectation), by: scene.client)
        // No account is locked by it: another code takes answers again.
        if case .refused(let refusal) = verdict, refusal.reason == .authenticatorDisabled {
            return try await page(scene, problem: scene.words("mailCodeUsedUp"))
        }
        return try await scene.follow(verdict, of: handle, wrong: "codeWrong") {
            try await page(scene, problem: $0)
        }
    }

    private func sendAgain(_ scene: PageScene, _ handle: FlowHandle) async throws -> Response {
        let status = try await scene.realm.authenticator.status(of: handle, expecting: expectation)
        guard case .open(let summary) = status else { return scene.over() }
        let journeys = scene.realm.journeys
        let outcome =
            summary.journey?.stage == .registration
            ? try await journeys.confirmAddress(
                for: handle, expecting: expectation, pausing: Journeys.pauseBetweenMails, by: scene.client)
            : try await journeys.ask(
                handle, expecting: expectation, factor: summary.journey?.askedFactor,
                pausing: Journeys.pauseBetweenMails, by: scene.client)
        switch outcome {
        case .refused(let refusal):
            return try await scene.refused(refusal, wrong: "busyProblem") { try await page(scene, problem: $0) }
        default:
            var scene = scene
            try scene.visit.say(
                PageOutcome(notice: Self.sent, on: path, at: scene.realm.clock.now), scene.realm.random)
            return scene.redirect(to: scene.path(path))
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil, notice: Bool = false) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let status = try await scene.realm.authenticator.status(of: handle, expecting: expectation)
        guard case .open(let summary) = status, let journey = summary.journey, journey.awaitsMailedCode else {
            return try await scene.goOn(with: handle)
        }
        let words = scene.words
        let isSecond = journey.stage == .secondFactor
        var address = summary.email?.canonical
        if isSecond,
            case .secondFactors(let methods) = try await scene.realm.journeys.methods(handle, expecting: .secondFactor)
        {
            address = methods.first { $0.factor.id == journey.askedFactor }?.address?.canonical ?? address
        }
        let shown = address.map(Self.veiled) ?? ""
        var page = Page(
            kind, words(title), words(isKnown || isSecond ? "mailSent" : "mailText", ["address": .chosen(shown)]),
            problem: problem)
        page.problemField = problem == nil ? nil : "code"
        if notice, problem == nil { page.blocks.append(.notice(words(Self.sent))) }
        page.blocks.append(
            .form(
                PageForm(
                    action: path, hidden: scene.hidden("mail"),
                    fields: [
                        .oneTimeCode(
                            name: "code", label: words.plain("mailCodeLabel"), isInvalid: problem != nil)
                    ], buttons: [.init(words.plain("goOn"))])))
        let pause = (journey.mailedAt ?? .distantPast) + Journeys.pauseBetweenMails
        let seconds = Int(pause.timeIntervalSince(scene.realm.clock.now).rounded(.up))
        if seconds > 0, problem == nil { page.blocks.append(.text(words("mailPause", ["seconds": .number(seconds)]))) }
        page.blocks.append(
            .form(
                PageForm(
                    action: path, hidden: scene.hidden("mail") + [.init(name: "again", value: "1")],
                    buttons: [.init(words.plain("mailAgain"), isSecondary: true)])))
        if journey.stage == .registration {
            page.blocks += scene.waysPastEnrolling
        } else {
            page.blocks.append(
                .links([
                    isSecond
                        ? .init(words("otherWay"), to: scene.path("/sign-in/code"))
                        : .init(words("otherAddress"), to: scene.beginning)
                ]))
        }
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }

    /// `a•••@e•••.com`: enough for its owner.
    static func veiled(_ address: String) -> String {
        let sides = address.split(separator: "@", maxSplits: 1)
        guard sides.count == 2, let local = sides[0].first, let domain = sides[1].first else { return address }
        let ending = sides[1].split(separator: ".").last.map { sides[1].contains(".") ? ".\($0)" : "" } ?? ""
        return "\(local)•••@\(domain)•••\(ending)"
    }
}
