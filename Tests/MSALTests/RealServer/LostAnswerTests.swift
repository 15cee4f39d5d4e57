import ClientHTTP
import CountersignCore
import CountersignServer
import Foundation
import MSAL
import OneTimePassword
import Testing

/// A network that carries each request to the real server and loses the answer the first time, so that the client sends it
/// again: everything comes out as if nothing had been lost, and nothing happens twice. Source: MSAL for iOS.
@Suite struct LostAnswerTests {
    private final class LosingNetwork: HTTPTransport {
        private let requests = Locked<[HTTPClientRequest]>([])

        /// How many requests reached the server.
        var count: Int { requests.current.count }

        func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
            let isFirst = requests.withLock { requests in
                defer { requests.append(request) }
                return !requests.contains(request)
            }
            let answer = try await URLSessionTransport.shared.send(request)
            if isFirst { throw HTTPClientError.timedOut(after: 60) }
            return answer
        }
    }

    private func codes(_ server: RealServer) async throws -> Int { try await server.codes().count }

    @Test func `A sign-up makes one account and one session, and a reset one new password`() async throws {
        try await RealServer.run { server in
            let network = LosingNetwork()
            let nativeAuth = try await server.application(transport: network)
            let parameters = MSALNativeAuthSignUpParameters(username: RealServer.email)
            parameters.password = RealServer.password
            guard case .codeRequired(let state, _, _, _) = await nativeAuth.signUp(parameters: parameters) else {
                Issue.record("no code")
                return
            }
            #expect(try await codes(server) == 1)
            guard case .completed(let after) = await state.submitCode(code: try await server.newestCode()),
                case .completed(let result) = await after.signIn(
                    parameters: MSALNativeAuthSignInAfterSignUpParameters())
            else {
                Issue.record("no account")
                return
            }
            let user = try #require(await server.realm.accounts.user(email: EmailAddress(kept: RealServer.email)))
            #expect(try await sessions(of: user, server) == 1)
            #expect(try await server.realm.accounts.users().count == 1)
            // Answered twice, sent twice, each of them.
            #expect(network.count == 8)

            let wish = MSALNativeAuthGetAccessTokenParameters()
            wish.forceRefresh = true
            for _ in 0..<2 {
                guard case .completed = await result.getAccessToken(parameters: wish) else {
                    Issue.record("the session ended")
                    return
                }
            }
            #expect(try await sessions(of: user, server) == 1)

            let reset = MSALNativeAuthResetPasswordParameters(username: RealServer.email)
            guard case .codeRequired(let start, _, _, _) = await nativeAuth.resetPassword(parameters: reset),
                case .passwordRequired(let next) = await start.submitCode(code: try await server.newestCode()),
                case .completed = await next.submitPassword(password: "a stormy evening")
            else {
                Issue.record("no new password")
                return
            }
            #expect(try await codes(server) == 2)
            let events = try await server.realm.auditLog.events(limit: 1000)
            #expect(events.count { $0.kind == .passwordReset } == 1)
            #expect(events.count { $0.kind == .answerRefused } == 0)
        }
    }

    @Test func `A sign-in by codes, with a second factor, takes two codes and opens one session`() async throws {
        try await RealServer.run { server in
            let user = try await server.addAccount(password: nil)
            let totp = try await server.enrolAuthenticator()
            let network = LosingNetwork()
            let nativeAuth = try await server.application(transport: network)
            let parameters = MSALNativeAuthSignInParameters(username: RealServer.email)
            guard case .codeRequired(let first, _, _, _) = await nativeAuth.signIn(parameters: parameters),
                case .codeRequired(let state, _, _, _) = await first.resendCode()
            else {
                Issue.record("no code")
                return
            }
            #expect(try await codes(server) == 2)
            guard
                case .awaitingMFA(let methods, let awaiting) = await state.submitCode(
                    code: try await server.newestCode()),
                case .verificationRequired(let required, _, _, _) = await awaiting.requestChallenge(
                    authMethod: try #require(methods.first))
            else {
                Issue.record("no second factor")
                return
            }
            let code = totp.code(step: totp.step(at: server.realm.clock.now) + 1).stringCode
            let before = try await sessions(of: user, server)
            guard case .completed = await required.submitChallenge(challenge: code) else {
                Issue.record("not signed in")
                return
            }
            #expect(try await sessions(of: user, server) == before + 1)
            #expect(try await server.realm.auditLog.events(limit: 1000).count { $0.kind == .answerRefused } == 0)
        }
    }

    private func sessions(of user: User, _ server: RealServer) async throws -> Int {
        try await server.realm.store.read { try $0.sessions(of: user.id, limit: 100) }.count
    }
}
