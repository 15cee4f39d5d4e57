import DialectTestSupport
import HTTPTypes
import Hummingbird
import NIOCore
import NativeAuthServer
import NativeAuthWire
import ServerHTTP
import Testing

@Suite("Paths and failures of native authentication")
struct PathTests {
    @Test(
        arguments: [
            "/", "/oauth/token", "/v1/token", "/oauth2/v2.0/token/", "/oauth2/v2.0/tokens", "/x/OAUTH2/v2.0/token",
            "/a\"b/oauth2/v2.0/token", "/" + String(repeating: "a", count: 300) + "/oauth2/v2.0/token",
            "/.well-known/openid-configuration", "/api/v2/users", "/%2e%2E/v2.0/.well-known/openid-configuration",
            "/a/./oauth2/v2.0/token", "/a%2F../oauth2/v2.0/token", "/a.b/.%2e/oauth2/v2.0/token",
            "/%2E%2fa/oauth2/v2.0/token",
        ])
    func `Paths that are none of ours stay as they are`(path: String) {
        #expect(NativeAuth.normalize(path) == path)
        #expect(!NativeAuth.owns(path: NativeAuth.normalize(path)))
    }

    @Test(arguments: Endpoint.allCases)
    func `Every endpoint is found behind any path`(endpoint: Endpoint) {
        for tenant in [
            "", "/contoso", "/a.b/..c/d%2E", "/.../%2g/%252e/a%", "//x//", "/native-auth/signup/v1.0/start/tYQ",
        ] {
            let path = NativeAuth.normalize(tenant + endpoint.path)
            #expect(NativeAuth.owns(path: path) && path.hasPrefix("/native-auth\(endpoint.path)/t"), "\(path)")
        }
    }

    @Test
    func `Failures of ours are in the dialect's words, name the request and say when to send it again`() async throws {
        try await TestServer.with { server in
            let nativeAuth = NativeAuth(
                realm: server.realm, options: NativeAuth.Options(publicURL: { "" }))
            let id = "0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c"
            let head = HTTPRequest(
                method: .post, scheme: "https", authority: "example.org",
                path: NativeAuth.normalize("/contoso/oauth2/v2.0/token"),
                headerFields: [HTTPField.Name(HeaderName.clientRequestID)!: id])
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            let busy = try #require(try nativeAuth.format(.overloaded(retryAfter: 3), request))
            #expect(busy.status == .serviceUnavailable && busy.headers[.retryAfter] == "3")
            #expect(busy.headers[HTTPField.Name(HeaderName.clientRequestID)!] == id)
            let broken = try #require(try nativeAuth.format(.internalError, request))
            #expect(broken.status == .internalServerError)
            let other = Request(
                head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/oauth/token"),
                body: RequestBody(buffer: ByteBuffer()))
            #expect(try nativeAuth.format(.internalError, other) == nil)
        }
    }
}
