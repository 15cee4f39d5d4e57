import Foundation

/// Requests to the devices of a user who signs in: may this go on?
///
/// A device's answer is an answer like others and goes through the one door; it decides about the attempt that waits.
/// The waiting client polls the attempt's status, and claims an approval with ``Answer/approval``.
public struct Approvals: Sendable {
    let realm: Realm

    /// Digits of a number to type, where one is asked for.
    public static let numberDigits = 6

    /// What came of asking.
    public enum Outcome: Sendable {
        /// The devices are asked.
        case asked(Asked)
        /// The attempt cannot be allowed by a device, or not any more.
        case refused(Refusal)
        /// Too many requests to this user's devices.
        case limited(RateLimitStanding)
    }

    /// A request that was made.
    public struct Asked: Sendable {
        /// The request's id, for clients that poll; no secret.
        public let id: String
        /// The devices that are asked.
        public let devices: [FactorRecord]
        /// What the screen that asks has to show; nil where no number is asked for.
        public let number: String?
        /// Until when they can answer.
        public let expiresAt: Date
        /// How many requests this user's devices may still get.
        public let standing: RateLimitStanding
    }

    /// Asks the user's devices, all or one, to allow the attempt.
    ///
    /// A new request takes the place of an earlier one of the same user and application: an abandoned screen cannot be
    /// allowed by mistake.
    ///
    /// - Parameters:
    ///   - handle: of a sign-in that waits for a second factor.
    ///   - expectation: what the handle has to be.
    ///   - factorID: the one device to ask; nil asks all.
    ///   - asksForNumber: whether the person has to type what the asking screen shows.
    public func ask(
        for handle: FlowHandle, expecting expectation: FlowExpectation, device factorID: FactorID? = nil,
        details: ApprovalDetails = ApprovalDetails(), asksForNumber: Bool = false, by client: ClientContext
    ) async throws -> Outcome {
        try await ask(handle, expectation, details, asksForNumber, client) { _, _ in factorID }
    }

    /// The same, of a device that is chosen in the transaction that asks it.
    /// - Parameter choose: gives the one device to ask; nil asks all. It is told how the attempt stands in that transaction; what it throws
    ///   undoes the transaction.
    public func ask(
        for handle: FlowHandle, expecting expectation: FlowExpectation, details: ApprovalDetails = ApprovalDetails(),
        asksForNumber: Bool = false, by client: ClientContext,
        choosing choose: @escaping @Sendable (FlowLook) throws -> FactorID?
    ) async throws -> Outcome {
        let realm = realm
        return try await ask(handle, expectation, details, asksForNumber, client) { transaction, now in
            try choose(
                try Authenticator.look(at: handle, expecting: expectation, at: now, realm: realm, in: transaction))
        }
    }

    private func ask(
        _ handle: FlowHandle, _ expectation: FlowExpectation, _ details: ApprovalDetails, _ asksForNumber: Bool,
        _ client: ClientContext, choosing choose: @escaping @Sendable (any StoreTransaction, Date) throws -> FactorID?
    ) async throws -> Outcome {
        func ask(drawingFor devices: Int) async throws -> Outcome {
            let draft = ApprovalDraft(
                realm: realm, devices: devices, details: details, asksForNumber: asksForNumber, client: client)
            return try await realm.store.write { transaction in
                let device = try choose(transaction, draft.now)
                guard
                    let found = try transaction.flow(
                        of: handle, expecting: expectation, at: draft.now, sealer: draft.sealer)
                else { return .refused(Refusal(.unknownFlow)) }
                return try draft.ask(for: found.record, device: device, in: transaction)
            }
        }
        do {
            return try await ask(drawingFor: Self.fewDevices)
        } catch is ApprovalDraft.MoreDevices {
            return try await ask(drawingFor: PushFactor.limit)
        }
    }

    /// Devices that random values are drawn for at first: most people have one or two.
    static let fewDevices = 3
}

/// A request before it is made: its random values are drawn before the transaction, whose body may run twice.
struct ApprovalDraft: Sendable {
    let now: Date
    let sealer: Sealer
    let details: ApprovalDetails
    let client: ClientContext
    let id: String
    let number: String?
    /// One for each device that can be asked: the transaction finds out how many there are.
    let requests: [RequestValues]
    let eventID: String

    /// The random values of the request to one device.
    struct RequestValues: Sendable {
        let handle: FlowHandle
        let challenge: String
        let message: String
    }

    /// There are more devices than values were drawn for. Thrown before anything of the request is written.
    struct MoreDevices: Error {}

    /// - Parameter devices: how many are asked at most. Where that are fewer than there can be, ``MoreDevices`` may be thrown.
    init(
        realm: Realm, devices: Int, details: ApprovalDetails, asksForNumber: Bool, client: ClientContext
    ) {
        let random = realm.random
        let now = realm.clock.now
        self.now = now
        sealer = realm.sealer
        self.details = details
        self.client = client
        id = random.bytes(16).hex
        number = asksForNumber ? random.string(Approvals.numberDigits, of: .digits) : nil
        requests = (0..<devices).map { _ in
            RequestValues(
                handle: FlowHandle(random: random), challenge: random.bytes(24).base64URL,
                message: AuditEvent.freshID(at: now, random: random))
        }
        eventID = AuditEvent.freshID(at: now, random: random)
    }

