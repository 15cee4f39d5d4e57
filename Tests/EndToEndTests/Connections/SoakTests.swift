import Foundation
import TestSupport
import Testing

/// Silent, dripping and half-open connections from many addresses, more than there are descriptors, on plain http and in TLS: the
/// server lives on and answers.
///
/// `make test` holds them for seconds. `make endurance` makes each that the server closes again, for minutes, and wants requests
/// answered meanwhile.
@Suite(.serialized) struct SoakTests {
    private struct Outcome: Decodable {
        let tried: Int
        let closed: Int
        let probes: Int
        let answered: Int
        let atTheEnd: Bool
    }

    @Test(arguments: [false, true])
    func `More connections than descriptors do not end the server`(isEncrypted: Bool) async throws {
        let files = try await ServedCertificateFiles()
        let server = try await ServerProcess(isEncrypted ? files.arguments : [], openFiles: 256)
        let rounds = Endurance.rounds
        let outcome: Outcome = try await Connections.run(
            ["\(server.url.port ?? 0)", "--count", "400", "--hold", "\(rounds.map { $0 * 10 } ?? 5)"]
                + (isEncrypted ? ["--tls"] : []) + (rounds == nil ? [] : ["--again"]))
        #expect(outcome.tried >= 400)
        #expect(outcome.atTheEnd)
        if rounds != nil { #expect(outcome.answered > 0 && outcome.closed > 0, "\(outcome)") }
        Endurance.report(
            "\(isEncrypted ? "TLS" : "plain http"), 256 descriptors: \(outcome.tried) connections tried, \(outcome.closed) closed, "
                + "\(outcome.answered) of \(outcome.probes) requests answered meanwhile")
        #expect(await server.terminate() == 0)
    }

    /// Ends although no client closes its connection, and although an HTTP/2 client never answers GOAWAY.
    @Test(arguments: [false, true])
    func `The server ends though connections are kept`(isEncrypted: Bool) async throws {
        struct Ending: Decodable { let closedAfter: Double }
        let files = try await ServedCertificateFiles()
        let server = try await ServerProcess(isEncrypted ? files.arguments : [])
        let sign = files.folder.appendingPathComponent("held").path
        async let ending: Ending = Connections.run(
            ["\(server.url.port ?? 0)", "--kept", sign] + (isEncrypted ? ["--tls"] : []))
        for _ in 0..<12_000 where !FileManager.default.fileExists(atPath: sign) {
            try await Task.sleep(for: .milliseconds(50))
        }
        let began = ContinuousClock.now
        #expect(await server.terminate() == 0)
        // Well below the 75 seconds that idle connections have, and far above what a busy machine needs.
        #expect(ContinuousClock.now - began < .seconds(60))
        let ended = try await ending
        #expect(ended.closedAfter < 60)
    }
}

/// `connections.py`.
enum Connections {
    static func run<Outcome: Decodable & Sendable>(_ arguments: [String]) async throws -> Outcome {
        guard let python = Tool(named: "python3") else { throw MissingTool(name: "python3") }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("connections.py").path
        let outcome = try await python.run([script] + arguments)
        guard outcome.status == 0 else { throw ServerDidNotStart(said: outcome.errors) }
        return try JSONDecoder().decode(Outcome.self, from: Data(outcome.output.utf8))
    }
}
