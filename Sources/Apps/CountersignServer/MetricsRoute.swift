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
    let registry: PrometheusRegistry

    func add(to router: some RouterMethods<CountersignRequestContext>) {
        let (opened, registry) = (opened, registry)
        router.get("metrics") { request, context in
            guard context.source.isLoopback || request.bearerToken.map(opened.adminToken.matches) ?? false else {
                return try Response.json(["error": "unauthorized"], status: .unauthorized)
            }
            let text = registry.text() + PrometheusRegistry.text(of: Self.samples(of: opened))
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }

    /// What is read from this realm when somebody looks.
    private static func samples(of opened: OpenedRealm) -> [PrometheusRegistry.Sample] {
        opened.store.samples + [
            .init("countersign_password_hashes_waiting", Double(opened.hasher.load)),
            .init("process_resident_memory_bytes", Double(ProcessMemory.residentBytes ?? 0)),
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
