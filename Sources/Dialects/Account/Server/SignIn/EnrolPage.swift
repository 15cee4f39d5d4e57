import CountersignCore
import Hummingbird
import OneTimePassword
import QRCode
import ServerHTTP
import WebPages

/// `/sign-in/enrol`: a passkey or an authenticator app is set up in the middle of a sign-in that requires a second factor. The script
/// asks `/sign-in/enrol/options` for what the browser is to make.
struct EnrolPage: Sendable {
    static let path = "/sign-in/enrol"
    static let purpose = "enrol"

    func show(_ scene: inout PageScene) async throws -> Response { try await page(scene) }

    /// Answers `{"options": …}`, or `{"problem": …}` in words.
    func options(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return try scene.passkeyProblem(scene.words("passkeyLate")) }
        let outcome = try await scene.realm.enrolments.begin(
            .passkey, during: handle, expecting: .registration, by: scene.client)
        switch outcome {
        case .offered(let offer): return try .json(JSONValue.object(["options": offer.challenge]))
        case .refused(let refusal): return try scene.passkeyProblem(scene.words(ofEnrolling: refusal))
        case .unknown(.sourceLimited): return try scene.passkeyProblem(scene.words("busyProblem"))
        case .unknown: return try scene.passkeyProblem(scene.words("passkeyLate"))
        }
    }

    func submit(_ scene: inout PageScene) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        if scene.fields["decision"] == "later" { return try await putOff(handle, scene) }
        if scene.fields["decision"] == "deny" {
            return try await scene.goOn(
                try await onlyKind(of: handle, scene) == .passkey ? .passkeyUnavailable : .secondFactorUnavailable)
        }
        if scene.fields["response"] != nil { return try await takePasskey(handle, scene) }
        let offered = try await scene.realm.enrolments.offered(during: handle, expecting: .registration)
        let code = (scene.fields["code"] ?? "").filter { !$0.isWhitespace }
        let verdict = try await scene.realm.authenticator.answer(
            .enrolmentCode(Secret(code), name: ""), to: .flow(handle, .registration), by: scene.client)
        return try await scene.follow(verdict, of: handle, wrong: "enrolWrong", recoveryCode: offered?.recoveryCode) {
            try await page(scene, problem: $0, of: "code")
        }
    }

    /// Goes on without, where the user may; else the page says what is left.
    private func putOff(_ handle: FlowHandle, _ scene: PageScene) async throws -> Response {
        let outcome = try await scene.realm.journeys.putOffEnrolment(
            in: handle, expecting: .registration, for: scene.pending, by: scene.client)
        switch outcome {
        case .goesOn: return try await scene.goOn(with: handle)
        // What the request would like beside the rule is put off with it.
        case .over: return try await scene.goOn(.secondFactorUnavailable)
        case .refused: return try await page(scene, problem: scene.words("enrolNotLater"))
        }
    }

    /// "Later", where a rule is why something is to be set up and admits it; else what a user may do who sets nothing up.
    private func waysPast(_ handle: FlowHandle, _ scene: PageScene) async throws -> [PageBlock] {
        // The console takes no session without a second factor.
        guard !scene.leadsToConsole,
            let delay = try await scene.realm.journeys.delay(
                of: handle, expecting: .registration, for: scene.pending)
        else { return scene.waysPastEnrolling }
        let words = scene.words
        let text =
            switch (delay.timesLeft, delay.until) {
            case (let times?, let until?):
                words("enrolLaterTimesUntil", ["count": .number(times), "day": .text(words.lastDay(before: until))])
            case (let times?, nil): words("enrolLaterTimes", ["count": .number(times)])
            case (nil, let until?): words("enrolLaterUntil", ["day": .text(words.lastDay(before: until))])
            case (nil, nil): words("enrolLaterText")
            }
        return [
            .text(text),
            .form(
                PageForm(
                    action: Self.path, hidden: scene.hidden(Self.purpose),
                    buttons: [.init(words.plain("enrolPutOff"), name: "decision", value: "later", isSecondary: true)])),
        ]
    }

    /// A passkey that the browser has made completes the sign-in.
    private func takePasskey(_ handle: FlowHandle, _ scene: PageScene) async throws -> Response {
        guard let response = scene.passkeyResponse else {
            return try await page(scene, problem: scene.words("passkeyFailed"))
        }
        let name = String(BrowserName.text(of: scene.client.userAgent, scene.words).prefix(64))
        let verdict = try await scene.realm.authenticator.answer(
            .registration(of: .passkey, response: response, name: name), to: .flow(handle, .registration),
            by: scene.client)
        guard case .refused(let refusal) = verdict else {
            return try await scene.follow(verdict, of: handle, wrong: "passkeyWrong") {
                try await page(scene, problem: $0)
            }
        }
        switch refusal.reason {
        case .unknownFlow, .flowExpired, .flowFinished, .userDisabled, .userNotFound, .sourceLimited:
            return try await scene.refused(refusal, wrong: "passkeyWrong") { try await page(scene, problem: $0) }
        default: return try await page(scene, problem: scene.words(ofRegistration: refusal))
        }
    }

    /// What is to be set up where nothing else will do; nil where any second factor will.
    private func onlyKind(of handle: FlowHandle, _ scene: PageScene) async throws -> FactorKind? {
        guard case .open(let summary) = try await scene.realm.authenticator.status(of: handle, expecting: .registration)
        else { return nil }
        return summary.journey?.registers
    }

    /// Has the address proven first, by a code that goes there; nil where none can be sent.
    private func confirmAddress(_ handle: FlowHandle, _ scene: PageScene) async throws -> Response? {
        switch try await scene.realm.journeys.confirmAddress(
            for: handle, expecting: .registration, by: scene.client)
        {
        case .mailed: return scene.redirect(to: scene.path(MailedCodePage.address.path))
        default: return nil
        }
    }

    // MARK: The page

    /// - Parameter field: which field the problem is about; nil for none.
    private func page(_ scene: PageScene, problem: PageText? = nil, of field: String? = nil) async throws -> Response {
        guard let handle = scene.attempt else { return scene.over() }
        let status = try await scene.realm.authenticator.status(of: handle, expecting: .registration)
        guard case .open(let summary) = status, let journey = summary.journey else {
            return try await scene.goOn(with: handle)
        }
        if journey.awaitsMailedCode { return scene.redirect(to: scene.path(MailedCodePage.address.path)) }
        let kinds = try await scene.realm.enrolments.kindsByResponse(during: handle, expecting: .registration)
        let offersPasskey = kinds.contains(.passkey) && scene.passkeyPlace == .here
        let words = scene.words
        // A sign-up has chosen it in place of a password.
        let isChosen = journey.registers == .passkey && summary.purpose == .signUp
        var page = Page(
            "enrol", words(journey.registers == .passkey ? "enrolPasskeyTitle" : "enrolTitle"),
            words(isChosen ? "signUpPasskeyText" : "enrolPasskeyText"), problem: problem)
        if journey.registers == .passkey {
            if kinds.isEmpty, let confirming = try await confirmAddress(handle, scene) { return confirming }
            guard offersPasskey else { return try await scene.goOn(.passkeyUnavailable) }
            addPasskey(to: &page, scene)
        } else {
            let app: App
            switch try await self.app(handle, scene, isAlone: !offersPasskey) {
            case .page(let response): return response
            case .found(let found): app = found
            }
            switch (app, offersPasskey) {
            case (.offered(let offered), _):
                page.text = words(offersPasskey ? "enrolChoice" : "enrolText")
                if offersPasskey {
                    addPasskey(to: &page, scene)
                    page.blocks += [.heading(words.plain("enrolApp")), .text(words("enrolAppText"))]
                }
                page.problemField = field
                page.blocks += try blocks(of: offered, scene, isInvalid: field == "code")
            case (.none, true):
                page.text = words("enrolPasskeyText")
                addPasskey(to: &page, scene)
            case (.none, false):
                return scene.show(
                    Page(
                        "enrol", words("enrolTitle"), problem: words("enrolRefused"), try await waysPast(handle, scene)),
                    status: .conflict)
            }
        }
        page.blocks += try await waysPast(handle, scene)
        return scene.show(page, status: problem == nil ? .ok : .unprocessableContent)
    }

    private func addPasskey(to page: inout Page, _ scene: PageScene) {
        var form = PageForm(
            action: Self.path, hidden: scene.hidden(Self.purpose) + [.init(name: "response", value: "")],
            buttons: [.init(scene.words.plain("enrolPasskeyTitle"))])
        form.passkey = scene.passkey(.create, options: Self.path + "/options", isConditional: false)
        page.blocks.append(.form(form))
        page.script = .passkey
        page.withoutScript = scene.words("passkeyNeedsScript")
    }

    // MARK: An authenticator app

    private typealias Offer = (user: User, totpSecret: Secret<[UInt8]>, recoveryCode: Secret<String>?)

    private enum App {
        case offered(Offer)
        /// None can be set up.
        case none
    }

    private enum AppLookup {
        case found(App)
        case page(Response)
    }

    /// The app that is offered in this sign-in, or another page that comes first.
    /// - Parameter isAlone: whether nothing else can be set up.
    private func app(_ handle: FlowHandle, _ scene: PageScene, isAlone: Bool) async throws -> AppLookup {
        let enrolments = scene.realm.enrolments
        if let offered = try await enrolments.offered(during: handle, expecting: .registration) {
            return .found(.offered(offered))
        }
        switch try await enrolments.beginDevice(
            during: handle, expecting: .registration, kinds: [.totp], by: scene.client)
        {
        case .offered:
            let offered = try await enrolments.offered(during: handle, expecting: .registration)
            return .found(offered.map { .offered($0) } ?? .none)
        case .unknown(let reason) where reason != .sourceLimited:
            return .page(try await scene.goOn(with: handle))
        case .refused(.unverifiedEmail):
            if let confirming = try await confirmAddress(handle, scene) { return .page(confirming) }
        case .refused(.notOffered) where !isAlone: return .found(.none)
        // Nothing can be set up: the application is told, which has asked for it.
        case .refused where scene.pending != nil && scene.present != nil:
            return .page(try await scene.goOn(.secondFactorUnavailable))
        case .refused, .unknown: break
        }
        return .found(.none)
    }

    private func blocks(of offered: Offer, _ scene: PageScene, isInvalid: Bool) throws -> [PageBlock] {
        let words = scene.words
        let uri = try OTPAuthURI(
            kind: .totp(period: 30), issuer: scene.visit.site.name,
            accountName: offered.user.email?.canonical ?? offered.user.id.rawValue, secret: offered.totpSecret.reveal()
        ).uriString
        return [
            .code(
                .init(
                    picture: try SVGQRCode.render(uri, label: words.plain("enrolPicture")),
                    caption: words.plain("enrolSecret"), text: Base32.encode(offered.totpSecret.reveal()).inGroups,
                    link: .init(words("enrolOpen"), to: uri))),
            .form(
                PageForm(
                    action: Self.path, hidden: scene.hidden(Self.purpose),
                    fields: [.oneTimeCode(name: "code", label: words.plain("codeLabel"), isInvalid: isInvalid)],
                    buttons: [.init(words.plain("goOn"))])),
        ]
    }
}

extension PageScene {
    /// Goes on without what the user does not set up or cannot use: the application is told, where it is one that asked.
    func goOn(_ answer: AuthorizationRequests.UserAnswer) async throws -> Response {
        guard let pending, let key, let session = present?.session else { return redirect(to: beginning) }
        _ = try await realm.authorizations.answer(answer, to: pending.handle, in: key, session: session.id, by: client)
        return redirect(to: destination)
    }

    /// What a user may do who sets nothing up: the application is told, where there is one that asks and a session that goes on.
    var waysPastEnrolling: [PageBlock] {
        guard pending != nil, present != nil else {
            return [.links([.init(words("startAgain"), to: beginning)])]
        }
        return [
            .form(
                PageForm(
                    action: EnrolPage.path, hidden: hidden(EnrolPage.purpose),
                    buttons: [.init(words.plain("enrolLater"), name: "decision", value: "deny", isSecondary: true)]))
        ]
    }
}
