import Foundation

/// A browser that waits to be signed in by another device on which its user is signed in (docs/decisions/0298).
struct WaitingBrowser: Codable, Sendable, Equatable {
    /// Seconds for which the codes count.
    static let lifetime: TimeInterval = 120

    /// The digest of its key: no other browser gets the session.
    let key: Data
    /// What it shows beside the code, to be typed on the other device. The link of the code does not have it.
    let number: String
    /// The network that it asks from.
    let network: String?
    /// What it shows as code.
    var userCode = ""
}

extension DeviceAuthorizations {
    private static let client = ClientID(rawValue: "account")

    /// Begins to wait for another device.
    /// - Parameter key: the browser's.
    /// - Returns: nil where the settings have none of it.
    public func begin(signInOf key: BrowserKey, by client: ClientContext) async throws -> Beginning? {
        guard try await realm.settings().browserSessions.otherDevice != .off else { return nil }
        var request = Request(
            client: Self.client, scopes: [], address: client.source, userAgent: client.userAgent)
        request.browser = WaitingBrowser(
            key: key.digest, number: realm.random.string(Approvals.numberDigits, of: .digits),
            network: client.network)
        return try await begin(request, by: client)
    }

    // MARK: The browser that waits

    /// How it is with a browser that waits.
    public enum BrowserStanding: Sendable, Equatable {
        /// - code: what the user types or scans on the other device.
        /// - number: what the user types there beside it.
        case waiting(code: String, number: String, until: Date)
        /// The other device allowed it: the browser may sign in, once.
        case allowed
        /// The other device denied it.
        case denied
        /// Too late, used, or of another browser.
        case over
    }

