import Foundation
import PrometheusMetrics
import ServerHTTP

/// What Prometheus expects of every process, under the names of its client libraries, and which Countersign this is.
///
/// Linux tells it in `/proc` (proc(5)); what a system does not tell is left out.
enum ProcessFigures {
    static var samples: [PrometheusRegistry.Sample] {
        let version = ServerVersion.current
        let build = PrometheusRegistry.Sample(
            "countersign_build_info", 1,
            labels: [
                ("version", version.number), ("commit", version.commit ?? ""), ("date", version.date ?? ""),
            ])
        let stat = stat
        let values: [(String, Double?, isCounter: Bool)] = [
            ("process_cpu_seconds_total", stat?.cpu, true),
            ("process_start_time_seconds", stat.flatMap { stat in bootTime.map { $0 + stat.start } }, false),
            ("process_resident_memory_bytes", stat?.residentBytes, false),
            ("process_virtual_memory_bytes", stat?.virtualBytes, false),
            ("process_threads", stat?.threads, false),
            ("process_open_fds", openDescriptors, false),
            ("process_max_fds", Double(OpenFiles.limit), false),
        ]
        return [build]
            + values.compactMap { name, value, isCounter in
                value.map { PrometheusRegistry.Sample(name, $0, isCounter: isCounter) }
            }
    }

    struct Stat {
        /// Seconds in user and kernel mode.
        var cpu: Double
        /// Seconds after the system's start.
        var start: Double
        var threads: Double
        var virtualBytes: Double
        var residentBytes: Double

        /// What a line of `/proc/PID/stat` says. The program's name stands in parentheses and may have any character, so that what
        /// follows the last one counts.
        init?(_ line: String, ticks: Double, pageSize: Double) {
            guard ticks > 0, let end = line.lastIndex(of: ")") else { return nil }
            // The first field here is the third of the page, state.
            let fields = line[line.index(after: end)...].split(whereSeparator: \.isWhitespace)
            func field(_ number: Int) -> Double? { fields.count > number - 3 ? Double(fields[number - 3]) : nil }
            guard let user = field(14), let system = field(15), let threads = field(20), let start = field(22),
                let virtual = field(23), let pages = field(24)
            else { return nil }
            cpu = (user + system) / ticks
            self.start = start / ticks
            self.threads = threads
            virtualBytes = virtual
            residentBytes = pages * pageSize
        }
    }

    private static var stat: Stat? {
        (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)).flatMap {
            Stat($0, ticks: Double(sysconf(Int32(_SC_CLK_TCK))), pageSize: Double(sysconf(Int32(_SC_PAGESIZE))))
        }
    }

    /// When the system started, in seconds since 1970; it does not change.
    private static let bootTime: Double? = {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }()

    private static var openDescriptors: Double? {
        // One of them is the directory's own while it is read.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double(max(0, $0.count - 1)) }
    }
}
