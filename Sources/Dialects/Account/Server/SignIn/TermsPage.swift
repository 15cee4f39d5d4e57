import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/terms`: the operator's terms of use, to which each user agrees once for each version.
struct TermsPage: Sendable {
    static let path = "/sign-in/terms"

    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present else { return scene.redirect(to: scene.beginning) }
        switch scene.fields["decision"] {
        case "allow":
            // What was shown is what is agreed to: another version that came meanwhile is shown.
            let isAccepted = try await scene.realm.accounts.acceptTerms(
                scene.fields["version"] ?? "", in: present.session, by: scene.client)
            return scene.redirect(to: isAccepted ? scene.destination : scene.path(Self.path))
        case "deny":
            guard let pending = scene.pending, let key = scene.key else { return scene.redirect(to: "/sign-out") }
            let isDone = try await scene.realm.authorizations.answer(
                .deny, to: pending.handle, in: key, session: present.session.id, by: scene.client)
            return isDone ? scene.redirect(to: scene.destination) : scene.over()
        default: return try await page(scene, problem: scene.words("consentUnanswered"))
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let present = scene.present else { return scene.redirect(to: scene.beginning) }
        guard let asked = try await scene.realm.accounts.askedTerms(of: present.user) else {
            return scene.redirect(to: scene.destination)
        }
        let words = scene.words
        var page = Page(
            "terms", words("termsTitle"),
            words("termsText", ["site": .words(scene.visit.site.name), "version": .chosen(asked.version)]),
            problem: problem)
        if let address = asked.settings.address(in: words.language.rawValue) {
            page.blocks.append(.links([.init(words("termsRead"), to: address, leavesSite: true)]))
        }
        page.blocks.append(
            .form(
                PageForm(
                    action: Self.path,
                    hidden: scene.hidden("terms") + [.init(name: "version", value: asked.version)],
                    buttons: [
                        .init(words.plain("termsAgree"), name: "decision", value: "allow"),
                        .init(words.plain("deny"), name: "decision", value: "deny", isSecondary: true),
                    ], isDecision: true)))
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}

extension PageScene {
    /// The page that comes before a destination, where the user who is signed in has still to agree to the terms.
    func pathToTerms(of user: User) async throws -> String? {
        try await realm.accounts.askedTerms(of: user).map { _ in pathAfterAttempt(TermsPage.path) }
    }
}
