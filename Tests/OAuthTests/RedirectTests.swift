import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Where answers of the authorization endpoint may lead: to registered addresses and nowhere else, whatever is asked and whatever goes
/// wrong (RFC 9700, section 2.1).
@Suite("Redirect addresses")
struct RedirectTests {
    /// Registered are `http://127.0.0.1/callback` with any port, for the sample of a native application.
    static let hostile = [
        "https://evil.example/callback", "http://127.0.0.1.evil.example/callback",
        "http://127.0.0.1@evil.example/callback",
        "http://evil.example@127.0.0.1/callback", "http://user:word@127.0.0.1/callback",
        "http://127.0.0.1:80@evil.example/",
        "http://127.0.0.1:8080@127.0.0.1@evil.example/callback", "http://127.0.0.1%40evil.example/callback",
        "http://127.0.0.1\\@evil.example/callback", "http://127.0.0.1\\.evil.example/callback",
        "http:\\\\127.0.0.1\\callback", "http://127.0.0.1/callback/..", "http://127.0.0.1/callback/../evil",
        "http://127.0.0.1/callback/..;/evil", "http://127.0.0.1/callback/%2e%2e/evil",
        "http://127.0.0.1/callback/%2E./evil",
        "http://127.0.0.1/callback#fragment", "http://127.0.0.1/callback#", "http://127.0.0.1/callback?x=1",
        "http://127.0.0.1/callback/", "http://127.0.0.1/callbackevil", "http://127.0.0.1/Callback",
        "http://127.0.0.1//callback", "http://127.0.0.1/%63allback", "HTTP://127.0.0.1/callback",
        "http://127.0.0.1:/callback", "http://127.0.0.1:0/callback", "http://127.0.0.1:080/callback",
        "http://127.0.0.1:99999/callback",
        "http://127.0.0.1:+80/callback", "http://127.0.0.1: 80/callback", "http://127.0.0.2/callback",
        "http://127.1/callback",
        "http://0x7f000001/callback", "http://2130706433/callback", "http://localhost/callback",
        "http://[::1]/callback",
        "http://[::ffff:127.0.0.1]/callback", "https://127.0.0.1/callback", "http://127.0.0.1./callback",
        "javascript:alert(1)", "JavaScript:alert(1)//http://127.0.0.1/callback", "data:text/html,x", "vbscript:x",
        "file:///etc/passwd", "blob:http://127.0.0.1/x", "about:blank", "myapp://callback", "myapp:callback",
        "//127.0.0.1/callback", "/callback", "callback", "http:127.0.0.1/callback", "http:/127.0.0.1/callback",
        "http:///127.0.0.1/callback", "http://127.0.0.1/callback\r\nX: y", "http://127.0.0.1/callback\t",
        " http://127.0.0.1/callback", "http://127.0.0.1/callback ", "http://127.0.0.1/cällback",
        "http://１27.0.0.1/callback", "http://127.0.0.1/callback\u{202E}", "http://127.0.0.1*/callback",
        "http://*/callback", "http://127.0.0.1/callback,http://evil.example",
    ]

    static let prompts: [String?] = [nil, "none", "login", "consent", "select_account", "create", "none login", "x"]

    @Test
    func `There are sixty hostile addresses at least`() {
        #expect(Set(Self.hostile).count >= 60)
    }

