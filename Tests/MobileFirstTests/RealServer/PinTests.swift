import ClientHTTP
import CountersignCore
import Foundation
import IBMMobileFirstPlatformFoundation
import MobileFirstReferencePage
import Testing

/// The sample with the PIN, client and server. Source: the vendor's sample PinCodeAttempts (SecurityCheckAdapters).
@Suite struct PinTests {
    private static let check = "PinCodeAttempts"
    private static let blocked = "failure failure=Account blocked"

    private func asked(_ left: Int) -> String { asked("null", left) }

    private func asked(_ message: String, _ left: Int) -> String {
        "challenge errorMsg=\(message),remainingAttempts=\(left)"
    }

    @Test func `P5, P11: a wrong PIN is asked again, and the right one shows the balance`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            let pin = app.handle(Self.check, .answer(["pin": "9999"]), .answer(["pin": "1234"]))
            #expect(try await app.get("balance") == "19938.80")
            #expect(
                pin.all == [asked(3), asked("Pin code is not valid. Hint: 1234", 2), "success "])
            // P12
            #expect(try await app.get("balance") == "19938.80")
            #expect(pin.challenges == 2)
            // P13
            try await server.advance(61)
            pin.script.withLock { $0 = [.answer(["pin": "1234"])] }
            #expect(try await app.get("balance") == "19938.80")
            #expect(pin.all.suffix(2) == [asked(3), "success "])
        }
    }

    @Test func `P7, P8, P9, P10: the third wrong PIN completes the request, blocks, and ends`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            let pin = app.handle(Self.check, .answer(["pin": "1"]), .answer([:]), .answer(["pin": "2"]))
            let error = await #expect(throws: WLError.self) { try await app.get("balance") }
            #expect(error?.code == .authorizationFailure)
            #expect(error?.message == "Account blocked")
            #expect(
                pin.all == [
                    asked(3), asked("Pin code is not valid. Hint: 1234", 2), asked("Pin code was not provided", 1),
                    Self.blocked,
                ])
            let login = await code { try await app.manager.login(Self.check, withCredentials: ["pin": "1234"]) }
            #expect(login == .authorizationFailure)
            #expect(pin.all.last == Self.blocked && pin.challenges == 3)
            // P20: the block is this installation's alone.
            let other = server.app()
            other.handle(Self.check, .answer(["pin": "1234"]))
            #expect(try await other.get("balance") == "19938.80")
            try await server.advance(61)
            pin.script.withLock { $0 = [.answer(["pin": "1234"])] }
            #expect(try await app.get("balance") == "19938.80")
            #expect(pin.all.suffix(2) == [asked(3), "success "])
        }
    }

    @Test func `P16: after a logout the PIN is asked again`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            let pin = app.handle(Self.check, .answer(["pin": "1234"]))
            try await app.get("balance")
            try await app.manager.logout(Self.check)
            try await app.get("balance")
            #expect(pin.all == [asked(3), "success ", asked(3), "success "])
        }
    }

    @Test func `P17: cancelling uses no attempt`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            let pin = app.handle(Self.check, .answer(["pin": "9999"]), .cancel, .answer(["pin": "1234"]))
            #expect(await code { try await app.get("balance") } == .challengeHandlingCancelled)
            try await app.get("balance")
            #expect(
                pin.all == [asked(3), asked("Pin code is not valid. Hint: 1234", 2), asked(2), "success "])
        }
    }

    @Test func `P18: two requests at once ask once`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            let pin = app.handle(Self.check, .answer(["pin": "1234"]))
            async let first = app.get("balance")
            async let second = app.get("balance")
            let both = try await [first, second]
            #expect(both == ["19938.80", "19938.80"])
            #expect(pin.challenges == 1)
        }
    }

    @Test func `P19, P21: public data needs no challenge, and a login before the request spares the challenge`()
        async throws
    {
        try await RealServer.run { server in
            let app = server.app()
            let pin = app.handle(Self.check)
            #expect(try await app.get("publicData").hasPrefix("Lorem ipsum"))
            try await app.manager.login(Self.check, withCredentials: ["pin": 1234])
            #expect(try await app.get("balance") == "19938.80")
            #expect(pin.all.allSatisfy { $0 == "success " } && !pin.all.isEmpty)
        }
    }

    @Test func `A token is known by its scope, and expires with the check`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            app.handle(Self.check, .answer(["pin": "1234"]))
            let token = try await app.manager.obtainAccessToken(forScope: "accessRestricted")
            #expect(Set(token.scope.split(separator: " ")).isSubset(of: ["accessRestricted", "RegisteredClient"]))
            #expect(try await app.manager.obtainAccessToken(forScope: "accessRestricted").value == token.value)
            try await server.advance(61)
            #expect(try await app.manager.obtainAccessToken(forScope: "accessRestricted").value != token.value)
        }
    }

    @Test func `An unknown scope is refused`() async throws {
        try await RealServer.run { server in
            let app = server.app()
            let error = await code { _ = try await app.manager.obtainAccessToken(forScope: "nobodysElement") }
            #expect(error == .authorizationFailure)
        }
    }
}

/// The page's own code, against the real server, by the instances that all of an app shares.
@Suite(.serialized) struct ReferencePageTests {
    @Test func `The page's handler shows what it says and answers`() async throws {
        try await RealServer.run { server in
            SecuritySession.shared.keep(in: TestStorage(), keys: InMemoryClientKeys())
            WLClientSwift.sharedInstance().setServerUrl(url: server.url)
            WLClientSwift.sharedInstance().setApplication(id: "com.countersign.dev", version: "1.0.0")
            let screen = Screen(pins: ["9999", "1234"])
            register("PinCodeAttempts", screen: screen)
            let (text, error) = await withCheckedContinuation { continuation in
                getBalance { continuation.resume(returning: ($0, $1)) }
            }
            #expect(text == "19938.80" && error == nil)
            #expect(
                screen.shown == [
                    "This data requires a PIN code. (5)", "Pin code is not valid. Hint: 1234 (4)", "success",
                ])
            try await WLAuthorizationManagerSwift.sharedInstance().logout(securityCheck: "PinCodeAttempts")
            let again = await withCheckedContinuation { continuation in
                getBalance { continuation.resume(returning: $1 as? WLError) }
            }
            #expect(again?.code == .challengeHandlingCancelled)
            #expect(screen.shown.last == "This data requires a PIN code. (5)")
        }
    }
}
