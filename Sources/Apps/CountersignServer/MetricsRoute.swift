import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PasswordHashing
import PrometheusMetrics
import ServerHTTP

/// `GET /metrics`, in Prometheus' text format.
///
/// Numbers tell an attacker how the server fares, so they are for this machine (loopback, and no proxy between) and for
/// administrators; with a separate address, for every client that can connect to it.
struct MetricsRoute: Sendable {
    let opened: OpenedRealm
    let certificate: ServedCertificate?
    let deliveries: DeliveryStatistics
    let connections: ServerConnections
    let watch: StoreWatch
    let registry: PrometheusRegistry

    func add(to router: some RouterMethods<CountersignRequestContext>, isForEverybody: Bool = false) {
        let (opened, certificate, deliveries, watch, registry) = (opened, certificate, deliveries, watch, registry)
        router.get("metrics") { [connections] request, context in
            guard
                isForEverybody || context.source.isLoopback
                    || request.bearerToken.map(opened.adminToken.matches) ?? false
            else {
                return try Response.json(["error": "unauthorized"], status: .unauthorized)
            }
            var samples =
                Self.samples(of: opened, certificate) + connections.statistics.samples + (await watch.samples())
            let waiting = await watch.waitingMessages()
            for channel in OutboxMessage.Channel.allCases {
                samples += Self.samples(of: channel, deliveries, waiting: waiting?[channel])
            }
            let text = registry.text() + PrometheusRegistry.text(of: samples)
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
            .init("countersign_password_hashes_waiting", Double(opened.hasher.load)),
            .init("process_resident_memory_bytes", Double(ProcessMemory.residentBytes ?? 0)),
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

/// How much memory the process holds.
enum ProcessMemory {
    /// Bytes in memory; nil where the system does not say (it does on Linux, in `/proc`).
    static var residentBytes: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = status.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
