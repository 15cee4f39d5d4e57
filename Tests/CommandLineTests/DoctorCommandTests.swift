import Foundation
import Testing

@Suite struct DoctorCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    @Test func `What is not met ends with one, and what is excepted does not`() async throws {
        let all = try await directory.run("doctor", "--level", "1", "--assurance", "1")
        #expect(all.status == 1 && all.error.isEmpty, "\(all.error)")
        #expect(all.output.contains("FAIL ASVS-6.2.3  "))
        #expect(all.output.contains("-> countersign config set passwords.minimumLengthAlone 15"))
        #expect(!all.output.contains("ASVS-6.2.9") && all.lines.last?.hasPrefix("ASVS level 1, NIST AAL1: ") == true)

        let json = try await directory.run("doctor", "--level", "1", "--assurance", "1", "--json")
        #expect(json.status == 1, "\(json)")
        let findings = try #require(json.json()["requirements"] as? [[String: Any]])
        let short = findings.filter {
            ["not-met", "unknown"].contains($0["state"] as? String ?? "") && $0["isMandatory"] as? Bool == true
        }.compactMap { $0["id"] as? String }
        #expect(short.contains("NIST-2.1.2b"), "No server has started on this data.")
        let excepted = try await Program.run(
            ["doctor", "--level", "1", "--assurance", "1", "--data", directory.data]
                + short.flatMap { ["--except", $0] }, in: directory)
        #expect(excepted.status == 0, "\(excepted.output)")
        #expect(excepted.output.contains("skip ASVS-6.2.3"))
        let missing = try await directory.run("doctor", "--except", "ASVS-1.1.1")
        #expect(missing.status == 2 && missing.error.contains("There is no requirement"), "\(missing.error)")
    }

    @Test func `A server says how it was started, for those who ask later`() async throws {
        try await directory.serving { _, _ in }
        let met = try await directory.run("doctor", "--all", "--json").json()
        let findings = try #require(met["requirements"] as? [[String: Any]])
        #expect(!findings.contains { $0["state"] as? String == "unknown" })
        let channel = try #require(findings.first { $0["id"] as? String == "NIST-2.1.2b" })
        #expect(channel["state"] as? String == "met")
    }
}
