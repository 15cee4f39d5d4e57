import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/account/passkey` adds a passkey: the script asks `/account/passkeys/options` what the browser is to make, and sends it to
/// `/account/passkeys`.
struct AccountPasskeys: Sendable {
    private static let path = "/account/passkeys"
    static let page = "/account/passkey"
    static let purpose = "passkeys"

    func show(_ account: inout AccountScene) async throws -> Response { try await page(account) }

    private func page(_ account: AccountScene, problem: PageText? = nil) async throws -> Response {
        let words = account.words
        var page = account.page(
            "account-passkey", in: .security, words("passkeyAddTitle"), words("passkeyOfferText"), problem: problem)
        if account.scene.passkeySite == nil {
            page.blocks.append(.text(words("passkeyOff")))
        } else {
            offer(on: &page, account)
            page.withoutScript = words("passkeyNeedsScript")
        }
        page.blocks.append(.links([.init(words("accountBackToSecurity"), to: AccountSection.security.path)]))
        return account.show(page)
    }

    /// The form that makes one, or the way to it.
    func offer(on page: inout Page, _ account: AccountScene) {
        let scene = account.scene
        let words = account.words
        switch scene.passkeyPlace {
        case .here where account.has(.full):
            var form = PageForm(
                action: Self.path,
                hidden: account.hidden(Self.purpose, [("response", "")]),
                fields: [
                    PageField(
                        name: "passkey_name", label: words.plain("passkeyNameLabel"),
                        value: PageText.harmless(BrowserName.text(of: account.session.origin.userAgent, words)),
                        autocomplete: "off", maximumLength: 64, isFirst: false)
                ], buttons: [.init(words.plain("passkeyAdd"), isSecondary: true)])
            form.passkey = scene.passkey(
                .create, options: Self.path + "/options",
                // Once after a sign-in by password, where the browser can.
                isConditional: page.kind == "account" && account.session.proofs.contains { $0.kind == .password })
            page.blocks.append(.form(form))
            page.script = .passkey
        case .here:
            page.blocks.append(
                .links([.init(words("passkeyAdd"), to: Self.page, isButton: true, isSecondary: true)]))
        case .elsewhere(let origin): page.blocks.append(scene.passkeyElsewhere(origin, Self.page))
        case nil: break
        }
    }

    /// What managers are told: all that the user has, as they hide what is not among them, and what the user is called now.
    func signals(_ passkeys: [PasskeyAccounts.Passkey], _ account: AccountScene) throws -> [PageBlock] {
        guard let site = account.scene.passkeySite, account.scene.passkeyPlace == .here, !passkeys.isEmpty else {
            return []
        }
        let domain = JSONValue.string(site.domain)
        let user = JSONValue.string(PasskeyAccounts.handle(of: account.user.id))
        func text(_ members: [String: JSONValue]) throws -> String {
            String(
                decoding: try JSONEncoder().encode(
                    JSONValue.object(members.merging(["rpId": domain, "userId": user]) { $1 })), as: UTF8.self)
        }
        let names = PasskeyAccounts.names(of: account.user)
        return [
            .acceptedPasskeys(
                try text(["allAcceptedCredentialIds": .array(passkeys.map { .string($0.credentialID) })])),
            .userOfPasskeys(
                try text(["name": .string(names.name), "displayName": .string(names.displayName)])),
        ]
    }

    // MARK: Adding

    /// Answers `{"options": …}`, or `{"problem": …}` in words.
    func options(_ scene: inout PageScene) async throws -> Response {
        guard let account = AccountScene(scene) else { return try scene.passkeyProblem(scene.words("passkeyTooOld")) }
        let isConditional = scene.fields["conditional"] == "1"
        let outcome = try await scene.realm.enrolments.begin(
            .passkey, of: account.own, wish: .object(["isConditional": .bool(isConditional)]), by: scene.client)
        switch outcome {
        case .offered(let offer): return try .json(JSONValue.object(["options": offer.challenge]))
        case .refused(let refusal): return try scene.passkeyProblem(scene.words(ofEnrolling: refusal))
        }
    }

    func submit(_ account: inout AccountScene) async throws -> Response {
        let scene = account.scene
        guard let response = scene.passkeyResponse, let handle = FlowHandle(answeredBy: response) else {
            return try await page(account, problem: account.words("passkeyFailed"))
        }
        let name = account.field("passkey_name").map { String($0.prefix(64)) } ?? ""
        let verdict = try await account.realm.authenticator.answer(
            .registration(of: .passkey, response: response, name: name), to: .flow(handle, account.enrolment),
            by: account.client)
        switch verdict {
        case .accomplished(.enrolled(_, let signedIn)):
            return try await account.raise(by: signedIn)
                ? account.redirect(to: AccountSection.security.path, saying: "passkeyAdded") : scene.over()
        case .refused(let refusal): return try await page(account, problem: scene.words(ofRegistration: refusal))
        default: return scene.over()
        }
    }
}

extension AccountScene {
    /// What an enrolment of the account's own has to be.
    var enrolment: FlowExpectation {
        FlowExpectation([.enrolFactor], at: [.factorEnrolment], of: [.dialect(.oauth)], user: user.id)
    }

    /// Has the browser's session say what it is proven with now: the same, and what was enrolled. False where it is over.
    mutating func raise(by signedIn: SignedIn) async throws -> Bool {
        let stays = Sessions.lifetime(ofBrowser: token) != nil
        guard let held = try await realm.sessions.raise(session, by: signedIn, stays: stays) else { return false }
        scene.visit.hold(session: held.token)
        return true
    }
}

extension PageScene {
    /// Why no passkey can be made now.
    func words(ofEnrolling refusal: Enrolments.EnrolmentRefusal) -> PageText {
        switch refusal {
        case .limitReached: words("passkeyLimit")
        case .notOffered: words("passkeyOff")
        case .limited: words("busyProblem")
        default: words("passkeyTooOld")
        }
    }

    /// Why the passkey that the browser made was not taken.
    func words(ofRegistration refusal: Refusal) -> PageText {
        switch refusal.reason {
        case .replayed: words("passkeyTaken")
        case .unsuitableAuthenticator: words("passkeyUnsuitable")
        case .factorLimitReached: words("passkeyLimit")
        case .unknownFlow, .flowExpired, .flowFinished, .flowExhausted: words("passkeyLate")
        default: words("passkeyWrong")
        }
    }
}
