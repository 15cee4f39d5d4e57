import Foundation
import Testing

/// The built `vault-tool`, which lies beside the bundle of the tests.
enum Tool {
    static let path: String = {
        let bundles = [Bundle.main.executableURL, Bundle.main.bundleURL] + Bundle.allBundles.map(\.bundleURL)
        let folders = bundles.compactMap { $0?.deletingLastPathComponent() } + [Bundle.main.bundleURL]
        let candidates = folders.map { $0.appendingPathComponent("vault-tool").path }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
    }()
}

/// A folder for one test, only ours to read, removed with the last reference.
final class Scratch: Sendable {
    let path: String

    /// - Parameter inMemory: whether waiting for the disk would only cost time.
    init(inMemory: Bool = false) throws {
        let folder = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        path = folder + "/vault-adversary-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// Writes a script that can be run.
    ///
    /// By another process: a descriptor of this one's, open for writing, might be in a child that another test is
    /// starting just then, and a file that is open for writing is not run.
    func script(_ name: String, _ text: String) throws -> String {
        let command = #"printf %s "$1" > "$2" && chmod 700 "$2""#
        #expect(try Child.start(["/bin/sh", "-c", command, "sh", text, file(name)]).ending() == 0)
        return file(name)
    }

    /// The text of a file as soon as it is written.
    func text(of name: String, within seconds: Double = 300) -> String? {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if let text = try? String(contentsOfFile: file(name), encoding: .utf8), text.hasSuffix("\n") { return text }
            usleep(5_000)
        }
        return nil
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
