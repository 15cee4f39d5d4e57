import CountersignCore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ServerCheck {
    /// Bytes of free space below which an operator should act.
    private static let scarce: UInt64 = 512 << 20

    private func file(_ name: String) -> String {
        (configuration.dataDirectory as NSString).appendingPathComponent(name)
    }
    var databasePath: String { file("countersign.sqlite") }
    var masterKeyPath: String { file("master-key") }

    /// The directory's rights, owner and room, and that no other user may read the secrets in it.
    func dataDirectory() -> [CheckFinding] {
        let path = configuration.dataDirectory
        let quoted = ShellWord.quoted(path)
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno != ENOENT {
                let reason = String(cString: strerror(errno))
                return [
                    CheckFinding(
                        .data, .fault, "\(path) cannot be looked at: \(reason)",
                        remedy: "run this as the server's system user")
                ]
            }
            return [missing(path)]
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return [CheckFinding(.data, .fault, "\(path) is no directory", remedy: "name another with data")]
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            return [
                CheckFinding(
                    .data, .fault, "\(path) cannot be written by this user",
                    remedy: "run this as the server's system user, or `chown` the directory to it")
            ]
        }
        var findings: [CheckFinding] = []
        if status.st_uid != geteuid() {
            findings.append(
                CheckFinding(
                    .data, .warning, "\(path) belongs to another user (\(status.st_uid))",
                    remedy: "chown -R \(geteuid()) \(quoted)"))
        }
        if status.st_mode & 0o077 != 0 {
            // Who may write there can put another master key and another administrator's token in their places.
            let isWritable = status.st_mode & 0o002 != 0 && status.st_mode & 0o1000 == 0
            let others =
                isWritable
                ? "every user of this machine may replace what is in" : "other users of this machine may look into"
            findings.append(
                CheckFinding(
                    .data, .warning, "\(others) \(path) (mode \(String(status.st_mode & 0o777, radix: 8)))",
                    remedy: "chmod 700 \(quoted)"))
        }
        for name in ["master-key", "admin-token", "countersign.sqlite"] {
            guard let exposure = FileExposure(of: file(name)) else { continue }
            // A start makes the database private by itself, and refuses exposed secrets.
            let state: CheckFinding.State = name == "countersign.sqlite" ? .warning : .fault
            findings.append(CheckFinding(.data, state, "\(exposure)", remedy: exposure.remedy))
        }
        if let free = Self.freeBytes(at: path), free < Self.scarce {
            findings.append(
                CheckFinding(
                    .data, free < 16 << 20 ? .fault : .warning,
                    "\(free >> 20) MiB are free for \(path)", remedy: "make room: a full disk stops sign-ins"))
        }
        return findings.isEmpty ? [CheckFinding(.data, .ok, "\(path) is this user's alone.")] : findings
    }

    private func missing(_ path: String) -> CheckFinding {
        var place = path
        repeat { place = place.parentDirectory } while access(place, F_OK) != 0 && ![".", "/"].contains(place)
        guard access(place, W_OK | X_OK) == 0 else {
            return CheckFinding(
                .data, .fault, "\(path) is not there, and this user may not make it in \(place)",
                remedy: "install -d -m 700 -o \(geteuid()) \(ShellWord.quoted(path))")
        }
        return CheckFinding(.data, .ok, "\(path) is not there yet; the first start makes it.")
    }

    private static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
