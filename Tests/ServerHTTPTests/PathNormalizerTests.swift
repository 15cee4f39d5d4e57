import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import ServerHTTP

@Suite struct PathNormalizerTests {
    private struct Echo: HTTPResponder {
        func respond(to request: Request, context: CountersignRequestContext) async throws -> Response {
            let body = try await request.bodyBytes()
            return Response(
                status: .ok,
                body: ResponseBody(
                    byteBuffer: ByteBuffer(
                        string:
                            "\(request.uri.path)|\(request.uri.query ?? "")|\(String(decoding: body, as: UTF8.self))")))
        }
    }

    private static let withoutHost: PathNormalizer<Echo>.Rule = { path in
        path.hasPrefix("/example.com/") ? String(path.dropFirst("/example.com".count)) : path
    }
    private static let anyTenant: PathNormalizer<Echo>.Rule = { path in
        path.hasSuffix("/token") ? "/tenant/token" : path
    }

    @Test(arguments: [
        ("/", "/"),
        ("", "/"),
        ("/v1/accounts:signUp", "/v1/accounts:signUp"),
        ("/v1/accounts%3AsignUp", "/v1/accounts:signUp"),
        ("/v1/accounts%3asignUp?key=a%3Ab", "/v1/accounts:signUp?key=a%3Ab"),
        ("/a%253Ab", "/a%253Ab"),
        ("/a%2Fb//c/../d%20e/", "/a%2Fb//c/../d%20e/"),
        ("/example.com/v1/accounts%3Alookup?x=/example.com/", "/v1/accounts:lookup?x=/example.com/"),
        ("/example.com/contoso/token", "/tenant/token"),
        ("/contoso/token?token", "/tenant/token?token"),
        ("/a?b?c%3A", "/a?b?c%3A"),
        ("/%", "/%"),
        ("/%3", "/%3"),
        ("http://example.org/example.com/a%3Ab?c=d", "/a:b?c=d"),
        ("http://example.org", "/"),
        ("http://example.org/\u{301}a/b", "/\u{301}a/b"),
        ("HTTPS://example.org?c=d", "/?c=d"),
        ("http://user@example.org:80/a", "/a"),
        ("*", "*"),
        ("?", "?"),
        ("v1/projects", "v1/projects"),
        ("http://", "http://"),
        ("http:///a", "http:///a"),
        ("ftp://example.org/a", "ftp://example.org/a"),
    ])
    func `The path is rewritten and the query is not`(target: String, expected: String) {
        let normalizer = PathNormalizer(Echo(), rules: [Self.withoutHost, Self.anyTenant])
        #expect(normalizer.normalize(target) == expected)
    }

    @Test func `The rewritten request keeps its body and query`() async throws {
        let app = Application(responder: PathNormalizer(Echo(), rules: [Self.withoutHost]))
        try await app.test(.router) { client in
            try await client.execute(
                uri: "/example.com/a%3Ab?key=x%3Ay", method: .post, body: ByteBuffer(string: "body")
            ) { #expect(String(buffer: $0.body) == "/a:b|key=x%3Ay|body") }
        }
    }
}
