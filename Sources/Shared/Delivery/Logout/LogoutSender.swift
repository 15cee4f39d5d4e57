import CountersignCore
import Foundation

/// Tells applications that a session of a user ended (OpenID Connect Back-Channel Logout 1.0, section 2.5).
public final class LogoutSender: MessageSender {
    public let channel = OutboxMessage.Channel.logout
    public let retries = RetryPolicy.logout
    public let concurrency = 16

    /// Seconds that an application has for its answer.
    static let timeout = Duration.seconds(5)

    /// What an application is told, and where.
    public struct Call: Sendable {
        public let url: String
        public let logoutToken: Secret<String>
        /// Whether no administrator checked the application: then it is told at public addresses alone.
        public let isStrangers: Bool

        public init(url: String, logoutToken: Secret<String>, isStrangers: Bool = false) {
            self.url = url
            self.logoutToken = logoutToken
            self.isStrangers = isStrangers
        }
    }

    private let http: OutboundHTTP
    private let compose: @Sendable (OpenedMessage) async throws -> Call?

    /// - Parameters:
    ///   - http: is its maker's to shut down.
    ///   - compose: makes the token, anew for each attempt; nil where the application is gone, or does not want to be told any more.
    public init(http: OutboundHTTP, compose: @escaping @Sendable (OpenedMessage) async throws -> Call?) {
        self.http = http
        self.compose = compose
    }

    public func isReady() async throws -> Bool { true }

    public func shutDown() async {}

    public func send(_ message: OpenedMessage) async -> DeliveryResult {
        do {
            guard let call = try await compose(message) else { return .leftToRecipient }
            let form = "logout_token=\(call.logoutToken.reveal())"
            var exchange = OutboundHTTP.Exchange(
                .post(Data(form.utf8), type: "application/x-www-form-urlencoded"), call.url, timeout: Self.timeout,
                bodyLimit: 0)
            exchange.isStrangers = call.isStrangers
            switch await http.send(exchange) {
            case .success(let answer): return Self.result(ofStatus: answer.status)
            case .failure(let failure) where failure == .malformedURL || failure == .blocked:
                return .refused(reason: failure.reason)
            case .failure(let failure): return .postponed(reason: failure.reason)
            }
        } catch is StoreError {
            return .postponed(reason: "store")
        } catch is SealingError {
            return .postponed(reason: "master-key-missing")
        } catch {
            return .postponed(reason: "cancelled")
        }
    }

    /// 200, or 204 as some frameworks have it, is done; 400 is the application's own word that the token does not suit it (section
    /// 2.8). Anything else comes from something in between, or from an application in trouble, and may pass.
    static func result(ofStatus status: Int) -> DeliveryResult {
        switch status {
        case 200, 204: .delivered
        case 400: .refused(reason: "status-400")
        default: .postponed(reason: "status-\(status)")
        }
    }
}
