import CountersignCore
import Foundation
import Logging
import PrometheusMetrics
import ServerHTTP
import ServiceLifecycle

/// Asks the store how it is, for readiness and metrics: a caller waits no longer than two seconds, and all concurrent
/// callers share one question.
struct StoreWatch: Sendable {
    let realm: Realm
    private let question = BoundedQuestion<StoreHealth>(patience: .seconds(2))
    private let counting = BoundedQuestion<[OutboxMessage.Channel: Int]>(patience: .seconds(2))

    init(realm: Realm) {
        self.realm = realm
    }

    /// Seconds that the clocks may differ before it is worth a word.
    static let toleratedSkew = 1.0

    /// - Returns: nil where the store does not answer in time.
    func health() async throws -> StoreHealth? {
        try await question.answer { [realm] in try await realm.storeHealth() }
    }

    func readiness() async -> Readiness {
        do {
            guard let health = try await health() else { return Readiness(reasons: ["The store does not answer."]) }
            return Readiness(
                reasons: health.takesWrites ? [] : ["The store takes no writes."],
                warnings: health.clockWarning.map { [$0] } ?? [], clockSkew: health.clockSkew)
        } catch let error as SealingError {
            return Readiness(reasons: ["\(error) Put it into the master key file; it is read within seconds."])
        } catch {
            return Readiness(reasons: ["The store does not answer."])
        }
    }

    /// What `/metrics` tells of it.
    func samples() async -> [PrometheusRegistry.Sample] {
        let health = try? await health()
        return [.init("countersign_store_answers", health == nil ? 0 : 1)]
            + (health.map { [.init("countersign_store_takes_writes", $0.takesWrites ? 1 : 0)] } ?? [])
            + (health?.clockSkew.map { [.init("countersign_store_clock_skew_seconds", $0)] } ?? [])
    }

    /// How many messages wait for each channel; nil where the store does not answer in time.
    func waitingMessages() async -> [OutboxMessage.Channel: Int]? {
        try? await counting.answer { [realm] in
            var counts: [OutboxMessage.Channel: Int] = [:]
            for channel in OutboxMessage.Channel.allCases {
                counts[channel] = try await realm.outbox.waiting(for: channel)
            }
            return counts
        }
    }
}

extension StoreHealth {
    /// A sentence where the clocks differ by more than is good.
    var clockWarning: String? {
        guard let clockSkew, abs(clockSkew) >= StoreWatch.toleratedSkew else { return nil }
        let seconds = (abs(clockSkew) * 10).rounded() / 10
        return "This server's clock is \(seconds) s \(clockSkew > 0 ? "ahead of" : "behind") the database's."
    }
}

/// Looks at the store every half minute, and logs what an operator has to correct: that the clocks differ.
struct StoreWatchService: NamedService {
    let watch: StoreWatch
    let logger: Logger
    var interval: Duration = .seconds(30)

    /// What the log calls it.
    var description: String { "Store watch" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isWarned = false
            while !Task.isCancelled {
                await readWhatIsPublished()
                // A store that does not answer is in the log already.
                if let health = try? await watch.health() {
                    let warning = health.clockWarning
                    if let warning, !isWarned { logger.warning("\(warning) Let both follow a time server.") }
                    if warning == nil, isWarned { logger.notice("This server's clock and the database's agree again.") }
                    isWarned = warning != nil
                }
                // A cancelled sleep is the shutting down, and no error.
                try? await Task.sleep(for: interval)
            }
        }
    }

    /// What has to be answered while the store is away is read while it is there, also where no client has asked for it.
    private func readWhatIsPublished() async {
        _ = try? await watch.realm.keyring.jwks()
        _ = try? await watch.realm.publishedSettings()
        _ = try? await watch.realm.resources.published()
    }
}
