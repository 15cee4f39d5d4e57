import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP
import WebPages

/// `/sign-in/passkey`: a passkey, as the first proof without a name or as the second factor of an attempt. The script asks
/// `/sign-in/passkey/options` for what the browser is to be asked, and sends its answer with the form.
struct PasskeyPage: Sendable {
    static let path = "/sign-in/passkey"
    static let purpose = "sign-in/passkey"
    private static let expectation = FlowExpectation.firstProof.or(.secondFactor)

    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    /// Answers `{"options": …, "attempt": …}`, or `{"problem": …}` in words.
    func options(_ scene: inout PageScene) async throws -> Response {
        let authenticator = scene.realm.authenticator
        let outcome: Authenticator.BeginOutcome
        if let handle = scene.attempt, try await isSecond(handle, scene) {
            outcome = try await authenticator.challenge(
                .passkey, in: handle, expecting: .secondFactor, by: scene.client)
        } else {
            if scene.field("stay") != nil { scene.stays = scene.offersStaying }
            outcome = try await authenticator.begin(.passkey, leadingTo: .ofPages, by: scene.client)
        }
        switch outcome {
        case .begun(let begun):
            var answer: [String: JSONValue] = ["options": begun.challenge]
            answer["attempt"] = scene.name(of: begun.handle).map { .string($0) }
            return try .json(JSONValue.object(answer))
        case .refused(let refusal): return try scene.passkeyProblem(words(of: refusal, scene))
        }
    }

    func submit(_ scene: inout PageScene) async throws -> Response {
        if scene.fields["decision"] == "deny" { return try await scene.goOn(.passkeyUnavailable) }
        guard let handle = scene.attempt, let response = scene.passkeyResponse else {
            return try await page(scene, problem: scene.words("passkeyFailed"))
        }
        let verdict = try await scene.realm.authenticator.answer(
            .proof(of: .passkey, response: response), to: .flow(handle, Self.expectation), by: scene.client)
        guard case .refused(let refusal) = verdict else {
            return try await scene.follow(verdict, of: handle, wrong: "passkeyWrong") {
                try await page(scene, problem: $0)
            }
        }
        switch refusal.reason {
        case .userDisabled, .userNotFound, .flowExhausted:
            return try await scene.refused(refusal, wrong: "passkeyWrong") { try await page(scene, problem: $0) }
        default:
            let unknown = refusal.reason == .unknownFactor ? response["id"]?.stringValue : nil
            return try await page(scene, problem: words(of: refusal, scene), unknown: unknown)
        }
    }

    private func words(of refusal: Refusal, _ scene: PageScene) -> PageText {
        switch refusal.reason {
        case .unknownFactor: scene.words("passkeyUnknown")
        case .factorNotOffered: scene.words("passkeyOff")
        case .replayed, .flowExpired, .flowFinished, .unknownFlow: scene.words("passkeyLate")
        default:
            if case .problem(let problem) = scene.outcome(of: refusal, wrong: "passkeyWrong") {
                problem
            } else {
                scene.words("passkeyWrong")
            }
        }
    }

    private func isSecond(_ handle: FlowHandle, _ scene: PageScene) async throws -> Bool {
        guard case .open = try await scene.realm.authenticator.status(of: handle, expecting: .secondFactor) else {
            return false
        }
        return true
    }

    /// Whether the application wants a passkey beside what the present session was proven with.
    private func isDemanded(_ scene: PageScene) async throws -> Bool {
        guard let pending = scene.pending,
            case .signIn(let demand) = try await scene.realm.authorizations.standing(
                of: pending, session: scene.present?.session)
        else { return false }
        return demand.needsPasskey
    }

