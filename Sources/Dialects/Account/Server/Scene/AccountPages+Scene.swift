import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import WebPages

extension AccountPages {
    /// A page that is read.
    typealias Show = @Sendable (inout PageScene) async throws -> Response

    /// Answers a request for a page: finds what it is about, or says to begin again.
    /// - Parameter needsAttempt: whether there has to be an attempt in progress.
    func read(
        _ request: Request, _ context: CountersignRequestContext, needsAttempt: Bool = false, _ show: Show
    ) async throws -> Response {
        guard var scene = try await scene(request, context, request.queryItems, needsAttempt: needsAttempt) else {
            return try await startAgain(request, flow: request.queryItems["flow"])
        }
        scene.visit.keepBrowser(realm.random)
        scene.expiresIn = try await secondsLeft(of: scene.attempt)
        return try await show(&scene)
    }

    /// Answers a form.
    /// - Parameters:
    ///   - purpose: what the form's `csrf` has to be for.
    ///   - ofSession: whether it is of the session rather than of the browser.
    func take(
        _ request: Request, _ context: CountersignRequestContext, for purpose: String, needsAttempt: Bool = false,
        ofSession: Bool = false, _ take: Show
    ) async throws -> Response {
        let body: JSONValue
        do {
            body = try await request.bodyObject(accepting: .form)
        } catch is RequestBodyFault {
            return refused(request, status: .badRequest)
        }
        var fields: [String: String] = [:]
        if case .object(let members) = body { fields = members.compactMapValues(\.stringValue) }
        guard var scene = try await scene(request, context, fields, needsAttempt: needsAttempt) else {
            return try await startAgain(request, flow: fields["flow"])
        }
        let isOurs =
            ofSession
            ? FormToken.admits(fields["csrf"], for: purpose, session: scene.visit.sessionToken)
            : FormToken.admits(fields["csrf"], for: purpose, flow: scene.flow ?? "", in: scene.key)
        guard isOurs else { return refused(request, status: .forbidden) }
        scene.expiresIn = try await secondsLeft(of: scene.attempt)
        return try await take(&scene)
    }

    private func secondsLeft(of attempt: FlowHandle?) async throws -> Int? {
        guard let attempt,
            case .open(let summary) = try await realm.authenticator.status(of: attempt, expecting: .anyStep)
        else { return nil }
        return max(0, Int(summary.expiresAt.timeIntervalSince(realm.clock.now)))
    }

    /// Nil where the attempt, or the application's request, is not of this browser or is over.
    private func scene(
        _ request: Request, _ context: CountersignRequestContext, _ fields: [String: String], needsAttempt: Bool
    ) async throws -> PageScene? {
        let key = options.site.cookies.browser(request)
        var pending: PendingAuthorization?
        if let flow = fields["flow"], !flow.isEmpty {
            guard let key, let found = try await realm.authorizations.pending(FlowHandle(flow), in: key) else {
                return nil
            }
            pending = found
        }
        var attempt: PageScene.NamedAttempt?
        if let name = fields["attempt"], !name.isEmpty {
            guard let key, let found = PageScene.attempt(name, pending?.handle.token.reveal(), in: key) else {
                return nil
            }
            attempt = found
        }
        if needsAttempt, attempt == nil { return nil }
        var visit = options.site.visit(request, languages: pending?.request.languages ?? [])
        var present: (session: Session, user: User)?
        if let token = visit.sessionToken {
            present = try await realm.sessions.session(ofBrowser: token)
            visit.prefer(locale: present?.user.profile.locale)
            if present != nil, let renewed = try await realm.sessions.renewed(browser: token) {
                visit.hold(session: renewed)
            }
        }
        let settings = try await realm.settings()
        let requiresSecondFactor =
            settings.secondFactors.isRequired || pending?.application.registration.requiresSecondFactor == true
            || pending == nil && fields["to"] == PageScene.Target.console.rawValue
        return PageScene(
            pages: self, context: context, visit: visit, fields: fields, pending: pending, attempt: attempt,
            requiresSecondFactor: requiresSecondFactor, offersSignUp: settings.signUp.isOpen,
            offersStaying: settings.browserSessions.allowsStaying,
            offersOtherDevice: settings.browserSessions.otherDevice != .off, present: present,
            passkeySite: realm.passkeySite(in: settings))
    }

    // MARK: What went wrong

    /// The page for an attempt that is not of this browser. Where an application's request is known it leads back to the application,
    /// and to nothing else.
    func startAgain(_ request: Request, flow: String?) async throws -> Response {
        var visit = options.site.visit(request)
        visit.linkItems = [:]
        var link = PageBlock.Link(visit.words("startAgain"), to: "/sign-in", isButton: true)
        if let flow, flow.utf8.count <= 128,
            let application = try await realm.authorizations.application(of: FlowHandle(flow)),
            let back = wayBack(to: application, visit.words)
        {
            link = back
            visit.linkItems = ["flow": flow]
        }
        return visit.response(
            Page("start-again", visit.words("startAgainTitle"), visit.words("startAgainText"), [.links([link])]),
            status: .badRequest)
    }

