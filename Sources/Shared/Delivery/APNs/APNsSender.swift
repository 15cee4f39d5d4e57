import AsyncHTTPClient
import CountersignCore
import Crypto
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import OutboundTLS
import Synchronization

/// Where Apple's push service is.
public struct APNsEndpoint: Sendable {
    /// Without a slash at the end.
    public var production: String
    public var sandbox: String
    /// Nil trusts what the system trusts.
    public var trustRoots: NIOSSLTrustRoots?
    /// How long one attempt may take; at most half of ``CountersignCore/OutboxDelivery/lease``.
    public var timeout: Duration

    public init(
        production: String = "https://api.push.apple.com", sandbox: String = "https://api.sandbox.push.apple.com",
        trustRoots: NIOSSLTrustRoots? = nil, timeout: Duration = .seconds(15)
    ) {
        self.production = production
        self.sandbox = sandbox
        self.trustRoots = trustRoots
        self.timeout = timeout
    }
}

/// Sends requests to devices by Apple's push service, over HTTP/2.
///
/// A device without a push token, or of another system, asks for itself: for it there is nothing to do. What a push says is
/// for its dialect to make.
public final class APNsSender: MessageSender {
    /// Makes the JSON of a push, which fits into what Apple takes as far as it can be made to; nil for what no device is
    /// asked by.
    public typealias Composer = @Sendable (OpenedMessage) async throws -> Data?

    public let channel = OutboxMessage.Channel.push
    public let retries = RetryPolicy.push
    public let concurrency = 32

    /// Bytes that Apple takes.
    static let payloadLimit = 4096

    private let realm: Realm
    private let endpoint: APNsEndpoint
    private let compose: Composer
    private let logger: Logger
    /// Made for the first push: most servers have no device that is asked by one, and a start none at all.
    private let client = Mutex(Client.none)
    private let tokens = ProviderTokens()
    /// When the log last reported a reason to the operator.
    private let reported = Mutex<[String: Date]>([:])

    public init(realm: Realm, endpoint: APNsEndpoint = APNsEndpoint(), logger: Logger, compose: @escaping Composer) {
        self.realm = realm
        self.endpoint = endpoint
        self.compose = compose
        self.logger = logger
    }

    private enum Client {
        case none
        case made(HTTPClient)
        case shutDown
    }

    private func connected() throws -> HTTPClient {
        try client.withLock { client in
            switch client {
            case .made(let made): return made
            case .shutDown: throw HTTPClientError.alreadyShutdown
            case .none:
                let made = Self.client(for: endpoint)
                client = .made(made)
                return made
            }
        }
    }

    private static func client(for endpoint: APNsEndpoint) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = .outbound(trusting: endpoint.trustRoots)
        configuration.timeout.connect = .seconds(5)
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    public func isReady() async throws -> Bool {
        try await realm.pushProviders.apnsCredentials() != nil
    }

    public func shutDown() async {
        let ended = client.withLock { client in
            defer { client = .shutDown }
            return client
        }
        if case .made(let made) = ended { try? await made.shutdown() }
    }

    public func send(_ message: OpenedMessage) async -> DeliveryResult {
        do {
            return try await deliver(message)
        } catch let error as StoreError {
            if isDue("store") { logger.warning("a push could not be prepared: \(error)") }
            return .postponed(reason: "store")
        } catch is SealingError {
            return .postponed(reason: "master-key-missing")
        } catch is CancellationError {
            return .postponed(reason: "cancelled")
        } catch {
            // Its text may name the address, and with it the device's token.
            logger.debug("APNs could not be reached", metadata: ["error": "\(type(of: error))"])
            return .postponed(reason: "connection")
        }
    }

    private func deliver(_ message: OpenedMessage) async throws -> DeliveryResult {
        guard let credentials = try await realm.pushProviders.apnsCredentials(),
            let device = try await realm.devices.device(FactorID(rawValue: message.message.recipient)),
            device.service == "APNS", let deviceToken = device.pushToken,
            let payload = try await payload(of: message)
        else { return .leftToRecipient }
        guard payload.count <= Self.payloadLimit else { return .refused(reason: "PayloadTooLarge") }
        var (refused, answer) = (String?.none, APNsVerdict.expiredProviderToken)
        for _ in 0..<2 where answer == .expiredProviderToken {
            let token = try await tokens.token(for: credentials, at: realm.clock.now, except: refused)
            answer = try await send(message, payload, to: deviceToken, credentials, token)
            refused = token
        }
        return try await result(of: answer, deviceToken: deviceToken, of: device)
    }

