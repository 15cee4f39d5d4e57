import Foundation

extension CustomExtensions {
    /// Seconds that the token of a call lives.
    static let tokenLifetime = 300

    /// Asks which claims should be in a user's tokens.
    /// - Throws: ``ExtensionFailure``; what the service did wrong is in the log.
    public func claims(
        of listener: CustomExtension, for user: User, _ occasion: ExtensionOccasion, by client: ClientContext
    ) async throws -> ProvidedClaims {
        try await reporting(listener, user.id, client) {
            let action = try await ask(listener, occasion, .claims(user))
            return try ProvidedClaims(action, for: listener)
        }
    }

    /// Asks for a code to be sent.
    /// - Parameter requestType: what the code is for: `signIn`, `signUp`, `passwordReset`.
    /// - Throws: ``ExtensionFailure``. What fails is in the outbox's log, not in this one's.
    public func send(
        code: Secret<String>, to address: String, for requestType: String, by listener: CustomExtension,
        _ occasion: ExtensionOccasion
    ) async throws {
        _ = try await ask(listener, occasion, .code(code, address: address, purpose: requestType))
    }

    /// Asks before a sign-up asks for attributes.
    /// - Returns: values for fields of forms.
    /// - Throws: ``ExtensionFailure``; ``SignUpObjection``.
    public func beforeAttributes(
        of signUp: SignUpInformation, by listener: CustomExtension, _ occasion: ExtensionOccasion,
        _ client: ClientContext
    ) async throws -> [String: JSONValue] {
        try await reporting(listener, nil, client) {
            let action = try await ask(listener, occasion, .signUp(signUp))
            switch action.effect {
            case .prefill(let values): return try signUp.values(values)
            case .block(let words): throw SignUpObjection.blocked(SignUpObjection.text(words))
            default: return [:]
            }
        }
    }

    /// Asks before a sign-up makes an account.
    /// - Returns: the attributes that the account is to have.
    /// - Throws: ``ExtensionFailure``; ``SignUpObjection``.
    public func beforeAccount(
        of signUp: SignUpInformation, by listener: CustomExtension, _ occasion: ExtensionOccasion,
        _ client: ClientContext
    ) async throws -> [String: JSONValue] {
        try await reporting(listener, nil, client) {
            let action = try await ask(listener, occasion, .signUp(signUp))
            switch action.effect {
            case .change(let values):
                let changed = try signUp.values(values)
                // What was not there cannot be added.
                return signUp.attributes.merging(changed.filter { signUp.attributes[$0.key] != nil }) { $1 }
            case .reject(let attributes, let words):
                throw SignUpObjection.invalid(try signUp.faults(attributes), SignUpObjection.text(words))
            case .block(let words): throw SignUpObjection.blocked(SignUpObjection.text(words))
            default: return signUp.attributes
            }
        }
    }

    // MARK: The call

    /// Makes the call, and another where that is allowed and may help.
    func ask(
        _ listener: CustomExtension, _ occasion: ExtensionOccasion, _ subject: ExtensionQuestion.Subject
    ) async throws -> ExtensionAction {
        do {
            // What was right when it was registered may not be so under a later version's rules.
            try listener.judgeCall()
        } catch {
            throw ExtensionFailure(error.code ?? .unexpectedError)
        }
        let question = ExtensionQuestion(
            listener: listener, tenant: try await realm.tenant(), occasion: occasion,
            correlationID: occasion.correlationID ?? realm.random.uuid(), subject: subject,
            publicURL: realm.extensionCaller.publicURL)
        let call = ExtensionCall(
            url: listener.targetURL, bearer: Secret(try await token(for: question)),
            body: Data(try realm.extensionFormat.body(of: question).jsonText()),
            timeout: .milliseconds(listener.timeout), bodyLimit: ExtensionReply.longestBody)
        var tries = 1 + (listener.event.isQuestion ? listener.retries : 0)
        while true {
            tries -= 1
            do {
                let answer = try await post(call, to: listener).document()
                return try realm.extensionFormat.action(in: answer, to: listener.event)
            } catch {
                if tries <= 0 || !error.isTransient || error.code == .throttlingError { throw error }
            }
        }
    }

    private func post(_ call: ExtensionCall, to listener: CustomExtension) async -> ExtensionReply {
        let traffic = realm.extensionTraffic
        guard traffic.enter(listener.id) else { return .failed(ExtensionFailure(.throttlingError)) }
        defer { traffic.leave(listener.id) }
        return await realm.extensionCaller.post(call)
    }

    /// The token that authenticates this server's call to the service.
    private func token(for question: ExtensionQuestion) async throws -> String {
        let algorithm = try await realm.settings().tokens.algorithm(for: .nativeAuth)
        let spelled = realm.extensionFormat.tokenClaims(of: question, tokenID: realm.random.bytes(16).base64URL)
        let draft = TokenDraft(
            issuer: spelled["iss"]?.stringValue ?? "", audience: question.listener.audience, subject: nil,
            issuedAt: realm.clock.now, lifetime: Self.tokenLifetime, parts: [.notBefore],
            spelling: spelled.mapValues { .some($0) })
        return try await realm.tokens.issue(draft, with: algorithm)
    }

    // MARK: The log

    /// Writes down why it failed. What was sent and answered is not in it.
    private func reporting<T: Sendable>(
        _ listener: CustomExtension, _ user: UserID?, _ client: ClientContext, _ body: () async throws -> T
    ) async throws -> T {
        do {
            return try await body()
        } catch let failure as ExtensionFailure {
            await report(listener, user, client, reason: failure.code.name, failure)
            throw failure
        } catch let objection as SignUpObjection {
            await report(listener, user, client, reason: objection.word, nil)
            throw objection
        }
    }

    private func report(
        _ listener: CustomExtension, _ user: UserID?, _ client: ClientContext, reason: String,
        _ failure: ExtensionFailure?
    ) async {
        let now = realm.clock.now
        guard realm.extensionTraffic.mayReport(listener.id, at: now) else { return }
        var details: [String: JSONValue] = [
            "extension": .string(listener.id), "event": .string(listener.event.rawValue),
        ]
        details["code"] = failure.map { .integer(Int64($0.code.rawValue)) }
        details["detail"] = failure?.detail.map { .string($0) }
        let event = AuditEvent(
            id: AuditEvent.freshID(at: now, random: realm.random), at: now,
            kind: failure == nil ? .extensionObjected : .extensionFailed, userID: user, context: client, reason: reason,
            details: details)
        // The sign-in fails for its own reason, whether or not this can be written.
        try? await realm.store.write { try $0.append(event) }
    }
}

extension AuditEvent.Kind {
    /// An administrator registered an extension.
    public static let extensionAdded = Self(rawValue: "extension.added")
    /// An administrator removed an extension.
    public static let extensionRemoved = Self(rawValue: "extension.removed")
    /// A custom authentication extension gave no answer that counts; its number is in the details.
    public static let extensionFailed = Self(rawValue: "extension.failed")
    /// A custom authentication extension did not let a sign-up go on.
    public static let extensionObjected = Self(rawValue: "extension.objected")
}