    /// Keycloak CVE-2023-6291, CVE-2024-8883, CVE-2026-3872, CVE-2026-7504, Pocket ID GHSA-9h33-g3ww-mqff, and errors of prompt=none as of
    /// GHSA-2wvm-8mvp-22qv: section 13, traps 1 and 2.
    @Test(arguments: [false, true])
    func `Nothing is sent to a hostile address, whatever the prompt`(isSignedIn: Bool) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            if isSignedIn { try await browser.signIn() }
            for address in Self.hostile {
                for prompt in Self.prompts {
                    let reply = try await browser.authorize("dev-native", ["redirect_uri": address, "prompt": prompt])
                    #expect(reply.status == 400 && reply.location == nil, "\(address) \(prompt ?? "")")
                    #expect(reply.headers[.contentType]?.hasPrefix("text/html") == true)
                    #expect(!reply.text.contains("evil"), "\(address)")
                }
            }
        }
    }

    @Test
    func `No sign-out leads to a hostile address, and no request with one is pushed`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator) {
                $0.oauth.postLogoutRedirectURIs = [Browser.callback]
            }
            var browser = Browser(server)
            func leave(_ address: String) -> String {
                "/oidc/logout?" + Browser.query(["client_id": "dev-native", "post_logout_redirect_uri": address])
            }
            #expect(try await browser.get(leave(Browser.callback)).location == Browser.callback)
            for address in Self.hostile {
                let left = try await browser.get(leave(address))
                #expect(left.location?.hasPrefix("/signed-out") == true, "\(address): \(left.location ?? left.text)")
                let pushed = try await server.form(
                    "/oauth/par", Browser.parameters("dev-native", ["redirect_uri": address]))
                #expect(pushed.status == 400 && pushed.location == nil, "\(address): \(pushed.text)")
            }
        }
    }

    private static let faults: [(String, [String: String?])] = [
        ("no client", ["client_id": nil]), ("an unknown client", ["client_id": "nobody"]),
        ("a request_uri of elsewhere", ["request_uri": "https://evil.example/request"]),
        ("an unknown pushed request", ["request_uri": "urn:ietf:params:oauth:request_uri:abc"]),
    ]

    @Test(arguments: faults.indices)
    func `A request whose application or parameters cannot be known is answered by a page`(_ place: Int) async throws {
        let (name, changes) = Self.faults[place]
        try await TestServer.with(.development) { server in
            var browser = Browser(server)
            let reply = try await browser.authorize("dev-native", changes)
            #expect(reply.status == 400 && reply.location == nil, "\(name)")
        }
    }

    @Test
    func `A parameter that is there twice is answered by a page, but for resource`() async throws {
        try await TestServer.with(.development) { server in
            var browser = Browser(server)
            let query = Browser.query(Browser.parameters())
            for more in [
                "client_id=dev-native", "state=x", "state=", "scope=openid", "redirect_uri=https%3A%2F%2Fevil.example",
            ] {
                let reply = try await browser.get("/authorize?\(query)&\(more)")
                #expect(reply.status == 400 && reply.location == nil, "\(more)")
            }
            let resource = "resource=http%3A%2F%2F127.0.0.1%2Fapi"
            let reply = try await browser.get("/authorize?\(query)&\(resource)&\(resource)")
            #expect(reply.location?.hasPrefix("/sign-in?flow=") == true)
        }
    }

    @Test
    func `A loopback address of a native application has a port of its choice, and the code goes with that port alone`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let address = "http://127.0.0.1:49152/callback"
            let code = try await browser.code("dev-native", ["redirect_uri": address])
            #expect(try await server.redeem(code, ["redirect_uri": address]).status == 200)
            let other = try await browser.code("dev-native", ["redirect_uri": address])
            #expect(try await server.redeem(other, ["redirect_uri": "http://127.0.0.1:49153/callback"]).status == 400)
        }
    }

    private static let registered: [(uri: String, freePorts: Bool, asked: String, isGood: Bool)] = [
        ("https://app.example/cb?a=b", false, "https://app.example/cb?a=b", true),
        ("https://app.example/cb", true, "https://app.example:444/cb", false),
        ("http://127.0.0.1/cb", false, "http://127.0.0.1:5000/cb", false),
        ("http://127.0.0.1:4000/cb", true, "http://127.0.0.1:5000/cb", false),
        ("http://[::1]/cb", true, "http://[::1]:5000/cb", true),
        ("http://localhost/cb", true, "http://localhost:5000/cb", true),
        ("http://localhost/cb", true, "http://127.0.0.1:5000/cb", false),
        ("com.example.app:/cb", false, "com.example.app:/cb", true),
        ("com.example.app://cb/x", false, "com.example.app://cb/x", true),
    ]

    @Test
    func `Addresses are compared as texts, but for the port of a loopback address`() {
        for (uri, freePorts, asked, isGood) in Self.registered {
            #expect(RedirectURI.matches(asked, [uri], freePorts: freePorts) == isGood, "\(uri) \(asked)")
        }
        // What could not be registered is no match for itself either.
        for address in Self.hostile where RedirectURI.fault(of: address) != nil {
            #expect(!RedirectURI.matches(address, [address], freePorts: true), "\(address)")
        }
    }

    @Test
    func `A policy for forms names the origin of an address, or its scheme`() {
        #expect(RedirectURI.policySource(of: "https://app.example/cb?x=y") == "https://app.example")
        #expect(RedirectURI.policySource(of: "http://127.0.0.1:49152/cb") == "http://127.0.0.1:49152")
        #expect(RedirectURI.policySource(of: "com.example.app:/cb") == "com.example.app:")
        #expect(RedirectURI.policySource(of: "javascript:alert(1)") == nil)
        #expect(RedirectURI.policySource(of: "http://[::1]:49152/cb") == nil)
        #expect(RedirectURI.shownHost(of: "http://[::1]:49152/cb") == "[::1]:49152")
    }

    @Test
    func `An application of a scheme of its own is reached by a page`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var app = ApplicationRegistration(redirectURIs: ["com.example.app:/cb"], scopes: ["openid"])
            app.oauth = OAuthRegistration(kind: .native)
            app.oauth.isFirstParty = true
            try await server.add("private", app)
            var browser = Browser(server)
            try await browser.signIn()
            let reply = try await browser.authorize(
                "private", ["redirect_uri": "com.example.app:/cb", "scope": "openid"])
            #expect(reply.status == 200 && reply.location == nil)
            #expect(reply.text.contains("http-equiv=\"refresh\""))
            #expect(reply.text.contains("href=\"com.example.app:/cb?code="))
        }
    }

    /// `form-action` is held against every redirect after a form, also those of the application (w3c/webappsec-csp#8,
    /// PrefectHQ/fastmcp#3372).
    @Test
    func `An application whose address leads on to elsewhere is reached by a page, where an administrator said so`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var app = ApplicationRegistration(redirectURIs: ["https://app.example/cb"], scopes: ["openid"])
            app.oauth = OAuthRegistration(kind: .browser)
            app.oauth.isFirstParty = true
            try await server.add("hops", app)
            var browser = Browser(server)
            try await browser.signIn()
            func ask(_ changes: [String: String?] = [:]) async throws -> Reply {
                try await browser.authorize(
                    "hops", ["redirect_uri": "https://app.example/cb", "scope": "openid"].merging(changes) { $1 })
            }
            #expect(try await ask().location?.hasPrefix("https://app.example/cb?code=") == true)
            func mark(_ leadsOn: Bool) async throws -> JSON {
                try await server.send(
                    .post, "/admin/v1/applications:set",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: JSON.object(["id": "hops", "registration": ["redirectsOn": .bool(leadsOn)]]).bytes
                ).json["application"]["oauth"]["redirectsOn"]
            }
            #expect(try await mark(true) == true)
            for (changes, sign) in [([:], "?"), (["response_mode": "fragment"], "#")] as [([String: String?], String)] {
                let reply = try await ask(changes)
                #expect(reply.status == 200 && reply.location == nil, "\(reply.status)")
                #expect(reply.text.contains("http-equiv=\"refresh\""))
                #expect(reply.text.contains("href=\"https://app.example/cb\(sign)code="), "\(reply.text)")
                #expect(!reply.text.contains("<form"), "\(reply.text)")
            }
            // A sign-in of the same instant is fresh.
            try await server.advance(10)
            let refused = try await ask(["response_type": "token"])
            #expect(refused.status == 200 && refused.text.contains("href=\"https://app.example/cb?error="))
            // A silent request is asked in a frame, which shows no page, and follows no form.
            let silent = try await ask(["prompt": "none"])
            #expect(silent.status == 303 && silent.location?.hasPrefix("https://app.example/cb?code=") == true)
            let old = try await ask(["prompt": "none", "max_age": "0"])
            #expect(old.status == 303 && old.location?.hasPrefix("https://app.example/cb?error=login_required") == true)
            // A form stays one, and nothing holds what it leads on to against the page, on which nobody types.
            for (changes, name) in [([:], "code"), (["prompt": "none", "max_age": "0"], "error")] {
                let post = try await ask(["response_mode": "form_post"].merging(changes) { $1 })
                #expect(post.status == 200 && post.text.contains("action=\"https://app.example/cb\""))
                #expect(post.text.contains("name=\"\(name)\"") && !post.text.contains("type=\"text\""))
                let policy = post.headers[.contentSecurityPolicy] ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("form-action"), "\(policy)")
            }
            #expect(try await mark(false) == .null)
            #expect(try await ask().status == 303)
            let post = try await ask(["response_mode": "form_post"])
            #expect(post.headers[.contentSecurityPolicy]?.contains("form-action 'self' https://app.example") == true)
        }
    }

    /// A content security policy has no form for an address of IPv6, so no redirect after a form gets there.
    @Test
    func `An application at IPv6's loopback is reached by a page, in each mode`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var app = ApplicationRegistration(redirectURIs: ["http://[::1]/cb"], scopes: ["openid"])
            app.oauth = OAuthRegistration(kind: .native)
            app.oauth.isFirstParty = true
            try await server.add("six", app)
            var browser = Browser(server)
            try await browser.signIn()
            for mode in ["query", "fragment", "form_post"] {
                let reply = try await browser.authorize(
                    "six", ["redirect_uri": "http://[::1]:49152/cb", "scope": "openid", "response_mode": mode])
                #expect(reply.status == 200 && reply.location == nil, "\(mode)")
                #expect(reply.text.contains("href=\"http://[::1]:49152/cb"), "\(mode): \(reply.text)")
                #expect(reply.headers[.contentSecurityPolicy]?.contains("[") == false)
            }
        }
    }
}
