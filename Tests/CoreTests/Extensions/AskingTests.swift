import Foundation
import Testing

@testable import CountersignCore
@testable import NativeAuthExtensions

@Suite("Asking extensions")
struct AskingTests {
    private let occasion = ExtensionOccasion(application: ClientID(rawValue: "app"))

    private func listener(
        _ test: TestRealm, _ event: ExtensionEvent = .tokenIssuanceStart, retries: Int = 0
    ) async throws -> CustomExtension {
        try await test.realm.customExtensions.add(
            CustomExtensions.Registration(
                event: event, targetURL: "https://api.example.com/x", resourceID: "api://api.example.com/audience",
                timeout: 700, retries: retries,
                claims: event == .tokenIssuanceStart ? [ClaimMapping(id: "a")] : []), by: test.client)
    }

    @Test
    func `The token of a call is the server's, for that service, and short-lived`() async throws {
        let caller = ScriptedCaller(.claims(#"{"a":"b"}"#))
        let test = try await TestRealm.make(extensionCaller: caller)
        try await test.realm.keyring.prepare()
        let user = try await test.addUser()
        let claims = try await test.realm.customExtensions.claims(
            of: listener(test), for: user, occasion, by: test.client)
        #expect(claims.claims == ["a": "b"])
        let call = try #require(caller.calls.first)
        #expect(call.url == "https://api.example.com/x" && call.timeout == .milliseconds(700))
        let token = try #require(await test.realm.keyring.verified(call.bearer.reveal()))
        let tenant = try await test.realm.tenant().id
        #expect(token.string("iss") == "https://login.example.com/\(tenant)/v2.0")
        #expect(token.string("aud") == "audience" && token.string("tid") == tenant)
        #expect(token.string("azp") == "99045fe1-7639-4a75-9d4a-577b6ca3810f")
        #expect(token.string("appid") == token.string("azp"))
        #expect(token["roles"] == .array(["CustomAuthenticationExtensions.Receive.Payload"]))
        #expect(token.integer("exp") == test.now.seconds + 300 && token.integer("nbf") == test.now.seconds)
        #expect(!"\(call)".contains(call.bearer.reveal()), "Printing a call does not print its token.")
        let said = try JSONDecoder().decode(JSONValue.self, from: call.body)
        let person = said["data"]?["authenticationContext"]?["user"]
        #expect(try await person?["id"]?.stringValue == test.realm.tenant().directoryID(of: user.id))
        #expect(person?["mail"] == "ada@example.org")
        #expect(person?["userType"] == "Member" && person?["userPrincipalName"] == "ada@example.org")
    }

    @Test
    func `A failure that may pass is tried once more, where that was wished for`() async throws {
        let transient: [ExtensionReply] = [
            .failed(ExtensionFailure(.timedOut)), .failed(ExtensionFailure(.connectionError)), .json("", status: 503),
            .json("", status: 429), .json("", status: 500), .json("", status: 408),
        ]
        let lasting: [ExtensionReply] = [
            .failed(ExtensionFailure(.blocked)), .json("", status: 400), .json("", status: 302), .json("{}"),
            .failed(ExtensionFailure(.responseSizeExceeded)),
        ]
        for (retries, failures, calls) in [(0, transient, 1), (1, transient, 2), (1, lasting, 1)] {
            for failure in failures {
                let caller = ScriptedCaller(failure, .claims("{}"))
                let test = try await TestRealm.make(extensionCaller: caller)
                try await test.realm.keyring.prepare()
                let listener = try await listener(test, retries: retries)
                let user = try await test.addUser()
                let claims = try? await test.realm.customExtensions.claims(
                    of: listener, for: user, occasion, by: test.client)
                #expect(caller.calls.count == calls && (claims != nil) == (calls == 2), "\(failure)")
            }
        }
        // Twice is not thrice.
        let caller = ScriptedCaller(.json("", status: 503))
        let test = try await TestRealm.make(extensionCaller: caller)
        try await test.realm.keyring.prepare()
        let (listener, user) = (try await listener(test, retries: 1), try await test.addUser())
        await #expect(throws: ExtensionFailure.status(503)) {
            try await test.realm.customExtensions.claims(of: listener, for: user, occasion, by: test.client)
        }
        #expect(caller.calls.count == 2)
    }

    @Test
    func `What failed is in the log by number, without users' data, and no more than sixty times a minute`()
        async throws
    {
        let caller = ScriptedCaller(.json(#"{"secret":"ada@example.org"}"#))
        let test = try await TestRealm.make(extensionCaller: caller)
        try await test.realm.keyring.prepare()
        let (listener, user) = (try await listener(test), try await test.addUser())
        func fail(_ times: Int) async {
            for _ in 0..<times {
                await #expect(throws: ExtensionFailure.self) {
                    try await test.realm.customExtensions.claims(of: listener, for: user, occasion, by: test.client)
                }
            }
        }
        await fail(61)
        let events = try await test.events(.extensionFailed)
        #expect(events.count == 60)
        let event = try #require(events.first)
        #expect(event.userID == user.id && event.reason == "CustomExtensionInvalidResponseBody")
        #expect(event.details["code"] == .integer(1_003_003) && event.details["event"] == "token-issuance-start")
        #expect(!"\(event)".contains("ada@example.org"))
        test.clock.advance(61)
        await fail(1)
        #expect(try await test.events(.extensionFailed).count == 61)
    }

    @Test
    func `A service that is slow holds up sixteen calls at a time; others are turned away at once`() throws {
        let traffic = ExtensionTraffic()
        for _ in 0..<ExtensionTraffic.limitPerExtension { #expect(traffic.enter("slow")) }
        #expect(!traffic.enter("slow") && traffic.enter("fast"))
        traffic.leave("slow")
        #expect(traffic.enter("slow") && !traffic.enter("slow"))
        traffic.leave("fast")
        for other in 1...3 {
            for _ in 0..<ExtensionTraffic.limitPerExtension { #expect(traffic.enter("\(other)")) }
        }
        #expect(!traffic.enter("one more"), "64 in all")
        traffic.leave("1")
        #expect(traffic.enter("one more"))
    }

    @Test
    func `A sign-up is described with its types, and an answer is held to them`() throws {
        let signUp = SignUpInformation(
            email: TestRealm.email, attributes: ["city": "London", "age": .integer(36)],
            types: ["city": "string", "age": "integer", "news": "boolean"], builtIn: ["city"],
            read: { _, value in value == "bad" ? nil : value })
        let said = Optional(signUp.userSignUpInfo(publicURL: "https://login.example.com:8443/"))
        let attributes = try #require(said?["attributes"])
        #expect(attributes["city"]?["value"] == "London" && attributes["city"]?["attributeType"] == "builtIn")
        #expect(attributes["age"]?["@odata.type"] == "microsoft.graph.int64DirectoryAttributeValue")
        #expect(attributes["age"]?["attributeType"] == "directorySchemaExtension")
        #expect(attributes["news"]?["@odata.type"] == "microsoft.graph.booleanDirectoryAttributeValue")
        #expect(attributes["news"]?["value"] == .null)
        #expect(
            said?["identities"]
                == .array([
                    ["signInType": "email", "issuer": "login.example.com", "issuerAssignedId": "ada@example.org"]
                ]))
        let right: JSONValue = ["city": "Paris", "news": .bool(true), "unknown": .array([])]
        #expect(try signUp.values(right) == ["city": "Paris", "news": .bool(true)])
        let wrong: [JSONValue?] = [
            nil, .null, .array([]), ["city": .integer(7)], ["age": "36"], ["news": "true"], ["city": .null],
            ["city": "bad"],
        ]
        for value in wrong {
            #expect(throws: ExtensionFailure.self, "\(String(describing: value))") { try signUp.values(value) }
        }
        #expect(try signUp.faults(["city": "No such town\u{7}", "x": .integer(1)]) == ["city": "No such town"])
        #expect(try signUp.faults(nil).isEmpty)
        for value: JSONValue in [.array([]), ["city": .integer(1)]] {
            #expect(throws: ExtensionFailure.self) { try signUp.faults(value) }
        }
        #expect(SignUpObjection.text(["N\u{202E}o", "a\r\nb\u{2066}"]) == "N o: a  b")
        #expect(
            SignUpObjection.text(["No", String(repeating: "a", count: 900)]).count == 504)
    }

    @Test
    func `A check calls about a user who does not exist, and reports what is wrong`() async throws {
        for event in ExtensionEvent.allCases {
            let action =
                event == .tokenIssuanceStart
                ? "provideClaimsForToken\",\"claims\":{\"a\":\"b\"},\"x\":\"" : "continueWithDefaultBehavior"
            let right = ExtensionReply.json(
                #"{"data":{"@odata.type":"\#(event.answerDataType)","actions":[{"@odata.type":"\#(event.actionPrefix)\#(action)"}]}}"#
            )
            let caller = ScriptedCaller(right, .json("{}", status: 500))
            let test = try await TestRealm.make(extensionCaller: caller)
            try await test.realm.keyring.prepare()
            let listener = try await listener(test, event)
            let result = try #require(await test.realm.customExtensions.check(listener.id))
            #expect(result.failure == nil, "\(event)")
            #expect(result.claims == (event == .tokenIssuanceStart ? ["a"] : []))
            let body = String(decoding: try #require(caller.calls.first).body, as: UTF8.self)
            #expect(body.contains("check@example.invalid"), "\(event)")
            #expect(try await test.realm.customExtensions.check(listener.id)?.failure == .status(500))
            #expect(try await test.realm.customExtensions.check("nothing") == nil)
        }
    }
}
