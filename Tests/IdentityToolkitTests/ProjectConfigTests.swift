import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The project's configuration (REST reference of Identity Platform, v2 `Config`).
@Suite struct ProjectConfigTests {
    private static let enabled5: JSON = [
        "mfa": ["providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]]]
    ]

    @Test func `A fresh server has TOTP on with one adjacent interval`() async throws {
        try await TestServer.with { server in
            let golden: JSON = [
                "name": "projects/countersign/config",
                "subtype": "IDENTITY_PLATFORM",
                "authorizedDomains": ["127.0.0.1"],
                "signIn": [
                    "email": ["enabled": true, "passwordRequired": false], "anonymous": ["enabled": false],
                    "allowDuplicateEmails": false,
                ],
                "client": ["permissions": ["disabledUserSignup": false, "disabledUserDeletion": false]],
                "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true],
                "passwordPolicyConfig": [
                    "passwordPolicyEnforcementState": "ENFORCE",
                    "passwordPolicyVersions": [
                        [
                            "customStrengthOptions": ["minPasswordLength": 8, "maxPasswordLength": 1024],
                            "schemaVersion": 1,
                        ]
                    ],
                ],
                "mfa": [
                    "state": "ENABLED",
                    "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 1]]],
                ],
            ]
            expectGolden(try await server.config(), golden)
        }
    }

    /// `curl -X PATCH "https://identitytoolkit.googleapis.com/admin/v2/projects/PROJECT_ID/config?updateMask=mfa" …`
    @Test func `The reference pages request switches TOTP on`() async throws {
        try await TestServer.with { server in
            try await server.changeSettings { $0.secondFactors.totp = nil }
            #expect(try await server.config()["mfa"] == ["state": "ENABLED"])
            let body = """
                {
                        "mfa": {
                          "providerConfigs": [{
                            "state": "ENABLED",
                            "totpProviderConfig": {
                              "adjacentIntervals": 5
                            }
                          }]
                       }
                    }
                """
            var headers = server.administrator
            headers[.contentType] = "application/json"
            headers[HTTPField.Name("X-Goog-User-Project")!] = "countersign"
            for host in ["", "/identitytoolkit.googleapis.com"] {
                let reply = try await server.send(
                    .patch, "\(host)/admin/v2/projects/countersign/config?updateMask=mfa", headers: headers,
                    body: Array(body.utf8))
                #expect(reply.status == 200, "\(reply.text)")
                // The Node SDK throws where `mfa.state` is missing.
                #expect(
                    reply.json["mfa"] == [
                        "state": "ENABLED",
                        "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]],
                    ])
            }
        }
    }

    @Test(
        arguments: [
            "mfa", "mfa.*", "*", "mfa.providerConfigs", "mfa.state,mfa.providerConfigs", "mfa.provider_configs",
            "mfa.state,mfa.provider_configs", "mfa.state%2Cmfa.providerConfigs", "mfa.state,%20mfa.providerConfigs",
            nil,
            "",
        ] as [String?])
    func `Every mask that names the providers changes them`(mask: String?) async throws {
        try await TestServer.with { server in
            let reply = try await server.changeConfig(
                mask: mask,
                [
                    "mfa": [
                        "state": "MANDATORY",
                        "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 7]]],
                    ]
                ])
            #expect(reply.status == 200, "\(reply.text)")
            #expect(
                reply.json["mfa"]["providerConfigs"] == [
                    ["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 7]]
                ])
            let namesState = mask.map { !$0.isEmpty && !$0.hasPrefix("mfa.provider") } != false || mask == ""
            #expect(reply.json["mfa"]["state"] == (namesState ? "MANDATORY" : "ENABLED"))
            #expect(try await server.config() == reply.json)
        }
    }

    @Test func `A mask that names something else leaves the providers alone`() async throws {
        try await TestServer.with { server in
            let before = try await server.config()
            for mask in ["mfa.state", "mfa.enabledProviders", "emailPrivacyConfig", "signIn", "nothing", "mfax", "mf"] {
                _ = try await server.changeConfig(mask: mask, Self.enabled5)
                let after = try await server.config()
                #expect(after["mfa"]["providerConfigs"] == before["mfa"]["providerConfigs"], "\(mask)")
            }
        }
    }

    @Test func `What the mask names and the body lacks is cleared`() async throws {
        try await TestServer.with { server in
            let reply = try await server.changeConfig(mask: "mfa.providerConfigs", ["mfa": [:]])
            #expect(reply.json["mfa"] == ["state": "ENABLED"])
            let person = try await server.verifiedPerson()
            #expect(
                try await server.startEnrolment(person.idToken).message
                    == "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
        }
    }

