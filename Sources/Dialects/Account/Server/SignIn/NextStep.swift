import CountersignCore
import Hummingbird
import ServerHTTP
import WebPages

/// What follows a right answer: the page of the next step, or the session in the browser.
struct NextStep: Sendable {
    var scene: PageScene

    init(_ scene: PageScene) {
        self.scene = scene
    }

    private var realm: Realm { scene.realm }

    /// After an answer to an attempt.
    mutating func after(
        _ verdict: Verdict, of handle: FlowHandle, recoveryCode: Secret<String>? = nil
    ) async throws -> Response? {
        switch verdict {
        case .accomplished(.signedIn(let signedIn)):
            return try await hold(signedIn, recoveryCode: signedIn.recoveryCode ?? recoveryCode)
        case .advanced(let step): return try await go(handle, step: step, recoveryCode: recoveryCode)
        default: return nil
        }
    }

    /// Leads to the page that the attempt has come to.
    mutating func go(_ handle: FlowHandle) async throws -> Response {
        let status = try await realm.authenticator.status(of: handle, expecting: .anyStep)
        if case .exhausted = status { return scene.exhausted() }
        guard case .open(let summary) = status, let journey = summary.journey else { return scene.over() }
        switch (journey.stage, summary.purpose) {
        case (.firstProof, .signUp): return lead(to: "/sign-up/verify", handle)
        case (.firstProof, .resetPassword): return lead(to: "/forgot/verify", handle)
        // A passkey that was not accepted: nothing is known of the attempt but that.
        case (.firstProof, _) where summary.email == nil:
            return scene.redirect(to: scene.pathAfterAttempt(PasskeyPage.path))
        case (.firstProof, _):
            return lead(to: journey.method == .password ? "/sign-in/password" : "/sign-in/mail", handle)
        case (.details, _):
            return lead(to: journey.awaitsPassword ? "/sign-up/new-password" : "/sign-up/profile", handle)
        case (.newPassword, _): return lead(to: "/reset", handle)
        case (.secondFactor, _): return try await ask(handle)
        case (.registration, _): return lead(to: "/sign-in/enrol", handle)
        case (.complete, _): return try await claim(handle, recoveryCode: nil)
        }
    }

    private mutating func go(
        _ handle: FlowHandle, step: JourneyStep, recoveryCode: Secret<String>?
    ) async throws -> Response {
        switch step {
        case .password: lead(to: "/sign-up/new-password", handle)
        case .attributes: lead(to: "/sign-up/profile", handle)
        case .newPassword: lead(to: "/reset", handle)
        case .secondFactor: try await ask(handle)
        case .registration: lead(to: "/sign-in/enrol", handle)
        case .complete: try await claim(handle, recoveryCode: recoveryCode)
        case .beyondClient: scene.over()
        }
    }

    private func lead(to path: String, _ handle: FlowHandle) -> Response {
        scene.redirect(to: scene.path(path, attempt: handle))
    }

    /// Nothing is missing: takes the session.
    private mutating func claim(_ handle: FlowHandle, recoveryCode: Secret<String>?) async throws -> Response {
        let verdict = try await realm.authenticator.answer(.claim(nil), to: .flow(handle, .claim), by: scene.client)
        switch verdict {
        case .advanced(.complete): return scene.over()
        case .refused(let refusal):
            switch scene.outcome(of: refusal, wrong: "busyProblem") {
            case .page(let response): return response
            case .problem: return scene.over()
            }
        default: return try await after(verdict, of: handle, recoveryCode: recoveryCode) ?? scene.over()
        }
    }

    // MARK: The second factor

    /// Asks the user's first second factor: a device is asked, a mailbox gets a code.
    private mutating func ask(_ handle: FlowHandle) async throws -> Response {
        guard case .secondFactors(let methods) = try await realm.journeys.methods(handle, expecting: .secondFactor)
        else { return scene.over() }
        if methods.areLost { return lead(to: "/sign-in/code", handle) }
        if methods.contains(where: { $0.factor.kind == .passkey }), scene.passkeyPlace != nil {
            return lead(to: PasskeyPage.path, handle)
        }
        guard let first = methods.first, methods.allSatisfy({ $0.factor.kind != .totp }) || first.factor.kind == .push
        else { return lead(to: "/sign-in/code", handle) }
        return try await ask(first, handle) ?? lead(to: "/sign-in/code", handle)
    }

