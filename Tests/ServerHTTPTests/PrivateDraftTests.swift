import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import CountersignServer

@Suite struct PrivateDraftTests {
    private let folder: String

    init() throws {
        folder = try TestRun.place(for: "drafts").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func put(_ text: String, at name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    @Test func `A start removes what one that was ended amid left of its keys, and nothing else`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try put("key", at: "master-key")
        // It was ended after it had linked the key into place.
        try FileManager.default.linkItem(
            atPath: "\(folder)/master-key", toPath: "\(folder)/master-key.0123456789abcdef.tmp")
        try put("half", at: "admin-token.fedcba9876543210.tmp")
        try put("", at: "api-key.0000000000000000.tmp")
        let others = [
            "master-key.1234.tmp", "master-key.0123456789abcdeg.tmp", "master-key.0123456789abcdef",
            "notes.0123456789abcdef.tmp",
        ]
        for name in others { try put("another's", at: name) }
        _ = try DataDirectory(path: folder)
        #expect(try names == (others + ["master-key"]).sorted())
        #expect(try PrivateFile.read("\(folder)/master-key") == Data("key".utf8))
    }

    @Test func `What another process is writing stays`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let draft = try PrivateDraft(of: "\(folder)/master-key", random: SystemRandom(), Data("key".utf8))
        _ = try DataDirectory(path: folder)
        #expect(try names.map { "\(folder)/\($0)" } == [draft.path])
        try draft.makeUnlessPresent("\(folder)/master-key")
        #expect(try names == ["master-key"])
    }

    @Test func `A file that is written removes what an earlier writer left beside it`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try put("old", at: "key")
        try put("half", at: "key.0123456789abcdef.tmp")
        try PrivateFile.replace("\(folder)/key", random: SystemRandom(), with: Data("new".utf8))
        #expect(try names == ["key"])
        #expect(try PrivateFile.read("\(folder)/key") == Data("new".utf8))
    }
}
