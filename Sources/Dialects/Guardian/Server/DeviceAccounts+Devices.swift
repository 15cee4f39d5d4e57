import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import ServerHTTP

extension Guardian {
    /// `PATCH api/device-accounts/{id}`: a device changes what it said of itself (Guardian.swift,
    /// `DeviceAPIClient`).
    func updateDevice(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let device = try await device(call)
        let body = try await request.decodeBody(as: DeviceAccount.self)
        if let identifier = body.identifier {
            guard PlainText(identifier, bytes: 1...256) != nil else {
                throw GuardianError.invalidBody("identifier has to be a text of 1 to 256 bytes.")
            }
        }
        let push = try PushAddress(body.pushCredentials)
        let change = Devices.Change(
            identifier: body.identifier, name: body.name.map(Self.deviceName), service: push.service,
            pushToken: push.token)
        guard let changed = try await realm.devices.change(device.id, change, by: call.client) else {
            throw GuardianError.unknownEnrollment
        }
        return try .json(DeviceAccount(changed))
    }

    /// `DELETE api/device-accounts/{id}`: a device unenrols.
    func deleteDevice(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let device = try await device(call)
        guard try await realm.devices.remove(device.id, by: call.client) else { throw GuardianError.unknownEnrollment }
        return .done
    }

    /// Seconds that a device may wait for a request in one call.
    static let longestWait = 55

    /// `GET api/device-accounts/{id}/notifications?wait=SECONDS`: what APNs would have delivered, for devices that have
    /// none. Ours; the same payload, and the same device to everything else.
    func notifications(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let device = try await device(call)
        var wait = 0
        if let text = call.query["wait"] {
            guard let seconds = Int(text), (0...Self.longestWait).contains(seconds) else {
                throw GuardianError(400, "invalid_query_string", "wait has to be 0 to \(Self.longestWait) seconds.")
            }
            wait = seconds
        }
        let found: Devices.Waiting?
        if wait > 0 {
            let ended = try await call.departure.awaiting { [wait] in
                try await realm.devices.waiting(for: device.id, upTo: .seconds(wait))
            }
            guard let ended else { return .done }
            found = ended
        } else {
            found = try await realm.devices.waiting(for: device.id)
        }
        // Removed while it waited.
        guard let found else { throw GuardianError.unknownEnrollment }
        guard !found.requests.isEmpty else { return .done }
        let payloads = found.requests.map { payload(of: $0, for: found.user) }
        return try .json(NotificationList(notifications: payloads))
    }

    /// The device that calls, by either of its tokens.
    private func device(_ call: GuardianCall) async throws -> Devices.Device {
        guard let bearer = call.credentials("Bearer") else { throw GuardianError.missingBearer }
        guard let id = call.parameters["id"] else { throw GuardianError.unknownEnrollment }
        switch try await realm.devices.access(
            to: FactorID(rawValue: id), bearer: Secret(bearer), audiences: audiences("device-accounts"),
            subject: Self.name)
        {
        case .granted(let device): return device
        case .unknownDevice: throw GuardianError.unknownEnrollment
        case .refused: throw GuardianError.wrongDeviceToken
        }
    }

    /// What a push of the outbox carries, as the push service and the developer's inbox get it; nil where it asks no
    /// device of an existing user.
    public func pushPayload(_ message: OpenedMessage) async throws -> Data? {
        guard let request = DeviceRequest(message), let device = try await realm.devices.device(request.device),
            let user = try await realm.accounts.user(device.userID)
        else { return nil }
        return payload(of: request, for: user).encoded
    }

    /// A request as a push carries it.
    func payload(of request: DeviceRequest, for user: User) -> PushPayload {
        let details = request.details
        let name = user.email?.canonical ?? user.profile.displayName ?? Self.name(of: user.id)
        let whole = PushPayload(
            device: request.device.rawValue, token: request.handle.token.reveal(), challenge: request.challenge,
            startedAt: request.startedAt, server: baseURL, title: options.tenant,
            body: "Allow the sign-in of \(name.prefix(100))?",
            browser: details.browser.map { ($0.name, $0.version) },
            system: details.system.map { ($0.name, $0.version) },
            place: details.location.map { ($0.name, $0.latitude, $0.longitude) }, linkingID: details.linkingID,
            numberLength: request.numberLength)
        return whole.fitting()
    }
}

extension DeviceAccount {
    /// `push_credentials` with both members or not at all: Guardian.swift reads no half of it.
    init(_ device: Devices.Device) {
        let push = device.service.flatMap { service in
            device.pushToken.map { PushCredentials(service: service, token: $0) }
        }
        self.init(
            id: device.id.rawValue, identifier: device.identifier, name: device.name, pushCredentials: push)
    }
}
