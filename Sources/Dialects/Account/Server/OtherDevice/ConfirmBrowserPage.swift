import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/other-device/confirm`, on the device that is signed in: whether a browser elsewhere is signed in as its user. It shows where that
/// browser is, has the user prove anew who it is, and asks for the number that the browser shows.
struct ConfirmBrowserPage: Sendable {
    static let path = "/sign-in/other-device/confirm"
    /// What a sign-in is told that leads here.
    static let target = PageScene.Target.otherDevice
    private static let purpose = "sign-in/other-device/confirm"

    private typealias Present = (session: Session, user: User)

    func show(_ scene: inout PageScene) async throws -> Response {
        let code = scene.field("user_code")
        guard let present = scene.present else {
            return scene.redirect(to: PagePath("/sign-in", [("to", Self.target.rawValue), ("user_code", code)]).text)
        }
        guard let code else { return page(scene) }
        return try await confirm(code, present, scene)
    }

    /// A typed code, or a decision about the browser that shows it.
    func submit(_ scene: inout PageScene) async throws -> Response {
        let code = scene.field("user_code")
        guard let present = scene.present else {
            return scene.redirect(to: PagePath("/sign-in", [("to", Self.target.rawValue), ("user_code", code)]).text)
        }
        guard let code else { return page(scene, problem: scene.words("activateWrong")) }
        guard let decision = scene.fields["decision"], ["allow", "deny"].contains(decision) else {
            return scene.redirect(to: PagePath(Self.path, [("user_code", String(code.prefix(32)))]).text)
        }
        let number = (scene.fields["number"] ?? "").filter { !$0.isWhitespace }
        switch try await scene.realm.deviceAuthorizations.decide(
            decision == "allow", browser: code, number: number, in: present.session, by: scene.client)
        {
        case .done: return try scene.redirect(to: Self.path + "/done", saying: ["decision": decision])
        case .unknown: return page(scene, problem: scene.words("activateWrong"))
        case .wrongNumber: return try await confirm(code, present, scene, problem: scene.words("otherDeviceWrong"))
        case .hindered(let obstacle):
            let problem = scene.words(obstacle == .elsewhere ? "otherDeviceElsewhere" : "otherDeviceProve")
            return try await confirm(code, present, scene, problem: problem)
        case .limited(let until): return page(scene, problem: scene.wait(until: until))
        }
    }

    /// What came of it.
    func done(_ scene: inout PageScene) async throws -> Response {
        guard let said = scene.outcome else { return scene.withoutOutcome() }
        let isAllowed = said["decision"] == "allow"
        let words = scene.words
        return scene.show(
            Page(
                "device-confirm", words(isAllowed ? "otherDeviceAllowed" : "otherDeviceRefused"),
                words(isAllowed ? "otherDeviceAllowedText" : "otherDeviceRefusedText"),
                [.links([.init(words("homeAccount"), to: "/account")])]))
    }

    private func confirm(
        _ code: String, _ present: Present, _ scene: PageScene, problem: PageText? = nil
    ) async throws -> Response {
        switch try await scene.realm.deviceAuthorizations.waitingBrowser(
            userCode: code, for: present.session, by: scene.client)
        {
        case .unknown: return page(scene, problem: scene.words("activateWrong"))
        case .limited(let until): return page(scene, problem: scene.wait(until: until))
        case .found(let browser): return confirm(browser, present, scene, problem)
        }
    }

    private func confirm(
        _ browser: DeviceAuthorizations.PendingBrowser, _ present: Present, _ scene: PageScene, _ problem: PageText?
    ) -> Response {
        var scene = scene
        let words = scene.words
        let address = present.user.email?.canonical ?? present.user.id.rawValue
        var page = Page(
            "device-confirm", words("otherDeviceAsk"), words("otherDeviceAskText", ["address": .chosen(address)]),
            problem: problem)
        page.problemField = problem == nil || browser.obstacle != nil ? nil : "number"
        page.blocks = [
            .code(.init(caption: words.plain("deviceCode"), text: browser.userCode)),
            .text(
                words(
                    "deviceFrom",
                    [
                        "address": .chosen(browser.address ?? words.plain("unknown")),
                        "agent": .chosen(BrowserName.text(of: browser.userAgent, words)),
                    ])),
            .notice(words("otherDeviceBeware")),
        ]
        let hidden =
            scene.hidden(Self.purpose).filter { !["user_code", "to"].contains($0.name) } + [
                .init(name: "user_code", value: browser.userCode)
            ]
        let deny = PageForm.Button(words.plain("deny"), name: "decision", value: "deny", isSecondary: true)
        switch browser.obstacle {
        case nil:
            var refusing = deny
            refusing.skipsValidation = true
            page.blocks.append(
                .form(
                    PageForm(
                        action: Self.path, hidden: hidden,
                        fields: [
                            .oneTimeCode(
                                name: "number", label: words.plain("otherDeviceNumberLabel"),
                                isInvalid: problem != nil)
                        ],
                        buttons: [.init(words.plain("allow"), name: "decision", value: "allow"), refusing],
                        isDecision: true)))
        case .elsewhere:
            page.blocks.append(.text(words("otherDeviceElsewhere")))
            page.blocks.append(.form(PageForm(action: Self.path, hidden: hidden, buttons: [deny])))
        case .stale(let needsPasskey):
            let way = scene.path(
                ConfirmPage.path, leadingBackTo: PagePath(Self.path, [("user_code", browser.userCode)]).text)
            page.blocks.append(.text(words(needsPasskey ? "otherDeviceProvePasskey" : "otherDeviceProve")))
            page.blocks.append(.links([.init(words("goOn"), to: way, isButton: true)]))
            page.blocks.append(.form(PageForm(action: Self.path, hidden: hidden, buttons: [deny])))
        }
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) -> Response {
        let words = scene.words
        return scene.askForUserCode(
            words("otherDeviceAsk"), words("otherDeviceTypeText"), at: Self.path,
            hidden: scene.hidden(Self.purpose).filter { !["user_code", "to"].contains($0.name) }, problem: problem)
    }
}
