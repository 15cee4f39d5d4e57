import Crypto
import Foundation
import OneTimePassword

/// Devices that answer requests: what they may do for themselves, and what is waiting for them.
public struct Devices: Sendable {
    let realm: Realm

    /// A device as it and an administrator see it.
    public struct Device: Sendable {
        /// The id of the factor that the device is.
        public let id: FactorID
        /// The user whose device it is.
        public let userID: UserID
        /// What people call it.
        public let name: String
        /// What it calls itself.
        public let identifier: String
        /// The public key by which its answers are verified.
        public let key: DeviceKey
        /// `APNS` or `GCM`.
        public let service: String?
        /// Its address at the push service; nil where it only asks for itself, or the address was forgotten.
        public let pushToken: String?
        /// When it was enrolled.
        public let enrolledAt: Date
        /// When an answer by it was last right; nil where none was.
        public let lastUsedAt: Date?
        /// Whether its app makes codes too.
        public let hasCodes: Bool
    }

    /// Whether a client is the device.
    public enum Access: Sendable {
        /// It is.
        case granted(Device)
        /// There is no such device.
        case unknownDevice
        /// There is such a device, and the token is not its own.
        case refused
    }

    /// The maximum validity in seconds of a token that a device signed for itself (two hours, as Guardian.swift makes
    /// them).
    static let longestToken: TimeInterval = 7200 + PushFactor.leeway

    /// Whether a client is the device: by the token that it got when it enrolled, or by one that it signed itself.
    /// - Parameters:
    ///   - audiences: what a self-signed token may be made for.
    ///   - subject: what the protocol calls the user.
    public func access(
        to id: FactorID, bearer: Secret<String>, audiences: Set<String>, subject: (UserID) -> String
    ) async throws -> Access {
        guard let (record, payload) = try await find(id) else { return .unknownDevice }
        let token = bearer.reveal()
        let digest = SHA256.digest(of: token)
        if ConstantTime.equal(digest, payload.tokenDigest) { return .granted(Device(record, payload)) }
        let now = realm.clock.now
        guard let claims = try? payload.key.claims(of: token), claims.string("iss") == id.rawValue,
            claims.string("sub") == subject(record.userID),
            let audience = claims.string("aud"), audiences.contains(audience),
            let issuedAt = claims.date("iat"), let expiresAt = claims.date("exp"),
            issuedAt <= now + PushFactor.leeway, expiresAt > now,
            expiresAt.timeIntervalSince(issuedAt) <= Self.longestToken
        else { return .refused }
        return .granted(Device(record, payload))
    }

    /// The user's devices, in the order of enrolment.
    public func devices(of userID: UserID) async throws -> [Device] {
        let sealer = realm.sealer
        return try await realm.store.read { transaction in
            try transaction.factors(of: userID).filter { $0.kind == .push }
                .map { Device($0, try PushFactor.Payload.open($0, with: sealer)) }
        }
    }

    /// The device of this id; nil where there is none.
    public func device(_ id: FactorID) async throws -> Device? {
        try await find(id).map { Device($0, $1) }
    }

    private func find(_ id: FactorID) async throws -> (FactorRecord, PushFactor.Payload)? {
        let sealer = realm.sealer
        return try await realm.store.read { transaction in
            guard let record = try transaction.factor(id), record.kind == .push else { return nil }
            return (record, try PushFactor.Payload.open(record, with: sealer))
        }
    }

    /// What a device may change about itself. Nil leaves a member as it is.
    public struct Change: Sendable {
        /// What it calls itself.
        public var identifier: String?
        /// What people call it.
        public var name: String?
        /// The push service: `APNS` or `GCM`.
        public var service: String?
        /// Its address at the push service.
        public var pushToken: String?

        /// A change of these members.
        public init(
            identifier: String? = nil, name: String? = nil, service: String? = nil, pushToken: String? = nil
        ) {
            self.identifier = identifier
            self.name = name
            self.service = service
            self.pushToken = pushToken
        }
    }

