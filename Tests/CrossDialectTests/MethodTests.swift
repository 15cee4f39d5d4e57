import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

@testable import CountersignServer

/// What every path answers whose method is another one (RFC 9110, sections 9.3.2, 9.3.7 and 15.5.6), in all protocols alike.
@Suite("Methods of paths")
struct MethodTests {
    private static let allow = HTTPField.Name.allow

    /// Every path of the server with its methods; parts that vary are `x`.
    private static func paths(_ server: TestServer) throws -> [(path: String, methods: Set<HTTPRequest.Method>)] {
        Dictionary(grouping: try server.countersign.endpoints(), by: \.path).map { path, endpoints in
            var methods = Set(endpoints.map(\.method))
            if methods.contains(.get) { methods.insert(.head) }
            return (path.replacing(/\{[^}]*\}|\*+/, with: "x"), methods.union([.options]))
        }.sorted { $0.path < $1.path }
    }

    @Test func `Durations are shown of pages, applications and administration, and of no route that waits`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let paths = Set(try server.countersign.endpoints().map(\.path))
            let expected: [String: RequestDurations.Kind?] = [
                "/console/users/{user}": .pages, "/account/security": .pages, "/sign-in": .pages,
                "/account/v1/profile": .applications, "/oauth/token": .applications,
                "/api/v2/users": .administration, "/health/ready": nil, "/metrics": nil,
                "/.well-known/jwks.json": nil, "/sign-in/push/wait": nil, "/account/device/wait": nil,
                "/guardian/enroll/wait": nil,
            ]
            for (path, kind) in expected {
                #expect(paths.contains(path), "\(path) of \(paths.sorted())")
                #expect(RequestKinds.kind(of: path) == kind, "\(path)")
            }
            for path in paths where path.hasSuffix("/wait") || path.hasSuffix("/notifications") {
                #expect(RequestKinds.kind(of: path) == nil, "\(path)")
            }
            for path in paths where path.contains("admin/v1") {
                #expect(RequestKinds.kind(of: path) == .administration, "\(path)")
            }
            #expect(RequestKinds.kind(of: "NotFound") == nil && RequestKinds.kind(of: "Unknown") == nil)
        }
    }

    private static func text(_ methods: Set<HTTPRequest.Method>) -> String {
        methods.map(\.rawValue).sorted().joined(separator: ", ")
    }

    @Test
    func `Every path answers a method that it does not have with 405 and those that it has`() async throws {
        try await TestServer.with(.development) { server in
            let paths = try Self.paths(server)
            #expect(paths.count > 200)
            let tried: [HTTPRequest.Method] = [.delete, .patch, .put, .post, .get]
            for (path, methods) in paths {
                for method in tried.filter({ !methods.contains($0) }).prefix(1) {
                    let reply = try await server.send(method, path)
                    #expect(reply.status == 405, "\(method) \(path): \(reply.status) \(reply.text)")
                    #expect(reply.headers[Self.allow] == Self.text(methods), "\(method) \(path)")
                    #expect(reply.headers[.contentType]?.hasPrefix("application/") == true, "\(method) \(path)")
                }
            }
        }
    }

    @Test
    func `OPTIONS tells the methods of a path, and HEAD answers as GET does where there is GET alone`() async throws {
        try await TestServer.with(.development) { server in
            for (path, methods) in try Self.paths(server) {
                let reply = try await server.send(.options, path)
                #expect(reply.status == 204 && reply.bytes.isEmpty, "\(path): \(reply.status)")
                #expect(reply.headers[Self.allow] == Self.text(methods), "\(path)")
                if !methods.contains(.get), path.hasPrefix("/oauth/") || path.hasPrefix("/account/v1/") {
                    let head = try await server.send(.head, path)
                    #expect(head.status == 405 && head.bytes.isEmpty, "\(path): \(head.status)")
                }
            }
            for path in [
                "/", "/sign-in", "/forgot", "/.well-known/openid-configuration", "/.well-known/jwks.json", "/userinfo",
                "/health/ready", "/account", "/console", "/openapi.json", "/account/v1/profile", "/nowhere",
            ] {
                let (get, head) = (try await server.send(.get, path), try await server.send(.head, path))
                #expect(head.status == get.status && head.bytes.isEmpty, "\(path): \(head.status) and \(get.status)")
                #expect(head.headers[.contentType] == get.headers[.contentType], "\(path)")
            }
            #expect(try await server.send(.options, "*").status == 204)
            let invented = try await server.send(try #require(HTTPRequest.Method("PROPFIND")), "/userinfo")
            #expect(invented.status == 405 && invented.headers[Self.allow] == "GET, HEAD, OPTIONS, POST")
            #expect(try await server.send(.options, "/nowhere").status == 404)
        }
    }

    @Test
    func `A browser's preflight is answered where pages of other origins may call, and grants nothing elsewhere`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let asked: HTTPFields = [
                .origin: "https://app.example", .accessControlRequestMethod: "POST",
                .accessControlRequestHeaders: "authorization",
            ]
            for path in [
                "/oauth/token", "/userinfo", "/v1/accounts:signUp", "/account/v1/factors", "/passkey/challenge",
                "/passkey/register", "/me/v1/authentication-methods",
                "/me/v1/authentication-methods/passkey%7Cnew/verify",
            ] {
                let reply = try await server.send(.options, path, headers: asked)
                #expect(reply.status == 204, "\(path)")
                #expect(reply.headers[.accessControlAllowOrigin] == "https://app.example", "\(path)")
                #expect(reply.headers[.accessControlAllowCredentials] == nil, "\(path)")
            }
            let refused = try await server.send(
                .get, "/me/v1/authentication-methods", headers: [.origin: "https://app.example"])
            #expect(refused.status == 401 && refused.headers[.accessControlAllowOrigin] == "https://app.example")
            #expect(refused.headers[.accessControlExposeHeaders]?.contains("Location") == true)
            for path in [
                "/sign-in", "/account", "/authorize", "/console", "/admin/v1/users:list", "/v2/logout", "/oidc/logout",
            ] {
                let reply = try await server.send(.options, path, headers: asked)
                #expect(reply.status == 204 && reply.headers[.accessControlAllowOrigin] == nil, "\(path)")
            }
        }
    }

    @Test
    func `Each protocol refuses another method in its own words, and pages as a page`() async throws {
        try await TestServer.with(.development) { server in
            let oauth = try await server.send(.get, "/oauth/token")
            #expect(oauth.json["error"] == "invalid_request", "\(oauth.text)")
            #expect(oauth.json["error_description"].text?.contains("not for this method") == true)
            for path in ["/oidc/register", "/passkey/challenge", "/passkey/register"] {
                let reply = try await server.send(.put, path)
                #expect(reply.status == 405 && reply.json["error"] == "invalid_request", "\(path): \(reply.text)")
            }
            let methods = try await server.send(.put, "/me/v1/authentication-methods")
            #expect(methods.headers[.contentType] == "application/problem+json", "\(methods.headers)")
            #expect(methods.json["title"] == "Method Not Allowed" && methods.json["status"] == 405, "\(methods.text)")
            #expect(methods.headers[Self.allow] == "GET, HEAD, OPTIONS, POST")
            let account = try await server.send(.put, "/account/v1/profile")
            #expect(account.json["error"]["code"] == "invalid", "\(account.text)")
            let admin = try await server.send(.get, "/admin/v1/users:list")
            #expect(admin.headers[Self.allow] == "OPTIONS, POST")
            #expect(admin.json["error"]["message"].text?.contains("POST") == true, "\(admin.text)")
            let toolkit = try await server.send(.get, "/v1/accounts:signUp")
            #expect(toolkit.json["error"]["code"] == 405, "\(toolkit.text)")
            let guardian = try await server.send(.put, "/appliance-mfa/api/enroll")
            #expect(guardian.status == 405 && guardian.json["statusCode"] == 405, "\(guardian.text)")
            let page = try await server.send(.put, "/account", headers: [.accept: "text/html"])
            #expect(page.status == 405 && page.text.contains("data-page=\"error\""), "\(page.text)")
            #expect(page.headers[Self.allow] == "GET, HEAD, OPTIONS")
        }
    }

    @Test(arguments: ["v1/projects", "?", "http://", "http:///sign-in", "https://?x", "ftp://127.0.0.1/sign-in", "*"])
    func `A target that is neither a path nor an address of a server is refused`(target: String) async throws {
        try await TestServer.with(.development) { server in
            let reply = try await server.send(.get, target)
            #expect(reply.status == 400 && reply.json["error"] == "refused", "\(reply.status) \(reply.text)")
        }
    }

    @Test
    func `The host of a target in the absolute form counts, and not the header's`() async throws {
        try await TestServer.with(publicURLs: ["https://login.example.com"]) { server in
            for (target, status) in [
                ("https://login.example.com/sign-in", 200), ("HTTPS://LOGIN.example.com:443/sign-in", 200),
                ("https://evil.example/sign-in", 421), ("https://login.example.com@evil.example/sign-in", 421),
                ("https://login.example.com:443:80/sign-in", 421), ("https://evil.example/userinfo", 401),
            ] {
                let reply = try await server.send(.get, target)
                #expect(reply.status == status, "\(target): \(reply.status)")
            }
        }
    }
}
