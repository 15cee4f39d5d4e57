import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import QRCode
import ServerHTTP
import WebPages

/// `/sign-in/other-device`: another device on which the user is signed in signs this browser in. The page shows a code to scan or type
/// there, and a number that the link of the code does not have.
struct OtherDevicePage: Sendable {
    static let path = "/sign-in/other-device"
    private static let purpose = "other-device"

    func show(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt, let key = scene.key else { return try await begin(scene) }
        switch try await scene.realm.deviceAuthorizations.standing(ofBrowser: handle, key) {
        case .waiting(let code, let number, let until):
            scene.expiresIn = max(0, Int(until.timeIntervalSince(scene.realm.clock.now)))
            return try waiting(code, number, scene)
        case .allowed:
            guard
                let signedIn = try await scene.realm.deviceAuthorizations.signIn(
                    browser: handle, key, by: scene.client)
            else { return over(scene, "otherDeviceOver") }
            var next = NextStep(scene)
            return try await next.after(.accomplished(.signedIn(signedIn)), of: handle) ?? scene.over()
        case .denied: return over(scene, "otherDeviceDenied", status: .forbidden)
        case .over:
            // The tab that went on has signed this browser in.
            if scene.present != nil { return scene.redirect(to: scene.destination) }
            return over(scene, "otherDeviceOver")
        }
    }

    /// Begins to wait.
    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let key = scene.key else { return scene.redirect(to: scene.beginning) }
        switch try await scene.realm.deviceAuthorizations.begin(signInOf: key, by: scene.client) {
        case nil: return scene.redirect(to: scene.beginning)
        case .begun(let begun):
            return scene.redirect(to: scene.path(Self.path, attempt: FlowHandle(begun.deviceCode.reveal())))
        case .limited(let until):
            return page(scene, problem: scene.wait(until: until))
        }
    }

    /// `/sign-in/other-device/wait`: `{"next": "/…"}` as soon as there is something to see, `{}` after a while.
    func wait(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt, let key = scene.key else { return try .json(["next": scene.beginning]) }
        return try await scene.context.departure.answer(next: scene.path(Self.path)) { [realm = scene.realm] in
            try await realm.deviceAuthorizations.isOver(ofBrowser: handle, key, within: .seconds(20))
        }
    }

    private func begin(_ scene: PageScene) async throws -> Response {
        if scene.pending == nil, scene.present != nil { return scene.redirect(to: scene.destination) }
        guard scene.offersOtherDevice else { return scene.redirect(to: scene.beginning) }
        return page(scene)
    }

    private func page(_ scene: PageScene, problem: PageText? = nil) -> Response {
        let words = scene.words
        return scene.show(
            Page(
                "other-device", words("otherDeviceTitle"), words("otherDeviceText"), problem: problem,
                [form(scene, "goOn"), .links([.init(words("otherWay"), to: scene.beginning)])]),
            status: problem == nil ? .ok : .unprocessableContent)
    }

    private func form(_ scene: PageScene, _ label: String) -> PageBlock {
        .form(
            PageForm(
                action: Self.path, hidden: scene.hidden(Self.purpose).filter { $0.name != "attempt" },
                buttons: [.init(scene.words.plain(label))]))
    }

    private func waiting(_ code: String, _ number: String, _ scene: PageScene) throws -> Response {
        let words = scene.words
        var page = Page("other-device", words("otherDeviceTitle"), words("otherDeviceScan"))
        let base = scene.pages.options.publicURLs().first
        let link = base.map { PagePath($0 + ConfirmBrowserPage.path, [("user_code", code)]).text }
        page.blocks = [
            .code(
                .init(
                    picture: try link.map { try SVGQRCode.render($0, label: words.plain("otherDevicePicture")) },
                    caption: words.plain("otherDeviceCode"), text: code)),
            .code(.init(caption: words.plain("otherDeviceNumber"), text: number)),
        ]
        if let base {
            page.blocks.append(
                .text(words("otherDeviceOpen", ["address": .chosen(base + ConfirmBrowserPage.path)])))
        }
        page.blocks.append(
            .status(.init(words.plain("pushWaiting"), path: scene.path(Self.path + "/wait"))))
        page.script = .wait
        page.refreshSeconds = 4
        page.refreshesWithoutScript = true
        page.blocks.append(.links([.init(words("otherWay"), to: scene.beginning)]))
        return scene.show(page)
    }

    private func over(_ scene: PageScene, _ problem: String, status: HTTPResponse.Status = .gone) -> Response {
        let words = scene.words
        return scene.show(
            Page(
                "other-device", words("otherDeviceTitle"), problem: words(problem),
                [form(scene, "otherDeviceAgain"), .links([.init(words("otherWay"), to: scene.beginning)])]),
            status: status)
    }
}
