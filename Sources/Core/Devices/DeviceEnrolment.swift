import Foundation

/// What a device says of itself when it enrols.
public struct DeviceRegistration: Sendable {
    /// What it calls itself.
    public var identifier: String
    /// What people call it.
    public var name: String
    public var key: DeviceKey
    /// `APNS` or `GCM`; nil where it only asks for itself.
    public var service: String?
    public var pushToken: String?

    public init(
        identifier: String, name: String, key: DeviceKey, service: String? = nil, pushToken: String? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.key = key
        self.service = service
        self.pushToken = pushToken
    }
}

/// What a device is told when it has enrolled.
public struct DeviceEnrolment: Sendable {
    public let factor: FactorRecord
    public let user: User
    /// By which it changes or removes itself, and asks for requests.
    public let token: Secret<String>
    /// The secret of its codes (SHA-1, six digits, 30 s); nil where codes are switched off.
    public let totpSecret: Secret<[UInt8]>?
    /// Nil where the user had one already.
    public let recoveryCode: Secret<String>?
}

/// What waits for a device that enrols. The id is known beforehand, as the screen that shows the ticket waits for it.
struct DeviceOffer: Codable, Sendable, Equatable {
    var factorID: FactorID
    var totpSecret: Data?
}

/// What a device needs to enrol.
public struct DeviceTicket: Sendable {
    public let handle: FlowHandle
    public let factorID: FactorID
    public let user: User
    public let totpSecret: Secret<[UInt8]>?
    public let expiresAt: Date
}

extension Enrolments {
    public enum DeviceOutcome: Sendable {
        case offered(DeviceTicket)
        case refused(EnrolmentRefusal)
        /// The invitation or the sign-in that the offer is to come from is not one, or not any more.
        case unknown(Refusal.Reason)
    }

    /// Invites a user to enrol a device, in the name of an administrator who has made sure of who it is. Good for one
    /// enrolment within five days.
    public func inviteDevice(
        for userID: UserID, lifetime: TimeInterval = FlowLifetime.invitation, by client: ClientContext
    ) async throws -> DeviceOutcome {
        let draft = DeviceDraft(realm: realm, prefix: "gten_")
        let eventID = AuditEvent.freshID(at: draft.now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(userID) else { return .refused(.userNotFound) }
            let outcome = try draft.offer(to: user, lifetime: lifetime, client: client, in: transaction)
            if case .offered(let ticket) = outcome {
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: draft.now, kind: .deviceInvited, userID: userID, context: client,
                        details: ["factor": .string(ticket.factorID.rawValue)]))
            }
            return outcome
        }
    }

    /// Begins the enrolment that an invitation is for. It may be begun several times, and completed once.
    public func beginDevice(invitation handle: FlowHandle, by client: ClientContext) async throws -> DeviceOutcome {
        let draft = DeviceDraft(realm: realm)
        return try await realm.store.write { transaction in
            guard let flow = try transaction.flow(digest: handle.digest), let userID = flow.userID else {
                return .unknown(.unknownFlow)
            }
            let body = try FlowBody.open(flow, with: draft.sealer)
            guard body.purpose == .enrolFactor, case .registration = body.challenge else {
                return .unknown(.unknownFlow)
            }
            if flow.finishedAt != nil { return .unknown(.flowFinished) }
            if flow.expiresAt <= draft.now { return .unknown(.flowExpired) }
            guard let user = try transaction.user(userID) else { return .refused(.userNotFound) }
            return try draft.offer(
                to: user, lifetime: FlowLifetime.deviceTicket, client: client, invitation: flow.digest, in: transaction)
        }
    }

    /// Begins to enrol a device in the middle of a sign-in that needs a second factor, for a user who has none.
    ///
    /// Never for one who has: a password alone must not add another key.
    public func beginDevice(during handle: FlowHandle, by client: ClientContext) async throws -> DeviceOutcome {
        let draft = DeviceDraft(realm: realm)
        return try await realm.store.write { transaction in
            guard let flow = try transaction.flow(digest: handle.digest), let userID = flow.userID else {
                return .unknown(.unknownFlow)
            }
            let body = try FlowBody.open(flow, with: draft.sealer)
            guard body.purpose == .signIn, body.challenge == .secondFactor, body.canEnrol else {
                return .unknown(.unknownFlow)
            }
            if flow.finishedAt != nil { return .unknown(.flowFinished) }
            if flow.expiresAt <= draft.now { return .unknown(.flowExpired) }
            guard let user = try transaction.user(userID) else { return .refused(.userNotFound) }
            if let epoch = body.tokenEpoch, epoch != user.tokenEpoch { return .refused(.revoked) }
            guard user.email == nil || user.profile.emailVerified else { return .refused(.unverifiedEmail) }
            guard try !transaction.factors(of: userID).contains(where: \.kind.isSecondFactor) else {
                return .refused(.limitReached)
            }
            return try draft.offer(
                to: user, lifetime: FlowLifetime.deviceTicket, client: client, invitation: nil, in: transaction)
        }
    }

    /// A fresh recovery code for somebody, in place of any earlier one; nil where there is no such user, or none who has
    /// a second factor.
    public func makeRecoveryCode(for userID: UserID, by client: ClientContext) async throws -> Secret<String>? {
        let realm = realm
        let now = realm.clock.now
        let code = RecoveryCodeFactor.fresh(random: realm.random)
        let factorID = FactorID(rawValue: realm.random.uuid())
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            let factors = try transaction.factors(of: userID)
            guard factors.contains(where: \.kind.isSecondFactor) else { return nil }
            for earlier in factors where earlier.kind == .recoveryCode { _ = try transaction.remove(earlier.id) }
            try transaction.insertRecoveryCode(code, id: factorID, of: userID, at: now, sealer: realm.sealer)
            try transaction.append(
                AuditEvent(id: eventID, at: now, kind: .recoveryCodeMade, userID: userID, context: client))
            return code
        }
    }
}

