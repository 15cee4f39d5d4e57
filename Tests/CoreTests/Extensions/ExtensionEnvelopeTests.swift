import Foundation
import Testing

@testable import CountersignCore
@testable import NativeAuthExtensions

@Suite("What extensions are asked, and what they answer")
struct ExtensionEnvelopeTests {
    private static let data = "microsoft.graph.onTokenIssuanceStartResponseData"
    private static let action = "microsoft.graph.tokenIssuanceStart.provideClaimsForToken"

    private static func answer(data: String = data, actions: String) -> String {
        #"{"data":{"@odata.type":"\#(data)","actions":\#(actions)}}"#
    }

    private static func listener(
        _ event: ExtensionEvent = .tokenIssuanceStart, claims: [ClaimMapping] = [],
        tokens: [CustomExtension.TokenKind] = [.id, .access]
    ) -> CustomExtension {
        CustomExtension(
            id: "e", listenerID: "l", createdAt: Date(microseconds: 0), event: event,
            targetURL: "https://api.example.com/claims", resourceID: "api://api.example.com/audience", claims: claims,
            tokens: tokens)
    }

    private static func claims(_ reply: ExtensionReply) throws(ExtensionFailure) -> ProvidedClaims {
        try ProvidedClaims(
            EntraExtensionFormat().action(in: reply.document(), to: .tokenIssuanceStart),
            for: listener(
                claims: [
                    ClaimMapping(id: "Role", jwtClaimType: "role"), ClaimMapping(id: "roles", jwtClaimType: "my_roles"),
                ]))
    }

    static let long = String(repeating: "a", count: 3072 - 4)

