import CountersignCore
import Hummingbird
import OneTimePassword
import QRCode
import ServerHTTP
import WebPages

/// `/sign-in/enrol`: an authenticator app is set up in the middle of a sign-in that requires a second factor.
struct EnrolPage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        if scene.fields["decision"] == "deny" { return try await scene.goOn(.secondFactorUnavailable) }
        let offered = try await scene.realm.enrolments.offered(during: handle, expecting: .registration)
        let code = (scene.fields["code"] ?? "").filter { !$0.isWhitespace }
        let verdict = try await scene.realm.authenticator.answer(
            .enrolmentCode(Secret(code), name: ""), to: .flow(handle, .registration), by: scene.client)
        return try await scene.follow(verdict, of: handle, wrong: "enrolWrong", recoveryCode: offered?.recoveryCode) {
            try await page(scene, problem: $0)
        }
    }

    /// Has the address proven first, by a code that goes there; nil where none can be sent.
    private func confirmAddress(_ handle: FlowHandle, _ scene: PageScene) async throws -> Response? {
        switch try await scene.realm.journeys.confirmAddress(
            for: handle, expecting: .registration, by: scene.client)
        {
        case .mailed: return scene.redirect(to: scene.path(MailedCodePage.address.path))
        default: return nil
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let status = try await scene.realm.authenticator.status(of: handle, expecting: .registration)
        if case .open(let summary) = status, summary.journey?.awaitsMailedCode == true {
            return scene.redirect(to: scene.path(MailedCodePage.address.path))
        }
        let enrolments = scene.realm.enrolments
        var offered = try await enrolments.offered(during: handle, expecting: .registration)
        if offered == nil {
            switch try await enrolments.beginDevice(
                during: handle, expecting: .registration, kinds: [.totp], by: scene.client)
            {
            case .offered: offered = try await enrolments.offered(during: handle, expecting: .registration)
            case .unknown(let reason) where reason != .sourceLimited:
                return try await scene.goOn(with: handle)
            case .refused(.unverifiedEmail):
                if let confirming = try await confirmAddress(handle, scene) { return confirming }
            // Nothing can be set up: the application is told, which has asked for it.
            case .refused where scene.pending != nil && scene.present != nil:
                return try await scene.goOn(.secondFactorUnavailable)
            case .refused, .unknown: break
            }
        }
        let words = scene.words
        guard let offered else {
            return scene.show(
                Page("enrol", words("enrolTitle"), problem: words("enrolRefused"), scene.waysPastEnrolling),
                status: .conflict)
        }
        let uri = try OTPAuthURI(
            kind: .totp(period: 30), issuer: scene.visit.site.name,
            accountName: offered.user.email?.canonical ?? offered.user.id.rawValue, secret: offered.totpSecret.reveal()
        ).uriString
        var page = Page("enrol", words("enrolTitle"), words("enrolText"), problem: problem)
        page.problemField = problem == nil ? nil : "code"
        page.blocks = [
            .code(
                .init(
                    picture: try SVGQRCode.render(uri, label: words.plain("enrolPicture")),
                    caption: words.plain("enrolSecret"), text: Base32.encode(offered.totpSecret.reveal()).inGroups,
                    link: .init(words("enrolOpen"), to: uri))),
            .form(
                PageForm(
                    action: "/sign-in/enrol", hidden: scene.hidden("enrol"),
                    fields: [.oneTimeCode(name: "code", label: words.plain("codeLabel"), isInvalid: problem != nil)],
                    buttons: [.init(words.plain("goOn"))])),
        ]
        page.blocks += scene.waysPastEnrolling
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}

extension PageScene {
    /// Goes on without what the user does not set up or cannot use: the application is told, where it is one that asked.
    func goOn(_ answer: AuthorizationRequests.UserAnswer) async throws -> Response {
        guard let pending, let key, let session = present?.session else { return redirect(to: beginning) }
        _ = try await realm.authorizations.answer(answer, to: pending.handle, in: key, session: session.id, by: client)
        return redirect(to: destination)
    }

    /// What a user may do who sets nothing up: the application is told, where there is one that asks and a session that goes on.
    var waysPastEnrolling: [PageBlock] {
        guard pending != nil, present != nil else {
            return [.links([.init(words("startAgain"), to: beginning)])]
        }
        return [
            .form(
                PageForm(
                    action: "/sign-in/enrol", hidden: hidden("enrol"),
                    buttons: [.init(words.plain("enrolLater"), name: "decision", value: "deny", isSecondary: true)]))
        ]
    }
}
