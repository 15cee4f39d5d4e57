import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/consent`: whether an application may have what it asks for.
struct ConsentPage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    private func page(_ scene: PageScene, problem: PageText? = nil) async throws -> Response {
        guard let pending = scene.pending, let present = scene.present else { return scene.over() }
        let standing = try await scene.realm.authorizations.standing(of: pending, session: present.session)
        guard case .consent(let question) = standing else { return scene.redirect(to: scene.destination) }
        let words = scene.words
        let address = present.user.email?.canonical ?? present.user.id.rawValue
        let name = pending.application.shownName(in: words)
        var page = Page(
            "consent", words("consentTitle", ["application": .chosen(name)]),
            words(
                "consentText",
                [
                    "application": .chosen(name),
                    "host": .chosen(pending.redirectHost ?? pending.request.client.rawValue),
                    "address": .chosen(address),
                ]), problem: problem)
        page.blocks = [
            .heading(words.plain("consentScopes")),
            .items(question.scopes.map { .init(Self.text(of: $0, words)) }),
        ]
        page.blocks += Self.apis(question.resources, words)
        if !pending.application.registration.oauth.isFirstParty {
            let names: [String: Words.Value] = ["application": .chosen(name), "site": .words(scene.visit.site.name)]
            page.blocks.append(
                pending.application.strangerText(names, host: pending.redirectHost, words)
                    ?? .text(words("consentUnchecked", names)))
        }
        page.blocks += [
            .text(words("consentRemembered")),
            .form(
                PageForm(
                    action: "/sign-in/consent", hidden: scene.hidden("consent"),
                    buttons: [
                        .init(words.plain("allow"), name: "decision", value: "allow"),
                        .init(words.plain("deny"), name: "decision", value: "deny", isSecondary: true),
                    ], isDecision: true)),
        ]
        let links = Self.links(of: pending.application, words)
        if !links.isEmpty { page.blocks.append(.links(links)) }
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }

    /// What the application says of itself elsewhere.
    private static func links(of application: CountersignCore.Application, _ words: Words) -> [PageBlock.Link] {
        let oauth = application.registration.oauth
        let name = ["application": Words.Value.chosen(application.shownName(in: words))]
        return [
            (words("consentHome", name), oauth.clientURI), (words("consentPolicy", name), oauth.policyURI),
            (words("consentTerms", name), oauth.termsURI),
        ].compactMap { label, uri in
            uri.flatMap {
                application.registration.vouches(for: $0) ? PageBlock.Link(label, to: $0, leavesSite: true) : nil
            }
        }
    }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let pending = scene.pending, let key = scene.key else { return scene.over() }
        let answer: AuthorizationRequests.UserAnswer
        switch scene.fields["decision"] {
        case "allow": answer = .allow
        case "deny": answer = .deny
        default: return try await page(scene, problem: scene.words("consentUnanswered"))
        }
        let isDone = try await scene.realm.authorizations.answer(
            answer, to: pending.handle, in: key, session: scene.present?.session.id, by: scene.client)
        return isDone ? scene.redirect(to: scene.destination) : scene.over()
    }

    /// The APIs that the application would get tokens for, by name and identifier; nothing where it asks for this server alone.
    static func apis(_ resources: [Resource], _ words: Words) -> [PageBlock] {
        if resources.isEmpty { return [] }
        return [
            .heading(words.plain("consentResources")),
            .items(
                resources.map {
                    .init(
                        PageText(chosen: $0.name ?? $0.uri), details: $0.name == nil ? [] : [PageText(chosen: $0.uri)])
                }),
        ]
    }

    /// A scope in words: an API's own, or ours for those of OpenID Connect.
    static func text(of scope: ConsentQuestion.Scope, _ words: Words) -> PageText {
        if let text = scope.definition?.text(in: words.language.rawValue) { return PageText(chosen: text) }
        return text(of: scope.name, words)
    }

    static func text(of scope: String, _ words: Words) -> PageText {
        switch scope {
        case "openid": words("scopeOpenid")
        case "profile": words("scopeProfile")
        case "email": words("scopeEmail")
        case "phone": words("scopePhone")
        case "address": words("scopeAddress")
        case "groups": words("scopeGroups")
        case "roles": words("scopeRoles")
        case "offline_access": words("scopeOffline")
        case "account": words("scopeAccount")
        case "admin": words("scopeAdmin")
        case "create:me:authentication_methods": words("scopeMethodsCreate")
        case "read:me:authentication_methods": words("scopeMethodsRead")
        case "delete:me:authentication_methods": words("scopeMethodsDelete")
        default: words("scopeOther", ["scope": .chosen(scope)])
        }
    }
}
