import Foundation
import TestSupport
import Testing

/// Silent, dripping and half-open connections beyond what the descriptors allow, on plain http and in TLS: the server goes on, and
/// answers while they are still held.
///
/// `make test` holds them until the first of their deadlines have passed; `make endurance` makes them again for minutes.
@Suite(.serialized) struct SoakTests {
    private struct Outcome: Decodable {
        let made: Int
        let closed: Int
        let probes: Int
        let answered: Int
        /// Seconds.
        let answeredAfter: Double?
        let atTheEnd: Bool
    }

    @Test(arguments: [false, true])
    func theServerAnswersWhileMoreAreHeldThanItHasDescriptors(isEncrypted: Bool) async throws {
        let files = try await ServedCertificateFiles()
        let server = try await ServerProcess(isEncrypted ? files.arguments : [], openFiles: 256)
        let rounds = Endurance.rounds
        let outcome: Outcome = try await Connections.run(
            ["\(server.url.port ?? 0)", "--count", "400", "--hold", "\(rounds.map { $0 * 10 } ?? 22)"]
                + (isEncrypted ? ["--tls"] : []) + (rounds == nil ? [] : ["--again"]))
        // The system's queue takes what the server does not.
        #expect(outcome.made > 256)
        #expect(outcome.closed > 0)
        #expect(outcome.answered > 0, "\(outcome)")
        #expect(outcome.atTheEnd)
        Endurance.report(
            "\(isEncrypted ? "TLS" : "plain http"), 256 descriptors: \(outcome.made) connections made, \(outcome.closed) closed, "
                + "\(outcome.answered) of \(outcome.probes) requests answered meanwhile")
        #expect(await server.terminate() == 0)
    }

    /// Ends though nobody closes, and though an HTTP/2 client never answers that it was told to go.
    @Test(arguments: [false, true])
    func theServerEndsThoughConnectionsAreKept(isEncrypted: Bool) async throws {
        struct Ending: Decodable { let closedAfter: Double }
        let files = try await ServedCertificateFiles()
        let server = try await ServerProcess(isEncrypted ? files.arguments : [])
        let sign = files.folder.appendingPathComponent("held").path
        async let ending: Ending = Connections.run(
            ["\(server.url.port ?? 0)", "--kept", sign] + (isEncrypted ? ["--tls"] : []))
        for _ in 0..<400 where !FileManager.default.fileExists(atPath: sign) {
            try await Task.sleep(for: .milliseconds(50))
        }
        let began = ContinuousClock.now
        #expect(await server.terminate() == 0)
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(try await ending.closedAfter < 20)
    }
}

/// `connections.py`.
enum Connections {
    static func run<Outcome: Decodable>(_ arguments: [String]) async throws -> Outcome {
        guard let python = Tool(named: "python3") else { throw MissingTool(name: "python3") }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("connections.py").path
        let outcome = try await python.run([script] + arguments)
        guard outcome.status == 0 else { throw ServerDidNotStart(said: outcome.errors) }
        return try JSONDecoder().decode(Outcome.self, from: Data(outcome.output.utf8))
    }
}