    @Test func `Without mask what the body lacks stays`() async throws {
        try await TestServer.with { server in
            let reply = try await server.changeConfig(mask: nil, ["mfa": ["state": "DISABLED"]])
            #expect(
                reply.json["mfa"] == [
                    "state": "DISABLED",
                    "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 1]]],
                ])
            let nothing = try await server.changeConfig(mask: nil, [:])
            #expect(nothing.json == reply.json)
        }
    }

    /// What is sent as `adjacentIntervals`, what reads back, and how many steps away a code may be.
    @Test(
        arguments: [
            (0, [:], 0), (nil, [:], 5), (1, ["adjacentIntervals": 1], 1), (5, ["adjacentIntervals": 5], 5),
            (10, ["adjacentIntervals": 10], 10), ("3", ["adjacentIntervals": 3], 3), (.null, [:], 5),
            (2.0, ["adjacentIntervals": 2], 2),
        ] as [(JSON?, JSON, Int)])
    func `The window is what was sent`(sent: JSON?, readBack: JSON, window: Int) async throws {
        try await TestServer.with { server in
            let reply = try await server.changeConfig(
                mask: "mfa",
                [
                    "mfa": [
                        "providerConfigs": [
                            [
                                "state": "ENABLED",
                                "totpProviderConfig": JSON.object([:]).with(["adjacentIntervals": sent]),
                            ]
                        ]
                    ]
                ])
            #expect(reply.json["mfa"]["providerConfigs"] == [["state": "ENABLED", "totpProviderConfig": readBack]])

            let (person, app) = try await server.enrolledPerson()
            try await server.advance(30 * 30)
            let credential = try await server.pendingCredential(person)
            let at = server.now
            for outside in [-window - 1, window + 1] {
                let refused = try await server.finishSignIn(
                    credential, app.enrollmentID, code: app.code(at: at, outside))
                expectRefused(refused, "INVALID_CODE", .status)
            }
            // The earlier edge first: codes only go forward.
            for inside in Set([-window, window]).sorted() {
                let taken = try await server.finishSignIn(
                    try await server.pendingCredential(person), app.enrollmentID, code: app.code(at: at, inside))
                #expect(taken.json["idToken"].text != nil, "\(inside): \(taken.text)")
            }
        }
    }

    @Test(arguments: [11, -1, 1000, -2_147_483_648])
    func `A window outside zero to ten is refused`(number: Int) async throws {
        try await TestServer.with { server in
            let before = try await server.config()
            let reply = try await server.changeConfig(
                mask: "mfa",
                [
                    "mfa": [
                        "providerConfigs": [
                            ["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": .integer(number)]]
                        ]
                    ]
                ])
            expectRefused(
                reply,
                "INVALID_ADJACENT_INTERVAL_RANGE : Allowed number of adjacent intervals must be between 0 and 10, inclusive",
                .status)
            #expect(try await server.config() == before)
        }
    }

    @Test(
        arguments: [
            ("x", "\"x\""), (1.5, "1.5"), (true, "true"), ([], "[]"), (["a": 1], "{\"a\":1}"), ("5.5", "\"5.5\""),
            ("", "\"\""), ("+5", "\"+5\""),
        ] as [(JSON, String)])
    func `A window that is no number is refused`(value: JSON, shown: String) async throws {
        try await TestServer.with { server in
            let before = try await server.config()
            let reply = try await server.changeConfig(
                mask: "mfa",
                [
                    "mfa": [
                        "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": value]]]
                    ]
                ])
            #expect(reply.status == 400)
            #expect(reply.json["error"]["status"] == "INVALID_ARGUMENT")
            #expect(
                reply.message
                    == "Invalid value at 'mfa.providerConfigs[0].totpProviderConfig.adjacentIntervals' (TYPE_INT32), \(shown)",
                "\(reply.text)")
            #expect(try await server.config() == before)
        }
    }

    @Test(
        arguments: [
            (
                ["state": "NOT_A_STATE"], "config.mfa.state",
                "google.cloud.identitytoolkit.admin.v2.MultiFactorAuthConfig.State", "NOT_A_STATE"
            ),
            (
                ["state": "enabled"], "config.mfa.state",
                "google.cloud.identitytoolkit.admin.v2.MultiFactorAuthConfig.State", "enabled"
            ),
            (
                ["enabledProviders": ["PHONE_SMS", "TOTP"]], "config.mfa.enabled_providers[1]",
                "google.cloud.identitytoolkit.admin.v2.MultiFactorAuthConfig.Provider", "TOTP"
            ),
            (
                ["providerConfigs": [["state": "ON", "totpProviderConfig": [:]]]],
                "config.mfa.provider_configs[0].state",
                "google.cloud.identitytoolkit.admin.v2.ProviderConfig.MfaState", "ON"
            ),
        ] as [(JSON, String, String, String)])
    func `An unknown word is refused by name`(mfa: JSON, field: String, type: String, value: String) async throws {
        try await TestServer.with { server in
            let before = try await server.config()
            for mask in ["mfa", "mfa.state", nil] {
                let reply = try await server.changeConfig(mask: mask, ["mfa": mfa])
                let message = "Invalid value at '\(field)' (type.googleapis.com/\(type)), \"\(value)\""
                let golden: JSON = [
                    "error": [
                        "code": 400, "message": .string(message), "status": "INVALID_ARGUMENT",
                        "details": [
                            [
                                "@type": "type.googleapis.com/google.rpc.BadRequest",
                                "fieldViolations": [["field": .string(field), "description": .string(message)]],
                            ]
                        ],
                    ]
                ]
                expectGolden(reply.json, golden)
                #expect(reply.status == 400)
            }
            #expect(try await server.config() == before)
        }
    }

    @Test(
        arguments: [
            // An entry without `totpProviderConfig` is dropped; one that is off is kept; `MANDATORY` is taken.
            ([["state": "ENABLED"]], .null),
            ([], .null),
            (
                [["state": "DISABLED", "totpProviderConfig": ["adjacentIntervals": 3]]],
                [["state": "DISABLED", "totpProviderConfig": ["adjacentIntervals": 3]]]
            ),
            (
                [["state": "MANDATORY", "totpProviderConfig": [:]]],
                [["state": "MANDATORY", "totpProviderConfig": [:]]]
            ),
            (
                [["state": "ENABLED"], ["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 2]]],
                [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 2]]]
            ),
        ] as [(JSON, JSON)])
    func `The providers read back by the protocols rules`(sent: JSON, readBack: JSON) async throws {
        try await TestServer.with { server in
            let reply = try await server.changeConfig(mask: "mfa", ["mfa": ["providerConfigs": sent]])
            #expect(reply.json["mfa"]["providerConfigs"] == readBack, "\(reply.text)")
            #expect(reply.json["mfa"]["state"] == "ENABLED")
            #expect(try await server.config() == reply.json)
        }
    }

    @Test(arguments: ["DISABLED", "ENABLED", "MANDATORY"])
    func `The state of the project does not switch TOTP`(state: String) async throws {
        try await TestServer.with { server in
            let reply = try await server.changeConfig(mask: "mfa.state", ["mfa": ["state": .string(state)]])
            #expect(reply.json["mfa"]["state"] == .string(state))
            let person = try await server.verifiedPerson()
            #expect(try await server.startEnrolment(person.idToken).status == 200)
        }
    }

    @Test func `The text message provider is kept for the read back alone`() async throws {
        try await TestServer.with { server in
            let reply = try await server.changeConfig(
                mask: "mfa.enabledProviders", ["mfa": ["enabledProviders": ["PHONE_SMS"]]])
            #expect(reply.json["mfa"]["enabledProviders"] == ["PHONE_SMS"])
            let person = try await server.verifiedPerson()
            let phone = try await server.post(
                "/v2/accounts/mfaEnrollment:start",
                ["idToken": .string(person.idToken), "phoneEnrollmentInfo": ["phoneNumber": "+4915100000000"]])
            expectRefused(phone, "OPERATION_NOT_ALLOWED : SMS based MFA not enabled.", .status)
        }
    }

    @Test func `A factor is not asked for while TOTP is off`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            try await server.setTOTP("DISABLED", adjacentIntervals: 1)
            let refused = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            expectRefused(refused, "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.", .status)
            let signIn = try await server.signIn(person)
            #expect(signIn.json["idToken"].text != nil, "\(signIn.text)")
            #expect(signIn.json["mfaPendingCredential"] == .null)
            // It is still there, and asked for again when TOTP is back.
            #expect(try await server.account(try #require(signIn.json["idToken"].text))["mfaInfo"].elements.count == 1)
            try await server.setTOTP(adjacentIntervals: 1)
            _ = try await server.pendingCredential(person)
        }
    }

    @Test func `Only the servers own project has a configuration`() async throws {
        try await TestServer.with { server in
            let reply = try await server.send(.get, "/v2/projects/another/config", headers: server.administrator)
            expectRefused(reply, "PROJECT_NOT_FOUND", .status)
        }
        try await TestServer.with(.development) { server in
            let reply = try await server.send(
                .get, "/v2/projects/another/config", headers: [.authorization: "Bearer owner"])
            #expect(reply.status == 200)
        }
    }
}
