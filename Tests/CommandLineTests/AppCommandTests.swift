import Foundation
import Testing

@Suite struct AppCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    @Test func `Applications are listed by when a former secret ends`() async throws {
        try await directory.run("app", "add", "--id", "shop", "--name", "Shop", "--kind", "service", "--secret").expect(
            0)
        let none = try await directory.run("app", "list", "--ending-secrets", "7")
        #expect(none.status == 0 && none.output.contains("No former secret ends within 7 days."), "\(none)")
        try await directory.run("app", "set", "shop", "--secret", "--secret-overlap", "48").expect(0)
        let some = try await directory.run("app", "list", "--ending-secrets", "7")
        #expect(some.output.contains("FORMER SECRET ENDS") && some.output.contains("shop"), "\(some)")
        let json = try await directory.run("app", "list", "--ending-secrets", "7", "--json").json()
        #expect((json["applications"] as? [[String: Any]])?.first?["id"] as? String == "shop")
        #expect(try await directory.run("app", "list", "--ending-secrets", "1").output.contains("No former secret"))
        for options in [["--ending-secrets", "0"], ["--ending-secrets", "7", "--after", "shop"]] {
            let refused = try await Program.run(["app", "list"] + options + ["--data", directory.data], in: directory)
            #expect(refused.status == 2, "\(refused)")
        }
    }

    @Test func `An application is added changed and removed`() async throws {
        let added = try await directory.run(
            "app", "add", "--id", "shop", "--name", "Shop", "--secret", "--redirect-uri",
            "https://shop.example.com/back",
            "--redirect-uri", "com.example.shop://back", "--challenge-types", "oob password,redirect", "--scopes",
            "openid profile", "--attribute", "city:string:required", "--attribute", "age:integer", "--require-mfa",
            "--audience",
            "https://api.example.com", "--audience", "urn:stock")
        #expect(added.status == 0, "\(added.error)")
        #expect(
            added.lines.dropLast(3) == [
                "id                 shop",
                "name               Shop",
                "client             confidential (has a secret or keys)",
                "redirect URIs      https://shop.example.com/back com.example.shop://back",
                "challenge types    oob password redirect",
                "scopes             openid profile",
                "audiences          https://api.example.com urn:stock",
                "attributes         city:string:required age:integer",
                "requires MFA       yes",
                "reveals addresses  no",
            ])
        #expect(added.lines.dropLast().last == "protocols          oauth: not used; native-auth: not used")
        #expect(added.lines.last?.hasPrefix("The client secret, shown only once: ") == true)

        let changed = try await directory.run(
            "app", "set", "shop", "--no-require-mfa", "--scopes", "", "--no-secret", "--json"
        ).json()
        let application = try #require(changed["application"] as? [String: Any])
        #expect(changed["secret"] == nil)
        #expect(application["isConfidential"] as? Bool == false)
        #expect(application["requiresSecondFactor"] as? Bool == false)
        #expect(application["scopes"] as? [String] == [])
        #expect(application["audiences"] as? [String] == ["https://api.example.com", "urn:stock"])
        #expect(application["displayName"] as? String == "Shop", "What is not given stays.")
        #expect((application["redirectURIs"] as? [String])?.count == 2)

        let list = try await directory.run("app", "list")
        #expect(list.lines.first?.hasPrefix("ID ") == true)
        #expect(list.lines.count == 3, "The first application is there too.")
        #expect(try await directory.run("app", "remove", "shop").output == "Removed the application shop.\n")
        try await directory.run("app", "show", "shop").expect(4)
    }

    @Test func `An application says where it begins a sign-in, and pages link to web addresses alone`() async throws {
        let added = try await directory.run(
            "app", "add", "--id", "site", "--kind", "web", "--secret", "--redirect-uri", "https://shop.example.com/cb",
            "--initiate-login-uri", "https://shop.example.com/begin", "--client-uri", "https://shop.example.com/",
            "--policy-uri", "https://shop.example.com/privacy", "--tos-uri", "https://shop.example.com/terms",
            "--accent", "#8A1C4A", "--json"
        ).json()
        func oauth(_ answer: [String: Any]) throws -> [String: Any] {
            try #require((answer["application"] as? [String: Any])?["oauth"] as? [String: Any])
        }
        #expect(try oauth(added)["initiateLoginURI"] as? String == "https://shop.example.com/begin")
        #expect(try oauth(added)["clientURI"] as? String == "https://shop.example.com/")
        #expect(try oauth(added)["policyURI"] as? String == "https://shop.example.com/privacy")
        #expect(try oauth(added)["termsURI"] as? String == "https://shop.example.com/terms")
        #expect(try oauth(added)["accent"] as? String == "#8a1c4a")
        #expect(try oauth(added)["idTokenAlgorithm"] as? String == "RS256", "What every library of sites verifies.")
        let shown = try await directory.run("app", "show", "site")
        #expect(shown.lines.contains("begins sign-in at  https://shop.example.com/begin"), "\(shown.output)")
        for uri in [
            "com.example.app:/begin", "javascript:alert(1)", "http://shop.example.com/", "https://a@evil.example/",
        ] {
            let refused = try await directory.run("app", "set", "site", "--initiate-login-uri", uri)
            #expect(refused.status == 2 && refused.error.contains("cannot be registered"), "\(refused.error)")
        }
        let removed = try await directory.run("app", "set", "site", "--initiate-login-uri", "", "--json").json()
        #expect(try oauth(removed)["initiateLoginURI"] == nil)
        #expect(try oauth(removed)["clientURI"] as? String == "https://shop.example.com/", "What is not given stays.")
    }

    @Test func `An application and an API are registered with all that OAuth has of them, and shown with it`()
        async throws
    {
        let added = try await directory.run(
            "app", "add", "--id", "shop", "--kind", "web", "--secret", "--redirect-uri", "https://shop.example.com/cb",
            "--post-logout-redirect-uri", "https://shop.example.com/bye", "--backchannel-logout-uri",
            "https://shop.example.com/logout", "--auth-method", "client_secret_basic", "--require-dpop",
            "--require-par", "--first-party", "--issuer-style", "auth0", "--grant-types",
            "authorization_code refresh_token urn:openid:params:grant-type:ciba", "--resource",
            "https://api.example.com", "--assertion-audience", "token-endpoint", "--default-acr", "aal2",
            "--default-max-age", "600", "--scopes", "openid read", "--redirects-on")
        #expect(added.status == 0 && added.error.contains("does not conform to RFC 10070"), "\(added.error)")
        let lines = try await directory.run("app", "show", "shop").lines
        for line in [
            "kind               web",
            "grant types        authorization_code refresh_token urn:openid:params:grant-type:ciba",
            "authenticates by   client_secret_basic", "after signing out  https://shop.example.com/bye",
            "told of sign-outs  https://shop.example.com/logout", "first party        yes",
            "requires PAR       yes", "requires DPoP      yes", "issuer             auth0",
            "resources          https://api.example.com", "assertions for     token-endpoint",
            "leads on           yes, so users get there by a page",
            "default acr        aal2", "default max age    600 s", "ID tokens by       RS256",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        let api = try await directory.run(
            "resource", "add", "https://api.example.com", "--name", "Notes", "--scopes", "read pay", "--min-acr",
            "aal1", "--scope-acr", "pay=aal2", "--owner", "shop", "--lifetime", "300", "--token", "opaque",
            "--token-alg", "RS256", "--json"
        ).json()
        let resource = try #require(api["resource"] as? [String: Any])
        let scopes = try #require(resource["scopes"] as? [[String: Any]])
        #expect(scopes.map { $0["minimumACR"] as? String } == ["aal1", "aal2"])
        #expect(resource["owner"] as? String == "shop" && resource["lifetime"] as? Int == 300)
        #expect(resource["tokenFormat"] as? String == "opaque" && resource["tokenAlgorithm"] as? String == "RS256")
        // What is published decides, and not what is registered.
        let native = ["app", "add", "--id", "mobile", "--kind", "native", "--redirect-uri", "http://127.0.0.1/cb"]
        let left = try await Program.run(native + ["--data", directory.data], in: directory)
        #expect(left.lines.contains("ID tokens by       ES256 (by the server's settings)"), "\(left.output)")
        try await directory.run("app", "set", "mobile", "--id-token-alg", "ES256").expect(0)
        try await directory.run("config", "set", "tokens.publishedKeys", "used").expect(0)
        let used = try await directory.run("app", "show", "mobile")
        #expect(
            used.lines.contains("ID tokens by       RS256 (ES256 is registered; its keys are not published)"),
            "\(used.output)")
    }

    @Test func `ID tokens of a new site are signed with RS256 unless it is said, and others as the server has it`()
        async throws
    {
        for (kind, given, expected) in [
            ("web", nil, "RS256"), ("web", "ES256", "ES256"), ("web", "", nil), ("native", nil, nil),
            ("native", "RS256", "RS256"),
        ] as [(String, String?, String?)] {
            let id = "\(kind)-\(given ?? "default")-"
            let arguments =
                ["app", "add", "--id", id, "--kind", kind, "--redirect-uri", "https://shop.example.com/cb", "--json"]
                + (given.map { ["--id-token-alg", $0] } ?? [])
            let added = try await Program.run(arguments + ["--data", directory.data], in: directory).json()
            let oauth = (added["application"] as? [String: Any])?["oauth"] as? [String: Any]
            #expect(oauth?["idTokenAlgorithm"] as? String == expected, "\(kind) \(given ?? "–")")
            let changed = try await directory.run("app", "set", id, "--name", "Shop", "--json").json()
            let after = (changed["application"] as? [String: Any])?["oauth"] as? [String: Any]
            #expect(after?["idTokenAlgorithm"] as? String == expected, "A change leaves it.")
        }
    }

    @Test func `An attribute has a pattern which is shown as it is written and taken away again`() async throws {
        let pattern = "postalCode:string:required:/^[1-9]:[0-9/]*$/"
        let added = try await directory.run(
            "app", "add", "--id", "shop", "--attribute", pattern, "--attribute", "city:string:/^.{2,40}$/")
        #expect(added.status == 0, "\(added.error)")
        let line = "attributes         \(pattern) city:string:/^.{2,40}$/"
        #expect(added.lines.contains(line), "\(added.output)")
        let shown = try await directory.run("app", "show", "shop", "--json").json()
        let application = try #require(shown["application"] as? [String: Any])
        let attributes = try #require(application["attributes"] as? [[String: Any]])
        #expect(attributes.map { $0["pattern"] as? String } == ["^[1-9]:[0-9/]*$", "^.{2,40}$"])
        #expect(attributes.map { $0["isRequired"] as? Bool } == [true, false])
        let changed = try await directory.run("app", "set", "shop", "--attribute", "city:string", "--json").json()
        let left = (changed["application"] as? [String: Any])?["attributes"] as? [[String: Any]]
        #expect(left?.count == 1 && left?.first?["pattern"] == nil)
        let none = try await directory.run("app", "set", "shop", "--attribute", "", "--json").json()
        #expect(((none["application"] as? [String: Any])?["attributes"] as? [Any])?.isEmpty == true)
    }

    @Test func `Versions come from a file are shown on a line each and go again`() async throws {
        let file = directory.url.appending(path: "versions.json")
        let list = #"""
            [{"clientPlatform":"ios","version":"1.0","scopeElementMapping":{"pay":"Login PinCode","see":""},"mandatoryScope":"see",
            "maxTokenExpiration":600,"securityCheckConfigurations":{"PinCode":{"pinCode":"98765"}}},
            {"access":{"disabled":{"message":"Update","downloadLink":"https://bank.example.com/"}}}]
            """#
        try Data(list.utf8).write(to: file)
        let added = try await directory.run("app", "add", "--id", "bank", "--versions", file.path)
        #expect(added.status == 0, "\(added.error)")
        let lines = [
            "version            ios 1.0: pay: Login PinCode; see: –; every token: see; tokens of 600 s",
            "version            * *: tokens of 3600 s; not served",
        ]
        #expect(added.lines.filter { $0.hasPrefix("version ") } == lines, "\(added.output)")
        let kept = try await directory.run("app", "set", "bank", "--name", "Bank")
        #expect(kept.lines.filter { $0.hasPrefix("version ") } == lines, "What is not given stays.")
        for (text, reason) in [
            (list.replacing("mandatoryScope", with: "mandatoryScop"), "versions[0].mandatoryScop"),
            (list.replacing("600", with: #""600""#), "has to be"), (#"{"version":"1.0"}"#, "is no JSON list"),
            ("nonsense", "is no JSON list"), (list.replacing("98765", with: "<secret>"), "Write the value."),
            (list.replacing("600", with: "0"), "maxTokenExpiration"),
        ] {
            try Data(text.utf8).write(to: file)
            let refused = try await directory.run("app", "set", "bank", "--versions", file.path)
            #expect(refused.status == 2 && refused.error.contains(reason), "\(refused.error)")
        }
        let removed = try await directory.run("app", "set", "bank", "--versions", "")
        #expect(removed.status == 0 && !removed.output.contains("ios 1.0"), "\(removed.output)\(removed.error)")
    }

    @Test func `Keys come from a file are shown by their names and go again`() async throws {
        let file = directory.url.appending(path: "keys.json")
        // RFC 7515, appendix A.3.1.
        func member(_ id: String) -> String {
            #"{"kty":"EC","crv":"P-256","kid":"\#(id)","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
        }
        try Data(#"{"keys":[\#(member("k1")),\#(member("k2"))]}"#.utf8).write(to: file)
        let added = try await directory.run("app", "add", "--id", "site", "--jwks", file.path)
        #expect(added.status == 0, "\(added.error)")
        #expect(added.lines.contains("client             confidential (has a secret or keys)"))
        #expect(added.lines.contains("keys               k1 k2"))
        let kept = try await directory.run("app", "set", "site", "--name", "Site")
        #expect(kept.lines.contains("keys               k1 k2"), "What is not given stays.")

        try Data(#"{"keys":[{"kty":"oct","k":"AQAB"}]}"#.utf8).write(to: file)
        let secret = try await directory.run("app", "set", "site", "--jwks", file.path)
        #expect(secret.status == 2 && secret.error.contains("private or symmetric key"), "\(secret.error)")
        try Data("nonsense".utf8).write(to: file)
        try await directory.run("app", "set", "site", "--jwks", file.path).expect(2)
        try await directory.run("app", "set", "site", "--jwks", file.path + ".none").expect(2)

        let removed = try await directory.run("app", "set", "site", "--jwks", "")
        #expect(removed.lines.contains("client             public (no secret)"), "\(removed.output)\(removed.error)")
    }

    @Test func `Revealing addresses is warned of and logged`() async throws {
        let added = try await directory.run("app", "add", "--id", "shop", "--reveal-addresses", "--json")
        #expect(added.status == 0, "\(added)")
        #expect(added.error.hasPrefix("warning: shop reveals addresses: a client learns"))
        #expect((try added.json()["warnings"] as? [String])?.count == 1)
        let hidden = try await directory.run("app", "set", "shop", "--no-reveal-addresses")
        #expect(hidden.error.isEmpty)
        let log = try await directory.run("audit", "tail").lines.suffix(2)
        #expect(log.first?.hasSuffix("application=shop  revealsAddresses=true") == true)
        #expect(log.last?.hasSuffix("application=shop  revealsAddresses=false") == true)
    }

    @Test func `Audiences are replaced and emptied and any is warned of and logged`() async throws {
        func audiences(_ arguments: String...) async throws -> [String]? {
            let answer = try await Program.run(arguments + ["--json", "--data", directory.data], in: directory).json()
            return (answer["application"] as? [String: Any])?["audiences"] as? [String]
        }
        #expect(try await audiences("app", "add", "--id", "shop") == [])
        #expect(try await audiences("app", "set", "shop", "--audience", "https://a") == ["https://a"])
        #expect(try await audiences("app", "set", "shop", "--require-mfa") == ["https://a"])
        #expect(try await audiences("app", "set", "shop", "--audience", "") == [])
        let any = try await directory.run("app", "set", "shop", "--audience", "*")
        #expect(any.error.hasPrefix("warning: shop gets access tokens for any audience"), "\(any.error)")
        let logged = try await directory.run("audit", "tail").lines.last ?? ""
        #expect(logged.contains("application=shop  audiences="), "\(logged)")
    }

    @Test func `A secret of ones own has to be long`() async throws {
        let short = try directory.write("hunter2\n", to: "short")
        try await directory.run("app", "add", "--secret-file", short).expect(2)
        let long = try directory.write("0123456789abcdefghijklmnop\n", to: "long")
        let added = try await directory.run("app", "add", "--id", "shop", "--secret-file", long, "--json").json()
        #expect(added["secret"] == nil, "The caller has given the secret.")
        #expect((added["application"] as? [String: Any])?["isConfidential"] as? Bool == true)
    }

    @Test(arguments: [
        (["--attribute", "city"], "Write NAME:TYPE or NAME:TYPE:required"),
        (["--attribute", "city:text"], "There are string, integer, boolean."),
        (["--attribute", "city:string:/^a"], "Write NAME:TYPE or NAME:TYPE:required, with :/REGEX/ after it"),
        (["--attribute", "city:string:/(?=a)/"], "The pattern of the attribute city is not taken: groups with (?"),
        (["--attribute", "city:string://"], "The pattern of the attribute city is not taken: it is empty."),
        (["--attribute", "age:integer:/1/"], "The attribute age is no string; only strings have a pattern."),
        (["--challenge-types", "sms"], "There are oob, password, redirect."),
        (["--redirect-uri", "javascript:alert(1)"], "a scheme other than javascript"),
        (["--redirect-uri", "https://shop.example.com/#part"], "is no redirect URI"),
        (["--scopes", "a\"b"], "is no scope"),
        (["--audience", "https://a b"], "is no audience"),
        (["--id", "a b"], "is no client id"),
        (["--secret", "--secret-file", "x"], "Give one of --secret and --secret-file."),
    ])
    func `What is not right is refused as usage`(options: [String], reason: String) async throws {
        let transcript = try await Program.run(
            ["app", "add"] + options + ["--data", directory.data], in: directory)
        #expect(transcript.status == 2, "\(transcript)")
        #expect(transcript.error.contains(reason), "\(transcript.error)")
        #expect(transcript.output.isEmpty)
    }

    @Test func `Unknown applications are not found and known ones are taken`() async throws {
        let missing = try await directory.run("app", "set", "nope", "--require-mfa")
        #expect(missing.status == 4, "\(missing)")
        #expect(missing.error.contains("There is no application nope."))
        try await directory.run("app", "remove", "nope").expect(4)
        _ = try await directory.run("app", "add", "--id", "shop")
        try await directory.run("app", "add", "--id", "shop").expect(1)
    }
}
