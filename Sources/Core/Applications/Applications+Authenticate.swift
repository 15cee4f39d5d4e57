import Foundation
import JSON

extension Applications {
    /// Judges the credentials that a request shows of its application. The only way to take a request for an application's.
    ///
    /// - Wrong credentials count against the requester's address (100 in ten minutes), are in the log, and are
    ///   answered alike whether there is such an application or not, after the same work.
    /// - Right ones write nothing, unless they are an assertion, which is remembered because it is good once.
    /// - The limit is asked, a secret compared and a wrong one counted in one transaction: many at once, sent to several servers
    ///   on one store, get no more looks than the limit has (`docs/decisions/0144`). What cannot be guessed is looked at before
    ///   that transaction: a signature, because it takes longer, and a secret that this server drew, because then a right one only
    ///   reads (`docs/decisions/0291`).
    /// - Parameters:
    ///   - expectation: what the endpoint takes.
    ///   - client: who asks, from where. The log names the application where there is one.
    /// - Throws: `StoreError`.
    public func authenticate(
        _ credentials: ClientCredentials, expecting expectation: ClientExpectation, by client: ClientContext
    ) async throws -> ClientAuthentication {
        try await authenticate(credentials, expecting: expectation, by: client, judging: Companion<Never>?.none)
            .application
    }

    /// The same, and once the application is known, something else that the request brings: in the transaction that finds the application's
    /// secret right, where one does, otherwise in one after it.
    /// - Returns: what came of the companion; nil where there is none, and where the credentials are refused.
    public func authenticate<Answer: Sendable>(
        _ credentials: ClientCredentials, expecting expectation: ClientExpectation, by client: ClientContext,
        judging companion: Companion<Answer>?
    ) async throws -> (application: ClientAuthentication, answer: Answer?) {
        let shown: ShownCredentials
        switch ShownCredentials.read(credentials) {
        case .failure(let refusal): return (.refused(refusal), nil)
        case .success(let read): shown = read
        }
        if let refusal = try await refusal(ofDocument: shown, expectation, client) { return (.refused(refusal), nil) }
        let attempt = ClientAttempt(
            shown: shown, expectation: expectation, client: client, now: realm.clock.now,
            part: ChargeID(random: realm.random).part)
        let recognised = try await recognise(attempt, companion)
        let outcome = if let recognised { recognised.application } else { try await judge(attempt) }
        guard case .authenticated(let application, let method) = outcome else { return (outcome, nil) }
        if method != .none { realm.applicationUses.note(application.id, by: client.dialect) }
        if let recognised { return recognised }
        guard let companion else { return (outcome, nil) }
        return (outcome, try await companion.transaction(realm.store) { try companion.judge($0, application, method) })
    }

    /// Something that a request brings beside its application's credentials, and that counts for nothing without them.
    public struct Companion<Answer: Sendable>: Sendable {
        typealias Judgement =
            @Sendable (any StoreTransaction, Application, ClientAuthenticationMethod) throws -> Answer

        fileprivate let writes: Bool
        fileprivate let judge: Judgement

        /// - Parameters:
        ///   - writes: whether it changes a row.
        ///   - judge: what becomes of it, once the application is known and by which method.
        init(writes: Bool, judge: @escaping Judgement) {
            self.writes = writes
            self.judge = judge
        }

        /// A transaction of the kind that it needs.
        fileprivate func transaction<T: Sendable>(
            _ store: any Store, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
        ) async throws -> T {
            // What is written is one row by its key.
            writes ? try await store.write(.rows, body) : try await store.read(body)
        }
    }

    /// Why an application that is known by a document is not judged; nil where it is, and of every other.
    private func refusal(
        ofDocument shown: ShownCredentials, _ expectation: ClientExpectation, _ client: ClientContext
    ) async throws -> ClientAuthenticationRefusal? {
        guard expectation.takesEveryOrigin else { return nil }
        switch try await realm.clientDocuments.prepare(shown.clientID, by: client) {
        case nil: return nil
        case .limited(let until): return .limited(until: until)
        // As one that does not exist: what it shows cannot be judged.
        case .notAdmitted, .unusable, .unreachable: return shown.method == .none ? .unknown : .wrongCredentials
        }
    }

