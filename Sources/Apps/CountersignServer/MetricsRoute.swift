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
/// Numbers tell an attacker how the server fares, so they are for this machine (loopback) and for administrators.
struct MetricsRoute: Sendable {
    let opened: OpenedRealm
    let certificate: ServedCertificate?
    let registry: PrometheusRegistry

    func add(to router: some RouterMethods<CountersignRequestContext>) {
        let (opened, certificate, registry) = (opened, certificate, registry)
        router.get("metrics") { request, context in
            guard context.source.isLoopback || request.bearerToken.map(opened.adminToken.matches) ?? false else {
                return try Response.json(["error": "unauthorized"], status: .unauthorized)
            }
            let text = registry.text() + PrometheusRegistry.text(of: Self.samples(of: opened, certificate))
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }

    /// What is read from this realm when somebody looks.
    private static func samples(
        of opened: OpenedRealm, _ certificate: ServedCertificate?
    ) -> [PrometheusRegistry.Sample] {
        opened.store.samples + (certificate?.samples ?? []) + [
            .init("countersign_password_hashes_waiting", Double(opened.hasher.load)),
            .init("process_resident_memory_bytes", Double(ProcessMemory.residentBytes ?? 0)),
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
