import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import PasskeyTestSupport
import ServerHTTP
import Testing

/// Passkeys as the SDKs' branches call them (firebase-tools, `auth/passkey.spec.ts`).
@Suite("Passkeys")
struct PasskeyTests {
    private static let origin = "https://login.example.org"
    private static let enrol = "/v2/accounts/passkeyEnrollment"
    private static let signIn = "/v2/accounts/passkeySignIn"

    /// How a client writes what is base64 for URLs in WebAuthn.
    enum Alphabet: CaseIterable {
        case standard, url

        func text(_ bytes: [UInt8]) -> JSON {
            .string(self == .url ? bytes.base64URL : Data(bytes).base64EncodedString())
        }
    }

    private static func serving(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.with(publicURLs: [origin]) { try await body($0) }
    }

    private func bytes(_ json: JSON) throws -> [UInt8] {
        // Older SDKs decode standard base64 with its padding, and nothing else.
        Array(try #require(json.text.flatMap { Data(base64Encoded: $0) }, "\(json)"))
    }

    /// Makes a passkey of the person, by the calls of an app.
    private func enrol(
        _ server: TestServer, _ idToken: String, _ alphabet: Alphabet = .standard, name: JSON = "Laptop",
        _ change: (inout SoftwareAuthenticator) -> Void = { _ in }
    ) async throws -> (authenticator: SoftwareAuthenticator, reply: Reply) {
        let begun = try await server.post(Self.enrol + ":start", ["idToken": .string(idToken)])
        #expect(begun.status == 200, "\(begun.text)")
        let options = begun.json["credentialCreationOptions"]
        var authenticator = SoftwareAuthenticator(
            origin: Self.origin, userHandle: try bytes(options["user"]["id"]))
        change(&authenticator)
        #expect(options["rp"]["id"] == "login.example.org")
        let made = authenticator.register(challenge: try bytes(options["challenge"]), rpID: "login.example.org")
        let parts: JSON = [
            "clientDataJSON": alphabet.text(made.clientDataJSON),
            "attestationObject": alphabet.text(made.attestationObject),
        ]
        let id = alphabet.text(made.rawID)
        let response: JSON =
            alphabet == .url
            ? ["id": id, "rawId": id, "type": "public-key", "response": parts]
            : [
                "credentialId": id, "credentialType": "public-key",
                "authenticatorAttestationResponse": parts.with(["transports": ["internal"]]),
            ]
        let reply = try await server.post(
            Self.enrol + ":finalize",
            ["idToken": .string(idToken), "name": name, "authenticatorRegistrationResponse": response])
        return (authenticator, reply)
    }

    private func begin(_ server: TestServer) async throws -> JSON {
        let begun = try await server.post(Self.signIn + ":start")
        #expect(begun.status == 200, "\(begun.text)")
        return begun.json["credentialRequestOptions"]
    }

    private func response(
        _ authenticator: SoftwareAuthenticator, to options: JSON, _ alphabet: Alphabet = .standard
    ) throws -> JSON {
        let made = try authenticator.assert(
            challenge: try bytes(options["challenge"]), rpID: try #require(options["rpId"].text))
        var parts: JSON = [
            "clientDataJSON": alphabet.text(made.clientDataJSON),
            "authenticatorData": alphabet.text(made.authenticatorData), "signature": alphabet.text(made.signature),
        ]
        if let handle = made.userHandle { parts = parts.with(["userHandle": alphabet.text(handle)]) }
        let id = alphabet.text(made.rawID)
        return alphabet == .url
            ? ["id": id, "rawId": id, "type": "public-key", "response": parts]
            : ["credentialId": id, "authenticatorAssertionResponse": parts]
    }

    private func finish(_ server: TestServer, _ response: JSON) async throws -> Reply {
        try await server.post(Self.signIn + ":finalize", ["authenticatorAuthenticationResponse": response])
    }

    private func claims(_ token: JSON) throws -> JSON {
        let part = try #require(token.text?.split(separator: ".").dropFirst().first)
        return try JSON(parsing: try #require([UInt8](base64URL: part)))
    }

    // MARK: The story

    @Test(arguments: Alphabet.allCases)
    func `A passkey is enrolled, listed, signs in and is deleted`(alphabet: Alphabet) async throws {
        try await Self.serving { server in
            let person = try await server.verifiedPerson()
            let (authenticator, enrolled) = try await enrol(server, person.idToken, alphabet)
            #expect(enrolled.status == 200, "\(enrolled.text)")
            #expect(enrolled.json["localId"] == .string(person.localID))
            #expect(authenticator.userHandle == Array(person.localID.utf8))

            let options = try await begin(server)
            #expect(options.names == ["challenge", "rpId", "timeout", "userVerification"])
            let signedIn = try await finish(server, response(authenticator, to: options, alphabet))
            #expect(signedIn.status == 200 && signedIn.json["localId"] == .string(person.localID), "\(signedIn.text)")
            let token = try claims(signedIn.json["idToken"])
            #expect(token["firebase"]["sign_in_provider"] == "passkey")
            #expect(token["amr"] == ["swk", "user", "mfa"])

            let own = signedIn.json["idToken"]
            let listed = try await server.post("/v1/accounts:lookup", ["idToken": own])
            let id = JSON.string(authenticator.credentialID.base64URL)
            #expect(listed.json["users"][0]["passkeyInfo"] == [["credentialId": id, "name": "Laptop"]])
            #expect(listed.json["users"][0]["mfaInfo"] == nil)
            let passedOver = try await server.post(
                "/v1/accounts:update", ["idToken": own, "deletePasskey": ["AAAA", "", "*"]])
            #expect(passedOver.status == 200, "\(passedOver.text)")
            let deleted = try await server.post(
                "/v1/accounts:update",
                ["idToken": own, "deletePasskey": [alphabet.text(authenticator.credentialID)]])
            #expect(deleted.status == 200, "\(deleted.text)")
            let again = try await finish(server, response(authenticator, to: try await begin(server), alphabet))
            expectRefused(again, "PASSKEY_CREDENTIAL_NOT_FOUND", .status)
        }
    }

    @Test
    func `A name that is missing is filled in, and an administrator sees and deletes the passkey`() async throws {
        try await Self.serving { server in
            let person = try await server.verifiedPerson()
            let (authenticator, enrolled) = try await enrol(server, person.idToken, name: "")
            #expect(enrolled.status == 200, "\(enrolled.text)")
            let path = "/v1/projects/countersign/accounts"
            let headers = server.administrator
            let listed = try await server.post(
                path + ":lookup", ["localId": [.string(person.localID)]], headers: headers)
            #expect(listed.json["users"][0]["passkeyInfo"][0]["name"] == "Unnamed Passkey")
            let id = Alphabet.url.text(authenticator.credentialID)
            let deleted = try await server.post(
                path + ":update", ["localId": .string(person.localID), "deletePasskey": [id]], headers: headers)
            #expect(deleted.status == 200, "\(deleted.text)")
            let after = try await server.post(
                path + ":lookup", ["localId": [.string(person.localID)]], headers: headers)
            #expect(after.json["users"][0]["passkeyInfo"] == nil)
        }
    }

    // MARK: What is bound

    @Test
    func `A challenge takes one answer, right or wrong, and none of another's`() async throws {
        try await Self.serving { server in
            let ada = try await server.verifiedPerson()
            let (authenticator, _) = try await enrol(server, ada.idToken)
            let options = try await begin(server)
            let right = try response(authenticator, to: options)
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<20 { group.addTask { try await finish(server, right) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(
                replies.filter { $0.status != 200 }
                    .allSatisfy { $0.message?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true })

            let second = try await begin(server)
            var elsewhere = authenticator
            elsewhere.origin = "https://login.example.org.evil.example"
            expectRefused(
                try await finish(server, response(elsewhere, to: second)), "INVALID_AUTHENTICATOR_RESPONSE", .status)
            #expect(try await finish(server, response(authenticator, to: second)).status == 400)

            // A challenge for enrolling is none for signing in, and another user's is none of one's own.
            let bob = try await server.verifiedPerson()
            let begun = try await server.post(Self.enrol + ":start", ["idToken": .string(bob.idToken)])
            let creation = begun.json["credentialCreationOptions"]
            let crossed = try response(
                authenticator, to: ["challenge": creation["challenge"], "rpId": "login.example.org"])
            #expect(try await finish(server, crossed).status == 400)
        }
    }

    @Test
    func `A request that its client has named gets the same answer for ten seconds, and does nothing twice`()
        async throws
    {
        try await Self.serving { server in
            let person = try await server.verifiedPerson()
            func send(_ path: String, _ body: JSON, _ name: String?) async throws -> Reply {
                try await server.post(
                    "\(path):finalize", body, headers: name.map { [.known("client-request-id"): $0] } ?? [:])
            }
            func signIns() async throws -> Int {
                let log = try await server.realm.auditLog.events(limit: 1000)
                return log.count { $0.userID?.rawValue == person.localID && $0.kind == .signedIn }
            }
            let (one, other) = ("8c1b0a6e-2f0e-4d0c-9a57-3a2f0c5f7d01", "8c1b0a6e-2f0e-4d0c-9a57-3a2f0c5f7d02")

            let begun = try await server.post(Self.enrol + ":start", ["idToken": .string(person.idToken)])
            let options = begun.json["credentialCreationOptions"]
            let authenticator = SoftwareAuthenticator(
                origin: Self.origin, userHandle: try bytes(options["user"]["id"]))
            let made = authenticator.register(challenge: try bytes(options["challenge"]), rpID: "login.example.org")
            let id = JSON.string(made.rawID.base64URL)
            let registration: JSON = [
                "idToken": .string(person.idToken), "name": "Laptop",
                "authenticatorRegistrationResponse": [
                    "id": id, "rawId": id, "type": "public-key",
                    "response": [
                        "clientDataJSON": .string(made.clientDataJSON.base64URL),
                        "attestationObject": .string(made.attestationObject.base64URL),
                    ],
                ],
            ]
            let enrolled = try await send(Self.enrol, registration, one)
            #expect(enrolled.status == 200, "\(enrolled.text)")
            let enrolledAgain = try await send(Self.enrol, registration, one)
            #expect(enrolledAgain.json["refreshToken"] == enrolled.json["refreshToken"], "\(enrolledAgain.text)")
            #expect(try await send(Self.enrol, registration, other).status == 400)
            #expect(try await send(Self.enrol, registration, nil).status == 400)

            let assertion: JSON = [
                "authenticatorAuthenticationResponse": try response(authenticator, to: try await begin(server))
            ]
            let before = try await signIns()
            let signedIn = try await send(Self.signIn, assertion, one)
            #expect(signedIn.status == 200, "\(signedIn.text)")
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<5 { group.addTask { try await send(Self.signIn, assertion, one) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.json["refreshToken"] == signedIn.json["refreshToken"] })
            for name in [other, nil, "no-uuid"] {
                #expect(try await send(Self.signIn, assertion, name).status == 400)
            }
            try await server.advance(10)
            #expect(try await send(Self.signIn, assertion, one).status == 400)
            #expect(try await signIns() == before + 1)
            let factors = try await server.realm.accounts.userAndFactors(UserID(rawValue: person.localID))?.factors
            #expect(factors?.count { $0.kind == .passkey } == 1)
        }
    }

    @Test
    func `One credential is of one user`() async throws {
        try await Self.serving { server in
            let ada = try await server.verifiedPerson()
            let (authenticator, _) = try await enrol(server, ada.idToken)
            let bob = try await server.verifiedPerson()
            let (_, taken) = try await enrol(server, bob.idToken) { $0.credentialID = authenticator.credentialID }
            expectRefused(taken, "CREDENTIAL_ALREADY_IN_USE", .status)
        }
    }

    @Test
    func `An enrolment needs a sign-in just now`() async throws {
        try await Self.serving { server in
            let person = try await server.verifiedPerson()
            try await server.advance(301)
            expectRefused(
                try await server.post(Self.enrol + ":start", ["idToken": .string(person.idToken)]),
                "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .status)
        }
    }

    // MARK: Malformed input

    @Test
    func `What is malformed is refused in the protocol's words`() async throws {
        try await Self.serving { server in
            let person = try await server.verifiedPerson()
            let parts: JSON = [
                "clientDataJSON": "e30=", "authenticatorData": "AAAA", "signature": "AAAA", "attestationObject": "oA==",
            ]
            for (response, word): (JSON, String) in [
                (nil, "MISSING_AUTHENTICATOR_RESPONSE"), ([:], "MISSING_AUTHENTICATOR_RESPONSE"),
                (["id": "AAAA"], "MISSING_AUTHENTICATOR_RESPONSE"),
                (["id": "AAAA", "response": 5], "MISSING_AUTHENTICATOR_RESPONSE"),
                (["response": parts], "INVALID_CREDENTIAL_ID"),
                (["id": "", "response": parts], "INVALID_CREDENTIAL_ID"),
                (["id": "*", "response": parts], "INVALID_CREDENTIAL_ID"),
                (["id": 5, "response": parts], "INVALID_CREDENTIAL_ID"),
                (["id": "AAAA", "rawId": "AAAB", "response": parts], "INVALID_CREDENTIAL_ID"),
                (["id": "AAAA", "response": [:]], "INVALID_AUTHENTICATOR_RESPONSE"),
                (["id": "AAAA", "response": parts], "INVALID_AUTHENTICATOR_RESPONSE"),
                (["id": "AAAA", "response": parts.with(["signature": "*"])], "INVALID_AUTHENTICATOR_RESPONSE"),
                (["id": "AAAA", "response": parts.with(["clientDataJSON": "*"])], "INVALID_AUTHENTICATOR_RESPONSE"),
                (["id": "AAAA", "response": parts.with(["userHandle": 5])], "INVALID_AUTHENTICATOR_RESPONSE"),
            ] {
                let signIn = try await finish(server, response)
                #expect(signIn.status == 400 && signIn.message?.hasPrefix(word) == true, "\(response): \(signIn.text)")
                let enrolment = try await server.post(
                    Self.enrol + ":finalize",
                    ["idToken": .string(person.idToken), "authenticatorRegistrationResponse": response])
                #expect(enrolment.status == 400, "\(response): \(enrolment.text)")
            }
            for token: JSON in [nil, ""] {
                expectRefused(
                    try await server.post(Self.enrol + ":start", ["idToken": token]), "MISSING_ID_TOKEN", .status)
            }
            expectRefused(
                try await server.post(Self.enrol + ":start", ["idToken": "garbage"]), "INVALID_ID_TOKEN", .status)
        }
    }

    // MARK: The configuration

    @Test
    func `The configuration tells the site, and changes it`() async throws {
        try await Self.serving { server in
            let path = "/v2/projects/countersign/passkeyConfig"
            let read = try await server.send(.get, path, headers: server.administrator)
            #expect(
                read.json == [
                    "name": "projects/countersign/passkeyConfig", "rpId": "login.example.org",
                    "expectedOrigins": ["https://login.example.org"],
                ])
            let changed = try await server.changeConfig(
                mask: "rpId,expectedOrigins",
                ["rpId": "example.org", "expectedOrigins": ["https://login.example.org", "https://app.example.org"]],
                path: path)
            #expect(changed.json["rpId"] == "example.org", "\(changed.text)")
            #expect(
                changed.json["expectedOrigins"] == ["https://app.example.org", "https://login.example.org"])
            for body: JSON in [
                ["rpId": "127.0.0.1"], ["rpId": "org"], ["expectedOrigins": ["https://example.com"]],
                ["expectedOrigins": ["http://example.org"]],
            ] {
                let refused = try await server.changeConfig(mask: body.names.joined(separator: ","), body, path: path)
                #expect(refused.status == 400, "\(body): \(refused.text)")
            }
            #expect(try await server.send(.get, path).status == 401)
            let back = try await server.changeConfig(mask: "rpId,expectedOrigins", [:], path: path)
            #expect(back.json == read.json, "\(back.text)")
        }
    }

    @Test
    func `Another domain is refused where there are passkeys, until an administrator confirms it elsewhere`()
        async throws
    {
        try await Self.serving { server in
            let person = try await server.verifiedPerson()
            _ = try await enrol(server, person.idToken)
            let path = "/v2/projects/countersign/passkeyConfig"
            let refused = try await server.changeConfig(mask: "rpId", ["rpId": "example.org"], path: path)
            #expect(refused.status == 400 && refused.message?.hasPrefix("INVALID_CONFIG") == true, "\(refused.text)")
            #expect(refused.message?.contains("1.") == true, "It says how many: \(refused.text)")
            let same = try await server.changeConfig(mask: "rpId", ["rpId": "login.example.org"], path: path)
            #expect(same.status == 200, "\(same.text)")
            let origins = try await server.changeConfig(
                mask: "expectedOrigins", ["expectedOrigins": ["https://app.login.example.org"]], path: path)
            #expect(origins.status == 200, "\(origins.text)")
            #expect(
                try await server.send(.get, path, headers: server.administrator).json["rpId"] == "login.example.org")
        }
    }

    /// The older branch of the SDK for JavaScript puts `location.hostname` in the place of `rp.id` and `rpId`.
    @Test
    func `A passkey of the page's host is made and signs in, of a host that may ask for passkeys`() async throws {
        try await Self.serving { server in
            _ = try await server.realm.changeSettings(by: .testAdministrator) { $0.passkeys.rpID = "example.org" }
            let person = try await server.verifiedPerson()
            func make(_ rpID: String) async throws -> (authenticator: SoftwareAuthenticator, reply: Reply) {
                let begun = try await server.post(Self.enrol + ":start", ["idToken": .string(person.idToken)])
                let options = begun.json["credentialCreationOptions"]
                #expect(options["rp"]["id"] == "example.org", "\(begun.text)")
                let authenticator = SoftwareAuthenticator(
                    origin: Self.origin, userHandle: try bytes(options["user"]["id"]))
                let made = authenticator.register(challenge: try bytes(options["challenge"]), rpID: rpID)
                let reply = try await server.post(
                    Self.enrol + ":finalize",
                    [
                        "idToken": .string(person.idToken), "name": "Laptop",
                        "authenticatorRegistrationResponse": [
                            "credentialId": Alphabet.standard.text(made.rawID), "credentialType": "public-key",
                            "authenticatorAttestationResponse": [
                                "clientDataJSON": Alphabet.standard.text(made.clientDataJSON),
                                "attestationObject": Alphabet.standard.text(made.attestationObject),
                            ],
                        ],
                    ])
                return (authenticator, reply)
            }
            for other in ["www.example.org", "evil.example", "org"] {
                let (_, refused) = try await make(other)
                expectRefused(refused, "INVALID_AUTHENTICATOR_RESPONSE", .status)
            }
            let (authenticator, enrolled) = try await make("login.example.org")
            #expect(enrolled.status == 200, "\(enrolled.text)")
            func asked(as rpID: JSON) async throws -> JSON { try await begin(server).with(["rpId": rpID]) }
            for alphabet in Alphabet.allCases {
                let signedIn = try await finish(
                    server, response(authenticator, to: try await asked(as: "login.example.org"), alphabet))
                #expect(signedIn.status == 200, "\(signedIn.text)")
                #expect(try claims(signedIn.json["idToken"])["amr"] == ["swk", "user", "mfa"])
            }
            for other: JSON in ["example.org", "www.example.org"] {
                let refused = try await finish(server, response(authenticator, to: try await asked(as: other)))
                expectRefused(refused, "INVALID_AUTHENTICATOR_RESPONSE", .status)
            }
            var elsewhere = authenticator
            elsewhere.origin = "https://www.example.org"
            let refused = try await finish(server, response(elsewhere, to: try await asked(as: "login.example.org")))
            expectRefused(refused, "INVALID_AUTHENTICATOR_RESPONSE", .status)
        }
    }

    @Test(arguments: ["co.uk", "github.io", "com", "s3.amazonaws.com", "xn--55qx5d.cn"])
    func `A public suffix is no domain for passkeys`(domain: String) async throws {
        try await Self.serving { server in
            var headers = server.administrator
            headers[.contentType] = "application/json"
            let set = try await server.send(
                .post, "/admin/v1/settings:set", headers: headers,
                body: JSON.object(["key": "passkeys.rpID", "value": .string(domain), "confirmed": true]).bytes)
            #expect(set.status == 400, "\(set.text)")
            let config = try await server.changeConfig(
                mask: "rpId", ["rpId": .string(domain)], path: "/v2/projects/countersign/passkeyConfig")
            #expect(config.status == 400 && config.message?.hasPrefix("INVALID_CONFIG") == true, "\(config.text)")
            #expect(try await begin(server)["rpId"] == "login.example.org")
        }
        try await TestServer.with(publicURLs: ["https://\(domain)"]) { server in
            let warning = try await server.realm.passkeyWarning()
            #expect(warning?.hasPrefix("Passkeys are off") == true, "\(warning ?? "")")
            let begun = try await server.post(Self.signIn + ":start")
            #expect(begun.status == 400, "\(begun.text)")
        }
    }

    @Test
    func `A change of the domain that is confirmed is made, warns with their number, and leaves passkeys behind`()
        async throws
    {
        try await Self.serving { server in
            let person = try await server.verifiedPerson()
            let (authenticator, _) = try await enrol(server, person.idToken)
            func change(_ confirmed: JSON?) async throws -> Reply {
                var body: JSON = ["key": "passkeys.rpID", "value": "example.org"]
                if let confirmed { body = body.with(["confirmed": confirmed]) }
                var headers = server.administrator
                headers[.contentType] = "application/json"
                return try await server.send(.post, "/admin/v1/settings:set", headers: headers, body: body.bytes)
            }
            for unconfirmed: JSON? in [nil, false] {
                let refused = try await change(unconfirmed)
                #expect(refused.status == 409 && refused.text.contains("1 passkey "), "\(refused.text)")
            }
            #expect(try await finish(server, response(authenticator, to: try await begin(server))).status == 200)
            let changed = try await change(true)
            #expect(changed.status == 200 && changed.json["previous"] == .null, "\(changed.text)")
            #expect(changed.json["warnings"] == ["1 passkey cannot be used any more."], "\(changed.text)")
            let options = try await begin(server)
            #expect(options["rpId"] == "example.org")
            // Neither the domain that it is of nor the new one brings it back.
            for domain in ["example.org", "login.example.org"] {
                var used = authenticator
                used.rpID = domain
                let refused = try await finish(server, response(used, to: try await begin(server)))
                #expect(refused.status == 400, "\(domain): \(refused.text)")
            }
            let again = try await change(nil)
            #expect(again.status == 200 && again.json["warnings"] == [], "What is lost is lost once: \(again.text)")
        }
    }
}
