import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

import struct SecurityChecks.ClientKey

extension SecurityChecks {
    /// `POST registration/v1/self`: a client makes itself known.
    func register(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        let statement = try await registrationStatement(request)
        let weak = try await realm.settings().securityChecks.weakForms
        let key: ClientKey
        let claims: TokenClaims
        do {
            key = try ClientKey(of: statement, accepting: weak)
            claims = try key.claims(of: statement, accepting: weak)
        } catch {
            throw SecurityChecksError.invalidRequest(Self.advice(on: error))
        }
        let (device, application) = try described(claims)
        switch try await realm.clients.register(
            device: device, application: application, key: key, by: call.client)
        {
        case .refused(let refusal): throw SecurityChecksError(refusal)
        case .registered(let client):
            return try .json(
                RegistrationResponse(), status: .created,
                headers: [.location: Endpoint.registeredClient(client.id.rawValue)])
        }
    }

    /// `PUT registration/v1/self/{clientId}`: device or application have changed.
    func updateRegistration(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        let statement = try await registrationStatement(request)
        guard statement.namesNone(but: call.pathClient), let client = try await realm.clients.client(call.pathClient)
        else { throw SecurityChecksError.unknownClient }
        let weak = try await realm.settings().securityChecks.weakForms
        guard let claims = try? client.key.claims(of: statement, accepting: weak) else {
            throw SecurityChecksError.unknownClient
        }
        let (device, application) = try described(claims)
        // What was proven on one device, or with one application, is not carried to another.
        guard device.id == client.device.id, application.id == client.application.id else {
            throw SecurityChecksError.unknownClient
        }
        switch try await realm.clients.update(client.id, device: device, application: application, by: call.client) {
        case .refused(let refusal): throw SecurityChecksError(refusal)
        case .registered: return try .json(RegistrationResponse())
        }
    }

    /// `GET registration/v1/self/{clientId}`: what the client may read of itself.
    func showRegistration(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        let client = try await client(of: SignedRequest(clientAssertion: call.query["client_assertion"]))
        guard client.id == call.pathClient else { throw SecurityChecksError.unknownClient }
        return try .json(RegistrationAnswer(OwnDocument(client: ClientDocument(client))))
    }

    /// What the operator can do about a refused registration.
    private static func advice(on fault: ClientKey.Fault) -> String {
        switch fault {
        case .weakForm(.sharedSecrets):
            "This client signs with a shared secret (HS256), which is not taken here unless the setting "
                + "securityChecks.acceptsSharedSecrets is switched on."
        case .weakForm:
            "This client's RSA key has less than 2048 bits, which is not taken here unless the setting "
                + "securityChecks.acceptsSmallKeys is switched on."
        case .malformed, .unsupportedKey, .wrongSignature:
            "signedRegistrationData is not signed by the key in its header, or that key is not taken here."
        }
    }

    private func registrationStatement(_ request: Request) async throws -> ClientKey.Statement {
        let body = try await Self.body(RegistrationRequest<JSONValue>.self, of: request, accepting: .json)
        guard let parts = body.signedRegistrationData,
            let statement = try? ClientKey.Statement(
                header: parts.header, payload: parts.payload, signature: parts.signature)
        else {
            throw SecurityChecksError.invalidRequest("signedRegistrationData has no header, payload and signature.")
        }
        return statement
    }

    private func described(
        _ claims: TokenClaims
    ) throws -> (ClientRegistration.Device, ClientRegistration.Application) {
        let data: RegistrationData<JSONValue>
        do {
            data = try LenientJSON.decode(RegistrationData<JSONValue>.self, from: .object(claims.members))
        } catch {
            throw SecurityChecksError.invalidRequest("The registration data cannot be read: \(error)")
        }
        func text(_ value: String?, _ name: String, longest: Int) throws -> String {
            guard let plain = PlainText(value, bytes: 1...longest) else {
                throw SecurityChecksError.invalidRequest("\(name) is missing or too long.")
            }
            return plain.text
        }
        let device = ClientRegistration.Device(
            id: try text(data.device?.id, "device.id", longest: 256),
            platform: try text(data.device?.platform, "device.platform", longest: 1024),
            hardware: try text(data.device?.hardware, "device.hardware", longest: 1024),
            displayName: try data.device?.deviceDisplayName.map { try text($0, "deviceDisplayName", longest: 256) })
        let application = ClientRegistration.Application(
            id: try text(data.application?.id, "application.id", longest: 256),
            clientPlatform: try text(data.application?.clientPlatform, "application.clientPlatform", longest: 64),
            version: try data.application?.version.map { try text($0, "application.version", longest: 64) })
        return (device, application)
    }

    /// A body, or this dialect's words for what is wrong with it.
    static func body<T: Decodable>(
        _ type: T.Type, of request: Request, accepting formats: RequestBodyFormats
    ) async throws -> T {
        do {
            return try await request.decodeBody(as: type, accepting: formats)
        } catch let fault as RequestBodyFault {
            throw request.uri.path.hasPrefix(Endpoint.base + "/az/")
                ? SecurityChecksError.invalidOAuthRequest("\(fault)") : SecurityChecksError.invalidRequest("\(fault)")
        }
    }
}

/// A client as it reads itself: the vendor's SDKs look for all of it in the member `registration`.
struct OwnDocument: Encodable {
    let client: ClientDocument

    private struct Registration: Encodable {
        let device: DeviceData
        let application: ApplicationData
        let attributes: [String: JSONValue]
    }

    private enum CodingKeys: CodingKey {
        case registration
    }

    func encode(to encoder: any Encoder) throws {
        try client.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(
            Registration(device: client.device, application: client.application, attributes: client.attributes),
            forKey: .registration)
    }
}

/// A client, as itself and administrators read it.
struct ClientDocument: Encodable {
    let clientId: String
    let device: DeviceData
    let application: ApplicationData
    let attributes: [String: JSONValue]

    init(_ client: ClientRegistration) {
        clientId = client.id.rawValue
        device = DeviceData(client)
        application = ApplicationData(client)
        attributes = client.context.publicAttributes
    }
}

extension DeviceData {
    init(_ client: ClientRegistration) {
        self.init(
            id: client.device.id, platform: client.device.platform, hardware: client.device.hardware,
            deviceDisplayName: client.device.displayName, status: DeviceStatus(rawValue: client.status.rawValue))
    }
}

extension ApplicationData {
    init(_ client: ClientRegistration) {
        self.init(
            id: client.application.id, clientPlatform: client.application.clientPlatform,
            version: client.application.version)
    }
}
