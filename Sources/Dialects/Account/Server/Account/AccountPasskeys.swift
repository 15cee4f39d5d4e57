import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// The passkeys of `/account`: the list, adding one, removing one.
struct AccountPasskeys: Sendable {
    typealias Present = (session: Session, user: User)

    private static let path = "/account/passkeys"

    /// - Parameter hidden: the fields of a form of the session.
    func blocks(
        of present: Present, _ hidden: [PageForm.HiddenField], _ scene: PageScene
    ) async throws -> [PageBlock] {
        guard scene.passkeySite != nil else { return [] }
        let words = scene.words
        let passkeys = try await scene.realm.passkeys.list(of: present.user.id)
        var blocks: [PageBlock] = [.heading(words.plain("accountPasskeys"))]
        if passkeys.isEmpty {
            blocks.append(.text(words("accountNoPasskeys")))
        } else {
            blocks.append(.items(passkeys.map { item($0, hidden, words) }))
        }
        switch scene.passkeyPlace {
        case .here:
            var form = PageForm(
                action: Self.path, hidden: hidden + [.init(name: "response", value: "")],
                fields: [
                    PageField(
                        name: "passkey_name", label: words.plain("passkeyNameLabel"),
                        value: PageText.harmless(BrowserName.text(of: present.session.origin.userAgent, words)),
                        autocomplete: "off", maximumLength: 64, isFirst: false)
                ], buttons: [.init(words.plain("passkeyAdd"), isSecondary: true)])
            form.passkey = scene.passkey(
                .create, options: Self.path + "/options",
                // Once after a sign-in by password, where the browser can.
                isConditional: passkeys.isEmpty && present.session.proofs.contains { $0.kind == .password })
            blocks.append(.form(form))
            if let site = scene.passkeySite, !passkeys.isEmpty {
                blocks.append(.acceptedPasskeys(try signal(passkeys, present.user, site)))
            }
        case .elsewhere(let origin): blocks.append(scene.passkeyElsewhere(origin, "/account"))
        case nil: break
        }
        return blocks
    }

    private func item(
        _ passkey: PasskeyAccounts.Passkey, _ hidden: [PageForm.HiddenField], _ words: Words
    ) -> PageBlock.Item {
        let factor = passkey.factor
        var details = [
            words(
                "passkeyMade",
                [
                    "date": .day(factor.createdAt),
                    "agent": .chosen(BrowserName.text(of: passkey.userAgent, words)),
                ])
        ]
        if let used = factor.lastUsedAt {
            details.append(words("passkeyUsed", ["date": .day(used)]))
        }
        if passkey.isBackedUp { details.append(words("passkeySynced")) }
        if passkey.isSuspicious { details.append(words("passkeySuspicious")) }
        return PageBlock.Item(
            factor.name.isEmpty ? words("passkeyUnnamed") : PageText(chosen: factor.name), details: details,
            form: PageForm(
                action: Self.path, hidden: hidden + [.init(name: "remove", value: factor.id.rawValue)],
                buttons: [.init(words.plain("passkeyRemove"), isSecondary: true)]))
    }

    /// All that the user has: managers hide what is not among them.
    private func signal(_ passkeys: [PasskeyAccounts.Passkey], _ user: User, _ site: PasskeySite) throws -> String {
        let value = JSONValue.object([
            "rpId": .string(site.domain), "userId": .string(PasskeyAccounts.handle(of: user.id)),
            "allAcceptedCredentialIds": .array(passkeys.map { .string($0.credentialID) }),
        ])
        return String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    // MARK: Changing

    private func session(_ present: Present) -> OwnSession {
        OwnSession(
            userID: present.user.id, evidence: SessionEvidence(dialect: .oauth, proofs: present.session.proofs),
            epoch: present.user.tokenEpoch)
    }

    /// Answers `{"options": …}`, or `{"problem": …}` in words.
    func options(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present else { return try scene.passkeyProblem(scene.words("passkeyTooOld")) }
        let isConditional = scene.fields["conditional"] == "1"
        let outcome = try await scene.realm.enrolments.begin(
            .passkey, of: session(present), wish: .object(["isConditional": .bool(isConditional)]), by: scene.client)
        switch outcome {
        case .offered(let offer): return try .json(JSONValue.object(["options": offer.challenge]))
        case .refused(let refusal): return try scene.passkeyProblem(words(of: refusal, scene))
        }
    }

    private func words(of refusal: Enrolments.EnrolmentRefusal, _ scene: PageScene) -> PageText {
        switch refusal {
        case .limitReached: scene.words("passkeyLimit")
        case .notOffered: scene.words("passkeyOff")
        case .limited: scene.words("busyProblem")
        default: scene.words("passkeyTooOld")
        }
    }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let present = scene.present else { return scene.redirect(to: "/sign-in") }
        if let id = scene.field("remove") { return try await remove(FactorID(rawValue: id), present, scene) }
        guard let response = scene.passkeyResponse, let handle = FlowHandle(answeredBy: response) else {
            return try await AccountPage().page(scene, problem: scene.words("passkeyFailed"))
        }
        let expectation = FlowExpectation(
            [.enrolFactor], at: [.factorEnrolment], of: [.dialect(.oauth)], user: present.user.id)
        let name = scene.field("passkey_name").map { String($0.prefix(64)) } ?? ""
        let verdict = try await scene.realm.authenticator.answer(
            .registration(of: .passkey, response: response, name: name), to: .flow(handle, expectation),
            by: scene.client)
        switch verdict {
        case .accomplished(.enrolled(_, let signedIn)):
            // What the session is proven with now: the same, and the passkey.
            guard let held = try await scene.realm.sessions.raise(present.session, by: signedIn) else {
                return scene.over()
            }
            scene.visit.hold(session: held.token)
            return scene.redirect(to: "/account?done=passkey-added")
        case .refused(let refusal):
            return try await AccountPage().page(scene, problem: words(of: refusal, scene))
        default: return scene.over()
        }
    }

    private func words(of refusal: Refusal, _ scene: PageScene) -> PageText {
        switch refusal.reason {
        case .replayed: scene.words("passkeyTaken")
        case .unsuitableAuthenticator: scene.words("passkeyUnsuitable")
        case .factorLimitReached: scene.words("passkeyLimit")
        case .unknownFlow, .flowExpired, .flowFinished, .flowExhausted: scene.words("passkeyLate")
        default: scene.words("passkeyWrong")
        }
    }

    private func remove(_ id: FactorID, _ present: Present, _ scene: PageScene) async throws -> Response {
        switch try await scene.realm.passkeys.remove([id], of: session(present), by: scene.client) {
        case .removed, .unknownFactor: return scene.redirect(to: "/account?done=passkey-removed")
        case .lastWayIn: return try await AccountPage().page(scene, problem: scene.words("passkeyLast"))
        case .refused: return try await AccountPage().page(scene, problem: scene.words("passkeyTooOld"))
        }
    }
}
