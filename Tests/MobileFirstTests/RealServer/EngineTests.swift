import ClientHTTP
import CountersignCore
import CountersignServer
import Foundation
import HTTPTypes
import Hummingbird
import IBMMobileFirstPlatformFoundation
import ScopeProtection
import SecurityChecks
import SecurityChecksServer
import Testing

/// The steps of the framework (`FrameworkTests`) that are about client and server, with both of them. What no server of
/// ours does (a challenge that is null, G4) is shown with a stand-in in `MalformedAnswerTests`.
@Suite struct EngineTests {
    private static let pin: Handler.Reply = .answer(["pin": "1234"])
    private static let ada: Handler.Reply = .answer(["username": "ada", "password": "ada"])

    @Test func `G2: a check without handler fails the request, and costs no attempt`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            #expect(await code { try await app.get("balance") } == .missingChallengeHandler)
            let pin = app.handle("PinCodeAttempts", Self.pin)
            let balance = try await app.get("balance")
            #expect(balance == "19938.80")
            #expect(pin.all.first == "challenge errorMsg=null,remainingAttempts=3")
        }
    }

    @Test func `G3: two checks at once have both handlers called, and one request has both answers`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            let pin = app.handle("PinCodeAttempts", Self.pin)
            let login = app.handle("UserLogin", Self.ada)
            _ = try await app.manager.obtainAccessToken(forScope: "PinCodeAttempts UserLogin")
            #expect(pin.challenges == 1 && login.challenges == 1)
            #expect(app.count("POST preauthorize") == 2)
            #expect(login.all.last?.contains("displayName") == true)
        }
    }

    @Test func `G5: a token that is no good any more is replaced, without a challenge while the check holds`()
        async throws
    {
        try await RealServer.run { server in
            let app = server.app()
            let pin = app.handle("PinCodeAttempts", Self.pin)
            try await app.get("balance")
            // Put away, and back again: the token that the app has was refused meanwhile.
            let id = RegisteredClientID(rawValue: try #require(try await app.session.registeredID()))
            for status in [ClientRegistration.Status.lost, .active] {
                _ = try await server.realm.clients.setStatus(status, of: ClientReference(to: id), by: .commandLine)
                guard status == .lost else { continue }
                #expect(await code { try await app.get("balance") } == .applicationDisabled)
            }
            #expect(try await app.get("balance") == "19938.80")
            #expect(pin.challenges == 1)
        }
    }

    /// How often a resource was asked.
    private final class Visits: Sendable {
        private let number = Locked(0)
        func next() -> Int {
            number.withLock {
                $0 += 1
                return $0
            }
        }
        var count: Int { number.current }
    }

    @Test func `G6: a resource in the middle of a change is asked again, unchanged`() async throws {
        let visits = Visits()
        try await RealServer.run(configure: { options in
            options.resources = { router, checks in
                router.group("mfp/api/adapters").requires(
                    .securityChecks("accessRestricted"), validator: checks.validator
                )
                .post("Odd/change") { _, _ in
                    visits.next() < 3
                        ? Response(status: .conflict, headers: [.mfpConflict: "try again"])
                        : Response(status: .ok, body: ResponseBody(byteBuffer: .init(string: "changed")))
                }
            }
        }) { server in
            let app = server.app()
            let pin = app.handle("PinCodeAttempts", Self.pin)
            let request = try app.request("/adapters/Odd/change", method: "POST")
            #expect(try await request.send(withFormParameters: ["amount": 5]).responseText == "changed")
            #expect(visits.count == 3 && pin.challenges == 1)
        }
    }

    @Test func `G7: a resource that never has enough is given up after five requests`() async throws {
        let visits = Visits()
        try await RealServer.run(configure: { options in
            options.resources = { router, _ in
                router.get("mfp/api/adapters/Odd/never") { _, _ in
                    _ = visits.next()
                    let (status, challenge) = ScopeRequirement.securityChecks("accessRestricted")
                        .answer(to: .insufficientScope)
                    return Response(status: status, headers: [.wwwAuthenticate: challenge])
                }
            }
        }) { server in
            let app = server.app()
            let pin = app.handle("PinCodeAttempts", Self.pin)
            let error = await #expect(throws: WLError.self) {
                try await app.request("/adapters/Odd/never").send()
            }
            #expect(error?.code == .authorizationFailure && error?.response?.status == 403)
            #expect(visits.count == 5 && pin.challenges == 1)
        }
    }

    @Test(arguments: [401, 403]) func `G8: a resource's own refusal is the app's`(status: Int) async throws {
        try await RealServer.run(configure: { options in
            options.resources = { router, _ in
                router.get("mfp/api/adapters/Odd/own") { _, _ in
                    Response(
                        status: .init(code: status), body: ResponseBody(byteBuffer: .init(string: "not today")))
                }
            }
        }) { server in
            let app = server.app()
            let error = await #expect(throws: WLError.self) { try await app.request("/adapters/Odd/own").send() }
            #expect(error?.response?.status == Int32(status) && error?.response?.responseText == "not today")
            #expect(app.trace == ["GET own"], "and no token is asked for")
        }
    }

    @Test func `G10, G11: a scope's token is had once, whatever the order of its words`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            app.handle("PinCodeAttempts", Self.pin)
            app.handle("UserLogin", Self.ada)
            let first = try await app.manager.obtainAccessToken(forScope: "PinCodeAttempts UserLogin")
            let asked = app.trace.count
            for scope in [
                "PinCodeAttempts UserLogin", "UserLogin PinCodeAttempts", "UserLogin  RegisteredClient PinCodeAttempts",
            ] {
                #expect(try await app.manager.obtainAccessToken(forScope: scope).value == first.value)
            }
            #expect(app.trace.count == asked)
        }
    }

    @Test func `G12: a request that names its scope is not sent without a token first`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            app.handle("PinCodeAttempts", Self.pin)
            #expect(try await app.get("balance", scope: "accessRestricted") == "19938.80")
            #expect(app.count("GET balance") == 1)
            let other = server.app()
            other.handle("PinCodeAttempts", Self.pin)
            try await other.get("balance")
            #expect(other.count("GET balance") == 3, "without a token, with the first, with the right one")
        }
    }

    @Test func `G15: two apps of one device share a login where both applications say so, and its end`() async throws {
        try await RealServer.run { server in
            for sample in ["", "userlogin"] {
                try await server.setVersion(of: sample) { $0.sharedChecks = ["UserLogin"] }
            }
            let device = TestStorage()
            let (first, second) = (server.app(storage: device), server.app("userlogin", storage: device))
            let stranger = server.app("userlogin")
            let asked = first.handle("UserLogin", Self.ada)
            let (silent, alone) = (second.handle("UserLogin", .cancel), stranger.handle("UserLogin", .cancel))
            #expect(try await first.get("transactions").hasPrefix("Transactions for ada"))
            #expect(try await second.get("transactions").hasPrefix("Transactions for ada"))
            #expect(asked.challenges == 1 && silent.challenges == 0)
            #expect(await code { try await stranger.get("transactions") } == .challengeHandlingCancelled)
            #expect(alone.challenges == 1)
            try await first.manager.logout("UserLogin")
            #expect(await code { try await second.get("transactions") } == .challengeHandlingCancelled)
            #expect(silent.challenges == 1)
        }
    }

    @Test func `G18: a client that was never registered cannot log out`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            let error = await #expect(throws: WLError.self) { try await app.manager.logout("PinCodeAttempts") }
            #expect(error?.code == .authorizationFailure)
            #expect(error?.message == "Cannot logout before client is registered.")
            #expect(app.trace.isEmpty)
        }
    }

    @Test func `U13: a second login meanwhile is refused at once, and the first goes on`() async throws {
        try await RealServer.run { server in
            let app = server.app("userlogin")
            let login = app.handle("UserLogin", .later)
            async let first: Void = app.manager.login("UserLogin", withCredentials: ["username": "a", "password": "b"])
            try await login.reach(1)
            let error = await #expect(throws: WLError.self) {
                try await app.manager.login("UserLogin", withCredentials: ["username": "ada", "password": "ada"])
            }
            #expect(error?.code == .loginAlreadyInProcess && error?.message == "Login already in process.")
            let handler = app.client.getChallengeHandler(bySecurityCheck: "UserLogin") as? Handler
            handler?.submitChallengeAnswer(["username": "ada", "password": "ada"])
            try await first
            #expect(login.all.count == 2 && login.all.last?.contains("ada") == true)
        }
    }

    @Test func `U12: the login button works before a challenge and in one`() async throws {
        try await RealServer.run { server in
            let app = server.app("userlogin")
            let login = app.handle("UserLogin", .later)
            try await app.manager.login("UserLogin", withCredentials: ["username": "ada", "password": "ada"])
            #expect(login.challenges == 0)
            try await app.manager.logout("UserLogin")
            async let balance = app.get("balance")
            try await login.reach(2)
            let handler = app.client.getChallengeHandler(bySecurityCheck: "UserLogin") as? Handler
            handler?.submitChallengeAnswer(["username": "ada", "password": "ada"])
            #expect(try await balance == "19938.80")
        }
    }

    @Test func `A refresh token spares the challenge when the check is over, also after a new start, until the logout`()
        async throws
    {
        try await RealServer.run { server in
            try await server.setVersion { $0.refreshTokens = true }
            let storage = TestStorage()
            let app = server.app(storage: storage)
            app.client.setRefreshTokenEnabled(true)
            let pin = app.handle("PinCodeAttempts", Self.pin)
            try await app.get("balance")
            try await server.advance(61)
            #expect(try await app.get("balance") == "19938.80")
            try await server.advance(86_400)
            #expect(try await app.get("balance") == "19938.80")
            #expect(pin.challenges == 1 && app.count("POST preauthorize") == 3)
            try await app.manager.logout("PinCodeAttempts")
            try await app.get("balance")
            #expect(pin.challenges == 2)
        }
    }

    @Test func `Without refresh tokens on both sides a check that is over is asked again`() async throws {
        for isOnAtServer in [false, true] {
            try await RealServer.run { server in
                try await server.setVersion { $0.refreshTokens = isOnAtServer }
                let app = server.app()
                if !isOnAtServer { app.client.setRefreshTokenEnabled(true) }
                let pin = app.handle("PinCodeAttempts", Self.pin)
                try await app.get("balance")
                try await server.advance(61)
                try await app.get("balance")
                #expect(pin.challenges == 2)
            }
        }
    }
}
