import Foundation
import Testing

/// Every benchmark once, as small as it goes: the figures mean nothing, but there are some.
@Suite struct SmokeTests {
    @Test func `Every benchmark runs`() async throws {
        let run = try await BenchProgram.run([
            "--rounds", "1", "--seconds", "0.05", "--many", "200", "--json", "--no-postgres", "--date", "2026-11-21",
            "--except", "syncs", "--idle", "40",
        ])
        #expect(run.status == 0, "\(run.error)")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.output)")
        let figures = try #require(document["figures"] as? [String: [String: [Double]]])
        for name in [
            "hmac", "hmac-three", "totp-verify", "es256", "id-token", "hash-minimum", "hash-default", "disk", "store",
            "hello",
            "jwks",
            "refresh", "wrong-code", "right-code", "sign-in-minimum", "sign-in-default", "get-alone",
            "get-amid-sign-ins", "rsa-verify", "allow", "push-wire", "push", "mailed-code", "open", "guarded",
            "guarded-clients", "service-open", "service-offline", "service-online", "service-online-issuer",
            "idle-devices", "password-few", "password-many", "code-few",
            "code-many", "start", "start-fresh", "web-code", "web-refresh", "introspect", "client-credentials",
            "client-credentials-dpop", "introspect-many", "web-refresh-many", "openssl-es256", "passkey-es256",
            "openssl-eddsa", "passkey-eddsa", "openssl-rs256", "passkey-rs256", "passkey-sign-in",
        ] {
            #expect(figures[name]?.isEmpty == false, "nothing was measured of \(name)")
        }
        let ratios = try #require(document["ratios"] as? [String: [String: Any]])
        #expect(ratios["jwks"]?["hello"] != nil)
        #expect(figures["password-million"] == nil, "a million users were not asked for")
        #if os(Linux)
            let allocations = try #require(figures["right-code"]?["allocationsEach"]?.first, "no compiler?")
            #expect(allocations > 10)
            #expect(figures["idle-devices"]?["idleMilliseconds"] != nil)
        #endif
    }

    @Test func `The console's lists are measured among as many users as are asked for`() async throws {
        let names = [
            "users-page-1", "users-page-1000", "users-by-name", "users-by-id", "log-page-1000", "log-back",
            "users-back", "users-operation",
        ]
        let run = try await BenchProgram.run(
            [
                "--rounds", "1", "--seconds", "0.05", "--listed", "300", "--json", "--no-postgres", "--date",
                "2026-11-23",
            ]
                + (names + ["users-200-pages"]).flatMap { ["--only", $0] })
        #expect(run.status == 0, "\(run.error)")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.output)")
        let figures = try #require(document["figures"] as? [String: [String: [Double]]])
        for name in names { #expect(figures[name]?["p99Latency"] != nil, "nothing was measured of \(name)") }
        #expect(figures["users-200-pages"] != nil)
    }

    @Test func `Grants are as many as are asked for`() async throws {
        let run = try await BenchProgram.run([
            "--rounds", "1", "--seconds", "0.05", "--grants", "5100", "--many", "100", "--no-postgres",
            "--no-allocations", "--only", "introspect-many", "--only", "web-refresh-many",
        ])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.error.contains("64 people, and 5100 grants of others, for the server \"webMany\""), "\(run.error)")
        let refused = try await BenchProgram.run(["--grants", "99"])
        #expect(refused.status != 0 && refused.error.contains("--grants"), "\(refused.error)")
    }

    @Test func `What is no benchmark is refused with the names of all`() async throws {
        let run = try await BenchProgram.run(["--only", "jwk"])
        #expect(run.status != 0)
        #expect(run.error.contains("jwks"))
    }
}

/// The built program, which lies beside the bundle of the tests.
private enum BenchProgram {
    static func run(_ arguments: [String]) async throws -> (status: Int32, output: String, error: String) {
        let bundles = [Bundle.main.executableURL, Bundle.main.bundleURL] + Bundle.allBundles.map(\.bundleURL)
        let folders = bundles.compactMap { $0?.deletingLastPathComponent() } + [Bundle.main.bundleURL]
        let program = try #require(
            folders.map { $0.appendingPathComponent("countersign-bench") }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) && !$0.hasDirectoryPath })
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (output, error) = (folder.appendingPathComponent("output"), folder.appendingPathComponent("error"))
        for file in [output, error] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments + ["--scratch", folder.path]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: error)
        let (ended, end) = AsyncStream<Never>.makeStream()
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        for await _ in ended {}
        return (
            process.terminationStatus, try String(contentsOf: output, encoding: .utf8),
            try String(contentsOf: error, encoding: .utf8)
        )
    }
}