    /// Looks for a secret that this server drew, or for an application that shows nothing but its name, and then at the companion, in one
    /// transaction.
    /// - Returns: nil where the credentials are to be judged where they can be counted.
    private func recognise<Answer: Sendable>(
        _ attempt: ClientAttempt, _ companion: Companion<Answer>?
    ) async throws -> (application: ClientAuthentication, answer: Answer?)? {
        if case .nothing = attempt.shown.proof { return try await identify(attempt, companion) }
        guard case .secret(let spellings) = attempt.shown.proof, attempt.takesMethod,
            spellings.contains(where: { $0.reveal().utf8.count == ApplicationRegistration.drawnSecretLength })
        else { return nil }
        let body = { @Sendable (transaction: any StoreTransaction) throws -> (ClientAuthentication, Answer?)? in
            guard let outcome = try attempt.recognise(spellings, in: transaction) else { return nil }
            guard case .authenticated(let application, let method) = outcome else { return (outcome, nil) }
            return (outcome, try companion?.judge(transaction, application, method))
        }
        guard let companion else { return try await realm.store.read(body) }
        return try await companion.transaction(realm.store, body)
    }

    private func judge(_ attempt: ClientAttempt) async throws -> ClientAuthentication {
        let now = attempt.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        switch attempt.shown.proof {
        case .nothing: return try await identify(attempt.shown.clientID, attempt.expectation)
        case _ where !attempt.takesMethod: return .refused(.methodNotAdmitted)
        case .secret(let spellings):
            return try await realm.store.write { transaction in
                try attempt.settle(in: transaction, naming: eventID) { registration in
                    spellings.reduce(false) { registration.hasSecret($1, at: now) || $0 } ? nil : "secret"
                }
            }
        case .assertion(let assertion):
            switch try await realm.store.read({ try attempt.begin(in: $0) }) {
            case .ended(let authentication): return authentication
            case .open(let application, _):
                let registration = application?.registration ?? ApplicationRegistration()
                // No transaction is open while the keys are fetched.
                let keys = await keys(of: registration, naming: assertion.keyID, at: now)
                let judged = assertion.judge(
                    by: keys, expecting: attempt.expectation.assertions(of: registration.oauth), at: now)
                let published = registration.oauth.jwksURI
                return try await realm.store.write {
                    try attempt.settle(judged, published: published, in: $0, naming: eventID)
                }
            }
        }
    }

    /// The keys that an application signs with: those that were registered, and those that it publishes. No transaction may be open.
    func keys(
        of registration: ApplicationRegistration, naming keyID: String?, at now: Date
    ) async -> [AssertionKey] {
        guard let uri = registration.oauth.jwksURI else { return registration.assertionKeys }
        return registration.assertionKeys
            + (await realm.clientKeySets.keys(
                of: uri, isStrangers: registration.oauth.isUnchecked, naming: keyID, at: now))
    }

    /// - Returns: nil where there is no companion, and where it does not only read.
    private func identify<Answer: Sendable>(
        _ attempt: ClientAttempt, _ companion: Companion<Answer>?
    ) async throws -> (application: ClientAuthentication, answer: Answer?)? {
        guard let companion, !companion.writes else { return nil }
        let body = { @Sendable (transaction: any StoreTransaction) throws -> (ClientAuthentication, Answer?)? in
            let found = try transaction.application(attempt.shown.clientID)
            let outcome = Self.identified(found, attempt.expectation)
            guard case .authenticated(let application, let method) = outcome else { return (outcome, nil) }
            return (outcome, try companion.judge(transaction, application, method))
        }
        return try await realm.store.read(body)
    }

    /// An application that shows nothing but its name.
    private func identify(_ id: ClientID, _ expectation: ClientExpectation) async throws -> ClientAuthentication {
        Self.identified(try await application(id), expectation)
    }

