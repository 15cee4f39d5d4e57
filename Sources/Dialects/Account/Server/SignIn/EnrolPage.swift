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
        if scene.fields["decision"] == "deny" { return try await goWithout(scene) }
        let offered = try await scene.realm.enrolments.offered(during: handle, expecting: .registration)
        let code = (scene.fields["code"] ?? "").filter { !$0.isWhitespace }
        let verdict = try await scene.realm.authenticator.answer(
            .enrolmentCode(Secret(code), name: ""), to: .flow(handle, .registration), by: scene.client)
        return try await scene.follow(verdict, of: handle, wrong: "enrolWrong", recoveryCode: offered?.recoveryCode) {
            try await page(scene, problem: $0)
        }
    }

    /// The user sets nothing up: the application is told, where it is one that asked.
    private func goWithout(_ scene: PageScene) async throws -> Response {
        guard let pending = scene.pending, let key = scene.key, let session = scene.present?.session else {
            return scene.redirect(to: scene.beginning)
        }
        _ = try await scene.realm.authorizations.answer(
            .secondFactorUnavailable, to: pending.handle, in: key, session: session.id, by: scene.client)
        return scene.redirect(to: scene.destination)
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let enrolments = scene.realm.enrolments
        var offered = try await enrolments.offered(during: handle, expecting: .registration)
        if offered == nil {
            switch try await enrolments.beginDevice(
                during: handle, expecting: .registration, kinds: [.totp], by: scene.client)
            {
            case .offered: offered = try await enrolments.offered(during: handle, expecting: .registration)
            case .unknown(let reason) where reason != .sourceLimited:
                return try await scene.goOn(with: handle)
            // Nothing can be set up: the application is told, which has asked for it.
            case .refused where scene.pending != nil && scene.present != nil: return try await goWithout(scene)
            case .refused, .unknown: break
            }
        }
        let words = scene.words
        let leave: [PageBlock] =
            scene.pending != nil && scene.present != nil
            ? [
                .form(
                    PageForm(
                        action: "/sign-in/enrol", hidden: scene.hidden("enrol"),
                        buttons: [.init(words.plain("enrolLater"), name: "decision", value: "deny", isSecondary: true)])
                )
            ] : [.links([.init(words("startAgain"), to: scene.beginning)])]
        guard let offered else {
            return scene.show(
                Page("enrol", words("enrolTitle"), problem: words("enrolRefused"), leave), status: .conflict)
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
        page.blocks += leave
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}
