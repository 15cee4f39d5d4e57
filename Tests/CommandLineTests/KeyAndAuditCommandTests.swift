import AdminServer
import Foundation
import Testing

@testable import countersign

@Suite struct KeyAndAuditCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    @Test func `Rotating retires the old keys and keeps them in the list`() async throws {
        let rotated = try await directory.run("key", "rotate", "--json").json()
        let fresh = try #require(rotated["keys"] as? [[String: Any]])
        #expect(Set(fresh.compactMap { $0["algorithm"] as? String }) == ["ES256", "RS256"])
        #expect(fresh.allSatisfy { $0["isActive"] as? Bool == true })

        let list = try await directory.run("key", "list")
        #expect(
            list.lines.first?.split(separator: " ").joined(separator: " ")
                == "ID ALGORITHM STATE CREATED LEAVES THE JWKS")
        #expect(list.lines.dropFirst().count { $0.contains("  retired  ") } == 2)
        #expect(list.lines.dropFirst().count { $0.contains("  signs    ") && $0.hasSuffix("-") } == 2)
    }

    @Test func `The log has lines for people and for programs`() async throws {
        _ = try await directory.run("user", "add", "anna@example.com", "--id", "anna")
        _ = try await directory.run("user", "add", "bert@example.com", "--id", "bert")
        _ = try await directory.run("user", "disable", "anna")
        let human = try await directory.run("audit", "tail", "--limit", "2")
        #expect(human.lines.count == 2)
        #expect(human.lines.first?.contains("Z  user.created  user=bert  app=command-line  dialect=admin") == true)
        #expect(human.lines.last?.contains("Z  user.disabled  user=anna") == true, "The newest is the last.")

        let lines = try await directory.run("audit", "tail", "--user", "anna@example.com", "--json").lines
        let kinds = try lines.map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["kind"] as? String
        }
        #expect(kinds == ["user.created", "user.disabled"])

        _ = try await directory.run("user", "delete", "anna", "--yes")
        #expect(try await directory.run("audit", "tail", "--user", "anna").lines.count == 3, "The log outlives users.")
        try await directory.run("audit", "tail", "--user", "nobody").expect(4)
        try await directory.run("audit", "tail", "--limit", "0").expect(2)
    }

    @Test func `A check of the sealed log says up to where it holds, and ends with 1 where it does not`() async throws {
        let none = try await directory.run("audit", "verify")
        #expect(none.lines.first == "Nothing is sealed yet.")
        // A seal that was written down elsewhere, and is not there.
        let digest = String(repeating: "0", count: 64)
        let gone = try await directory.run("audit", "verify", "--head", "7:\(digest)", "--json")
        gone.expect(1)
        let report = try gone.json()
        #expect(report["holds"] as? Bool == false)
        #expect((report["fault"] as? [String: Any])?["kind"] as? String == "cut-off")
        try await directory.run("audit", "verify", "--head", "seven").expect(2)
        try await directory.run("audit", "verify", "--head", "7:x").expect(2)
        try await directory.run("audit", "accept", "7").expect(1)
    }

    @Test func `Following shows what happens from now on`() async throws {
        let tail = try Program.start(
            ["audit", "tail", "--follow", "--limit", "1", "--json", "--data", directory.data], in: directory)
        _ = try #require(try await tail.line { $0.contains("application.changed") })
        _ = try await directory.run("user", "add", "anna@example.com", "--id", "anna")
        let line = try await tail.line { $0.contains("user.created") }
        #expect(line?.contains(#""userID":"anna""#) == true)
        tail.terminate()
        let transcript = await tail.transcript()
        #expect(transcript.lines.count == 2, "Nothing is shown twice.")
    }

    @Test func `An event that becomes visible late is shown and none twice`() throws {
        func entry(_ microsecond: UInt64, _ name: String) throws -> AuditEntry {
            let digits = String(microsecond, radix: 16)
            let id = String(repeating: "0", count: 16 - digits.count) + digits + "00000000"
            let json = #"{"id":"\#(id)","at":"2026-07-29T08:15:00.000Z","kind":"\#(name)","details":{}}"#
            return try JSONDecoder().decode(AuditEntry.self, from: Data(json.utf8))
        }
        let base: UInt64 = 1_800_000_000_000_000
        let (first, late, last) = (
            try entry(base, "first"), try entry(base + 1_000_000, "late"), try entry(base + 2_000_000, "last")
        )
        var cursor = AuditCursor(shown: [first, last])
        #expect(try #require(cursor.after) < first.id, "It looks back over the last seconds.")
        #expect(cursor.fresh([first, late, last]) == [late])
        #expect(cursor.fresh([first, late, last]) == [])
        #expect(AuditCursor(shown: []).after == nil)
    }
}
