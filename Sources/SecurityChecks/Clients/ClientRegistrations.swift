import CountersignCore
import Foundation

/// Clients of security checks: installations of applications that registered themselves.
public struct ClientRegistrations: Sendable {
    let realm: Realm

    /// What came of a request by or about a client.
    public enum Outcome: Sendable {
        /// The client's registration after the request. Where the question was whether it is served: it is.
        case registered(ClientRegistration)
        /// The client is not served, and nothing was changed for it.
        case refused(ClientRefusal)
    }

    /// Makes a client.
    public func register(
        device: ClientRegistration.Device, application: ClientRegistration.Application, key: ClientKey,
        by client: ClientContext
    ) async throws -> Outcome {
        let realm = realm
        let now = realm.clock.now
        let id = RegisteredClientID(random: realm.random)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            if let source = client.limitedSource,
                let until = try transaction.charge(
                    ClientLimits.registrations, key: CounterKey.registrations(from: source), at: now)
            {
                return .refused(.limited(until: until))
            }
            let registration = ClientRegistration(id: id, key: key, device: device, application: application, at: now)
            if let refusal = try transaction.refusal(of: registration) { return .refused(refusal) }
            let digest = CheckRow.registration(id)
            let row = ClientRecord(
                kind: .registration, digest: digest, userID: nil, createdAt: now,
                expiresAt: ClientRegistration.expiry(at: now),
                body: try realm.sealer.seal(
                    JSONEncoder().encode(registration), for: .client(.registration, digest), in: transaction))
            guard try transaction.insert(row) else { return .refused(.unknownClient) }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .clientRegistered, userID: nil, context: client,
                    details: ["application": .string(application.id)]))
            return .registered(registration)
        }
    }

    /// Writes down what a client says of itself now. The caller has seen that the client's key signed it.
    public func update(
        _ id: RegisteredClientID, device: ClientRegistration.Device, application: ClientRegistration.Application,
        by client: ClientContext
    ) async throws -> Outcome {
        try await change(ClientReference(to: id)) { registration, transaction in
            registration.device = device
            registration.application = application
            return try transaction.refusal(of: registration)
        }
    }

    /// Says whether a device is served, for one of its clients.
    public func setStatus(
        _ status: ClientRegistration.Status, of reference: ClientReference, by actor: ClientContext
    ) async throws -> Outcome {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await change(reference) { registration, transaction in
            registration.status = status
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .clientStatusChanged, userID: nil, context: actor,
                    details: [
                        "application": .string(registration.application.id), "status": .string(status.rawValue),
                    ]))
            return nil
        }
    }

    /// Changes the context of a registration: for resources that enrol or withdraw something.
    /// - Parameter body: may run twice.
    public func changeContext(
        of id: RegisteredClientID, _ body: @escaping @Sendable (inout RegistrationContext) -> Void
    ) async throws -> Outcome {
        try await change(ClientReference(to: id)) { registration, transaction in
            body(&registration.context)
            return try transaction.refusal(of: registration)
        }
    }

    /// The client, whatever its status; nil where there is none.
    public func client(_ id: RegisteredClientID) async throws -> ClientRegistration? {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { try $0.client(id, sealer: realm.sealer, at: now)?.registration }
    }

    /// The client with the settings of security checks, for who verifies what it signed; nil where there is none.
    public func signer(
        _ id: RegisteredClientID, in checks: SecurityCheckCatalogue
    ) async throws -> (client: ClientRegistration, settings: SecurityCheckSettings)? {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let found = try transaction.client(id, sealer: realm.sealer, at: now, checks.memory) else {
                return nil
            }
            return (found.registration, try transaction.settings().securityChecks)
        }
    }

    /// The client, and whether it is served.
    public func standing(of id: RegisteredClientID) async throws -> Outcome {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let found = try transaction.client(id, sealer: realm.sealer, at: now) else {
                return .refused(.unknownClient)
            }
            return try transaction.refusal(of: found.registration).map { .refused($0) }
                ?? .registered(found.registration)
        }
    }

    /// Forgets a client: it has to register again, and its tokens are invalid. False where there is none.
    public func remove(_ reference: ClientReference, by actor: ClientContext) async throws -> Bool {
        let realm = realm
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let found = try transaction.client(reference, sealer: realm.sealer, at: now),
                try transaction.deleteClientRecord(.registration, digest: found.row.digest)
            else { return false }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .clientRemoved,
                    userID: found.registration.context.registeredUser?.account,
                    context: actor, details: ["application": .string(found.registration.application.id)]))
            return true
        }
    }

    private func change(
        _ reference: ClientReference,
        _ body: @escaping @Sendable (inout ClientRegistration, any StoreTransaction) throws -> ClientRefusal?
    ) async throws -> Outcome {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.write { transaction in
            guard var found = try transaction.client(reference, sealer: realm.sealer, at: now) else {
                return .refused(.unknownClient)
            }
            if let refusal = try body(&found.registration, transaction) { return .refused(refusal) }
            found.registration.seenAt = now
            guard try transaction.update(found, sealer: realm.sealer, at: now) else {
                return .refused(.unknownClient)
            }
            return .registered(found.registration)
        }
    }
}

