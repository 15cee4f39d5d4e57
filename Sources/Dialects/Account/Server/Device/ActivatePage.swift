import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

/// `/activate`: a device without a browser is allowed here, by the code that it shows (RFC 8628, section 3.3).
struct ActivatePage: Sendable {
    func show(_ scene: inout PageScene) async throws -> Response {
        let code = scene.field("user_code")
        guard let present = scene.present else {
            return scene.redirect(to: PagePath("/sign-in", [("to", "activate"), ("user_code", code)]).text)
        }
        if let terms = try await scene.leading(to: .activate, with: code ?? "").pathToTerms(of: present.user) {
            return scene.redirect(to: terms)
        }
        guard let code else { return page(scene) }
        return confirm(try await device(code, present, scene), present, scene)
    }

    /// A typed code, or a decision about the device that it names.
    func submit(_ scene: inout PageScene) async throws -> Response {
        let code = scene.field("user_code")
        guard let present = scene.present else {
            return scene.redirect(to: PagePath("/sign-in", [("to", "activate"), ("user_code", code)]).text)
        }
        guard let code else { return page(scene, problem: scene.words("activateWrong")) }
        if scene.fields["decision"] == "allow",
            let terms = try await scene.leading(to: .activate, with: code).pathToTerms(of: present.user)
        {
            return scene.redirect(to: terms)
        }
        guard let decision = scene.fields["decision"], ["allow", "deny"].contains(decision) else {
            let found = try await device(code, present, scene)
            if case .found = found { return scene.redirect(to: PagePath("/activate", [("user_code", code)]).text) }
            return confirm(found, present, scene)
        }
        switch try await scene.realm.deviceAuthorizations.decide(
            decision == "allow", FlowHandle(code), session: present.session.id, of: present.user.id, by: scene.client)
        {
        case .done: return try scene.redirect(to: "/activate/done", saying: ["decision": decision])
        case .unknown: return page(scene, problem: scene.words("activateWrong"))
        case .limited(let until): return confirm(.limited(until: until), present, scene)
        case .needsSecondFactor: return try await raise(present.session, code, &scene)
        }
    }

    /// What came of it.
    func done(_ scene: inout PageScene) async throws -> Response {
        guard let said = scene.outcome else { return scene.withoutOutcome() }
        let isAllowed = said["decision"] == "allow"
        let words = scene.words
        return scene.show(
            Page(
                "device-confirm", words(isAllowed ? "deviceAllowed" : "deviceDenied"),
                words(isAllowed ? "deviceAllowedText" : "deviceDeniedText"),
                [.links([.init(words("homeAccount"), to: "/account")])]))
    }

    private func raise(_ session: Session, _ code: String, _ scene: inout PageScene) async throws -> Response {
        guard case .begun(let handle) = try await scene.realm.journeys.begin(raising: session, by: scene.client) else {
            return scene.redirect(to: "/account")
        }
        let scene = scene.leading(to: .activate, with: code)
        return try await scene.goOn(with: handle)
    }

    private func device(
        _ code: String, _ present: (session: Session, user: User), _ scene: PageScene
    ) async throws -> DeviceAuthorizations.Lookup {
        try await scene.realm.deviceAuthorizations.pending(userCode: code, of: present.user.id, by: scene.client)
    }

    private func confirm(
        _ found: DeviceAuthorizations.Lookup, _ present: (session: Session, user: User), _ scene: PageScene
    ) -> Response {
        let words = scene.words
        switch found {
        case .unknown: return page(scene, problem: words("activateWrong"))
        case .limited(let until):
            let minutes = max(1, Int((until.timeIntervalSince(scene.realm.clock.now) / 60).rounded(.up)))
            return page(scene, problem: words("waitUntil", ["minutes": .number(minutes)]))
        case .found(let device):
            let address = present.user.email?.canonical ?? present.user.id.rawValue
            var page = Page(
                "device-confirm", words("deviceTitle"),
                words(
                    "deviceText",
                    ["application": .chosen(device.application.shownName(in: words)), "address": .chosen(address)]))
            let names: [String: Words.Value] = [
                "application": .chosen(device.application.shownName(in: words)),
                "site": .words(scene.visit.site.name),
            ]
            page.blocks = [device.application.strangerText(names, host: nil, words)].compactMap { $0 }
            page.blocks += [
                .code(.init(caption: words.plain("deviceCode"), text: device.userCode)),
                .text(
                    words(
                        "deviceFrom",
                        [
                            "address": .chosen(device.request.address ?? words.plain("unknown")),
                            "agent": .chosen(BrowserName.text(of: device.request.userAgent, words)),
                        ])),
                .heading(words.plain("consentScopes")),
                .items(device.scopes.map { .init(ConsentPage.text(of: $0, words)) }),
            ]
            page.blocks += ConsentPage.apis(device.resources, words)
            page.blocks += [
                .form(
                    PageForm(
                        action: "/activate",
                        hidden: scene.hidden("activate").filter { $0.name != "user_code" } + [
                            .init(name: "user_code", value: device.userCode)
                        ],
                        buttons: [
                            .init(words.plain("allow"), name: "decision", value: "allow"),
                            .init(words.plain("deny"), name: "decision", value: "deny", isSecondary: true),
                        ], isDecision: true))
            ]
            return scene.show(page)
        }
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) -> Response {
        let words = scene.words
        return scene.askForUserCode(
            words("activateTitle"), words("activateText"), at: "/activate",
            hidden: scene.hidden("activate").filter { $0.name != "user_code" }, problem: problem)
    }
}

extension PageScene {
    /// The page with the one field that takes the code another screen shows.
    /// - Parameters:
    ///   - action: the path that the form is sent to.
    ///   - hidden: what it brings besides, the lock among it.
    func askForUserCode(
        _ title: PageText, _ text: PageText, at action: String, hidden: [PageForm.HiddenField], problem: PageText?
    ) -> Response {
        var page = Page(
            "activate", title, text, problem: problem,
            [
                .form(
                    PageForm(
                        action: action, hidden: hidden,
                        fields: [
                            PageField(
                                name: "user_code", label: words.plain("activateLabel"),
                                value: field("user_code"), autocomplete: "off",
                                maximumLength: 32, isInvalid: problem != nil)
                        ], buttons: [.init(words.plain("goOn"))]))
            ])
        page.problemField = problem == nil ? nil : "user_code"
        return show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}
