import Foundation
import Synchronization

/// The one directory that all files of a run of the tests are in. It goes with the process; where that was killed, the
/// next run removes it.
package enum TestRun {
    /// A unique path in it. Nothing is there yet.
    /// - Parameter use: a description for leftovers, for instance "store".
    package static func place(for use: String) throws -> URL {
        try directory().appendingPathComponent("\(use)-\(UUID().uuidString)")
    }

    /// The directory itself. Every user may pass through it and create files in it, as in the system's own: PostgreSQL
    /// does not run as root.
    package static func directory() throws -> URL { try made.get() }

    private static let prefix = "countersign-tests-"
    /// A file that a living run holds a lock on. A process id would not do: it is soon another's, and means nothing in
    /// another container.
    private static let lockName = ".lock"

    private static let made: Result<URL, any Error> = Result {
        let parent = FileManager.default.temporaryDirectory
        sweep(parent)
        var template = Array("\(parent.path)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, chmod(template, 0o1777) == 0 else { throw POSIXError(.EACCES) }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Held until the process ends, in whatever way.
        let lock = open("\(path)/\(lockName)", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw POSIXError(.EAGAIN) }
        atexit {
            if let url = try? TestRun.made.get() { try? FileManager.default.removeItem(at: url) }
        }
        return URL(fileURLWithPath: path, isDirectory: true)
    }

    /// Removes the directories of runs that are over.
    package static func sweep(_ parent: URL, olderThan age: TimeInterval = 60) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let directory = parent.appendingPathComponent(name)
            let made = (try? FileManager.default.attributesOfItem(atPath: directory.path))?[.modificationDate] as? Date
            // One that is being made has no lock yet.
            guard let made, made.timeIntervalSinceNow < -age else { continue }
            let lock = open(directory.appendingPathComponent(lockName).path, O_RDWR | O_CLOEXEC)
            defer { if lock >= 0 { close(lock) } }
            guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else { continue }
            try? FileManager.default.removeItem(at: directory)
        }
    }
}
