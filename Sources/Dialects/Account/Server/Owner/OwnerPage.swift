import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/owner`: the link of `countersign admin invite` leads here. A user who signs in with two factors becomes the first owner.
///
/// Opening the link uses nothing up; the page's button does.
struct OwnerPage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response {
        guard let code = scene.field("user_code"),
            try await scene.realm.ownerInvitations.isOpen(Secret(code))
        else { return dead(scene) }
        return page(code, scene)
    }

    /// The button: becomes owner, or proves a second factor first, or all factors anew where they were proven too long ago.
    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let code = scene.field("user_code"),
            try await scene.realm.ownerInvitations.isOpen(Secret(code))
        else { return dead(scene) }
        guard let present = scene.present else { return page(code, scene) }
        let made = try await scene.realm.ownerInvitations.redeem(Secret(code), by: present.session, scene.client)
        switch made {
        case .success: return scene.redirect(to: "/owner/done")
        case .failure(.dead), .failure(.ownerExists): return dead(scene)
        case .failure(.needsSecondFactor):
            switch try await scene.realm.journeys.begin(raising: present.session, by: scene.client) {
            case .begun(let handle): return try await scene.leading(to: .owner, with: code).goOn(with: handle)
            default: return scene.redirect(to: "/sign-in")
            }
        case .failure(.proofTooOld):
            return scene.redirect(
                to: scene.path(ConfirmPage.path, leadingBackTo: PagePath("/owner", [("user_code", code)]).text))
        }
    }

    /// What came of it.
    func done(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present,
            try await scene.realm.administrators.role(of: present.user.id) == .owner
        else { return dead(scene) }
        return scene.show(
            Page(
                "owner", scene.words("ownerDone"), scene.words("ownerDoneText"),
                [
                    .links([
                        .init(scene.words("consoleMenu"), to: "/console", isButton: true),
                        .init(scene.words("homeAccount"), to: "/account"),
                    ])
                ]))
    }

    private func page(_ code: String, _ scene: PageScene) -> Response {
        let words = scene.words
        var page = Page("owner", words("ownerTitle"), words("ownerText"))
        if let present = scene.present {
            let address = present.user.email?.canonical ?? present.user.id.rawValue
            let isStrong = scene.realm.proofs.contextClass(of: present.session.proofs) >= .aal2
            page.blocks = [
                .text(words(isStrong ? "ownerConfirm" : "ownerSecondFactor", ["address": .chosen(address)])),
                .form(
                    PageForm(
                        action: "/owner",
                        hidden: scene.hidden("owner").filter { $0.name != "user_code" && $0.name != "to" } + [
                            .init(name: "user_code", value: code)
                        ],
                        buttons: [.init(words.plain(isStrong ? "ownerBecome" : "goOn"))])),
                .links([.init(words("signOut"), to: "/sign-out")]),
            ]
        } else {
            let target = [("to", PageScene.Target.owner.rawValue), ("user_code", code)]
            var links = [PageBlock.Link(words("homeSignIn"), to: PagePath("/sign-in", target).text, isButton: true)]
            if scene.offersSignUp { links.append(.init(words("createAccount"), to: PagePath("/sign-up", target).text)) }
            page.blocks = [.text(words("ownerSignIn")), .links(links)]
        }
        return scene.show(page)
    }

    private func dead(_ scene: PageScene) -> Response {
        scene.show(
            Page(
                "owner", scene.words("ownerDead"), scene.words("ownerDeadText"),
                [.links([.init(scene.words("homeLink"), to: "/")])]),
            status: .gone)
    }
}
