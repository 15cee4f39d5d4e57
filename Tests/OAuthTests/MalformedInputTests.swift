import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// What strangers can send to the endpoints of applications: never a fault of the server, and never a row that cannot be read again (RFC
/// 7591, 7592, 9126, 7009, 7662, 8628; RFC 6749, section 3.2).
@Suite("Malformed input at the endpoints of applications")
struct MalformedInputTests {
    private static let members = [
        "redirect_uris", "application_type", "grant_types", "response_types", "token_endpoint_auth_method",
        "client_name", "client_name#de", "client_name#", "client_uri", "policy_uri", "tos_uri", "logo_uri", "contacts",
        "scope", "jwks", "jwks_uri", "post_logout_redirect_uris", "backchannel_logout_uri",
        "dpop_bound_access_tokens", "require_pushed_authorization_requests", "id_token_signed_response_alg",
        "software_id", "software_version", "client_id", "client_secret", "software_statement", "made_up",
    ]

    /// Arrays in each other.
    private static func nest(_ depth: Int) -> JSON {
        (0..<depth).reduce(JSON.integer(1)) { value, _ in .array([value]) }
    }

    private static let values: [JSON] = [
        .null, true, 0, -1, .string(""), .string(" "), .string("\u{0}"), .string("a\u{0}b"), .string("\u{202E}x"),
        .string(String(repeating: "x", count: 9000)), .array([]), .array([.array([])]), .array([.null]),
        .array([.string("\u{0}")]), .array(Array(repeating: "https://app.example/x", count: 400)),
        .object([:]), .object(["keys": .null]), .object(["keys": .array([.null])]), nest(20),
        .object(["keys": .array([.object(["kty": "EC"])])]),
    ]

    private static let json: HTTPFields = [.contentType: "application/json"]

    /// Every application can be read, each by itself and in lists, after all that was sent.
    private static func check(_ server: TestServer) async throws {
        _ = try await server.realm.applications.applications(limit: 1000)
        _ = try await server.realm.registrations.list(ListRange(limit: 1000))
        try await server.realm.maintenance.run()
    }

    @Test
    func `Each member of a registration with a value of another kind is taken or refused, new and as a replacement`()
        async throws
    {
        try await TestServer.with(.development) { server in
            try await server.setRegistration("open")
            let own = try await server.register(SelfRegistrationTests.site).json
            let path = "/oidc/register/\(own["client_id"].text ?? "")"
            var token = own["registration_access_token"].text ?? ""
            for member in Self.members {
                for value in Self.values {
                    let body = SelfRegistrationTests.site.with([
                        "client_id": own["client_id"], "token_endpoint_auth_method": "none",
                    ]).with([member: value])
                    let new = try await server.register(body)
                    #expect([201, 400, 413].contains(new.status), "\(member): \(new.status) \(new.text)")
                    var headers = Self.json
                    headers[.authorization] = "Bearer \(token)"
                    let put = try await server.send(.put, path, headers: headers, body: body.bytes)
                    #expect([200, 400, 413, 429].contains(put.status), "\(member): \(put.status) \(put.text)")
                    if put.status == 429 { try await server.advance(3600) }
                    token = put.json["registration_access_token"].text ?? token
                    for reply in [new, put] where reply.status >= 400 && reply.status != 429 {
                        let isNamed = reply.json["error"].text?.hasPrefix("invalid_") == true
                        #expect(isNamed && reply.json["error_description"].text != nil, "\(member): \(reply.text)")
                    }
                }
            }
            try await Self.check(server)
        }
    }

    @Test(arguments: [3, 4, 5, 20, 24, 25, 26, 27, 28, 40, 500])
    func `A key set with members of its own is kept where it can be read again, and refused where not`(
        _ depth: Int
    ) async throws {
        try await TestServer.with { server in
            try await server.setRegistration("open")
            let key = ClientKey().jwk.with(["kid": "1", "made_up": Self.nest(depth)])
            let reply = try await server.register(
                SelfRegistrationTests.site.with([
                    "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": .array([key])],
                ]))
            #expect(reply.status == (depth <= 5 ? 201 : 400), "\(reply.text)")
            if depth > 5 { #expect(reply.json["error"] == "invalid_client_metadata", "\(reply.text)") }
            try await Self.check(server)
            guard let id = reply.json["client_id"].text else { return }
            let shown = try await server.send(
                .get, "/oidc/register/\(id)",
                headers: [.authorization: "Bearer \(reply.json["registration_access_token"].text ?? "")"])
            #expect(shown.json["jwks"] == reply.json["jwks"] && shown.status == 200)
        }
    }

