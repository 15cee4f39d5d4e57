import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account`: who is signed in, what applications are allowed, and where else.
struct AccountPage: Sendable {
    /// Sessions that are shown, the newest.
    private static let shownSessions = 50

    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    /// - Parameter problem: why a form of the page was refused.
    func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let present = scene.present, let token = scene.visit.sessionToken else {
            return scene.redirect(to: "/sign-in")
        }
        let words = scene.words
        let realm = scene.realm
        func hidden(_ purpose: String, _ more: [PageForm.HiddenField] = []) -> [PageForm.HiddenField] {
            [.init(name: "csrf", value: FormToken.text(for: purpose, session: token))] + more
        }
        let address = present.user.email?.canonical ?? present.user.id.rawValue
        var page = Page(
            "account", words("accountTitle"), words("accountWho", ["address": .chosen(address)]), problem: problem)
        page.isWide = true
        if let done = scene.field("done"),
            let notice = [
                "revoked": "revoked", "ended": "sessionEnded", "passkey-added": "passkeyAdded",
                "passkey-removed": "passkeyRemoved",
            ][done]
        {
            page.blocks.append(.notice(words(notice)))
        }
        // A passkey that has verified its user is two factors by itself.
        let isStrong = realm.proofs.contextClass(of: present.session.proofs) >= .aal2
        page.blocks.append(.text(words(isStrong ? "accountTwoSteps" : "accountOneStep")))

        page.blocks.append(.heading(words.plain("accountApplications")))
        var applications: [PageBlock.Item] = []
        for consent in try await realm.consents.list(of: present.user.id) {
            let application = try await realm.applications.application(consent.client)
            let scopes = consent.scopes.map { ConsentPage.text(of: $0, words).plain }.joined(separator: ", ")
            applications.append(
                .init(
                    PageText(chosen: application?.shownName ?? consent.client.rawValue),
                    details: [
                        words("accountScopes", ["scopes": .chosen(scopes)]),
                        words("accountSince", ["date": .day(consent.createdAt)]),
                    ],
                    form: PageForm(
                        action: "/account/applications",
                        hidden: hidden("revoke", [.init(name: "client", value: consent.client.rawValue)]),
                        buttons: [.init(words.plain("revoke"), isSecondary: true)])))
        }
        page.blocks.append(
            applications.isEmpty ? .text(words("accountNoApplications")) : .items(applications))

        page.blocks += try await AccountPasskeys().blocks(of: present, hidden("passkeys"), scene)
        if scene.passkeyPlace == .here { page.script = .passkey }

        page.blocks.append(.heading(words.plain("accountSessions")))
        let now = realm.clock.now
        let sessions = try await realm.sessions.list(of: present.user.id, limit: Self.shownSessions).filter {
            $0.isLiving(of: present.user, at: now)
        }
        page.blocks.append(
            .items(
                sessions.map { listing in
                    let session = listing.session
                    let isHere = session.id == present.session.id
                    return .init(
                        words(isHere ? "sessionHere" : "sessionElsewhere"),
                        details: [
                            words(
                                "sessionFrom",
                                [
                                    "agent": .chosen(BrowserName.text(of: session.origin.userAgent, words)),
                                    "address": .chosen(session.origin.address ?? words.plain("unknown")),
                                ]),
                            words("accountSince", ["date": .day(session.createdAt)]),
                        ],
                        form: isHere
                            ? nil
                            : PageForm(
                                action: "/account/sessions",
                                hidden: hidden("end", [.init(name: "session", value: session.id.rawValue)]),
                                buttons: [.init(words.plain("sessionEnd"), isSecondary: true)]))
                }))
        page.blocks.append(
            .form(
                PageForm(
                    action: "/sign-out", hidden: hidden("sign-out"),
                    buttons: [
                        .init(words.plain("signOut"), name: "decision", value: "this"),
                        .init(words.plain("signOutAll"), name: "decision", value: "all", isSecondary: true),
                    ])))
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }

    /// Takes back what an application was allowed.
    func revoke(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present else { return scene.redirect(to: "/sign-in") }
        if let client = scene.field("client") {
            _ = try await scene.realm.consents.revoke(
                ClientID(rawValue: client), of: present.user.id, by: scene.client)
        }
        return scene.redirect(to: "/account?done=revoked")
    }

    /// Ends one of the user's other sessions.
    func end(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present else { return scene.redirect(to: "/sign-in") }
        if let id = scene.field("session") {
            _ = try await scene.realm.sessions.end(
                SessionID(rawValue: id), of: present.user.id, by: scene.client)
        }
        return scene.redirect(to: "/account?done=ended")
    }

    // MARK: Signing out

    /// `/sign-out` asks first: a link alone signs out of nothing.
    func askToSignOut(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present, let token = scene.visit.sessionToken else {
            return scene.redirect(to: Self.afterwards(scene))
        }
        let words = scene.words
        let address = present.user.email?.canonical ?? present.user.id.rawValue
        var hidden = [PageForm.HiddenField(name: "csrf", value: FormToken.text(for: "sign-out", session: token))]
        if let request = scene.field("logout") { hidden.append(.init(name: "logout", value: request)) }
        return scene.show(
            Page(
                "sign-out", words("signOutTitle"), words("signOutText", ["address": .chosen(address)]),
                [
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
            for listing in try await sessions.list(of: present.user.id, limit: 1000)
            where listing.session.revokedAt == nil {
                _ = try await sessions.end(listing.session.id, of: present.user.id, by: scene.client)
            }
        } else {
            _ = try await sessions.signOut(present.session.id, of: present.user.id, by: scene.client)
        }
        scene.visit.signOut()
        var response = scene.redirect(to: Self.afterwards(scene))
        response.headers[.clearSiteData] = "\"cache\", \"storage\""
        return response
    }

    func signedOut(_ scene: inout PageScene) async throws -> Response {
        let words = scene.words
        var page = Page("signed-out", words("signedOutTitle"), words("signedOutText"))
        if let target = Self.logout(scene), scene.present == nil {
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

    /// The page that follows signing out. It leads on to the application that asked for it: the policy of the form's page admits no
    /// redirect to other sites, and does not apply to what that page does.
    private static func afterwards(_ scene: PageScene) -> String {
        PagePath("/signed-out", [("logout", scene.field("logout"))]).text
    }

    /// The logout that an application asked for (OpenID Connect RP-Initiated Logout 1.0), which waited for the user's word; nil where
    /// there is none.
    private static func logout(_ scene: PageScene) -> String? {
        let isPlain: (UInt8) -> Bool = { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~%&=+".utf8.contains(byte)
            }
        }
        return scene.field("logout").flatMap { query in
            query.utf8.count <= 8192 && query.utf8.allSatisfy(isPlain) ? "/oidc/logout?\(query)" : nil
        }
    }
}