    private static func identified(
        _ application: Application?, _ expectation: ClientExpectation
    ) -> ClientAuthentication {
        guard let application, expectation.admits(application) else { return .refused(.unknown) }
        // A method that needs credentials admits no application without any.
        if application.registration.isConfidential || !application.registration.oauth.admits(.none) {
            return .refused(.credentialsMissing)
        }
        guard expectation.methods.contains(.none) else { return .refused(.methodNotAdmitted) }
        return .authenticated(application, by: .none)
    }
}

extension Applications.Companion where Answer == AccessToken? {
    /// An access token that an application asks about: what it stands for, where it counts.
    public static func asking(about token: PresentedAccessToken) -> Self {
        Self(writes: false) { transaction, _, _ in try token.token(in: transaction) }
    }
}

extension Applications.Companion where Answer == Tokens.ProofJudgement {
    /// The proof of a key, which is remembered.
    /// - Parameter demand: whether it has to have a nonce, by the method that the application is known by.
    public static func proving(
        _ proof: Tokens.OpenProof,
        nonces demand: @escaping @Sendable (RealmSettings, ClientAuthenticationMethod) -> Bool
    ) -> Self {
        Self(writes: true) { transaction, _, method in
            try proof.judge(in: transaction) { demand($0, method) }
        }
    }
}

/// One request's credentials on their way through the limits. What happens in a transaction may happen twice.
private struct ClientAttempt: Sendable {
    let shown: ShownCredentials
    let expectation: ClientExpectation
    let client: ClientContext
    let now: Date
    /// At which part of a limit that has several to begin.
    let part: Int

    /// Whether the endpoint takes the method that is shown.
    var takesMethod: Bool { expectation.methods.contains(shown.method) }

    enum Beginning: Sendable {
        case ended(ClientAuthentication)
        /// To be judged by this application's registration, and then counted in these counters where they are wrong.
        case open(Application?, ifWrong: [AttemptCounter])
    }

    /// Asks the limit of the address, and counts nothing.
    func begin(in transaction: any StoreTransaction) throws -> Beginning {
        let application = try transaction.application(shown.clientID).flatMap { expectation.admits($0) ? $0 : nil }
        let source = client.limitedSource.map { Allowance(.clientsPerSource, CounterKey.clients(from: $0)) }
        switch try transaction.ask([source].compactMap { $0 }, at: now, from: part) {
        case .refused(_, let refusal): return .ended(.refused(.limited(until: refusal.instant)))
        case .admitted(let counters):
            if let application, !application.registration.isConfidential, application.registration.oauth.kind == nil,
                application.registration.oauth.admits(.none), expectation.methods.contains(.none)
            {
                // What a public client of before the kinds shows is not looked at: some libraries send an empty secret.
                return .ended(.authenticated(application, by: .none))
            }
            return .open(application, ifWrong: counters)
        }
    }

    /// Looks for a secret that this server drew, where the limit admits it, and counts nothing.
    /// - Returns: nil where it is none: then it is judged where it can be counted.
    func recognise(_ spellings: [Secret<String>], in transaction: any StoreTransaction) throws -> ClientAuthentication?
    {
        switch try begin(in: transaction) {
        case .ended(let authentication): return authentication
        case .open(let application, _):
            // An application that does not exist has no secret, and takes as long.
            let registration = application?.registration ?? ApplicationRegistration()
            let isRight = spellings.reduce(false) { registration.hasDrawnSecret($1, at: now) || $0 }
            guard let application, isRight, registration.oauth.admits(shown.method) else { return nil }
            return .authenticated(application, by: shown.method)
        }
    }

