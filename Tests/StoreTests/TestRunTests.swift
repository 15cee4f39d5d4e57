import Foundation
import TestSupport
import Testing

@Suite struct TestRunTests {
    @Test
    func `What a killed run left behind is removed, and what a living one has is not`() throws {
        let parent = try TestRun.place(for: "sweep")
        let living = parent.appendingPathComponent("countersign-tests-living")
        let dead = parent.appendingPathComponent("countersign-tests-dead")
        let foreign = parent.appendingPathComponent("something-else")
        for directory in [living, dead, foreign] {
            try FileManager.default.createDirectory(
                at: directory.appendingPathComponent("store"), withIntermediateDirectories: true)
            try Data().write(to: directory.appendingPathComponent(".lock"))
        }
        let lock = open(living.appendingPathComponent(".lock").path, O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)

        // One that was just made may not have its lock yet.
        TestRun.sweep(parent)
        #expect(FileManager.default.fileExists(atPath: dead.path))
        TestRun.sweep(parent, olderThan: -1)
        #expect(!FileManager.default.fileExists(atPath: dead.path))
        #expect(FileManager.default.fileExists(atPath: living.path))
        #expect(FileManager.default.fileExists(atPath: foreign.path))
    }
}
