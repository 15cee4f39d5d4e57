import CountersignServer
import Foundation
import Testing

/// What a server of HTTP must insist on, on connections of plain bytes.
@Suite struct HTTPHygieneTests {
    private static func get(_ path: String, _ method: String = "GET", _ more: String = "") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(more)\r\n"
    }

    private static let closing = "Connection: close\r\n"

    @Test func `After connect or an upgrade the connection ends`() async throws {
        try await LiveServer.run { url, _ in
            for request in [
                Self.get("localhost:443", "CONNECT"),
                Self.get(
                    "/health/live", "GET",
                    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n"),
                Self.get("/health/live", "GET", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
                "GET /health/live HTTP/1.0\r\n\r\n",
            ] {
                let answer = try await RawConnection.exchange(request + Self.get("/health/live"), with: url)
                #expect(answer.isClosed, "\(request)")
                #expect(answer.text.statuses.count == 1, "\(answer.text)")
                #expect(answer.text.lowercased().contains("connection: close"))
            }
        }
    }

    @Test func `A request names exactly one host`() async throws {
        try await LiveServer.run { url, _ in
            for request in [
                "GET /health/live HTTP/1.1\r\n\r\n",
                "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                Self.get("/health/live") + "GET /health/live HTTP/1.1\r\n\r\n",
            ] {
                let answer = try await RawConnection.exchange(request, with: url)
                #expect(answer.isClosed)
                #expect(answer.text.statuses.last == 400, "\(answer.text)")
            }
        }
    }

    @Test(arguments: ["/health/live#a", "/health/live?a#b", "/admin/v1/users:list#", "http://localhost/health/live#a"])
    func `A target has no fragment`(target: String) async throws {
        try await LiveServer.run { url, _ in
            // An answer that is repeated on the connection itself is no way around.
            for _ in 0..<3 {
                _ = try await RawConnection.exchange(Self.get("/health/live", "GET", Self.closing), with: url)
            }
            let answer = try await RawConnection.exchange(Self.get(target) + Self.get("/health/live"), with: url)
            #expect(answer.isClosed && answer.text.statuses == [400], "\(answer.text)")
        }
    }

    @Test func `A page is told apart by the host of the target, whatever the header says`() async throws {
        try await LiveServer.run(isDevelopment: true) { url, _ in
            let own = "127.0.0.1:\(url.port ?? 0)"
            for (target, host, status) in [
                ("http://\(own)/sign-in", own, 200), ("http://\(own)/sign-in", "evil.example", 200),
                ("http://evil.example/sign-in", own, 421), ("http://\(own)@evil.example/sign-in", own, 421),
                ("/sign-in", "evil.example", 421), ("/sign-in", "localhost", 200), ("http:///sign-in", own, 400),
                ("ftp://\(own)/sign-in", own, 400),
            ] {
                let answer = try await RawConnection.exchange(
                    "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(Self.closing)\r\n", with: url)
                #expect(answer.text.statuses == [status], "\(target) to \(host): \(answer.text.prefix(200))")
            }
        }
    }

    /// Endpoints of each dialect that read a body, and the content type of it.
    private static let endpoints = [
        ("/v1/accounts:signUp?key=KEY", "application/json"), ("/v1/token?key=KEY", "application/x-www-form-urlencoded"),
        ("/oauth/token", "application/json"), ("/appliance-mfa/api/enroll", "application/json"),
        ("/bc-authorize", "application/x-www-form-urlencoded"),
        ("/contoso/oauth2/v2.0/initiate", "application/x-www-form-urlencoded"),
        ("/mfp/api/registration/v1/self", "application/json"),
        ("/mfp/api/az/v1/token", "application/x-www-form-urlencoded"),
        ("/admin/v1/users.list", "application/json"), ("/auth/action", "application/x-www-form-urlencoded"),
        ("/guardian/enroll", "application/x-www-form-urlencoded"),
    ]

    @Test func `A body that is not whole is refused and no fault of ours`() async throws {
        let log = CapturedLog()
        try await LiveServer.run(log: log) { url, opened in
            let token = try String(contentsOfFile: opened.directory.adminTokenPath, encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let key = try String(contentsOfFile: opened.directory.apiKeyPath, encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            for (path, type) in Self.endpoints {
                let head =
                    "POST \(path.replacing("KEY", with: key)) HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(type)\r\n"
                    + (path.hasPrefix("/admin") ? "Authorization: Bearer \(token)\r\n" : "")
                for (body, closesOutput) in [
                    ("Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", false),
                    ("Transfer-Encoding: chunked\r\n\r\n5\r\nab\r\n0\r\n\r\n", false),
                    ("Transfer-Encoding: chunked\r\n\r\n2\r\n{}", true),
                    ("Content-Length: 100\r\n\r\n{}", true),
                ] {
                    let answer = try await RawConnection.exchange(head + body, with: url, closesOutput: closesOutput)
                    #expect(answer.isClosed)
                    #expect(
                        answer.text.statuses.first.map { (400..<500).contains($0) } == true,
                        "\(path) \(body.debugDescription): \(answer.text)")
                }
            }
        }
        #expect(log.lines.filter { $0.hasPrefix("error") } == [])
    }

    @Test func `A body in a coding that is not known is refused as that, in every dialect`() async throws {
        try await LiveServer.run { url, opened in
            let key = try String(contentsOfFile: opened.directory.apiKeyPath, encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let chunks = "2\r\n{}\r\n0\r\n\r\n"
            for (path, type) in Self.endpoints + [
                ("/sign-in", "application/x-www-form-urlencoded"), ("/", "text/plain"),
            ] {
                for (coding, status) in [
                    ("gzip, chunked", 501), ("GZip,Chunked", 501), ("x-own, chunked", 501), ("gzip", 400),
                ] {
                    let head = Self.get(
                        path.replacing("KEY", with: key), "POST",
                        "\(Self.closing)Content-Type: \(type)\r\nTransfer-Encoding: \(coding)\r\n")
                    let answer = try await RawConnection.exchange(head + chunks, with: url)
                    #expect(answer.isClosed)
                    #expect(answer.text.statuses.first == status, "\(path) in \(coding): \(answer.text)")
                }
                for (coding, isRefused) in [("gzip", true), ("identity, BR", true), ("Identity", false)] {
                    let head = Self.get(
                        path.replacing("KEY", with: key), "POST",
                        "\(Self.closing)Content-Type: \(type)\r\nContent-Encoding: \(coding)\r\nContent-Length: 2\r\n")
                    let answer = try await RawConnection.exchange(head + "{}", with: url).text
                    #expect(
                        answer.lowercased().contains("\r\naccept-encoding: identity\r\n") == isRefused
                            && (answer.statuses.first == 415 || !isRefused), "\(path) in \(coding): \(answer)")
                }
            }
            let plain = Self.get("/health/live", "GET", "\(Self.closing)Transfer-Encoding: Chunked\r\n") + chunks
            #expect(try await RawConnection.exchange(plain, with: url).text.statuses == [200])
        }
    }

    @Test(arguments: [
        "//admin/v1/users.list", "/admin//v1/users.list", "/admin/v1//users.list", "/admin/v1/users.list/",
        "//contoso/oauth2/v2.0/token", "/contoso//oauth2/v2.0/token", "//v1/accounts:signUp", "//oauth/token", "//",
        "http://localhost//admin/v1/users.list",
    ])
    func `A path with an empty segment is no path`(path: String) async throws {
        try await LiveServer.run { url, _ in
            let answer = try await RawConnection.exchange(
                Self.get(path, "POST", Self.closing + "Content-Length: 0\r\n"), with: url)
            #expect(answer.text.statuses == [404], "\(answer.text)")
        }
    }

    @Test func `The operations need the token`() async throws {
        try await LiveServer.run { url, _ in
            for method in ["GET", "PUT", "DELETE", "PATCH", "POST", "HEAD", "OPTIONS"] {
                for path in ["/admin/v1", "/admin/v1/x", "/admin/v1/user.lis", "/admin/v1/users/list", "/admin"] {
                    let answer = try await RawConnection.exchange(
                        Self.get(path, method, Self.closing + "Content-Length: 0\r\n"), with: url)
                    // Any name of an operation has the one method that operations have.
                    let isNamed = ["/admin/v1/x", "/admin/v1/user.lis"].contains(path)
                    let status = !isNamed ? 404 : method == "POST" ? 401 : method == "OPTIONS" ? 204 : 405
                    #expect(answer.text.statuses == [status], "\(method) \(path): \(answer.text)")
                    #expect(!answer.text.contains("users."), "\(method) \(path): \(answer.text)")
                }
            }
        }
    }

    @Test func `HEAD is answered where get is and never with a body`() async throws {
        try await LiveServer.run { url, _ in
            let paths = [
                "/health/live", "/health/ready", "/.well-known/jwks.json", "/.well-known/openid-configuration",
                "/metrics",
                "/auth/action", "/", "/guardian/enroll", "/nowhere", "/admin/v1/x", "/v1/nowhere",
                "/contoso/v2.0/.well-known/openid-configuration", "/api/v2/logs",
            ]
            for path in paths {
                let got = try await RawConnection.exchange(Self.get(path, "GET", Self.closing), with: url)
                // A body would be taken for the beginning of the next answer.
                let asked = try await RawConnection.exchange(
                    Self.get(path, "HEAD") + Self.get("/health/live", "HEAD", Self.closing), with: url)
                #expect(asked.text.statuses == got.text.statuses + [200], "\(path): \(asked.text)")
                #expect(asked.text.hasSuffix("\r\n\r\n"))
                let (own, other) = (Self.length(asked.text), Self.length(got.text))
                // What is counted changes between two looks.
                #expect(own == other || path == "/metrics", "\(path)")
            }
        }
    }

    private static func length(_ answer: String) -> String? {
        answer.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
    }
}
