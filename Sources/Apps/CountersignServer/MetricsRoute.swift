import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PasswordHashing
import PrometheusMetrics
import ServerHTTP
import Traces

/// `GET /metrics`, in Prometheus' text format.
///
/// Numbers tell an attacker how the server fares, so they are for this machine (loopback, and no proxy between) and for
/// administrators; with a separate address, for every client that can connect to it.
struct MetricsRoute: Sendable {
    let opened: OpenedRealm
    let certificate: ServedCertificate?
    let deliveries: DeliveryStatistics
    let hooks: HookDelivery
    let connections: ServerConnections
    let watch: StoreWatch
    let registry: PrometheusRegistry

    func add(to router: some RouterMethods<CountersignRequestContext>, isForEverybody: Bool = false) {
        let (opened, certificate, deliveries, hooks, watch, registry) = (
            opened, certificate, deliveries, hooks, watch, registry
        )
        router.get("metrics") { [connections] request, context in
            guard
                isForEverybody || context.source.isLoopback
                    || request.bearerToken.map(opened.adminToken.matches) ?? false
            else {
                return try Response.json(
                    ["error": "unauthorized"], status: .unauthorized, headers: [.wwwAuthenticate: "Bearer"])
            }
            var samples =
                Self.samples(of: opened, certificate) + connections.statistics.samples + (await watch.samples())
            let waiting = await watch.waitingMessages()
            for channel in OutboxMessage.Channel.allCases {
                samples += Self.samples(of: channel, deliveries, waiting: waiting?[channel])
            }
            samples += opened.tracer?.queue.statistics.samples ?? []
            samples.append(.init("countersign_audit_log_holds", opened.realm.auditSeals.lastFault == nil ? 1 : 0))
            samples += ProcessFigures.samples + hooks.samples + opened.realm.statistics.samples
            let text = registry.text(with: samples, describedBy: MetricDescriptions.all)
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }

    /// What this server delivered, and what waits for any. Where the store does not answer, the number of waiting
    /// messages is unknown.
    private static func samples(
        of channel: OutboxMessage.Channel, _ deliveries: DeliveryStatistics, waiting: Int?
    ) -> [PrometheusRegistry.Sample] {
        let name = "countersign_\(channel.rawValue)"
        let counts = deliveries.counts(of: channel)
        return [
            .init("\(name)_delivered_total", Double(counts.delivered), isCounter: true),
            .init("\(name)_failed_total", Double(counts.failed), isCounter: true),
            .init("\(name)_postponed_total", Double(counts.postponed), isCounter: true),
        ] + (waiting.map { [.init("\(name)_waiting", Double($0))] } ?? [])
    }

    /// What is read from this realm at each scrape.
    private static func samples(
        of opened: OpenedRealm, _ certificate: ServedCertificate?
    ) -> [PrometheusRegistry.Sample] {
        opened.store.samples + (certificate?.samples ?? []) + [
            .init("countersign_password_hashes_waiting", Double(opened.hasher.load))
        ]
    }
}

extension ConnectionStatistics {
    fileprivate var samples: [PrometheusRegistry.Sample] {
        [
            .init("countersign_http_connections", Double(open)),
            .init("countersign_http_connections_refused_total", Double(refused), isCounter: true),
            .init("countersign_http_connections_expired_total", Double(expired.values.reduce(0, +)), isCounter: true),
        ]
    }
}

extension ServedCertificate {
    /// The end is seconds since 1970, so that a rule compares it with `time()`.
    fileprivate var samples: [PrometheusRegistry.Sample] {
        let expiry = expiresAt.map {
            [PrometheusRegistry.Sample("countersign_tls_certificate_expires_at_seconds", $0.timeIntervalSince1970)]
        }
        return (expiry ?? []) + [
            .init("countersign_tls_certificate_replacements_total", Double(statistics.replacements), isCounter: true),
            .init("countersign_tls_certificate_refusals_total", Double(statistics.refusals), isCounter: true),
        ]
    }
}

extension HookDelivery {
    fileprivate var samples: [PrometheusRegistry.Sample] {
        let (counts, standing) = (counts, standing)
        return [
            .init("countersign_hook_delivered_total", Double(counts.delivered), isCounter: true),
            .init("countersign_hook_failed_total", Double(counts.failed), isCounter: true),
            .init("countersign_hook_postponed_total", Double(counts.postponed), isCounter: true),
            .init("countersign_hooks", Double(standing.enabled), labels: [("state", "enabled")]),
            .init("countersign_hooks", Double(standing.failing), labels: [("state", "failing")]),
            .init("countersign_hooks", Double(standing.disabled), labels: [("state", "disabled")]),
            .init("countersign_hook_lag_seconds", standing.lag),
        ]
    }
}

extension SpanQueue.Statistics {
    fileprivate var samples: [PrometheusRegistry.Sample] {
        [
            .init("countersign_spans_exported_total", Double(exported), isCounter: true),
            .init(
                "countersign_spans_dropped_total", Double(overflown), isCounter: true,
                labels: [("reason", "queue-full")]),
            .init(
                "countersign_spans_dropped_total", Double(refused), isCounter: true, labels: [("reason", "not-taken")]),
            .init("countersign_spans_waiting", Double(waiting)),
        ]
    }
}

extension EventStatistics {
    /// Events under the names of metrics: their labels are words of the program.
    fileprivate var samples: [PrometheusRegistry.Sample] {
        var sums: [String: [String: (labels: [(String, String)], value: Double)]] = [:]
        func add(_ name: String, _ labels: [(String, String)], _ count: Int) {
            let key = labels.map(\.1).joined(separator: "\n")
            sums[name, default: [:]][key, default: (labels, 0)].value += Double(count)
        }
        for (key, count) in all {
            let dialect = [("protocol", key.dialect?.rawValue ?? "none")]
            switch key.kind {
            case .signedIn:
                add("countersign_sign_ins_total", dialect, count)
                if let factor = key.secondFactor { add("countersign_second_factors_total", [("kind", factor)], count) }
            case .answerRefused:
                let reason = key.reason ?? "unknown"
                add("countersign_answers_refused_total", [("reason", reason)], count)
                let isLockout = [Refusal.Reason.lockedOut, .authenticatorDisabled].map(\.rawValue).contains(reason)
                if isLockout { add("countersign_lockouts_total", [], count) }
            case .signedUp: add("countersign_sign_ups_total", dialect, count)
            case .userCreated: add("countersign_users_created_total", [], count)
            case .userDeleted: add("countersign_users_deleted_total", [], count)
            case .clientRefused: add("countersign_clients_refused_total", [], count)
            case .refreshTokenReused: add("countersign_refresh_tokens_reused_total", [], count)
            case .factorEnrolled: add("countersign_factors_enrolled_total", [], count)
            default: break
            }
        }
        // A counter without labels is there from the beginning, so that a rule about its increase sees the first one.
        for name in [
            "countersign_lockouts_total", "countersign_users_created_total", "countersign_users_deleted_total",
            "countersign_clients_refused_total", "countersign_refresh_tokens_reused_total",
            "countersign_factors_enrolled_total",
        ] where sums[name] == nil { add(name, [], 0) }
        return sums.sorted { $0.key < $1.key }.flatMap { name, series in
            series.sorted { $0.key < $1.key }.map {
                PrometheusRegistry.Sample(name, $0.value.value, isCounter: true, labels: $0.value.labels)
            }
        }
    }
}
