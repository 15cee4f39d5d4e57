import ClientHTTP
import Foundation
import GuardianWire

/// ``API`` over HTTP.
struct APIClient: API {
    private let base: Result<URL, GuardianError>
    private let telemetry: Auth0TelemetryInfo?
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Date

    init(
        _ address: ServerAddress, _ telemetry: Auth0TelemetryInfo? = nil,
        transport: any HTTPTransport = URLSessionTransport.shared, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        base = address.apiBase
        self.telemetry = telemetry
        self.transport = transport
        self.now = now
    }

    var baseUrl: URL { (try? base.get()) ?? .nowhere }

    func enroll(
        withTicket enrollmentTicket: String, identifier: String, name: String, notificationToken: String,
        verificationKey: any VerificationKey
    ) -> Request<Device, Enrollment> {
        let url = endpoint { base throws(GuardianError) in try base.endpoint("api", "enroll") }
        return request("POST", url) { _ in
            guard !enrollmentTicket.isEmpty, HeaderText.isOne(enrollmentTicket), !enrollmentTicket.contains("\"")
            else { throw GuardianError.invalidEnrollmentURI }
            guard let key = PublicKeyJWK(verificationKey) else { throw GuardianError.invalidJWK }
            return RequestPlan.Content(
                headers: ["Authorization": "Ticket id=\"\(enrollmentTicket)\""],
                body: Device(
                    identifier: identifier, name: name, notificationToken: notificationToken, publicKey: key))
        }
    }

    func resolve(
        transaction transactionToken: String, withChallengeResponse challengeResponse: String
    ) -> Request<Transaction, NoContent> {
        resolve(transaction: transactionToken) { _ in challengeResponse }
    }

    /// - Parameter answer: makes the signed answer for an audience and a time, when the request is started.
    func resolve(
        transaction transactionToken: String, key: (any SigningKey)? = nil,
        answer: @escaping @Sendable (_ context: (audience: String, now: Date)) throws -> String
    ) -> Request<Transaction, NoContent> {
        let now = now
        let url = endpoint { base throws(GuardianError) in try base.endpoint("api", "resolve-transaction") }
        return request("POST", url, key: key) { url in
            RequestPlan.Content(
                headers: try HeaderText.bearer(transactionToken),
                body: Transaction(challengeResponse: try answer((url.absoluteString, now()))))
        }
    }

    func device(forEnrollmentId id: String, token: String) -> any DeviceAPI {
        DeviceAPIClient(self, id: id, bearer: .opaque(token))
    }

    func device(forEnrollmentId enrollmentId: String, userId: String, signingKey: any SigningKey) -> any DeviceAPI {
        DeviceAPIClient(
            self, id: enrollmentId,
            bearer: .selfSigned(SelfSignedToken(enrollmentId: enrollmentId, userId: userId, key: signingKey)))
    }

    func device(of device: EnrolledDevice) -> any DeviceAPI {
        device.deviceToken.isEmpty
            ? self.device(forEnrollmentId: device.id, userId: device.userId, signingKey: device.signingKey)
            : DeviceAPIClient(self, id: device.id, bearer: .opaque(device.deviceToken))
    }

    func endpoint(_ path: (URL) throws(GuardianError) -> URL) -> Result<URL, GuardianError> {
        base.flatMap { base in Result { () throws(GuardianError) in try path(base) } }
    }

    func request<T: Encodable & Sendable, E: Decodable & Sendable>(
        _ method: String, _ url: Result<URL, GuardianError>, timeout: TimeInterval = 60,
        key: (any SigningKey)? = nil, content: @escaping @Sendable (URL) throws -> RequestPlan<T>.Content
    ) -> Request<T, E> {
        Request(
            RequestPlan(method, url, timeout: timeout, key: key, telemetry: telemetry, content: content), transport)
    }

    /// A bearer for a device.
    func authorization(_ bearer: DeviceBearer) throws -> [String: String] {
        switch bearer {
        case .opaque(let token): return try HeaderText.bearer(token)
        case .selfSigned(let token):
            let audience = endpoint { base throws(GuardianError) in try base.endpoint("api", "device-accounts") }
            return try HeaderText.bearer(token.text(for: audience.get().absoluteString, at: now()))
        }
    }
}

extension PublicKeyJWK {
    /// Nil for a key of a kind that Guardian has no use for.
    init?(_ key: any VerificationKey) {
        if let rsa = key.jwk {
            self.init(kty: rsa.kty, use: rsa.use, alg: rsa.alg, n: rsa.n, e: rsa.e)
        } else if let elliptic = key.ellipticJWK {
            self.init(
                kty: elliptic.kty, use: elliptic.use, alg: elliptic.alg, crv: elliptic.crv, x: elliptic.x,
                y: elliptic.y)
        } else {
            return nil
        }
    }
}

/// What may stand in a header: nothing that would end it.
enum HeaderText {
    static func isOne(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7e).contains($0) } }

    static func bearer(_ token: String, scheme: String = "Bearer") throws(GuardianError) -> [String: String] {
        guard !token.isEmpty, isOne(token) else { throw .invalidIdentifier("The token cannot stand in a header.") }
        return ["Authorization": "\(scheme) \(token)"]
    }
}