/// Why a client is not served.
public enum ClientRefusal: Sendable, Equatable {
    /// No client has the id, or it was removed, or forgotten after a long silence: it has to register again.
    case unknownClient
    /// No such application, or no entry for this version of it.
    case unknownApplication
    /// The operator has disabled this version of the application. Clients show `message`, and lead to `downloadLink`
    /// where there is one.
    case applicationDisabled(message: String, downloadLink: String?)
    /// The device is lost, stolen or put away.
    case deviceDisabled(ClientRegistration.Status)
    /// The source, or the client itself, has asked too often; the same request may be accepted after `until`.
    case limited(until: Date)
}

/// A registration with its row.
struct StoredClient {
    var registration: ClientRegistration
    var row: ClientRecord

    init(_ row: ClientRecord, _ sealer: Sealer, _ memory: CheckMemory? = nil) throws {
        if let memory {
            registration = try memory.registration(of: row, sealer)
        } else {
            let plain = try sealer.open(row.body, for: row.address)
            registration = try JSONDecoder().decode(ClientRegistration.self, from: plain)
        }
        self.row = row
    }
}

extension ClientRegistration {
    static func expiry(at now: Date) -> Date { now + Double(lifetimeDays) * 86_400 }
}

extension StoreTransaction {
    func client(
        _ id: RegisteredClientID, sealer: Sealer, at now: Date, _ memory: CheckMemory? = nil
    ) throws -> StoredClient? {
        try client(ClientReference(to: id), sealer: sealer, at: now, memory)
    }

    func client(
        _ reference: ClientReference, sealer: Sealer, at now: Date, _ memory: CheckMemory? = nil
    ) throws -> StoredClient? {
        guard let row = try clientRecord(.registration, digest: reference.digest), row.expiresAt > now else {
            return nil
        }
        return try StoredClient(row, sealer, memory)
    }

    /// Where a registration belongs to an account, it goes with it.
    func update(_ stored: StoredClient, sealer: Sealer, at now: Date) throws -> Bool {
        var row = stored.row
        row.userID = try stored.registration.context.registeredUser?.account.flatMap { try user($0)?.id }
        row.expiresAt = ClientRegistration.expiry(at: now)
        row.body = try sealer.seal(JSONEncoder().encode(stored.registration), for: row.address, in: self)
        return try update(row)
    }

    /// The descriptor of a client's application; nil where there is none.
    func version(of application: ClientRegistration.Application) throws -> ApplicationVersion? {
        try self.application(ClientID(rawValue: application.id))?.registration.version(of: application)
    }

    /// The same, as the checks of a catalogue see it.
    func version(
        of application: ClientRegistration.Application, _ memory: CheckMemory
    ) throws -> ApplicationVersion? {
        memory.version(of: application, in: try self.application(ClientID(rawValue: application.id)))
    }

    func refusal(of client: ClientRegistration) throws -> ClientRefusal? {
        refusal(of: client, by: try version(of: client.application))
    }

    /// - Parameter version: the client's, as it is in this transaction.
    func refusal(of client: ClientRegistration, by version: ApplicationVersion?) -> ClientRefusal? {
        guard let version else { return .unknownApplication }
        if case .disabled(let message, let link) = version.access {
            return .applicationDisabled(message: message, downloadLink: link)
        }
        return client.status == .active ? nil : .deviceDisabled(client.status)
    }
}

extension Realm {
    /// Clients of security checks.
    public var clients: ClientRegistrations { ClientRegistrations(realm: self) }
}
