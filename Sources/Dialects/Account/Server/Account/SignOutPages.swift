import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-out` and `/signed-out`.
struct SignOutPages: Sendable {
    /// `/sign-out` asks first: a link alone signs out of nothing.
    func askToSignOut(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present, let token = scene.visit.sessionToken else {
            return scene.redirect(to: Self.afterwards(scene))
        }
        let words = scene.words
        let address = present.user.email?.canonical ?? present.user.id.rawValue
        var hidden = [PageForm.HiddenField(name: "csrf", value: FormToken.text(for: "sign-out", session: token))]
        if let request = scene.field("logout") { hidden.append(.init(name: "logout", value: request)) }
        var asked: [PageBlock] = []
        if let application = try await Self.application(scene) {
            asked = [.text(words("signOutAsked", ["application": .chosen(application.shownName)]))]
        }
        return scene.show(
            Page(
                "sign-out", words("signOutTitle"), words("signOutText", ["address": .text(PageText(address: address))]),
                asked + [
                    .form(
                        PageForm(
                            action: "/sign-out", hidden: hidden,
                            buttons: [
                                .init(words.plain("signOut"), name: "decision", value: "this"),
                                .init(words.plain("signOutAll"), name: "decision", value: "all", isSecondary: true),
                            ])),
                    .links([.init(words("homeAccount"), to: "/account")]),
                ]))
    }

    func signOut(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present else { return scene.redirect(to: Self.afterwards(scene)) }
        let sessions = scene.realm.sessions
        if scene.fields["decision"] == "all" {
            _ = try await sessions.endAll(of: present.user.id, by: scene.client)
        } else {
            _ = try await sessions.signOut(present.session.id, of: present.user.id, by: scene.client)
        }
        scene.visit.signOut()
        var response = scene.redirect(to: Self.afterwards(scene))
        response.headers[.clearSiteData] = "\"cache\", \"storage\""
        return response
    }

    func signedOut(_ scene: inout PageScene) async throws -> Response {
        // A link to this page ends no session, so it does not say that one has ended.
        if scene.present != nil { return scene.redirect(to: "/account") }
        let words = scene.words
        var page = Page("signed-out", words("signedOutTitle"), words("signedOutText"))
        if let target = Self.logout(scene) {
            page.refreshSeconds = 0
            page.refreshTarget = target
            page.blocks = [.links([.init(words("goOn"), to: target, isButton: true)])]
        } else {
            var links = [PageBlock.Link(words("signInAgain"), to: "/sign-in", isButton: true)]
            if let client = scene.field("client_id"),
                let application = try await scene.realm.applications.application(ClientID(rawValue: client)),
                let back = scene.pages.wayBack(to: application, words)
            {
                links[0].isButton = false
                links.insert(back, at: 0)
            }
            page.blocks = [.links(links)]
        }
        return scene.show(page)
    }

    /// The application that names itself in the logout that it asked for.
    private static func application(_ scene: PageScene) async throws -> CountersignCore.Application? {
        guard let target = logout(scene), let items = URLComponents(string: target)?.queryItems,
            let client = items.first(where: { $0.name == "client_id" })?.value
        else { return nil }
        return try await scene.realm.applications.application(ClientID(rawValue: client))
    }

    /// The page that follows signing out. It leads on to the application that asked for it: the policy of the form's page admits no
    /// redirect to other sites, and does not apply to what that page does.
    private static func afterwards(_ scene: PageScene) -> String {
        PagePath("/signed-out", [("logout", scene.field("logout"))]).text
    }

    /// The logout that an application asked for (OpenID Connect RP-Initiated Logout 1.0), which waited for the user's word; nil where
    /// there is none.
    private static func logout(_ scene: PageScene) -> String? {
        let isPlain: (UInt8) -> Bool = { $0.isASCIILetterOrDigit || "-._~%&=+".utf8.contains($0) }
        return scene.field("logout").flatMap { query in
            query.utf8.count <= 8192 && query.utf8.allSatisfy(isPlain) ? "/oidc/logout?\(query)" : nil
        }
    }
}
