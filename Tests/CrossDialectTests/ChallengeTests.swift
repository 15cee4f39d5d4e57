import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

@testable import CountersignServer

/// What 401 says of how to authenticate (RFC 9110, section 15.5.2; RFC 6750, section 3; RFC 6749, section 5.2), in all protocols alike.
@Suite("Challenges of 401")
struct ChallengeTests {
    private static let basic = "Basic \(Data("nobody:wrong".utf8).base64EncodedString())"

    @Test
    func `Every 401 says how to authenticate, and calls no token wrong where none was sent`() async throws {
        try await TestServer.with(.development) { server in
            let endpoints = try server.countersign.endpoints().filter { !$0.path.hasSuffix("/wait") }
            var refusals = 0
            for authorization in [nil, Self.basic, "Bearer x"] {
                for (method, path) in endpoints {
                    var headers: HTTPFields = [.contentType: "application/json"]
                    headers[.authorization] = authorization
                    let reply = try await server.send(
                        method, path.replacing(/\{[^}]*\}|\*+/, with: "x"), headers: headers,
                        body: method == .get ? nil : Array("{}".utf8))
                    guard reply.status == 401 else { continue }
                    refusals += 1
                    let challenge = reply.headers[.wwwAuthenticate]
                    #expect(challenge?.isEmpty == false, "\(method) \(path): \(reply.text)")
                    if authorization != "Bearer x" {
                        #expect(challenge?.contains("error=") != true, "\(method) \(path): \(challenge ?? "")")
                    }
                }
            }
            #expect(refusals > 100, "\(refusals)")
        }
    }

    /// An endpoint, the value of `Authorization`, and that of `WWW-Authenticate`.
    private static let rows: [(method: HTTPRequest.Method, path: String, shown: String?, challenge: String)] = [
        (.get, "/userinfo", nil, "Bearer"), (.post, "/userinfo", basic, "Bearer"),
        (.get, "/userinfo", "Digest a=\"b\"", "Bearer"), (.get, "/userinfo", "Bearer", "Bearer"),
        (.get, "/userinfo", "Bearer x", #"Bearer error="invalid_token""#),
        (.post, "/admin/v1/users:list", nil, "Bearer"), (.post, "/admin/v1/users:list", basic, "Bearer"),
        (
            .post, "/admin/v1/users:list", "Bearer csadm_\(String(repeating: "A", count: 43))",
            #"Bearer error="invalid_token""#
        ),
        (.get, "/account/v1/profile", basic, "Bearer"),
        (.get, "/me/v1/authentication-methods", basic, "Bearer"),
        (.get, "/api/v2/users", nil, "Bearer"), (.get, "/api/v2/users", basic, "Bearer"),
        (.get, "/api/v2/users", "Bearer x", #"Bearer error="invalid_token""#),
        (.get, "/mfa/authenticators", nil, "Bearer"),
        (.post, "/appliance-mfa/api/enroll", nil, "Ticket"),
        (.get, "/rich-consents/x", nil, "MFA-DPoP"),
        (.post, "/v1/projects/countersign/accounts:lookup", nil, "Bearer"),
        (.post, "/oauth/token", nil, #"Basic realm="countersign""#),
        (.post, "/oauth/token", basic, #"Basic realm="countersign""#),
        // RFC 7662, section 2.3: an API that shows a token here is told what is taken.
        (.post, "/oauth/introspect", "Bearer x", #"Basic realm="countersign""#),
        (.post, "/oauth/revoke", nil, #"Basic realm="countersign""#),
        (.post, "/oauth/par", nil, #"Basic realm="countersign""#),
        (.post, "/oauth/device/code", nil, #"Basic realm="countersign""#),
    ]

    @Test
    func `A challenge names the scheme that the endpoint takes`() async throws {
        try await TestServer.with(.development) { server in
            for row in Self.rows {
                let isForm = row.path.hasPrefix("/oauth/")
                var headers: HTTPFields = [
                    .contentType: isForm ? "application/x-www-form-urlencoded" : "application/json"
                ]
                headers[.authorization] = row.shown
                let reply = try await server.send(
                    row.method, row.path, headers: headers,
                    body: row.method == .get ? nil : Array((isForm ? "client_id=nobody" : "{}").utf8))
                let challenge = reply.headers[.wwwAuthenticate] ?? ""
                let isAsExpected =
                    row.challenge.contains("error") ? challenge.hasPrefix(row.challenge) : challenge == row.challenge
                #expect(
                    reply.status == 401 && isAsExpected,
                    "\(row.method) \(row.path) \(row.shown ?? "-"): \(reply.status) \(challenge)")
            }
            // Its browser would ask the user for a name and a password, where page and server share an origin.
            let script = try await server.send(
                .post, "/oauth/token",
                headers: [.contentType: "application/json", .known("Sec-Fetch-Mode"): "same-origin"],
                body: Array("{}".utf8))
            #expect(script.status == 401 && script.headers[.wwwAuthenticate] == nil, "\(script.text)")
        }
    }
}