    /// Judges by the registration as it is now, and counts what is wrong.
    /// - Parameters:
    ///   - eventID: of the event that tells of wrong ones.
    ///   - fault: nil where the credentials are right; otherwise why not, for the log. It is quick.
    func settle(
        in transaction: any StoreTransaction, naming eventID: String,
        _ fault: (ApplicationRegistration) throws -> String?
    ) throws -> ClientAuthentication {
        switch try begin(in: transaction) {
        case .ended(let authentication): return authentication
        case .open(let application, let counters):
            // An application that does not exist has no secret and no keys, and takes as long.
            let registration = application?.registration ?? ApplicationRegistration()
            let method = registration.oauth.admits(shown.method) ? nil : "method"
            guard let reason = try method ?? fault(registration) else {
                return application.map { .authenticated($0, by: shown.method) } ?? .refused(.wrongCredentials)
            }
            try transaction.count(counters)
            var details: [String: JSONValue] = ["method": .string(shown.method.rawValue)]
            // What is no application's name is whatever the requester wrote, and stays out of the log.
            if let application { details["application"] = .string(application.id.rawValue) }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .clientRefused, userID: nil, context: client, reason: reason,
                    details: details))
            return .refused(.wrongCredentials)
        }
    }

    /// - Parameters:
    ///   - judged: everything but whether the assertion is used for the first time.
    ///   - published: where keys were fetched that the application publishes.
    func settle(
        _ judged: Result<ClientAssertion.Good, ClientAssertion.Fault>, published: String?,
        in transaction: any StoreTransaction, naming eventID: String
    ) throws -> ClientAuthentication {
        guard case .success(let good) = judged else {
            return try settle(in: transaction, naming: eventID) { _ in
                if case .failure(let fault) = judged { fault.rawValue } else { nil }
            }
        }
        let limit = Allowance(.assertionsPerApplication, CounterKey.assertions(of: shown.clientID))
        let uses: [AttemptCounter]
        switch try transaction.ask([limit], at: now, from: part) {
        case .refused(_, let refusal): return .refused(.limited(until: refusal.instant))
        case .admitted(let counters): uses = counters
        }
        return try settle(in: transaction, naming: eventID) { registration in
            // The key may have been taken from the application meanwhile.
            guard
                registration.assertionKeys.contains(good.key)
                    || published != nil && registration.oauth.jwksURI == published
            else { return ClientAssertion.Fault.signature.rawValue }
            guard try transaction.insert(UsedToken(good, of: shown.clientID)) else {
                return ClientAssertion.Fault.used.rawValue
            }
            try transaction.count(uses)
            return nil
        }
    }
}

/// The one method of the credentials of a request, and the application they name.
private struct ShownCredentials: Sendable {
    enum Proof: Sendable {
        case nothing
        case secret([Secret<String>])
        case assertion(ClientAssertion)
    }

    let clientID: ClientID
    let method: ClientAuthenticationMethod
    let proof: Proof

    /// RFC 6749, section 2.3: one method in a request. RFC 7521, section 4.2: a `client_id` beside an assertion is its
    /// subject.
    static func read(_ credentials: ClientCredentials) -> Result<ShownCredentials, ClientAuthenticationRefusal> {
        let count = [credentials.basic != nil, credentials.secret != nil, credentials.assertion != nil]
            .count { $0 }
        guard count <= 1, !credentials.hasUnreadableBasic else { return .failure(.malformed) }
        let name: String?
        let method: ClientAuthenticationMethod
        let proof: Proof
        if let basic = credentials.basic, basic.spellings.allSatisfy({ $0.reveal().isEmpty }) {
            // A public client's libraries often send its name with an empty password, which shows nothing (section 2.3.1 lets an
            // empty secret be left out).
            (name, method, proof) = (basic.clientID, .none, .nothing)
        } else if let basic = credentials.basic {
            (name, method, proof) = (basic.clientID, .secretBasic, .secret(basic.spellings))
        } else if let secret = credentials.secret {
            (name, method, proof) = (credentials.clientID, .secretPost, .secret([secret]))
        } else if let text = credentials.assertion {
            guard credentials.assertionType == ClientAssertion.type,
                let assertion = ClientAssertion(text.reveal())
            else { return .failure(.malformed) }
            (name, method, proof) = (assertion.claimed.rawValue, .privateKeyJWT, .assertion(assertion))
        } else {
            (name, method, proof) = (credentials.clientID, .none, .nothing)
        }
        guard let name, !name.isEmpty else { return .failure(.missing) }
        guard PlainText(name, bytes: 1...) != nil, credentials.clientID.map({ $0 == name }) ?? true else {
            return .failure(.malformed)
        }
        return .success(ShownCredentials(clientID: ClientID(rawValue: name), method: method, proof: proof))
    }
}
