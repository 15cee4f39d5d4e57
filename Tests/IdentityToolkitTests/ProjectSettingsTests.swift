import CountersignCore
import DialectTestSupport
import Foundation
import Testing

/// What administrators set of the project beside second factors: it is done, or refused by name (Identity Platform's
/// REST reference, `Config`).
@Suite struct ProjectSettingsTests {
    private static let policy = "passwordPolicyConfig"

    @Test(
        arguments: [
            (["signIn": ["allowDuplicateEmails": true]], "signIn.allowDuplicateEmails"),
            (["sign_in": ["allow_duplicate_emails": true]], "signIn.allowDuplicateEmails"),
            (["signIn": ["phoneNumber": ["enabled": true]]], "signIn.phoneNumber"),
            (["signIn": ["phoneNumber": ["testPhoneNumbers": ["+15555550100": "123456"]]]], "signIn.phoneNumber"),
            (["smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["DE"]]]], "smsRegionConfig"),
            (["recaptchaConfig": ["emailPasswordEnforcementState": "ENFORCE"]], "recaptchaConfig"),
            (["recaptchaConfig": ["emailPasswordEnforcementState": 3]], "recaptchaConfig"),
            (
                ["blockingFunctions": ["triggers": ["beforeSignIn": ["functionUri": "https://example.com"]]]],
                "blockingFunctions"
            ),
            (["notification": ["sendEmail": ["method": "CUSTOM_SMTP"]]], "notification"),
            (["mobileLinksConfig": ["domain": "HOSTING_DOMAIN"]], "mobileLinksConfig"),
            (["quota": ["signUpQuotaConfig": ["quota": "100"]]], "quota"),
            (["monitoring": ["requestLogging": ["enabled": true]]], "monitoring"),
            (["multiTenant": ["allowTenants": true]], "multiTenant"),
            (["autodeleteAnonymousUsers": true], "autodeleteAnonymousUsers"),
        ] as [(JSON, String)])
    func `What is not done is refused by name`(body: JSON, path: String) async throws {
        try await TestServer.with { server in
            let before = try await server.config()
            let whole = body.with(["mfa": ["state": "MANDATORY"]])
            for mask in [nil, "mfa,\(path)", "*"] {
                let reply = try await server.changeConfig(mask: mask, whole)
                #expect(reply.status == 400, "\(reply.text)")
                #expect(
                    reply.message?.hasPrefix("INVALID_CONFIG : \(path) cannot be changed: ") == true, "\(reply.text)")
            }
            #expect(try await server.config() == before)
            // What the mask does not name does not count.
            #expect(try await server.changeConfig(mask: "mfa.state", whole).status == 200)
        }
    }

    @Test(arguments: [
        "nothing", "mfax", "mf", "mfa.", "mfa.states", "signIn.email.enabled.x", "signIn.hash", "mfa,nothing", "name.x",
        "passwordPolicyConfig.minLength", "mfa.providerConfigs.state", ".",
    ])
    func `An unknown mask is refused`(mask: String) async throws {
        try await TestServer.with { server in
            let before = try await server.config()
            let reply = try await server.changeConfig(mask: mask, ["mfa": ["state": "MANDATORY"]])
            #expect(reply.status == 400)
            #expect(
                reply.message?.hasPrefix(
                    "Invalid value at 'update_mask' (type.googleapis.com/google.protobuf.FieldMask), ") == true,
                "\(reply.text)")
            #expect(try await server.config() == before)
        }
    }

    /// A configuration that was read may be sent back; so may what switches nothing on.
    @Test func `What holds anyway is taken`() async throws {
        try await TestServer.with { server in
            let config = try await server.config()
            for mask in [nil, "*", "signIn,name,subtype"] {
                let reply = try await server.changeConfig(mask: mask, config)
                #expect(reply.json == config, "\(reply.text)")
            }
            let nothing: JSON = [
                "signIn": ["phoneNumber": ["enabled": false, "testPhoneNumbers": [:]], "allowDuplicateEmails": false],
                "smsRegionConfig": ["allowByDefault": [:]], "blockingFunctions": ["triggers": [:]],
                "recaptchaConfig": [
                    "emailPasswordEnforcementState": "OFF", "managedRules": [],
                    "phoneEnforcementState": "RECAPTCHA_PROVIDER_ENFORCEMENT_STATE_UNSPECIFIED",
                ],
            ]
            #expect(try await server.changeConfig(mask: nil, nothing).json == config)
        }
    }

    // MARK: Who may sign up and in