    private static let bodies: [(String, [UInt8])] = [
        ("nothing", []), ("a space", [0x20]), ("a zero byte", [0]), ("no UTF-8", [0xFF, 0xFE, 0x7B]),
        ("half a character", Array(#"{"client_name":""#.utf8) + [0xC3] + Array(#""}"#.utf8)),
        ("a mark of order", [0xEF, 0xBB, 0xBF] + Array("{}".utf8)), ("a bracket", Array("{".utf8)),
        ("two values", Array("{}{}".utf8)), ("a list", Array("[]".utf8)), ("a number", Array("7".utf8)),
        ("a number out of range", Array(#"{"a":1e999}"#.utf8)), ("no number", Array(#"{"a":NaN}"#.utf8)),
        (
            "a member twice",
            Array(#"{"redirect_uris":["https://a.example/"],"redirect_uris":["https://b.example/"]}"#.utf8)
        ),
        ("half a surrogate pair", Array(#"{"client_name":"\ud800"}"#.utf8)),
        ("a member of half a pair", Array(#"{"\udc00":1}"#.utf8)),
        ("a thousand brackets", Array(repeating: UInt8(ascii: "["), count: 1000)),
        ("a hundred thousand brackets", Array(repeating: UInt8(ascii: "["), count: 100_000)),
        ("a thousand objects", Array(String(repeating: #"{"a":"#, count: 1000).utf8)),
        ("a field twice", Array("client_id=a&client_id=b&grant_type=x&token=1&token=2".utf8)),
        ("a field twice, spelled otherwise", Array("client_id=a&client%5Fid=b&token=x".utf8)),
        ("half an escape", Array("client_id=%&token=%4&%zz=1".utf8)),
        ("escapes of no UTF-8", Array("client_id=%ff%fe".utf8)),
        ("an escaped zero byte", Array("client_id=a%00b&token=%00&grant_type=%00".utf8)),
        ("marks alone", Array("&&&===&=&".utf8)),
        ("ten thousand fields", Array((0..<10_000).map { "f\($0)=1" }.joined(separator: "&").utf8)),
        ("a large field", Array("client_id=\(String(repeating: "a", count: 60_000))".utf8)),
        ("a character in two spellings", Array("%C3%A9=1&e%CC%81=2&client_id=a".utf8)),
    ]

    private static let withZeroByte: [(path: String, name: String)] = [
        ("/oauth/token", "code"), ("/oauth/token", "code_verifier"), ("/oauth/token", "grant_type"),
        ("/oauth/token", "client_id"), ("/oauth/token", "resource"), ("/oauth/revoke", "token"),
        ("/oauth/introspect", "token"), ("/oauth/device/code", "scope"), ("/oauth/device/code", "resource"),
        ("/bc-authorize", "login_hint"), ("/bc-authorize", "binding_message"), ("/oauth/par", "state"),
        ("/oauth/par", "redirect_uri"),
    ]

    @Test(arguments: withZeroByte.indices)
    func `A parameter with a zero byte is refused by its name, and not taken for one that was left out`(
        _ place: Int
    ) async throws {
        let (path, name) = Self.withZeroByte[place]
        try await TestServer.with(.development) { server in
            for value in ["%00", "a%00", "%00a"] {
                let reply = try await server.send(
                    .post, path, headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: Array("other=1&\(name)=\(value)".utf8))
                #expect(reply.status == 400 && reply.json["error"] == "invalid_request", "\(reply.text)")
                let said = "\(name) has a zero byte (U+0000)"
                #expect(reply.json["error_description"].text?.hasPrefix(said) == true, "\(reply.text)")
            }
        }
    }

    @Test
    func `A zero byte in JSON is refused as in a form, and no more of a name is said than a name can have`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let typed = try await server.send(
                .post, "/oauth/token", headers: Self.json, body: Array(#"{"grant_type":"x\u0000"}"#.utf8))
            #expect(typed.json["error"] == "invalid_request")
            #expect(typed.json["error_description"] == "grant_type has a zero byte (U+0000)", "\(typed.text)")
            let named = try await server.send(
                .post, "/oauth/par", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array("%22%3Cb%3E=%00".utf8))
            #expect(named.json["error_description"] == "a parameter has a zero byte (U+0000).", "\(named.text)")
        }
    }

    @Test(arguments: ["/authorize", "/oidc/logout", "/v2/logout"])
    func `A query with a zero byte is answered by a page that names the parameter, and leads nowhere`(
        _ path: String
    ) async throws {
        try await TestServer.with(.development) { server in
            let query = Browser.query(Browser.parameters("dev-native", ["state": nil]))
            let reply = try await server.send(.get, "\(path)?\(query)&state=a%00b")
            #expect(reply.status == 400 && reply.location == nil)
            #expect(reply.text.contains("invalid_request (state)"), "\(reply.text)")
        }
    }

    private static let types: [String?] = [
        nil, "", "application/json", "application/json; charset=utf-8", "application/x-www-form-urlencoded",
        "application/x-www-form-urlencoded;charset=x", "multipart/form-data; boundary=x", "text/plain", "*/*", ";",
    ]

    private static let doors: [(HTTPRequest.Method, String)] = [
        (.post, "/oidc/register"), (.put, "/oidc/register/dev-native"), (.put, "/oidc/register/%00"),
        (.post, "/oauth/par"), (.post, "/oauth/token"), (.post, "/oauth/revoke"), (.post, "/oauth/introspect"),
        (.post, "/oauth/device/code"), (.post, "/bc-authorize"), (.post, "/userinfo"), (.post, "/authorize"),
        (.post, "/oidc/logout"),
    ]

    @Test(arguments: doors.indices)
    func `A body that cannot be read is refused by every endpoint, whatever it is said to be`(_ door: Int) async throws
    {
        try await TestServer.with(.development) { server in
            try await server.setRegistration("open")
            let (method, path) = Self.doors[door]
            for (name, body) in Self.bodies {
                for type in Self.types {
                    var headers: HTTPFields = [:]
                    headers[.contentType] = type
                    let reply = try await server.send(method, path, headers: headers, body: body)
                    #expect(
                        (300...499).contains(reply.status), "\(path), \(name) as \(type ?? "–"): \(reply.status)")
                }
            }
            try await Self.check(server)
        }
    }

    @Test
    func `A pushed request is a form in UTF-8, whatever it would be in another encoding`() async throws {
        try await TestServer.with(.development) { server in
            let body = Array(Browser.query(Browser.parameters("dev-native", [:])).utf8)
            let form = "application/x-www-form-urlencoded"
            for (type, status) in [
                (form, 201), ("\(form); charset=UTF-8", 201), ("\(form);charset=\"utf-8\"", 201),
                ("\(form); charset=utf-16", 400), ("\(form); charset=ISO-8859-1", 201), ("\(form)ed", 400),
                ("text/plain", 400),
            ] {
                let reply = try await server.send(.post, "/oauth/par", headers: [.contentType: type], body: body)
                #expect(reply.status == status, "\(type): \(reply.text)")
                if status == 400 { #expect(reply.json["error"] == "invalid_request", "\(type)") }
            }
            for more in ["&login_hint=%FC", "&login_hint=%C3%BC", "&login_hint=ü", "&login_hint=%"] {
                let reply = try await server.send(
                    .post, "/oauth/par", headers: [.contentType: "\(form); charset=ISO-8859-1"],
                    body: body + Array(more.utf8))
                #expect(reply.status == 400 && reply.json["error"] == "invalid_request", "\(more)")
            }
        }
    }

    @Test
    func `A query that cannot be read leads to a page of this server and nowhere else`() async throws {
        let queries = [
            "", "client_id", "client_id=", "client_id=%", "client_id=%ff", "client_id=%00", "client_id=a%00",
            "client_id=dev-native&client_id=dev-native", "client_id=dev-native&client%5Fid=x",
            "client_id=dev-native&redirect_uri=http://127.0.0.1/callback&redirect_uri=https://evil.example/",
            "client_id=https://&x=1", "client_id=https://a%5C@b/c", "client_id=https://%C3%A9.example/c",
            "client_id=\(String(repeating: "a", count: 20_000))",
            "client_id=dev-native&request_uri=https://evil.example/", "=&=&&&", "%E2%80%AE=x",
        ]
        try await TestServer.with(.development) { server in
            for query in queries {
                for path in ["/authorize", "/authorize/continue", "/start-again", "/v2/logout", "/oidc/logout"] {
                    let reply = try await server.send(.get, "\(path)?\(query)")
                    #expect((200...499).contains(reply.status), "\(path)?\(query.prefix(80)): \(reply.status)")
                    let place = reply.location ?? "/"
                    #expect(place.hasPrefix("/") && !place.hasPrefix("//"), "\(path)?\(query): \(place)")
                    if path == "/authorize" { #expect(reply.status == 400, "\(query.prefix(80))") }
                }
            }
        }
    }

    @Test
    func `Claims that are asked for one by one are read or refused, and no address gets more for that`() async throws {
        let texts = [
            "{", "[]", "7", "null", #"{"id_token":null}"#, #"{"id_token":7}"#, #"{"id_token":[]}"#,
            #"{"id_token":{"acr":7}}"#, #"{"id_token":{"acr":{"values":7}}}"#,
            #"{"id_token":{"acr":{"values":[7,null,["aal2"]],"essential":"yes"}}}"#,
            #"{"id_token":{"acr":{"values":["\#(String(repeating: "a", count: 3000))"],"essential":true}}}"#,
            #"{"id_token":{"sub":{"value":7}}}"#, #"{"id_token":{"sub":{"value":"\u0000"}}}"#,
            #"{"id_token":{"sub":{"values":["a","b"]}}}"#, #"{"id_token":{"email":1,"email":2}}"#,
            #"{"userinfo":{"\ud800":null}}"#, #"{"userinfo":{"\u0000":null}}"#,
            "{\"userinfo\":" + String(repeating: "[", count: 1000),
            "{\"userinfo\":{" + (0..<200).map { "\"c\($0)\":null" }.joined(separator: ",") + "}}",
        ]
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            for text in texts {
                let reply = try await browser.authorize("dev-native", ["claims": text])
                #expect(reply.status == 303, "\(text.prefix(80)): \(reply.status)")
                let isAtHome = reply.location?.hasPrefix("/") == true
                #expect(isAtHome || reply.location?.hasPrefix(Browser.callback) == true, "\(reply.location ?? "")")
                let pushed = try await server.form(
                    "/oauth/par", Browser.parameters("dev-native", ["claims": text]))
                #expect([201, 400].contains(pushed.status), "\(text.prefix(80)): \(pushed.status)")
            }
        }
    }
}