    /// How it is with the browser that waits under this handle. Looking changes nothing.
    public func standing(ofBrowser handle: FlowHandle, _ key: BrowserKey) async throws -> BrowserStanding {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let (record, body, browser) = try transaction.waitingBrowser(handle, key, sealer: realm.sealer),
                record.finishedAt == nil, record.expiresAt > now
            else { return .over }
            return switch body.decision {
            case nil: .waiting(code: browser.userCode, number: browser.number, until: record.expiresAt)
            case .denied: .denied
            case .allowed: .allowed
            }
        }
    }

    /// Waits of one sign-in. A page begins three a minute.
    static let waits = RateLimit(count: 30, window: 60)

    /// Waits until the other device has decided, or the time is up.
    ///
    /// The decision wakes it (``Notifier``, ``DeviceWatch``); all else is found by looking.
    /// - Parameter limit: how long to wait at most.
    /// - Returns: false where nothing was decided yet.
    /// - Throws: ``StoreError`` of code `overloaded` where too many wait, for this browser or altogether, or too many waits of this browser began
    ///   lately.
    public func isOver(ofBrowser handle: FlowHandle, _ key: BrowserKey, within limit: Duration) async throws -> Bool {
        let awaited = AwaitedDecision(realm: realm, attempt: handle.digest)
        return try await awaited.isOver(
            within: limit, admitting: { realm.polls.admits(handle, Self.waits) },
            while: {
                guard case .waiting = try await standing(ofBrowser: handle, key) else { return false }
                return true
            })
    }

    /// Signs the browser in as the user who allowed it, once.
    ///
    /// The session is its own: once begun, it does not end with the other device's. It was proven with what the user has shown there, which
    /// counts as what can be relayed: a page of an attacker may have led the user to allow the attacker's browser.
    public func signIn(
        browser handle: FlowHandle, _ key: BrowserKey, by client: ClientContext
    ) async throws -> SignedIn? {
        let realm = realm
        let now = realm.clock.now
        let draft = SessionDraft(random: realm.random)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let waiting = try transaction.waitingBrowser(handle, key, sealer: realm.sealer),
                waiting.record.finishedAt == nil, waiting.record.expiresAt > now,
                case .allowed(let id) = waiting.body.decision, let allowing = try transaction.session(id),
                let user = try transaction.user(allowing.userID), !user.isDisabled,
                allowing.isLiving(of: user, at: now),
                try transaction.stands(waiting.body, in: allowing, since: waiting.record.createdAt)
            else { return nil }
            try transaction.reserve([.user(user.id), .flow(waiting.record.digest)])
            var record = waiting.record
            record.finishedAt = now
            guard try transaction.update(record) else { return nil }
            transaction.noteDecision(of: record.digest)
            let proofs = allowing.proofs.map { proof in
                var proof = proof
                proof.assurance = proof.assurance(realm.proofs).subtracting([.phishingResistant, .hardware])
                return proof
            }
            let signedIn = try draft.open(
                for: user, evidence: SessionEvidence(dialect: client.dialect, proofs: proofs),
                clientID: client.clientID, settings: transaction.settings(), at: now, from: client, in: transaction)
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .signedIn, userID: user.id, context: client,
                    details: ["purpose": "other-device", "by": .string(allowing.id.rawValue)]))
            return signedIn
        }
    }

    // MARK: The other device

    /// A browser that waits, as the other device shows it.
    public struct PendingBrowser: Sendable {
        /// As the browser shows it.
        public let userCode: String
        /// Where it asks from.
        public let address: String?
        /// What the browser calls itself; nil where it says nothing. Anyone can claim any text.
        public let userAgent: String?
        /// Until when the code counts.
        public let expiresAt: Date
        /// What keeps the user from allowing it now; nil where nothing does.
        public let obstacle: BrowserObstacle?
    }

    /// What keeps a user from signing in another browser.
    public enum BrowserObstacle: Sendable, Equatable {
        /// The browser is not in this device's network.
        case elsewhere
        /// The user has to show all factors anew first: with a passkey where the user has one.
        case stale(needsPasskey: Bool)
    }

    /// What came of a user code that was typed or scanned.
    public enum BrowserLookup: Sendable {
        /// A browser waits with the code.
        case found(PendingBrowser)
        /// No browser waits with the code.
        case unknown
        /// The user or the source has tried too many wrong codes. Others are looked at from that instant on.
        case limited(until: Date)
    }

    /// The browser of a code that a user typed or scanned. Wrong ones count as those of devices do.
    public func waitingBrowser(
        userCode text: String, for session: Session, by client: ClientContext
    ) async throws -> BrowserLookup {
        let realm = realm
        let now = realm.clock.now
        let digest = UserCode(typed: text)?.digest(realm)
        return try await realm.store.write { transaction in
            let counters: [AttemptCounter]
            switch try transaction.ask(Self.limits(ofCodesBy: session.userID, client), at: now) {
            case .admitted(let admitted): counters = admitted
            case .refused(_, let refusal): return .limited(until: refusal.instant)
            }
            guard let digest,
                let found = try transaction.deviceAuthorization(userCode: digest, at: now, sealer: realm.sealer),
                let browser = found.body.request.browser
            else {
                // The code of what was decided is no guess: the same form comes again.
                let isDecided =
                    try digest.map {
                        try transaction.decision(userCode: $0, at: now, sealer: realm.sealer) != nil
                    } ?? false
                if !isDecided { try transaction.count(counters) }
                return .unknown
            }
            return .found(
                PendingBrowser(
                    userCode: browser.userCode, address: found.body.request.address,
                    userAgent: found.body.request.userAgent, expiresAt: found.record.expiresAt,
                    obstacle: try obstacle(browser, begunAt: found.record.createdAt, session, client, transaction)))
        }
    }

    /// What came of a decision about a browser.
    public enum BrowserDecision: Sendable, Equatable {
        /// The decision is made.
        case done
        /// The code is unknown, too old, or was decided before; or there is an obstacle.
        case unknown
        /// The number is not the one that the browser shows.
        case wrongNumber
        /// Nothing was decided, because of this obstacle.
        case hindered(BrowserObstacle)
        /// The user or the source has tried too many wrong codes. Others are looked at from that instant on.
        case limited(until: Date)
    }

    /// Allows a browser that waits to be signed in as the session's user, or denies it, once. The same decision of the same session, sent
    /// again, is made already.
    /// - Parameter number: what the browser shows, typed on this device. Denying needs none.
    public func decide(
        _ isAllowed: Bool, browser userCode: String, number: String, in session: Session, by client: ClientContext
    ) async throws -> BrowserDecision {
        guard let code = UserCode(typed: userCode) else { return .unknown }
        let realm = realm
        let now = realm.clock.now
        let digest = code.digest(realm)
        let wanted: Body.Decision = isAllowed ? .allowed(session.id) : .denied
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            let counters: [AttemptCounter]
            switch try transaction.ask(Self.limits(ofCodesBy: session.userID, client), at: now) {
            case .admitted(let admitted): counters = admitted
            case .refused(_, let refusal): return .limited(until: refusal.instant)
            }
            guard let found = try transaction.deviceAuthorization(userCode: digest, at: now, sealer: realm.sealer),
                let browser = found.body.request.browser
            else {
                switch try transaction.decision(userCode: digest, at: now, sealer: realm.sealer) {
                case wanted: return .done
                case nil:
                    try transaction.count(counters)
                    return .unknown
                default: return .unknown
                }
            }
            guard let present = try transaction.session(session.id),
                let user = try transaction.user(session.userID), !user.isDisabled, present.isLiving(of: user, at: now)
            else { return .unknown }
            if isAllowed {
                if let obstacle = try obstacle(
                    browser, begunAt: found.record.createdAt, present, client, transaction)
                {
                    return .hindered(obstacle)
                }
                guard ConstantTime.equal(Array(number.utf8), Array(browser.number.utf8)) else {
                    try transaction.count(counters)
                    return .wrongNumber
                }
            }
            guard try transaction.settle(found, wanted, in: present, at: now, sealer: realm.sealer) else {
                return .unknown
            }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .deviceDecided, userID: user.id, context: client,
                    details: ["browser": .bool(true), "allowed": .bool(isAllowed)]))
            return .done
        }
    }

    /// - Parameter begun: when the browser began to wait. What is shown for it is shown since.
    private func obstacle(
        _ browser: WaitingBrowser, begunAt begun: Date, _ session: Session, _ client: ClientContext,
        _ transaction: any StoreTransaction
    ) throws -> BrowserObstacle? {
        let settings = try transaction.settings()
        switch settings.browserSessions.otherDevice {
        case .anywhere: break
        case .sameNetwork where browser.network != nil && browser.network == client.network: break
        case .sameNetwork, .off: return .elsewhere
        }
        let hasPasskey = try transaction.factors(of: session.userID).contains {
            realm.proofs.assurance(of: $0.kind).contains(.phishingResistant)
                && realm.proofs.isOffered($0.kind, settings.secondFactors)
        }
        let isFresh = session.proofs.allSatisfy { $0.at >= begun } && !session.proofs.isEmpty
        let isResistant = session.proofs.contains { $0.assurance(realm.proofs).contains(.phishingResistant) }
        if isFresh, isResistant || !hasPasskey { return nil }
        return .stale(needsPasskey: hasPasskey)
    }
}

extension ClientContext {
    /// The network of the requester: an address, or the prefix of one that a household has.
    fileprivate var network: String? { limitedSource ?? source }
}

extension StoreTransaction {
    /// A browser that waits, where the key is its own.
    fileprivate func waitingBrowser(
        _ handle: FlowHandle, _ key: BrowserKey, sealer: Sealer
    ) throws -> (record: FlowRecord, body: DeviceAuthorizations.Body, browser: WaitingBrowser)? {
        guard let record = try flow(digest: handle.digest), record.purpose == DeviceAuthorizations.purpose else {
            return nil
        }
        let body = try JSONDecoder().decode(
            DeviceAuthorizations.Body.self, from: sealer.open(record.body, for: .flow(record.digest)))
        guard let browser = body.request.browser, key.admits(digest: browser.key) else { return nil }
        return (record, body, browser)
    }
}
