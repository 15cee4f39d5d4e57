import ClientHTTP
import Foundation
import JSON
import KeychainServices
import SecurityChecksWire

/// The server does not know the client, or not with this key: it has to register again. Source: MobileFirst's web SDK.
struct UnknownClient: Error {
    let response: HTTPClientResponse?
}

/// Registers the client where it is not, tells the server what has changed, and signs for the client. Source: MobileFirst's
/// web SDK.
actor Registrar {
    /// Sends a registration, its challenges included.
    typealias Send = @Sendable (_ method: String, _ path: String, _ data: JWSParts) async throws -> HTTPClientResponse

    private let settings: ClientSettings
    private let account: String
    private let storage: any RegistrationStorage
    private let keys: any ClientKeys
    private let send: Send

    private var client: RegisteredClient?
    private var hasLoaded = false
    private var displayName: String?
    private var underWay: Task<RegisteredClient, any Error>?

    /// - Parameter account: what tells this registration from those with other servers and of other apps.
    init(
        settings: ClientSettings, account: String, storage: any RegistrationStorage, keys: any ClientKeys,
        send: @escaping Send
    ) {
        self.settings = settings
        self.account = account
        self.storage = storage
        self.keys = keys
        self.send = send
    }

    /// The client as the server knows it; registers it first where it has to. Callers that come meanwhile wait for the same
    /// registration.
    func registered() async throws -> RegisteredClient {
        if let underWay { return try await underWay.valueUnlessCancelled() }
        if let client = known(), client.device == device(), client.application == settings.application {
            return client
        }
        let task = Task { try await self.settle() }
        underWay = task
        return try await task.valueUnlessCancelled()
    }

    /// The client where it is registered, without a request.
    func known() -> RegisteredClient? {
        if !hasLoaded {
            hasLoaded = true
            do {
                client = try storage.data(for: account).map {
                    try JSONDecoder().decode(RegisteredClient.self, from: $0)
                }
            } catch {
                notice("The stored registration cannot be read and is passed over: \(error)")
            }
        }
        return client
    }

    /// The server knows this client no more. Another that was registered meanwhile stays.
    func forget(_ id: String) {
        guard known()?.id == id else { return }
        client = nil
        do {
            try storage.remove(account)
        } catch {
            notice("The stored registration could not be removed: \(error)")
        }
    }

    func setDisplayName(_ name: String) { displayName = name }

    private func settle() async throws -> RegisteredClient {
        defer { underWay = nil }
        // Twice: a client that is unknown by now is registered again.
        if let client = known() {
            do { return try await update(client) } catch is UnknownClient { forget(client.id) }
        }
        return try await register()
    }

    private func register() async throws -> RegisteredClient {
        guard let numbers = RSAPublicNumbers(pkcs1: try await keys.makeKey(tag: account)) else {
            throw WLError(.unexpectedError, "The client's new key cannot be read.")
        }
        let key = ClientKey(n: JWSParts.part(numbers.modulus), e: JWSParts.part(numbers.exponent))
        let device = device()
        let response = try await send("POST", Endpoint.registration, try await signed(device, key))
        guard (200..<300).contains(response.status) else { throw WLError(refusal: response) }
        try Self.checkVersion(response)
        guard let id = Self.clientID(in: response) else {
            throw WLError.malformed("the registration has no Location with an id", response)
        }
        return keep(RegisteredClient(id: id, device: device, application: settings.application, key: key))
    }

    private func update(_ old: RegisteredClient) async throws -> RegisteredClient {
        var client = old
        client.device = device()
        client.application = settings.application
        var key = client.key
        key.kid = client.id
        let response = try await send(
            "PUT", "\(Endpoint.registration)/\(client.id)", try await signed(client.device, key))
        if response.status == 404 || response.isOfUnknownClient { throw UnknownClient(response: response) }
        guard (200..<300).contains(response.status) else { throw WLError(refusal: response) }
        return keep(client)
    }

    private func keep(_ client: RegisteredClient) -> RegisteredClient {
        self.client = client
        do {
            try storage.save(try JSONEncoder().encode(client), for: account)
        } catch {
            notice("The registration could not be stored: \(error)")
        }
        return client
    }

    private func device() -> DeviceData {
        var device = settings.device
        let known = known()?.device
        device.id = known?.id ?? deviceID()
        device.deviceDisplayName = displayName ?? known?.deviceDisplayName
        return device
    }

    private static let deviceAccount = "device-id"

    /// One for all servers, and one that outlives a registration.
    private func deviceID() -> String {
        if let data = try? storage.data(for: Self.deviceAccount), let id = String(data: data, encoding: .utf8),
            !id.isEmpty
        {
            return id
        }
        let id = UUID().uuidString
        do {
            try storage.save(Data(id.utf8), for: Self.deviceAccount)
        } catch {
            notice("The device's id could not be stored: \(error)")
        }
        return id
    }
}

