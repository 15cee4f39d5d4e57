import Foundation
import Synchronization
import TestSupport
import Testing

/// `kill -9` in the middle of exchanges of authorization codes: each token that was answered works afterwards, and no code is torn.
@Suite(.serialized) struct CodeKillTests {
    private static let codes = 100
    private static let rounds = Endurance.rounds.map { min($0, 5) } ?? 1

    @Test(arguments: Database.available)
    func `Tokens that were answered for codes survive a kill`(database: Database) async throws {
        for round in 0..<Self.rounds {
            let folder = try TestRun.place(for: "code-kill")
            defer { try? FileManager.default.removeItem(at: folder) }
            // The address of tokens stays, whichever port the next process gets.
            let arguments =
                ["--dev", "--public-url", "http://127.0.0.1:8080"] + (try await database.arguments())
            let server = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.cheapHashes)
            try await server.post(
                "/v1/accounts:signUp?key=any", ["email": "ada@example.org", "password": "a quiet afternoon"])
            let visitor = PageVisitor(url: server.url)
            try await visitor.signIn()
            var codes: [String] = []
            for _ in 0..<Self.codes { codes.append(try await visitor.code()) }

            let answered = Answered()
            let victim = server.processIdentifier
            let enough = Self.codes / 5 + round * 7 % (Self.codes / 2)
            await withTaskGroup(of: Void.self) { tasks in
                for code in codes {
                    tasks.addTask {
                        // One that gets no answer is not known.
                        let tokens = try? await visitor.redeem(code).tokens
                        answered.note(code, tokens)
                    }
                }
                tasks.addTask {
                    // Codes that were all refused would be waited for without end.
                    while answered.all.count < enough, answered.ended < Self.codes {
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                    kill(victim, SIGKILL)
                }
            }

            let revived = try await ServerProcess(arguments, dataDirectory: folder, environment: Endurance.cheapHashes)
            let again = PageVisitor(url: revived.url)
            let good = answered.all
            #expect(good.count >= enough, "\(good.count) of \(answered.ended)")
            for code in codes {
                if let tokens = good[code] {
                    #expect(try await again.userInfo(tokens.access) == 200, "an access token that was answered")
                    #expect(try await again.refresh(tokens.refresh).status == 200, "a refresh token that was answered")
                } else {
                    // Redeemed without an answer, or not at all: whole in either case.
                    let late = try await again.redeem(code)
                    #expect(late.status == 200 || late.status == 400 && late.error == "invalid_grant", "\(late)")
                }
            }
            Endurance.report("killed after \(good.count) of \(codes.count) codes on \(database)")
            #expect(await revived.terminate() == 0)
        }
    }
}

/// What was answered, by the code.
private final class Answered: Sendable {
    private let state = Mutex<(tokens: [String: PageVisitor.Tokens], ended: Int)>(([:], 0))

    func note(_ code: String, _ given: PageVisitor.Tokens?) {
        state.withLock { state in
            state.ended += 1
            if let given { state.tokens[code] = given }
        }
    }

    var all: [String: PageVisitor.Tokens] { state.withLock { $0.tokens } }
    /// How many codes have been answered, with tokens or without.
    var ended: Int { state.withLock { $0.ended } }
}
