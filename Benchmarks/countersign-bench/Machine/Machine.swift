import CSodium
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the figures were measured on.
enum Machine {
    static func description(scratch: String) -> [(String, String)] {
        [
            ("processor", "\(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores"),
            ("memory", "\(ProcessInfo.processInfo.physicalMemory >> 20) MiB"),
            ("system", "\(system), \(kernel)"),
            ("disk", disk(of: scratch)),
            ("libsodium", "\(String(cString: sodium_version_string())), sees \(vectorCode)"),
        ]
    }

    /// What libsodium found in the processor and chooses its Argon2 by.
    static var vectorCode: String {
        _ = sodium_init()
        let features: [(String, Int32)] = [
            ("AVX-512F", sodium_runtime_has_avx512f()), ("AVX2", sodium_runtime_has_avx2()),
            ("SSSE3", sodium_runtime_has_ssse3()), ("NEON", sodium_runtime_has_neon()),
        ]
        let found = features.filter { $0.1 == 1 }.map(\.0)
        return found.isEmpty ? "no vector instructions" : found.joined(separator: ", ")
    }

    private static var processor: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return model?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    }

    private static var system: String {
        let lines = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8))?.split(separator: "\n") ?? []
        let name = lines.first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst("PRETTY_NAME=".count)
        return name?.trimmingCharacters(in: ["\""]) ?? ProcessInfo.processInfo.operatingSystemVersionString
    }

    private static var kernel: String {
        var name = utsname()
        uname(&name)
        return withUnsafeBytes(of: name.sysname) { text($0) } + " " + withUnsafeBytes(of: name.release) { text($0) }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The file system that the databases are on, as `/proc/mounts` names it.
    private static func disk(of path: String) -> String {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8))?.split(separator: "\n") ?? []
        var longest = ""
        var found = "unknown"
        for mount in mounts {
            let fields = mount.split(separator: " ").map(String.init)
            guard fields.count > 2, fields[1].count >= longest.count else { continue }
            guard fields[1] == "/" || resolved == fields[1] || resolved.hasPrefix(fields[1] + "/") else { continue }
            longest = fields[1]
            found = "\(fields[2]) on \(fields[0])"
        }
        return found
    }

    /// How often a second a small write to one file reaches the disk, one after another: what no commit can beat alone.
    static func syncsPerSecond(in folder: String, seconds: Double) throws -> Double {
        let path = "\(folder)/sync-\(UUID().uuidString)"
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        guard file >= 0 else { throw POSIXError(.EIO) }
        defer {
            close(file)
            unlink(path)
        }
        let block = [UInt8](repeating: 7, count: 4096)
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        while clock.now - start < .seconds(seconds) {
            guard pwrite(file, block, block.count, off_t(count % 256 * block.count)) == block.count,
                syncData(file) == 0
            else { throw POSIXError(.EIO) }
            count += 1
        }
        return Double(count) / ((clock.now - start) / .seconds(1))
    }

    private static func syncData(_ file: Int32) -> Int32 {
        #if os(Linux)
            fdatasync(file)
        #else
            fcntl(file, F_FULLFSYNC)
        #endif
    }
}