    /// Nil for a request that waits no more, and for what no device is asked by.
    private func payload(of message: OpenedMessage) async throws -> Data? {
        if message.content.template == Devices.testTemplate { return Self.testPayload }
        guard let request = DeviceRequest(message), try await realm.devices.isWaiting(request) else { return nil }
        return try await compose(message)
    }

    /// A push that asks for nothing. It is for those who set the service up, and in English.
    private static let testPayload = Data(
        #"{"aps":{"alert":{"title":"Test","body":"Pushes of this server arrive."}}}"#.utf8)

    private func send(
        _ message: OpenedMessage, _ payload: Data, to deviceToken: String,
        _ credentials: PushProviders.APNsCredentials, _ providerToken: String
    ) async throws -> APNsVerdict {
        let host = credentials.isSandbox ? endpoint.sandbox : endpoint.production
        var request = HTTPClientRequest(url: "\(host)/3/device/\(deviceToken)")
        request.method = .POST
        let headers = APNsHeaders(message: message.message, expiresAt: message.content.expiresAt, retries: retries)
        request.headers.add(contentsOf: headers.fields(topic: credentials.bundleID, providerToken: providerToken))
        request.body = .bytes(ByteBuffer(bytes: payload))
        let response = try await connected().execute(request, timeout: .nanoseconds(endpoint.timeout.nanoseconds))
        var body = try await response.body.collect(upTo: 16_384)
        return APNsVerdict(
            status: Int(response.status.code), body: Data(body.readBytes(length: body.readableBytes) ?? []),
            retryAfter: response.headers.first(name: "retry-after"))
    }

    private func result(
        of verdict: APNsVerdict, deviceToken: String, of device: Devices.Device
    ) async throws -> DeliveryResult {
        switch verdict {
        case .delivered: return .delivered
        case .deadToken(let reason, let since):
            try await realm.devices.forgetPushToken(deviceToken, of: device.id, unusedSince: since, reason: reason)
            return .refused(reason: reason)
        case .expiredProviderToken:
            tellOperator("ExpiredProviderToken", "the server's clock may be wrong")
            return .postponed(reason: "ExpiredProviderToken")
        case .postponed(let reason, let after, let isOperators):
            if isOperators { tellOperator(reason, "check key_id, team_id, p8, bundle_id and sandbox") }
            return .postponed(reason: reason, after: after)
        case .refused(let reason):
            if isDue("refused \(reason)") {
                logger.error("APNs refuses the requests", metadata: ["reason": "\(reason)"])
            }
            return .refused(reason: reason)
        }
    }

    /// Logs once a minute what only an operator can correct.
    private func tellOperator(_ reason: String, _ remedy: String) {
        if isDue(reason) { logger.error("APNs refuses the provider: \(remedy)", metadata: ["reason": "\(reason)"]) }
    }

    /// Once a minute for each kind: users have pushes sent, and so many lines they do not have written.
    private func isDue(_ kind: String) -> Bool {
        let now = realm.clock.now
        return reported.withLock { reported in
            if let last = reported[kind], abs(now.timeIntervalSince(last)) < 60 { return false }
            reported[kind] = now
            return true
        }
    }
}

/// What is said about a push beside its payload ("Sending notification requests to APNs").
struct APNsHeaders {
    /// The same for every attempt, so that a device does not show a repeated one twice.
    let id: String
    let collapseID: String
    /// Seconds since 1970; after that Apple need not try any more.
    let expiration: Int64

    init(message: OutboxMessage, expiresAt: Date?, retries: RetryPolicy) {
        var bytes = Array(SHA256.hash(data: Data("apns/\(message.id)".utf8)).prefix(16))
        // A UUID of our own making (RFC 9562, section 5.8).
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        let hex = bytes.hex
        let parts = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)]
        id = parts.map { String(hex.dropFirst($0.0).prefix($0.1)) }.joined(separator: "-")
        collapseID = String(message.id.prefix(64))
        expiration = (expiresAt ?? message.createdAt + retries.lifetime).seconds
    }

    func fields(topic: String, providerToken: String) -> [(String, String)] {
        [
            ("authorization", "bearer \(providerToken)"), ("apns-topic", topic), ("apns-push-type", "alert"),
            ("apns-priority", "10"), ("apns-expiration", String(expiration)), ("apns-id", id),
            ("apns-collapse-id", collapseID), ("content-type", "application/json"),
        ]
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