    /// Asks a device or a mailbox; nil where that cannot be done now.
    mutating func ask(_ method: Journeys.Method, _ handle: FlowHandle) async throws -> Response? {
        if method.factor.kind == .passkey { return lead(to: PasskeyPage.path, handle) }
        switch try await realm.journeys.ask(
            handle, expecting: .secondFactor, factor: method.factor.id, by: scene.client)
        {
        case .mailed: return lead(to: "/sign-in/mail", handle)
        case .device(let factor, let isAsked):
            if isAsked { return lead(to: "/sign-in/push", handle) }
            var details = ApprovalDetails()
            details.location = scene.client.source.map { ApprovalDetails.Location(name: $0) }
            switch try await realm.approvals.ask(
                for: handle, expecting: .secondFactor, device: factor.id, details: details, asksForNumber: true,
                by: scene.client)
            {
            case .asked: return lead(to: "/sign-in/push", handle)
            case .limited, .refused: return nil
            }
        default: return nil
        }
    }

    // MARK: The session

    /// Puts the session into the browser, and leads on. Where the sign-in has made a recovery code, a list is shown first.
    private mutating func hold(_ signedIn: SignedIn, recoveryCode: Secret<String>?) async throws -> Response {
        var held: Sessions.BrowserSession?
        var stays = scene.stays
        if let present = scene.present, present.user.id == signedIn.user.id {
            stays = stays || scene.visit.sessionToken.map { Sessions.lifetime(ofBrowser: $0) != nil } ?? false
            held = try await realm.sessions.raise(present.session, by: signedIn, stays: stays)
        } else if scene.present != nil, scene.returnPath != nil {
            // A confirmation is by the session's own user: a sign-in of another one ends here, and the session stays as it is.
            try await realm.sessions.end(signedIn, of: .dialect(.oauth))
            return scene.state(
                "confirm", "confirmOtherTitle", "confirmOtherText", link: ("homeAccount", "/account"),
                status: .forbidden)
        } else if let present = scene.present {
            _ = try await realm.sessions.signOut(present.session.id, of: present.user.id, by: scene.client)
        }
        if held == nil { held = try await realm.sessions.begin(inBrowser: signedIn, stays: stays) }
        guard let held else { return scene.over() }
        scene.visit.hold(session: held.token)
        if scene.stays, let known = try await realm.sessions.remember(held.user, in: scene.visit.knownAccounts) {
            scene.visit.keep(knownAccounts: known)
        }
        scene.visit.renewBrowser(realm.random)
        guard let recoveryCode else {
            // An application's request asks by itself.
            let terms = scene.pending == nil ? try await scene.pathToTerms(of: held.user) : nil
            return scene.redirect(to: terms ?? scene.destination)
        }
        let codes = try await codes(for: held) ?? [recoveryCode]
        try scene.keep(.init(kind: .recoveryCodes, values: codes.map { $0.reveal() }), of: held.token)
        return scene.redirect(to: scene.pathAfterAttempt(RecoveryCodePage.path))
    }

    /// A list of codes in place of the one that a sign-in makes; nil where the session may make none.
    private func codes(for held: Sessions.BrowserSession) async throws -> [Secret<String>]? {
        let own = OwnSession(
            userID: held.user.id, evidence: SessionEvidence(dialect: .oauth, proofs: held.session.proofs),
            epoch: held.user.tokenEpoch, session: held.session.id)
        return try? await realm.ownAccount.makeRecoveryCodes(of: own, by: scene.client).get()
    }
}

extension String {
    /// In groups of four, as people read and type it.
    var inGroups: String {
        var groups: [Substring] = []
        var rest = self[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return groups.joined(separator: " ")
    }
}

extension PageScene {
    /// What follows an answer to the attempt.
    /// - Parameters:
    ///   - wrong: what is said of a wrong answer.
    ///   - form: the page once more, with what was wrong.
    func follow(
        _ verdict: Verdict, of handle: FlowHandle, wrong: String, recoveryCode: Secret<String>? = nil,
        form: (PageText) async throws -> Response
    ) async throws -> Response {
        if case .refused(let refusal) = verdict { return try await refused(refusal, wrong: wrong, form: form) }
        var next = NextStep(self)
        return try await next.after(verdict, of: handle, recoveryCode: recoveryCode) ?? over()
    }

    /// What follows a refusal: another page, or the same with what was wrong.
    func refused(
        _ refusal: Refusal, wrong: String, form: (PageText) async throws -> Response
    ) async throws -> Response {
        switch outcome(of: refusal, wrong: wrong) {
        case .page(let response): response
        case .problem(let problem): try await form(problem)
        }
    }

    /// The page that the attempt has come to.
    func goOn(with handle: FlowHandle) async throws -> Response {
        var next = NextStep(self)
        return try await next.go(handle)
    }
}
