import Foundation

/// A directory that is there as long as this object is.
final class TemporaryDirectory: Sendable {
    let url: URL

    init(in parent: URL?) throws {
        let parent = parent ?? FileManager.default.temporaryDirectory
        url = parent.appendingPathComponent("countersign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