    /// Asks, in the transaction in which the attempt was read.
    /// - Parameter factorID: the one device to ask; nil asks all.
    func ask(
        for flow: FlowRecord, device factorID: FactorID? = nil, in transaction: any StoreTransaction
    ) throws -> Approvals.Outcome {
        var flow = flow
        var body = try FlowBody.open(flow, with: sealer)
        guard body.isApprovable, let userID = flow.userID else { return .refused(Refusal(.unknownFlow)) }
        if flow.finishedAt != nil { return .refused(Refusal(.flowFinished)) }
        if flow.expiresAt <= now { return .refused(Refusal(.flowExpired)) }
        if body.approval?.decision?.isAllowed == false { return .refused(Refusal(.approvalRejected)) }
        guard let user = try transaction.user(userID) else { return .refused(Refusal(.userNotFound)) }
        if user.isDisabled { return .refused(Refusal(.userDisabled)) }
        guard try body.goesOn(for: user, at: now, in: transaction) else { return .refused(Refusal(.flowExpired)) }
        guard try transaction.settings().secondFactors.offersPush else { return .refused(Refusal(.factorNotOffered)) }
        let devices = try transaction.factors(of: userID)
            .filter { $0.kind == .push && $0.frozenAt == nil && (factorID == nil || $0.id == factorID) }
        guard !devices.isEmpty else { return .refused(Refusal(.unknownFactor)) }
        guard devices.count <= requests.count || requests.count >= PushFactor.limit else { throw MoreDevices() }

        let standing = try transaction.chargePush(to: userID, at: now)
        guard standing.isAdmitted else { return .limited(standing) }

        let replaced = try transaction.openFlows(
            of: userID, purpose: FlowPurpose.approve.rawValue, at: now, limit: 10 * PushFactor.limit
        ).filter { try FlowBody.open($0, with: sealer).clientID == body.clientID }
        try transaction.reserve(Set((replaced + [flow]).map { .flow($0.digest) } + [.user(userID)]))
        for var earlier in replaced {
            earlier.finishedAt = now
            _ = try transaction.update(earlier)
        }
        var details = details
        details.linkingID = body.requestedAuthorization?.id ?? details.linkingID
        let expiresAt = min(now + FlowLifetime.approval, flow.expiresAt)
        for (device, values) in zip(devices, requests) {
            var request = FlowBody(
                purpose: .approve, client: client,
                challenge: try .deviceDecision(
                    DeviceChallenge(
                        text: values.challenge, factorID: device.id, approvalID: id, flow: flow.digest, number: number)
                ),
                maximumAttempts: 5, tokenEpoch: user.tokenEpoch)
            // The request belongs to the application that waits, whichever client passed it on.
            request.clientID = body.clientID
            let record = FlowRecord(
                digest: values.handle.digest, userID: userID, purpose: FlowPurpose.approve.rawValue, createdAt: now,
                expiresAt: expiresAt,
                body: try request.sealed(by: sealer, digest: values.handle.digest, in: transaction))
            guard try transaction.insert(record) else { return .refused(Refusal(.busy)) }
            let message = DeviceRequest(
                device: device.id, handle: values.handle, challenge: values.challenge, startedAt: now, details: details,
                numberLength: number?.count)
            var content = message.content
            content.expiresAt = expiresAt
            try transaction.send(
                content, to: device.id.rawValue, about: userID, by: .push, id: values.message, at: now,
                sealer: sealer)
        }
        body.approval = Approval(
            id: id, askedAt: now, expiresAt: expiresAt, number: number, devices: devices.map(\.id))
        flow.body = try body.sealed(by: sealer, digest: flow.digest, in: transaction)
        guard try transaction.update(flow) else { return .refused(Refusal(.busy)) }
        try transaction.append(
            AuditEvent(
                id: eventID, at: now, kind: .approvalAsked, userID: userID, context: client,
                details: ["approval": .string(id), "devices": .array(devices.map { .string($0.id.rawValue) })]))
        return .asked(
            Approvals.Asked(id: id, devices: devices, number: number, expiresAt: expiresAt, standing: standing))
    }
}

/// How much of a limit is left: what `X-RateLimit` headers say.
public struct RateLimitStanding: Sendable, Equatable {
    /// How many are admitted in a window.
    public let limit: Int
    /// How many more are admitted in this one.
    public let remaining: Int
    /// When the window is over.
    public let resetAt: Date
    /// False where this very request was one too many.
    public let isAdmitted: Bool
}

extension StoreTransaction {
    /// Counts a request to a user's devices.
    func chargePush(to userID: UserID, at now: Date) throws -> RateLimitStanding {
        let limit = RateLimit.pushesPerUser
        let key = CounterKey.pushes(to: userID)
        switch limit.charge(try counter(key), key: key, at: now) {
        case .admitted(let counter):
            try put(counter)
            return RateLimitStanding(
                limit: limit.count, remaining: limit.count - counter.count, resetAt: counter.since + limit.window,
                isAdmitted: true)
        case .blocked(let until):
            return RateLimitStanding(limit: limit.count, remaining: 0, resetAt: until, isAdmitted: false)
        case .disabled:
            return RateLimitStanding(limit: limit.count, remaining: 0, resetAt: now + limit.window, isAdmitted: false)
        }
    }
}