    /// - Parameter unknown: the id of a credential that is not known here.
    private func page(_ scene: PageScene, problem: PageText? = nil, unknown: String? = nil) async throws -> Response {
        let words = scene.words
        var isSecond = false
        if let handle = scene.attempt { isSecond = try await self.isSecond(handle, scene) }
        var page = Page("passkey", words("passkeyTitle"), words("passkeyText"), problem: problem)
        scene.offerPasskey(on: &page, asSecond: isSecond, asksAtOnce: false)
        if scene.passkeyPlace == .here { page.withoutScript = words("passkeyNeedsScript") }
        if let unknown, let site = scene.passkeySite {
            let signal = JSONValue.object(["rpId": .string(site.domain), "credentialId": .string(unknown)])
            page.blocks.append(.unknownPasskey(String(decoding: try JSONEncoder().encode(signal), as: UTF8.self)))
        }
        if !isSecond, try await isDemanded(scene) {
            page.blocks.append(
                .form(
                    PageForm(
                        action: Self.path, hidden: scene.hidden(Self.purpose),
                        buttons: [
                            .init(words.plain("enrolLater"), name: "decision", value: "deny", isSecondary: true)
                        ])))
            return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
        }
        let otherWay = isSecond ? scene.path("/sign-in/code") : scene.beginning
        page.blocks.append(
            .links(
                [.init(words("otherWay"), to: otherWay)]
                    + (isSecond ? [.init(words("startAgain"), to: scene.beginning)] : [])))
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }
}

// MARK: Passkeys on pages

extension PageScene {
    /// Whether the browser can be asked for passkeys where it is.
    enum PasskeyPlace: Equatable {
        case here
        /// At another name of this machine.
        case elsewhere(origin: String)
    }

    /// Nil where passkeys are off, or the browser knows the server by a name that is not theirs.
    var passkeyPlace: PasskeyPlace? {
        guard let site = passkeySite else { return nil }
        let host = visit.host
        if host == site.domain || host.hasSuffix("." + site.domain) { return .here }
        if site.origins.contains(where: { $0 == "https://\(host)" || $0.hasPrefix("https://\(host):") }) {
            return .here
        }
        // An attempt of an application is bound to this name of the machine.
        guard site.domain == "localhost", ["127.0.0.1", "[::1]"].contains(host), pending == nil,
            let origin = site.origins.sorted().first
        else { return nil }
        return .elsewhere(origin: origin)
    }

    /// The form that asks for a passkey.
    /// - Parameters:
    ///   - isSecond: whether it is the second factor of the attempt.
    ///   - asksAtOnce: whether passkeys are among the suggestions of a field of the page.
    func offerPasskey(on page: inout Page, asSecond isSecond: Bool = false, asksAtOnce: Bool = true) {
        switch passkeyPlace {
        case .here:
            // A passkey that is the first proof begins an attempt of its own, which the script names.
            let hidden = hidden(PasskeyPage.purpose).filter { isSecond || $0.name != "attempt" }
            var form = PageForm(
                action: PasskeyPage.path,
                hidden: hidden
                    + (isSecond ? ["response"] : ["attempt", "response"]).map { .init(name: $0, value: "") },
                buttons: [.init(words.plain("passkeyUse"), isSecondary: asksAtOnce)])
            form.passkey = passkey(.get, options: PasskeyPage.path + "/options", isConditional: asksAtOnce)
            page.blocks.insert(.form(form), at: min(1, page.blocks.count))
            page.script = .passkey
        case .elsewhere(let origin):
            page.blocks.append(
                passkeyElsewhere(origin, pathAfterAttempt(asksAtOnce ? "/sign-in" : PasskeyPage.path)))
        case nil: break
        }
    }

    /// A link to the name of this machine at which passkeys work.
    func passkeyElsewhere(_ origin: String, _ path: String) -> PageBlock {
        let host = origin.drop { $0 != ":" }.dropFirst(3)
        return .links([.init(words("passkeyElsewhere", ["host": .chosen(String(host))]), to: origin + path)])
    }

    func passkey(_ ceremony: PageForm.Passkey.Ceremony, options: String, isConditional: Bool) -> PageForm.Passkey {
        PageForm.Passkey(
            ceremony, options: options, isConditional: isConditional, cancelled: words.plain("passkeyCancelled"),
            present: words.plain("passkeyPresent"), failed: words.plain("passkeyFailed"))
    }

    /// What the browser answered, as the form carries it.
    var passkeyResponse: JSONValue? {
        guard let text = field("response"), text.utf8.count <= 65_536 else { return nil }
        return try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    /// Tells the script what went wrong.
    func passkeyProblem(_ text: PageText) throws -> Response {
        var response = try Response.json(["problem": text.plain])
        response.status = .unprocessableContent
        return response
    }
}