    @Test func `Sign up is closed for users and not for administrators`() async throws {
        try await TestServer.with { server in
            let closed = try await server.changeConfig(
                mask: "client.permissions.disabledUserSignup,signIn.anonymous.enabled",
                [
                    "client": ["permissions": ["disabledUserSignup": true]],
                    "signIn": ["anonymous": ["enabled": true]],
                ])
            #expect(closed.json["client"]["permissions"]["disabledUserSignup"] == true, "\(closed.text)")
            for body in [["email": "a@example.com", "password": .string(TestServer.password)], [:]] as [JSON] {
                expectRefused(try await server.post("/v1/accounts:signUp", body), "ADMIN_ONLY_OPERATION", .errors)
            }
            #expect(try await server.administer("", ["email": "a@example.com"]).status == 200)
            _ = try await server.changeConfig(mask: "client", ["client": [:]])
            #expect(try await server.signUp().email.isEmpty == false)
        }
    }

    @Test func `Accounts are deleted by administrators alone`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.changeConfig(
                mask: "client.permissions.disabledUserDeletion",
                ["client": ["permissions": ["disabledUserDeletion": true]]])
            #expect(reply.json["client"]["permissions"]["disabledUserDeletion"] == true)
            expectRefused(
                try await server.post("/v1/accounts:delete", ["idToken": .string(person.idToken)]),
                "ADMIN_ONLY_OPERATION", .errors)
            #expect(try await server.administer(":delete", ["localId": .string(person.localID)]).status == 200)
        }
    }

    @Test func `Addresses can be switched off`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reset = try await server.link(["requestType": "PASSWORD_RESET", "email": .string(person.email)])
            let signIn = try await server.link(["requestType": "EMAIL_SIGNIN", "email": .string(person.email)])
            let reply = try await server.changeConfig(
                mask: "signIn.email.enabled", ["signIn": ["email": ["enabled": false]]])
            #expect(reply.json["signIn"]["email"] == ["enabled": false, "passwordRequired": false])
            let (email, password) = (JSON.string(person.email), JSON.string(TestServer.password))
            for (path, body, message) in [
                ("signUp", ["email": "b@example.com", "password": password], "OPERATION_NOT_ALLOWED"),
                ("signInWithPassword", ["email": email, "password": password], "PASSWORD_LOGIN_DISABLED"),
                ("signInWithEmailLink", ["email": email, "oobCode": .string(signIn)], "OPERATION_NOT_ALLOWED"),
                (
                    "resetPassword", ["oobCode": .string(reset), "newPassword": "another staple 8 horse"],
                    "PASSWORD_LOGIN_DISABLED"
                ),
                ("sendOobCode", ["requestType": "PASSWORD_RESET", "email": email], "PASSWORD_LOGIN_DISABLED"),
                ("sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": email], "OPERATION_NOT_ALLOWED"),
                (
                    "update", ["idToken": .string(person.idToken), "password": "another staple 8 horse"],
                    "OPERATION_NOT_ALLOWED"
                ),
            ] as [(String, JSON, String)] {
                expectRefused(try await server.post("/v1/accounts:\(path)", body), message, .errors)
            }
            _ = try await server.changeConfig(mask: "signIn.email.enabled", ["signIn": ["email": ["enabled": true]]])
            #expect(try await server.signIn(person).status == 200)
        }
    }

    @Test func `Links can be switched off`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let code = try await server.link(["requestType": "EMAIL_SIGNIN", "email": .string(person.email)])
            let reply = try await server.changeConfig(
                mask: "signIn.email", ["signIn": ["email": ["enabled": true, "passwordRequired": true]]])
            #expect(reply.json["signIn"]["email"] == ["enabled": true, "passwordRequired": true])
            for body in [["oobCode": .string(code)], ["oobCode": "x"]] as [JSON] {
                expectRefused(
                    try await server.post(
                        "/v1/accounts:signInWithEmailLink", body.with(["email": .string(person.email)])),
                    "OPERATION_NOT_ALLOWED", .errors)
            }
            #expect(try await server.signIn(person).status == 200)
        }
    }

    // MARK: Passwords

    private func setPolicy(_ server: TestServer, _ options: JSON, state: JSON = "ENFORCE") async throws -> Reply {
        try await server.changeConfig(
            mask:
                "\(Self.policy).passwordPolicyEnforcementState,\(Self.policy).forceUpgradeOnSignin,\(Self.policy).passwordPolicyVersions",
            [
                "passwordPolicyConfig": [
                    "passwordPolicyEnforcementState": state, "forceUpgradeOnSignin": false,
                    "passwordPolicyVersions": [["customStrengthOptions": options]],
                ]
            ])
    }

    @Test func `A password policy is enforced and reads back`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let options: JSON = [
                "minPasswordLength": 10, "maxPasswordLength": 4096, "containsLowercaseCharacter": true,
                "containsUppercaseCharacter": true, "containsNumericCharacter": true,
                "containsNonAlphanumericCharacter": true,
            ]
            let reply = try await setPolicy(server, options, state: 2)
            #expect(
                reply.json["passwordPolicyConfig"] == [
                    "passwordPolicyEnforcementState": "ENFORCE",
                    "passwordPolicyVersions": [["customStrengthOptions": options, "schemaVersion": 1]],
                ], "\(reply.text)")
            let told = try await server.get("/v2/passwordPolicy").json
            #expect(told["customStrengthOptions"] == options && told["enforcementState"] == "ENFORCE")
            #expect(told["allowedNonAlphanumericCharacters"].elements.contains("!"))
            let missing = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: "
            for (password, message) in [
                ("Sh0rt!", "WEAK_PASSWORD : Password should be at least 10 characters"),
                (
                    "long enough",
                    missing
                        + "[Password must contain an upper case character, Password must contain a numeric character]"
                ),
                ("LONG ENOUGH 1", missing + "[Password must contain a lower case character]"),
                ("LongEnough12", missing + "[Password must contain a non-alphanumeric character]"),
                ("Long Enough 12", nil),
            ] as [(String, String?)] {
                for (path, body) in [
                    ("signUp", ["email": "b@example.com"]), ("update", ["idToken": .string(person.idToken)]),
                ] as [(String, JSON)] {
                    let reply = try await server.post(
                        "/v1/accounts:\(path)", body.with(["password": .string(password)]))
                    if let message {
                        expectRefused(reply, message, .errors)
                    } else {
                        #expect(reply.status == 200, "\(reply.text)")
                    }
                }
            }
            // Without a version the policy is the standard one again.
            let cleared = try await server.changeConfig(
                mask: "passwordPolicyConfig.passwordPolicyVersions", ["passwordPolicyConfig": [:]])
            #expect(
                cleared.json["passwordPolicyConfig"]["passwordPolicyVersions"][0]["customStrengthOptions"] == [
                    "minPasswordLength": 8, "maxPasswordLength": 1024,
                ])
        }
    }

    @Test(
        arguments: [
            (["passwordPolicyEnforcementState": "OFF"], "passwordPolicyConfig.passwordPolicyEnforcementState"),
            (["passwordPolicyEnforcementState": 1], "passwordPolicyConfig.passwordPolicyEnforcementState"),
            (["forceUpgradeOnSignin": true], "passwordPolicyConfig.forceUpgradeOnSignin"),
            (["passwordPolicyVersions": [[:], [:]]], "passwordPolicyConfig.passwordPolicyVersions"),
            (
                ["passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": 5]]]],
                "passwordPolicyConfig.passwordPolicyVersions[0].customStrengthOptions.minPasswordLength"
            ),
            (
                ["passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": 31]]]],
                "passwordPolicyConfig.passwordPolicyVersions[0].customStrengthOptions.minPasswordLength"
            ),
            (
                ["passwordPolicyVersions": [["customStrengthOptions": ["maxPasswordLength": 4097]]]],
                "passwordPolicyConfig.passwordPolicyVersions[0].customStrengthOptions.maxPasswordLength"
            ),
            (
                [
                    "passwordPolicyVersions": [
                        ["customStrengthOptions": ["minPasswordLength": 20, "maxPasswordLength": 19]]
                    ]
                ],
                "passwordPolicyConfig.passwordPolicyVersions[0].customStrengthOptions.maxPasswordLength"
            ),
        ] as [(JSON, String)])
    func `A policy that is not done is refused by name`(policy: JSON, path: String) async throws {
        try await TestServer.with { server in
            let before = try await server.config()
            let reply = try await server.changeConfig(mask: nil, ["passwordPolicyConfig": policy])
            #expect(reply.status == 400)
            #expect(reply.message?.hasPrefix("INVALID_CONFIG : \(path) ") == true, "\(reply.text)")
            #expect(try await server.config() == before)
        }
    }

    @Test func `The log says which settings were named`() async throws {
        try await TestServer.with { server in
            _ = try await setPolicy(server, ["minPasswordLength": 6])
            let event = try await server.realm.auditLog.events(limit: 1000).last { $0.kind == .settingsChanged }
            #expect(
                event?.details["settings"]
                    == .array([
                        .string("passwordPolicyConfig.passwordPolicyEnforcementState"),
                        .string("passwordPolicyConfig.forceUpgradeOnSignin"),
                        .string("passwordPolicyConfig.passwordPolicyVersions"),
                    ]))
        }
    }
}