    @Test(
        arguments: [
            (ExtensionReply.json("{}", status: 201), 1_003_002), (.json("{}", status: 302), 1_003_002),
            (.json("{}", status: 404), 1_003_002), (.json("{}", status: 500), 1_003_002),
            (.json(""), 1_003_009), (.json("{"), 1_003_003), (.json("[]"), 1_003_003), (.json("null"), 1_003_003),
            (.json("{}"), 1_003_003), (.json(#"{"data":null}"#), 1_003_003), (.json(#"{"data":[]}"#), 1_003_003),
            (.json(#"{"data":"# + String(repeating: "[", count: 5000)), 1_003_003), (.json("\u{FF}\u{0}"), 1_003_003),
            (.json(#"{"data":{}}"#), 1_003_008),
            (.json(answer(data: "microsoft.graph.onOtpSendResponseData", actions: "[]")), 1_003_008),
            (.json(#"{"data":{"@odata.type":7,"actions":[]}}"#), 1_003_008),
            (.json(answer(actions: "null")), 1_003_010), (.json(answer(actions: "[]")), 1_003_010),
            (.json(answer(actions: "{}")), 1_003_010),
            (
                .json(answer(actions: #"[{"@odata.type":"\#(action)"},{"@odata.type":"\#(action)"}]"#)), 1_003_010
            ),
            (.json(answer(actions: "[7]")), 1_003_012), (.json(answer(actions: "[{}]")), 1_003_012),
            (
                .json(
                    answer(
                        actions: #"[{"@odata.type":"microsoft.graph.tokenIssuanceStart.continueWithDefaultBehavior"}]"#)
                ),
                1_003_012
            ),
            (.json(answer(actions: #"[{"@odata.type":"\#(action)"}]"#)), 1_003_007), (.claims("null"), 1_003_007),
            (.claims("[]"), 1_003_003), (.claims(#""text""#), 1_003_003), (.claims(#"{"role":7}"#), 1_003_003),
            (.claims(#"{"role":true}"#), 1_003_003), (.claims(#"{"":null}"#), 1_003_026),
            (.claims(#"{"role":{"a":"b"}}"#), 1_003_003), (.claims(#"{"role":["a",1]}"#), 1_003_003),
            (.claims(#"{"role":["a",null]}"#), 1_003_003), (.claims(#"{"Role":"a\nb"}"#), 1_003_003),
            (.claims(#"{"Role":"\u202Ea"}"#), 1_003_003), (.claims(#"{"Role":["a","\u2066b"]}"#), 1_003_003),
            (.claims(#"{"Role":"\u0000"}"#), 1_003_003), (.claims(#"{"Role":"a\u0085b"}"#), 1_003_003),
            (.claims(#"{"role":["a",["b"]]}"#), 1_003_003), (.claims(#"{"":"a"}"#), 1_003_026),
            (.claims(#"{"Role":"\#(long)a"}"#), 1_003_025), (.claims(#"{"Role":["\#(long)","a"]}"#), 1_003_025),
            // What is not mapped counts too.
            (.claims(#"{"other":"\#(long)"}"#), 1_003_025),
            (.json("{}", type: []), 1_003_006), (.json("{}", type: ["text/json"]), 1_003_006),
            (.json("{}", type: ["application/json; charset=latin1"]), 1_003_006),
            (.json("{}", type: ["application/json; a=b; c=d"]), 1_003_006),
            (.json("{}", type: ["application/json", "application/json"]), 1_003_006),
            (.json("{}", type: ["application/problem+json"]), 1_003_006),
            (.json(String(repeating: " ", count: 65_537)), 1_003_024),
            (.failed(ExtensionFailure(.timedOut)), 1_003_005), (.failed(ExtensionFailure(.blocked)), 1_003_023),
        ])
    func `Each fault has its number`(reply: ExtensionReply, code: Int) {
        #expect { try Self.claims(reply) } throws: { ($0 as? ExtensionFailure)?.code.rawValue == code }
    }

    @Test(
        arguments: [
            ["application/json"], ["application/json; charset=utf-8"], ["Application/JSON;charset=UTF-8"],
            ["application/json; charset=\"utf-8\""],
        ])
    func `What is right is taken`(type: [String]) throws {
        let reply = ExtensionReply.json(
            ExtensionReply.claimsText(#"{"Role":"\#(Self.long)"}"#), type: type)
        #expect(try Self.claims(reply).claims == ["role": .string(Self.long)])
        // The vendor's documents vary in the case of these, and OData marks types with a number sign.
        let loose = Self.answer(
            data: "#Microsoft.Graph.OnTokenIssuanceStartResponseData", actions: #"[{"@odata.type":"#)
        let action = ##""#microsoft.graph.TokenIssuanceStart.ProvideClaimsForToken","claims":{}}]}}"##
        #expect(try Self.claims(.json(String(loose.dropLast(2)) + action, type: type)).claims == [:])
    }

    @Test
    func `Only mapped claims go into tokens, by the case of their ids, and never a reserved one`() throws {
        let reply = ExtensionReply.claims(#"{"Role":"a","role":"b","roles":["c","d"],"other":"e","iss":"forged"}"#)
        let action = try EntraExtensionFormat().action(in: reply.document(), to: .tokenIssuanceStart)
        let listener = Self.listener(
            claims: [
                ClaimMapping(id: "Role", jwtClaimType: "first"), ClaimMapping(id: "roles", jwtClaimType: "my_roles"),
                ClaimMapping(id: "ROLES", jwtClaimType: "nothing"), ClaimMapping(value: "2", jwtClaimType: "version"),
                // As if it had been registered before the name was reserved.
                ClaimMapping(id: "iss"), ClaimMapping(id: "Role", jwtClaimType: "oid"), ClaimMapping(id: "roles"),
            ], tokens: [.access])
        let provided = try ProvidedClaims(action, for: listener)
        #expect(provided.claims == ["first": "a", "my_roles": .array(["c", "d"]), "version": "2"])
        #expect(provided.names == ["first", "my_roles", "nothing", "version"])
        var claims: [String: JSONValue] = ["first": "own", "nothing": "own", "city": "own"]
        provided.merge(into: &claims, for: .id)
        #expect(claims == ["first": "own", "nothing": "own", "city": "own"])
        provided.merge(into: &claims, for: .access)
        #expect(claims == ["first": "a", "my_roles": .array(["c", "d"]), "version": "2", "city": "own"])
    }

    @Test
    func `A null is no claim: it is left out`() throws {
        let provided = try Self.claims(.claims(#"{"Role":null,"roles":["a","b"],"other":null}"#))
        #expect(provided.claims == ["my_roles": .array(["a", "b"])])
        // The mapping still owns the name.
        var claims: [String: JSONValue] = ["role": "own", "my_roles": "own"]
        provided.merge(into: &claims, for: .id)
        #expect(claims == ["my_roles": .array(["a", "b"])])
    }

    @Test
    func `The actions of each event, and of no other`() throws {
        let names: [ExtensionEvent: String] = [
            .tokenIssuanceStart: "tokenIssuanceStart", .otpSend: "OtpSend",
            .attributeCollectionStart: "attributeCollectionStart",
            .attributeCollectionSubmit: "attributeCollectionSubmit",
        ]
        for event in ExtensionEvent.allCases {
            for other in ExtensionEvent.allCases {
                let name = try #require(names[other])
                for kind in other.actions {
                    let reply = ExtensionReply.json(
                        Self.answer(
                            data: event.answerDataType,
                            actions: #"[{"@odata.type":"microsoft.graph.\#(name).\#(kind.rawValue)"}]"#))
                    let action = try? EntraExtensionFormat().action(in: reply.document(), to: event)
                    #expect(action?.name == (event == other ? kind.rawValue : nil), "\(event) \(other) \(kind)")
                    #expect(action == nil || action?.effect == kind.effect([:]))
                }
            }
        }
    }

    @Test
    func `What a call says`() throws {
        let occasion = ExtensionOccasion(
            application: ClientID(rawValue: "notes"), applicationName: "Notes", resource: "api://library",
            source: "192.0.2.1", locale: "en-us")
        let tenant = Tenant(id: "3b9aca00-1111-4222-8333-444455556666", decoys: Data())
        let user = User(
            id: UserID(rawValue: "ada"), email: TestRealm.email, profile: UserProfile(),
            createdAt: Date(microseconds: 0))
        let said = EntraExtensionFormat().body(
            of: ExtensionQuestion(
                listener: Self.listener(), tenant: tenant, occasion: occasion, correlationID: "c",
                subject: .claims(user), publicURL: "https://login.example.com"))
        #expect(said["type"] == "microsoft.graph.authenticationEvent.tokenIssuanceStart")
        let notes = JSONValue.string(tenant.directoryID(ofApplication: "notes"))
        #expect(said["source"]?.stringValue == "/tenants/\(tenant.id)/applications/\(notes.stringValue ?? "")")
        let data = try #require(said["data"])
        #expect(data["@odata.type"] == "microsoft.graph.onTokenIssuanceStartCalloutData")
        #expect(data["tenantId"]?.stringValue == tenant.id)
        #expect(data["otpContext"] == nil && data["userSignUpInfo"] == nil)
        #expect(data["authenticationEventListenerId"] == "l" && data["customAuthenticationExtensionId"] == "e")
        let context = try #require(data["authenticationContext"])
        #expect(context["user"]?["id"]?.stringValue == tenant.directoryID(of: user.id) && context["requestType"] == nil)
        #expect(context["correlationId"] == "c" && context["protocol"] == "OAUTH2.0")
        #expect(context["client"] == ["ip": "192.0.2.1", "locale": "en-us", "market": "en-us"])
        #expect(
            context["clientServicePrincipal"]
                == ["id": notes, "appId": notes, "appDisplayName": "Notes", "displayName": "Notes"])
        let library = JSONValue.string(tenant.directoryID(ofApplication: "api://library"))
        #expect(
            context["resourceServicePrincipal"]
                == [
                    "id": library, "appId": library, "appDisplayName": "api://library",
                    "displayName": "api://library",
                ])
        #expect(ExtensionEvent.otpSend.callType == "microsoft.graph.authenticationEvent.emailOtpSend")
        #expect(ExtensionEvent.otpSend.callDataType == "microsoft.graph.onOtpSendCalloutData")
    }
}
