import Dispatch
import Foundation
import JSON

/// What waits for a device. Ours: see ``DeviceAPI/notifications(waitingUpTo:)``.
public struct PendingNotifications: Decodable, Sendable, Blank, FromTree {
    /// The oldest first. Payloads that are no requests are left out.
    public let notifications: [any Notification]

    init() { notifications = [] }

    private enum CodingKeys: CodingKey { case notifications }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(payloads: try members.decode([Json].self, forKey: .notifications))
    }

    init?(_ tree: JSONValue) {
        guard case .array(let payloads)? = tree["notifications"] else { return nil }
        self.init(payloads: payloads.map { Json($0) })
    }

    private init(payloads: [Json]) {
        notifications = payloads.compactMap { payload in
            guard let userInfo = payload.foundation as? [String: Any] else { return nil }
            return AuthenticationNotification(userInfo: userInfo)
        }
    }
}

/// How ``NotificationSequence`` asks.
public struct PollingPolicy: Sendable, Equatable {
    /// The longest that servers hold an answer back, in seconds.
    public static let longestWait = 55

    /// Seconds that the server holds an answer back while there is nothing, 0 to 55.
    public var wait = longestWait
    /// Seconds between two questions while all that waits is known already, or where a server holds no answer back.
    public var pause: TimeInterval = 2
    /// Seconds after a first failure; doubled with each that follows.
    public var firstRetry: TimeInterval = 1
    /// The longest time between two attempts, in seconds.
    public var longestRetry: TimeInterval = 60
    /// How many failures in a row end the sequence. With the defaults that is after about nine minutes.
    public var failures = 15

    /// Asks and waits as the properties' defaults say; change the properties for another policy.
    public init() {}

    /// Seconds to wait after so many failures in a row.
    /// - Parameter jitter: 0 to 1; spreads the devices that a server's restart has thrown out.
    func retry(after failures: Int, jitter: Double) -> TimeInterval {
        let doubled = firstRetry * pow(2, Double(min(max(failures - 1, 0), 30)))
        return min(doubled, longestRetry) * (0.5 + jitter / 2)
    }
}

/// Login requests to a device that asks for them. Each is given once, as long as it waits.
///
/// An outage is waited for, as ``PollingPolicy`` says; what a device cannot correct, for instance that it is no longer
/// enrolled, is thrown at once. Ends with `CancellationError` when its task is cancelled.
public struct NotificationSequence: AsyncSequence, Sendable {
    public typealias Element = any Notification

    private let device: any DeviceAPI
    private let policy: PollingPolicy
    /// For tests.
    var sleep: @Sendable (TimeInterval) async throws -> Void = { seconds in
        try await Task.sleep(nanoseconds: UInt64(Swift.max(seconds, 0) * 1_000_000_000))
    }

    init(device: any DeviceAPI, policy: PollingPolicy) {
        self.device = device
        self.policy = policy
    }

    public func makeAsyncIterator() -> Iterator { Iterator(device: device, policy: policy, sleep: sleep) }

    /// Asks the server while its `next()` is awaited. Each iterator gives every waiting request once more.
    public struct Iterator: AsyncIteratorProtocol {
        let device: any DeviceAPI
        let policy: PollingPolicy
        let sleep: @Sendable (TimeInterval) async throws -> Void
        /// Not given yet, the oldest first.
        private var queue: [any Notification] = []
        /// The tokens of the last answer, all of which were given.
        private var given: Set<String> = []
        private var failures = 0

        init(
            device: any DeviceAPI, policy: PollingPolicy, sleep: @escaping @Sendable (TimeInterval) async throws -> Void
        ) {
            self.device = device
            self.policy = policy
            self.sleep = sleep
        }

        public mutating func next() async throws -> (any Notification)? {
            while queue.isEmpty {
                try Task.checkCancellation()
                do {
                    let began = DispatchTime.now()
                    let waiting = try await device.notifications(waitingUpTo: policy.wait).start().notifications
                    failures = 0
                    queue = waiting.filter { !given.contains($0.transactionToken) }
                    given = Set(waiting.map(\.transactionToken))
                    // What is known is answered at once, again and again, until it is decided.
                    let waited = TimeInterval(DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds) / 1e9
                    if queue.isEmpty, !waiting.isEmpty || waited < 1 { try await sleep(policy.pause) }
                } catch let error where Self.isPassing(error) {
                    failures += 1
                    guard failures < policy.failures else { throw error }
                    try await sleep(policy.retry(after: failures, jitter: Double.random(in: 0...1)))
                }
            }
            return queue.removeFirst()
        }

        /// Whether the same question may be answered later: no answer arrived, or the server has failed.
        private static func isPassing(_ error: any Error) -> Bool {
            if let error = error as? NetworkError {
                switch error.code {
                case .serverError, .rateLimited: return true
                case .failedRequest: return error.statusCode == 0
                default: return false
                }
            }
            let status = (error as? GuardianError)?.info["statusCode"] as? Int ?? 0
            return status == 429 || status >= 500
        }
    }
}
