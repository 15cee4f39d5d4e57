import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/confirm?return=…`: a signed-in user proves again who they are, before something is changed. It is a sign-in of the same user,
/// with every factor that one asks for; what was proven takes the place of what the session was proven with
/// (`Sessions.raise(_:by:stays:)`).
struct ConfirmPage: Sendable {
    static let path = "/sign-in/confirm"
    private static let purpose = "sign-in/confirm"

    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present, let email = present.user.email else {
            return scene.redirect(to: scene.beginning)
        }
        let realm = scene.realm
        switch try await realm.journeys.begin(
            .signIn(email), offered: [.password, .mailedCode], taken: [.password, .mailedCode], abilities: .ofPages,
            by: scene.client)
        {
        case .begun(let handle):
            let status = try await realm.authenticator.status(of: handle, expecting: .firstProof)
            guard case .open(let summary) = status, summary.journey?.method == .mailedCode else {
                return try await answer(scene.fields["password"] ?? "", handle, scene)
            }
            switch try await realm.journeys.ask(handle, expecting: .firstProof, by: scene.client) {
            case .refused(let refusal):
                return try await scene.refused(refusal, wrong: "busyProblem") { try await page(scene, problem: $0) }
            default: return scene.redirect(to: scene.path("/sign-in/mail", attempt: handle))
            }
        case .beyondClient: return try await page(scene, problem: scene.words("busyProblem"))
        case .refused(let refusal):
            return try await scene.refused(refusal, wrong: "busyProblem") { try await page(scene, problem: $0) }
        }
    }

    private func answer(_ password: String, _ handle: FlowHandle, _ scene: PageScene) async throws -> Response {
        let verdict = try await scene.realm.authenticator.answer(
            .password(Secret(password)), to: .flow(handle, .firstProof), by: scene.client)
        return try await scene.follow(verdict, of: handle, wrong: "confirmWrong") {
            try await page(scene, problem: $0)
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let present = scene.present else { return scene.redirect(to: scene.beginning) }
        guard scene.returnPath != nil else { return scene.redirect(to: scene.destination) }
        let words = scene.words
        let kinds = Set(
            try await scene.realm.accounts.dossier(present.user.id)?.factors.map(\.record.kind) ?? [])
        let address = present.user.email?.canonical
        var page = Page(
            "confirm", words("confirmTitle"),
            words("confirmText", ["address": .chosen(address ?? present.user.id.rawValue)]), problem: problem)
        if address != nil {
            var form = PageForm(
                action: Self.path, hidden: scene.hidden(Self.purpose), account: address,
                buttons: [.init(words.plain("goOn"))])
            if kinds.contains(.password) {
                var field = PageField(
                    name: "password", label: words.plain("passwordLabel"), type: "password",
                    autocomplete: "current-password", maximumLength: nil, isInvalid: problem != nil)
                field.revealLabel = words.plain("showPassword")
                form.fields = [field]
                page.problemField = problem == nil ? nil : "password"
            } else {
                form.buttons = [.init(words.plain("confirmByMail"))]
            }
            page.blocks.append(.form(form))
        }
        // A passkey is asked without a name: one of another user changes nothing (``NextStep``).
        if kinds.contains(.passkey) { scene.offerPasskey(on: &page, asksAtOnce: false) }
        page.blocks.append(.links([.init(words("confirmNot"), to: "/account")]))
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}