    /// A link to where an application begins; nil where that is not known.
    func wayBack(to application: CountersignCore.Application, _ words: Words) -> PageBlock.Link? {
        application.start(from: options.publicURLs().first ?? "").map {
            PageBlock.Link(
                words("backToApplication", ["application": .chosen(application.shownName)]), to: $0, isButton: true,
                leavesSite: true)
        }
    }

    /// The page for a form that is not of a page that this browser was given. Nothing was done; the attempt goes on.
    private func refused(_ request: Request, status: HTTPResponse.Status) -> Response {
        var visit = options.site.visit(request)
        visit.linkItems = [:]
        return visit.response(
            Page(
                "error", visit.words("errorTitle"), problem: visit.words("staleForm"),
                [.links([.init(visit.words("startAgain"), to: "/sign-in")])]),
            status: status)
    }
}

extension PageScene {
    /// A page that says what has happened, and what can be done.
    func state(
        _ kind: PageKind, _ title: String, _ text: String, link: (String, String)? = nil,
        status: HTTPResponse.Status
    ) -> Response {
        state(kind, words(title), words(text), link: link, status: status)
    }

    private func state(
        _ kind: PageKind, _ title: PageText, _ text: PageText, link: (String, String)? = nil,
        status: HTTPResponse.Status
    ) -> Response {
        let (label, target) = link ?? ("startAgain", beginning)
        var links = [PageBlock.Link(words(label), to: target, isButton: true)]
        if let application = pending?.application, var back = pages.wayBack(to: application, words) {
            back.isButton = false
            links.append(back)
        }
        let isForOperator = ["locked", "disabled"].contains(kind)
        return show(
            Page(kind, title, text, (isForOperator ? visit.naming(context.reference) : []) + [.links(links)]),
            status: status)
    }

    /// The attempt is over: an application's request begins anew, anything else says so.
    func over() -> Response {
        if pending != nil { return redirect(to: beginning) }
        if present != nil { return redirect(to: destination) }
        return state("expired", "expiredTitle", "expiredText", status: .gone)
    }

    /// The attempt has taken as many wrong answers as one may.
    func exhausted() -> Response { state("expired", "exhaustedTitle", "exhaustedText", status: .gone) }

    /// What is said of an answer that was refused, where the page with its form is shown again; a response where another page follows.
    func outcome(of refusal: Refusal, wrong: String) -> Outcome {
        switch refusal.reason {
        case .wrongAnswer, .unknownUser, .wrongNumber: return .problem(words(wrong))
        case .replayed: return .problem(words("codeUsed"))
        case .codeExpired: return .problem(words("codeExpired"))
        case .lockedOut, .sourceLimited:
            return .problem(wait(until: refusal))
        case .mailedLately: return .problem(words("mailPause", ["seconds": .number(secondsLeft(until: refusal))]))
        case .weakPassword: return .problem(PageText(PasswordWords.of(visit.language).fault(refusal.passwordFault)))
        case .addressTaken:
            var scene = self
            // Without it the page leads to the sign-in.
            _ = try? scene.visit.say(PageOutcome([:], on: SignUpPage.knownPath, at: realm.clock.now), realm.random)
            return .page(scene.redirect(to: pathAfterAttempt(SignUpPage.knownPath)))
        case .noPassword: return .problem(words("noPassword"))
        case .signUpClosed: return .problem(words("signUpClosed"))
        case .factorNotOffered, .unknownFactor, .factorLimitReached: return .problem(words(wrong))
        case .authenticatorDisabled:
            return .page(state("locked", "lockedTitle", "lockedText", status: .forbidden))
        case .userDisabled: return .page(disabled(until: refusal.removalDueAt))
        case .flowExhausted: return .page(exhausted())
        case .unknownFlow, .flowExpired, .flowFinished, .userNotFound, .approvalRejected:
            return .page(over())
        default: return .problem(words("busyProblem"))
        }
    }

    /// - Parameter removal: when the account goes, where its owner asked for that.
    private func disabled(until removal: Date?) -> Response {
        let text = removal.map { words("disabledUntilRemoval", ["date": .text(words.instant($0))]) }
        return state("disabled", words("disabledTitle"), text ?? words("disabledText"), status: .forbidden)
    }

    enum Outcome {
        case problem(PageText)
        case page(Response)
    }

    private func secondsLeft(until refusal: Refusal) -> Int {
        secondsLeft(until: refusal.retryAt ?? realm.clock.now + 60)
    }

    private func secondsLeft(until instant: Date) -> Int {
        max(1, Int(instant.timeIntervalSince(realm.clock.now).rounded(.up)))
    }

    private func wait(until refusal: Refusal) -> PageText { wait(until: refusal.retryAt ?? realm.clock.now + 60) }

    /// How long a limit holds.
    func wait(until instant: Date) -> PageText {
        let seconds = secondsLeft(until: instant)
        if seconds < 100 { return words("waitSeconds", ["seconds": .number(seconds)]) }
        return words("waitUntil", ["minutes": .number((seconds + 59) / 60)])
    }
}