    /// Changes a device; nil where it is gone.
    public func change(_ id: FactorID, _ change: Change, by client: ClientContext) async throws -> Device? {
        let now = realm.clock.now
        let sealer = realm.sealer
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var record = try transaction.factor(id), record.kind == .push else { return nil }
            var payload = try PushFactor.Payload.open(record, with: sealer)
            if let identifier = change.identifier { payload.identifier = identifier }
            if let service = change.service { payload.service = service }
            if let pushToken = change.pushToken { (payload.pushToken, payload.pushTokenAt) = (pushToken, now) }
            if let name = change.name { record.name = name }
            record.payload = try sealer.seal(payload.stored, for: .factor(id), in: transaction)
            guard try transaction.update(record) else { return nil }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .deviceChanged, userID: record.userID, context: client,
                    details: ["factor": .string(id.rawValue)]))
            return Device(record, payload)
        }
    }

    /// Forgets a push token that its service says is no longer in use. The device can still ask for itself.
    /// - Parameters:
    ///   - instant: when the service knew that; a token that the device has registered since stays.
    ///   - reason: the service's word, for the log.
    /// - Returns: whether it was forgotten.
    @discardableResult
    public func forgetPushToken(
        _ token: String, of id: FactorID, unusedSince instant: Date? = nil, reason: String? = nil
    ) async throws -> Bool {
        let now = realm.clock.now
        let sealer = realm.sealer
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var record = try transaction.factor(id), record.kind == .push else { return false }
            var payload = try PushFactor.Payload.open(record, with: sealer)
            guard payload.pushToken == token else { return false }
            if let instant, (payload.pushTokenAt ?? record.createdAt) > instant { return false }
            (payload.pushToken, payload.pushTokenAt) = (nil, nil)
            record.payload = try sealer.seal(payload.stored, for: .factor(id), in: transaction)
            guard try transaction.update(record) else { return false }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .deviceChanged, userID: record.userID, clientID: nil, dialect: nil,
                    source: nil, reason: reason,
                    details: ["factor": .string(id.rawValue), "pushToken": .string("forgotten")]))
            return true
        }
    }

    /// Removes a device: it unenrols itself, or an administrator does it for its owner. With the last second factor the
    /// recovery code and all sessions go too. False where there is no such device.
    public func remove(_ id: FactorID, by client: ClientContext) async throws -> Bool {
        let now = realm.clock.now
        let (sealer, proofs) = (realm.sealer, realm.proofs)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let record = try transaction.factor(id), record.kind == .push else { return false }
            return try transaction.withdraw(record, proofs, at: now, eventID: eventID, by: client, sealer: sealer)
        }
    }

    // MARK: What is waiting

    /// The most requests that a device gets at once.
    static let requestLimit = 10

    /// Whether a request still waits for its device.
    public func isWaiting(_ request: DeviceRequest) async throws -> Bool {
        let now = realm.clock.now
        return try await realm.store.read { try Self.isWaiting(request, at: now, in: $0) }
    }

    private static func isWaiting(
        _ request: DeviceRequest, at now: Date, in transaction: any StoreTransaction
    ) throws -> Bool {
        guard let flow = try transaction.flow(digest: request.handle.digest) else { return false }
        return flow.finishedAt == nil && flow.expiresAt > now
    }

    /// The requests that wait for this device, the oldest first.
    public func requests(to id: FactorID) async throws -> [DeviceRequest] { try await waiting(for: id)?.requests ?? [] }

    /// What waits for a device.
    public struct Waiting: Sendable {
        /// Whose device it is.
        public let user: User
        /// The oldest first.
        public let requests: [DeviceRequest]
    }

    /// The requests that wait for this device and its user, from one snapshot; nil where there is no such device.
    public func waiting(for id: FactorID) async throws -> Waiting? {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let device = try transaction.factor(id), device.kind == .push,
                let user = try transaction.user(device.userID)
            else { return nil }
            let requests = try transaction.outboxMessages(
                to: id.rawValue, by: .push, createdSince: now - FlowLifetime.approval, limit: Self.requestLimit
            ).compactMap { message -> DeviceRequest? in
                guard let request = DeviceRequest(try OpenedMessage(message, with: realm.sealer)),
                    try Self.isWaiting(request, at: now, in: transaction)
                else { return nil }
                return request
            }
            return Waiting(user: user, requests: requests)
        }
    }

    /// The same, or what comes while the device waits. Nil as soon as this server removes the device, by
    /// itself or with its user, and a moment later where another does.
    ///
    /// An idle wait asks the store twice: when it begins and when it ends. What comes meanwhile wakes it, from this process
    /// (``Notifier``) or found by ``DeviceWatch``.
    /// - Parameter time: how long to wait for the first.
    /// - Throws: ``StoreError`` of code `overloaded` where too many wait, for this device or altogether.
    public func waiting(for id: FactorID, upTo time: Duration) async throws -> Waiting? {
        let end = ContinuousClock.now + time
        while true {
            // Before the look: what comes between the look and the wait is noticed.
            let listening = try realm.notifier.admit(to: id.topic)
            let found: Waiting?
            do {
                found = try await waiting(for: id)
                try Task.checkCancellation()
            } catch {
                listening.stop()
                throw error
            }
            let left = end - .now
            guard found?.requests.isEmpty == true, left > .zero else {
                listening.stop()
                return found
            }
            await listening.wait(upTo: left)
        }
    }
}

extension Devices.Device {
    init(_ record: FactorRecord, _ payload: PushFactor.Payload) {
        self.init(
            id: record.id, userID: record.userID, name: record.name, identifier: payload.identifier, key: payload.key,
            service: payload.service, pushToken: payload.pushToken, enrolledAt: record.createdAt,
            lastUsedAt: record.lastUsedAt, hasCodes: payload.totp != nil)
    }
}

extension PushFactor.Payload {
    static func open(_ record: FactorRecord, with sealer: Sealer) throws -> Self {
        let plain = try sealer.open(record.payload, for: .factor(record.id))
        return try Self(stored: plain)
    }
}

extension Devices {
    /// What became of a test.
    public enum TestOutcome: Sendable {
        /// The push waits to be delivered.
        case sent
        /// There is no such device.
        case unknownDevice
        /// It has no address that pushes go to.
        case asksForItself
        /// The realm sends no pushes.
        case notSetUp
    }

    /// The template of a push that asks for nothing.
    public static let testTemplate = "test-push"

    /// Has a push sent that says that pushes arrive. It is no request: the device answers nothing.
    public func sendTest(to id: FactorID, by actor: ClientContext) async throws -> TestOutcome {
        guard let device = try await device(id) else { return .unknownDevice }
        guard try await realm.pushProviders.apnsCredentials() != nil else { return .notSetUp }
        guard device.service == "APNS", device.pushToken != nil else { return .asksForItself }
        let (now, sealer) = (realm.clock.now, realm.sealer)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let messageID = AuditEvent.freshID(at: now, random: realm.random)
        let content = OutboxContent(template: Self.testTemplate, values: [:], expiresAt: now + FlowLifetime.approval)
        try await realm.store.write { transaction in
            try transaction.send(
                content, to: id.rawValue, about: device.userID, by: .push, id: messageID, at: now, sealer: sealer)
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .pushTested, userID: device.userID, context: actor,
                    details: ["device": .string(id.rawValue)]))
        }
        return .sent
    }
}