// What is signed.
extension Registrar {
    private func signed(_ device: DeviceData, _ key: ClientKey) async throws -> JWSParts {
        try await sign(
            RegistrationData<JSONValue>(
                device: device, application: settings.application,
                attributes: ["sdk_protocol_version": .integer(1)]), key)
    }

    /// Proves that the client has its key. Times are the server's, as far as they are known.
    func assertion(of client: RegisteredClient, audience: String?, id: String?, at now: Date) async throws -> String {
        var key = client.key
        key.kid = client.id
        let issued = Int64((now.timeIntervalSince1970 * 1000).rounded())
        let claims = ClientAssertion(
            iss: "\(client.application.id ?? "")$\(client.application.clientPlatform ?? "")$"
                + "\(client.application.version ?? "")",
            sub: client.id, aud: audience, jti: id, iat: issued,
            exp: issued + Int64(ProtocolLimits.assertionSeconds) * 1000)
        return try await sign(claims, key).compact
    }

    private func sign(_ payload: some Encodable, _ key: ClientKey) async throws -> JWSParts {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var parts = JWSParts(
            header: JWSParts.part(try encoder.encode(ClientSignatureHeader(alg: .rs256, jwk: key))),
            payload: JWSParts.part(try encoder.encode(payload)), signature: "")
        guard let signature = try await keys.sign(Data(parts.signedText.utf8), tag: account) else {
            // The key is lost, and with it the registration.
            throw UnknownClient(response: nil)
        }
        parts.signature = JWSParts.part(signature)
        return parts
    }
}

// What a registration's answer says.
extension Registrar {
    /// The last part of the path. Source: MobileFirst's web SDK.
    private static func clientID(in response: HTTPClientResponse) -> String? {
        guard let location = response.header("Location"), let path = URLComponents(string: location)?.path,
            let id = path.split(separator: "/").last.map(String.init), id.utf8.count <= 256
        else { return nil }
        return id.utf8.allSatisfy {
            "-._~".utf8.contains($0) || ($0 < 0x80 && Character(Unicode.Scalar($0)).isLetter)
                || (0x30...0x39).contains($0)
        } ? id : nil
    }

    /// Only where the server names one. Source: MobileFirst's web SDK.
    private static func checkVersion(_ response: HTTPClientResponse) throws {
        guard let version = (try? JSONDecoder().decode(RegistrationResponse.self, from: response.body))?.serverVersion
        else { return }
        let parts = version.split(separator: ".").prefix(3).map { Int($0) ?? 0 }
        guard !parts.lexicographicallyPrecedes([8, 0, 2_017_020_513]) else {
            throw WLError(
                .minimumServer, "The server's version \(version) is too old for this client.",
                response: WLResponse(response))
        }
    }
}

extension HTTPClientResponse {
    /// Source: MobileFirst's web SDK.
    var isOfUnknownClient: Bool {
        guard status == 400 || status == 401 else { return false }
        let invalidID = try? JSONDecoder().decode(ErrorBody.self, from: body).errorCode == .invalidClientID
        let invalidClient = try? JSONDecoder().decode(OAuthErrorBody.self, from: body).error == .invalidClient
        return invalidID == true || invalidClient == true
    }
}
