import Foundation
import TestSupport

/// A directory for one test, removed with it.
final class TestDirectory: Sendable {
    let path: String

    init() throws {
        path = try TestRun.place(for: "store").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    var database: String { path + "/store.sqlite" }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
