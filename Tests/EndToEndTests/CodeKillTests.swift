import Foundation
import Synchronization
import TestSupport
import Testing

/// `kill -9` in the middle of exchanges of authorization codes: each token that was answered works afterwards, and no code is torn.
@Suite(.serialized) struct CodeKillTests {
    private static let codes = 100
    /// Exchanges that are under way at once.
    private static let lanes = 20
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
            let answered = Answered()
            let victim = server.processIdentifier
            let enough = Self.codes / 5 + round * 7 % (Self.codes / 2)
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<Self.lanes {
                    tasks.addTask {
                        for _ in 0..<Self.codes / Self.lanes {
                            // A code is good for a minute: each is redeemed when it has come.
                            guard let code = try? await visitor.code() else {
                                answered.note(nil, nil)
                                continue
                            }
                            // One that gets no answer is not known.
                            let tokens = try? await visitor.redeem(code).tokens
                            answered.note(code, tokens)
                        }
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
            for code in answered.codes {
                if let tokens = good[code] {
                    #expect(try await again.userInfo(tokens.access) == 200, "an access token that was answered")
                    #expect(try await again.refresh(tokens.refresh).status == 200, "a refresh token that was answered")
                } else {
                    // Redeemed without an answer, or not at all: whole in either case.
                    let late = try await again.redeem(code)
                    #expect(late.status == 200 || late.status == 400 && late.error == "invalid_grant", "\(late)")
                }
            }
            Endurance.report("killed after \(good.count) of \(Self.codes) codes on \(database)")
            #expect(await revived.terminate() == 0)
        }
    }
}

/// What was answered, by the code.
private final class Answered: Sendable {
    private struct State {
        var codes: [String] = []
        var tokens: [String: PageVisitor.Tokens] = [:]
        var ended = 0
    }

    private let state = Mutex(State())

    /// - Parameter code: nil where none came.
    func note(_ code: String?, _ given: PageVisitor.Tokens?) {
        state.withLock { state in
            state.ended += 1
            guard let code else { return }
            state.codes.append(code)
            if let given { state.tokens[code] = given }
        }
    }

    /// Those that came, whatever became of them.
    var codes: [String] { state.withLock { $0.codes } }

    var all: [String: PageVisitor.Tokens] { state.withLock { $0.tokens } }
    /// How many codes have been answered, with tokens or without.
    var ended: Int { state.withLock { $0.ended } }
}
