import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire
import Testing

@testable import IBMMobileFirstPlatformFoundation

/// How challenges are gathered and answered. Source: MobileFirst's web SDK.
@Suite struct ChallengeEngineTests {
    private let app = App()
    private var server: StandIn { app.server }

    @Test func `Several challenges of one answer are answered in one request`() async throws {
        server.on(
            Endpoint.preauthorize,
            { _ in StandIn.challenge(#""Pin":{"errorMsg":null,"remainingAttempts":3},"Login":null"#) },
            { _ in StandIn.granted(#""Pin":{},"Login":{"user":{"id":"ada"}}"#) })
        let pin = app.handle("Pin", .answer(["pin": "1234"]))
        let login = app.handle("Login", .later)
        async let token = app.manager.obtainAccessToken(forScope: "accessRestricted")
        try await login.reach(1)
        try await pin.reach(1)
        #expect(server.count(Endpoint.preauthorize) == 1)
        let handler = try #require(app.client.getChallengeHandler(bySecurityCheck: "Login") as? Handler)
        #expect(handler.activeRequest != nil)
        handler.submitChallengeAnswer(["username": "ada"])
        #expect(try await token.scope == "accessRestricted RegisteredClient")
        #expect(server.challengeResponses == ["{}", #"{"Login":{"username":"ada"},"Pin":{"pin":"1234"}}"#])
        #expect(pin.all == ["challenge errorMsg=null,remainingAttempts=3", "success "])
        #expect(login.all == ["challenge nil", #"success user=["id": "ada"]"#])
    }

    @Test func `A wrong answer asks the same handler again, with what is left`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":{"remainingAttempts":3}"#) },
            { _ in StandIn.challenge(#""Pin":{"remainingAttempts":2}"#) }, { _ in StandIn.granted(#""Pin":{}"#) })
        let pin = app.handle("Pin", .answer(["pin": "9999"]), .answer(["pin": "1234"]))
        #expect(try await app.get("balance", scope: "accessRestricted") == "19938.80")
        #expect(pin.all == ["challenge remainingAttempts=3", "challenge remainingAttempts=2", "success "])
    }

    @Test func `After the right answer of one check, only what is asked next is sent`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Login":{}"#) },
            { _ in StandIn.challenge(#""Pin":{}"#, successes: #""Login":{}"#) },
            { _ in StandIn.granted(#""Login":{},"Pin":{}"#) })
        let login = app.handle("Login", .answer(["username": "ada"]))
        let pin = app.handle("Pin", .answer(["pin": "1234"]))
        try await app.get("transfer", scope: "transferPrivilege")
        #expect(server.challengeResponses.suffix(2) == [#"{"Login":{"username":"ada"}}"#, #"{"Pin":{"pin":"1234"}}"#])
        #expect(login.all == ["challenge ", "success ", "success "])
        #expect(pin.all == ["challenge ", "success "])
    }

    @Test func `A check without handler fails the request before any other is called`() async throws {
        server.on(Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":{},"Unheard":{}"#) })
        let pin = app.handle("Pin", .later)
        #expect(await code { try await app.get("balance") } == .missingChallengeHandler)
        #expect(pin.all.isEmpty)
    }

    @Test func `The last failure completes the request`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":{}"#) },
            { _ in StandIn.failure(#""Pin":{"failure":"Account blocked"},"Unheard":{}"#) })
        let pin = app.handle("Pin", .answer(["pin": "9999"]))
        do {
            try await app.get("balance", scope: "accessRestricted")
            Issue.record("must fail")
        } catch let error as WLError {
            #expect(error.code == .authorizationFailure)
            #expect(error.message == "Account blocked")
            #expect(error.response?.status == 403)
        }
        #expect(pin.all == ["challenge ", "failure failure=Account blocked"])
    }

    @Test func `Cancelling fails the request, sends nothing, and the next one asks again`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":{"remainingAttempts":3}"#) })
        let pin = app.handle("Pin", .cancel)
        for round in 1...2 {
            #expect(
                await code { try await app.get("balance", scope: "accessRestricted") } == .challengeHandlingCancelled)
            #expect(server.count(Endpoint.preauthorize) == round)
            #expect(pin.challenges == round)
        }
    }

    @Test func `When one of two handlers cancels, the other is free again`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Login":{},"Pin":{}"#) }, { _ in StandIn.granted() })
        let pin = app.handle("Pin", .cancel)
        app.handle("Login", .later)
        #expect(await code { try await app.get("balance", scope: "accessRestricted") } == .challengeHandlingCancelled)
        let login = try #require(app.client.getChallengeHandler(bySecurityCheck: "Login"))
        #expect(login.activeRequest == nil)
        #expect(pin.challenges == 1)
        // The screen that is still open answers no request.
        (login as? Handler)?.submitChallengeAnswer(["username": "ada"])
        #expect(try await app.get("balance") == "19938.80")
    }

    @Test func `A challenge that is taken back is left out`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Login":{},"Pin":{}"#) }, { _ in StandIn.granted() })
        app.handle("Pin", .takeBack)
        app.handle("Login", .answer(["a": "b"]))
        try await app.get("balance", scope: "accessRestricted")
        #expect(server.challengeResponses.last == #"{"Login":{"a":"b"}}"#)
    }

    @Test func `An answer that is no JSON fails the request`() async throws {
        server.on(Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":{}"#) })
        app.handle("Pin", .unwritable)
        #expect(await code { try await app.get("balance", scope: "accessRestricted") } == .illegalArgument)
    }

    @Test func `Two requests at once register once and ask once, and both are answered`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.granted() },
            { _ in StandIn.challenge(#""Pin":{}"#) }, { _ in StandIn.granted(#""Pin":{}"#) })
        let pin = app.handle("Pin", .later)
        async let first = app.get("balance")
        async let second = app.get("balance")
        async let third = app.manager.obtainAccessToken(forScope: "RegisteredClient accessRestricted")
        try await pin.reach(1)
        try #require(app.client.getChallengeHandler(bySecurityCheck: "Pin") as? Handler)
            .submitChallengeAnswer(answer: ["pin": "1234"])
        #expect(try await [first, second] == ["19938.80", "19938.80"])
        #expect(try await third.scope == "accessRestricted RegisteredClient")
        #expect(pin.challenges == 1)
        #expect(server.count(Endpoint.registration) == 1)
    }

    @Test func `All callers of a scope hear of its failure, and the next one starts anew`() async throws {
        server.on(Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":{}"#) })
        let pin = app.handle("Pin", .later)
        async let first = code { _ = try await app.manager.obtainAccessToken(forScope: "a b") }
        async let second = code { _ = try await app.manager.obtainAccessToken(forScope: "b a") }
        try await pin.reach(1)
        try #require(app.client.getChallengeHandler(bySecurityCheck: "Pin")).cancel()
        #expect(await [first, second] == [.challengeHandlingCancelled, .challengeHandlingCancelled])
        #expect(pin.challenges == 1)
        server.on(Endpoint.preauthorize, { _ in StandIn.granted() })
        #expect(try await app.manager.obtainAccessToken(forScope: "a b").value == "token-1")
    }

    @Test func `A login that meets a busy handler waits, and is released by its success`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Login":{}"#) },
            { _ in StandIn.challenge(#""Login":{"errorMsg":"Wrong"}"#) }, { _ in StandIn.granted(#""Login":{}"#) })
        let events = app.handle("Login", .later)
        async let token = app.manager.obtainAccessToken(forScope: "Login")
        try await events.reach(1)
        async let login: Void = app.manager.login("Login", withCredentials: ["username": "eve"])
        let handler = try #require(app.client.getChallengeHandler(bySecurityCheck: "Login") as? Handler)
        for _ in 0..<60_000 where handler.waitingRequestsList.isEmpty { try await Task.sleep(nanoseconds: 2_000_000) }
        #expect(handler.waitingRequestsList.count == 1)
        #expect(events.challenges == 1)
        handler.submitChallengeAnswer(["username": "ada"])
        #expect(try await token.value == "token-1")
        try await login
        #expect(events.challenges == 1)
        #expect(handler.waitingRequestsList.isEmpty && handler.activeRequest == nil)
    }

    @Test func `A cancelled task leaves, and the authorization goes on for others`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":{}"#) }, { _ in StandIn.granted(#""Pin":{}"#) })
        let pin = app.handle("Pin", .later)
        let leaver = Task { try await app.manager.obtainAccessToken(forScope: "a") }
        try await pin.reach(1)
        async let stayer = app.manager.obtainAccessToken(forScope: "a")
        leaver.cancel()
        await #expect(throws: CancellationError.self) { try await leaver.value }
        try #require(app.client.getChallengeHandler(bySecurityCheck: "Pin") as? Handler)
            .submitChallengeAnswer(["pin": "1"])
        #expect(try await stayer.value == "token-1")
    }

    @Test func `A later handler takes the place of an earlier one`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":{}"#) }, { _ in StandIn.granted(#""Pin":{}"#) })
        let earlier = app.handle("Pin", .cancel)
        let later = app.handle("Pin", .answer(["pin": "1234"]))
        try await app.get("balance", scope: "accessRestricted")
        #expect(earlier.all.isEmpty)
        #expect(later.all.count == 2)
    }

    @Test func `Conflicts are sent again, seven times at most`() async throws {
        let conflict: StandIn.Answer = { _ in
            HTTPClientResponse(status: 409, headers: ["MFP-Conflict": "Concurrency"])
        }
        server.on(Endpoint.preauthorize, conflict, conflict, { _ in StandIn.granted() })
        try await app.get("balance", scope: "accessRestricted")
        #expect(server.count(Endpoint.preauthorize) == 3)
        server.on(Endpoint.preauthorize, conflict)
        #expect(await code { try await app.get("transfer", scope: "transferPrivilege") } == .authorizationFailure)
        #expect(server.count(Endpoint.preauthorize) == 3 + 8)
    }

    @Test func `A disabled app says so, and a message of the server is confirmed`() async throws {
        server.on(
            Endpoint.preauthorize,
            { _ in
                StandIn.challenge(
                    #""wl_remoteDisableRealm":{"message":"Soon","messageId":"7","messageType":"NOTIFY"}"#)
            },
            { _ in StandIn.failure(#""wl_remoteDisableRealm":{"message":"Closed","downloadLink":"x"}"#) })
        let error = await #expect(throws: WLError.self) { try await app.get("balance", scope: "accessRestricted") }
        #expect(error?.code == .applicationDisabled)
        #expect(error?.message == "Closed")
        #expect(server.challengeResponses.last == #"{"wl_remoteDisableRealm":{"messageId":"7"}}"#)
    }
}

/// The rules of a round, in isolation.
@Suite struct ChallengeRoundTests {
    private func text(_ outcome: ChallengeRound.Outcome?) -> String {
        switch outcome {
        case nil: "open"
        case .failed(let error)?: "\(error)"
        case .resend(let answers)?: answers.keys.sorted().joined(separator: ",")
        }
    }

    private struct Stop: Error {}

    enum Step: Sendable { case answer(String), drop(String), fail }

    @Test(
        arguments: [
            (["a", "b"], [], "open"), (["a", "b"], [.answer("a")], "open"),
            (["a", "b"], [.answer("a"), .answer("b")], "a,b"), (["a", "b"], [.answer("a"), .drop("b")], "a"),
            (["a"], [.drop("a")], ""), (["a"], [.answer("x")], "open"), (["a"], [.answer("a"), .fail], "a"),
            (["a", "b"], [.answer("a"), .fail], "Stop()"), (["a"], [.fail, .answer("a")], "Stop()"),
            (["a"], [.fail, .drop("a")], "Stop()"), ([], [], ""),
        ] as [([String], [Step], String)])
    func `A round ends with all answers or with the first who gives up`(names: [String], steps: [Step], end: String) {
        var round = ChallengeRound(expecting: Set(names))
        for step in steps {
            switch step {
            case .answer(let name): round.answer(name, with: .null)
            case .drop(let name): round.drop(name)
            case .fail: round.fail(Stop())
            }
        }
        #expect(text(round.outcome) == end)
    }

    @Test func `A handler has one request, and others wait`() async throws {
        let slot = HandlerSlot(name: "a")
        let (first, second, third) = (WLRequest(), WLRequest(), WLRequest())
        for request in [first, second, third] { request.begin(expecting: ["a"]) }
        #expect(slot.take(first) && !slot.take(second) && !slot.take(third))
        slot.end(second)
        #expect(slot.waiting == [third])
        // The request that goes leaves the handler free, and those that wait are sent again.
        slot.end(first)
        #expect(slot.active == nil && slot.waiting.isEmpty)
        #expect(try await third.answers().isEmpty)
        #expect(!slot.answer(with: .null) && !slot.giveUp(Stop()))
    }
}