/// The lots of an offer, drawn before its transaction.
private struct DeviceDraft: Sendable {
    let now: Date
    let sealer: Sealer
    let handle: FlowHandle
    let factorID: FactorID
    let secret: [UInt8]

    init(realm: Realm, prefix: String = "") {
        now = realm.clock.now
        sealer = realm.sealer
        handle = FlowHandle(random: realm.random, prefix: prefix)
        factorID = FactorID(rawValue: "dev_\(realm.random.string(16, of: .alphanumeric))")
        secret = realm.random.bytes(20)
    }

    func offer(
        to user: User, lifetime: TimeInterval, client: ClientContext, invitation: Data? = nil,
        in transaction: any StoreTransaction
    ) throws -> Enrolments.DeviceOutcome {
        let settings = try transaction.settings()
        guard settings.secondFactors.offersPush else { return .refused(.notOffered) }
        guard try transaction.factors(of: user.id).count(where: { $0.kind == .push }) < PushFactor.limit else {
            return .refused(.limitReached)
        }
        let offersCodes = settings.secondFactors.offersTOTP
        let offer = DeviceOffer(factorID: factorID, totpSecret: offersCodes ? Data(secret) : nil)
        var body = FlowBody(
            purpose: .enrolFactor, client: client, challenge: .registration(offer), tokenEpoch: user.tokenEpoch)
        body.invitation = invitation
        let expiresAt = now + lifetime
        _ = try transaction.insert(
            FlowRecord(
                digest: handle.digest, userID: user.id, purpose: FlowPurpose.enrolFactor.rawValue, createdAt: now,
                expiresAt: expiresAt, body: try body.sealed(by: sealer, digest: handle.digest, in: transaction)))
        return .offered(
            DeviceTicket(
                handle: handle, factorID: factorID, user: user, totpSecret: offersCodes ? Secret(secret) : nil,
                expiresAt: expiresAt))
    }
}

extension StoreTransaction {
    func insertRecoveryCode(
        _ code: Secret<String>, id: FactorID, of userID: UserID, at now: Date, sealer: Sealer
    ) throws {
        _ = try insert(
            FactorRecord(
                id: id, userID: userID, kind: .recoveryCode, name: "", createdAt: now,
                payload: try sealer.seal(
                    RecoveryCodeFactor.payload(of: code), for: .factor(id), in: self)))
    }
}
