import ClientHTTP
import Foundation
import Testing

@Suite struct HTTPClientTests {
    private let server = ScriptedServer()

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST", true), ("a.localhost", true), ("127.0.0.1", true), ("127.255.0.3", true),
        ("::1", true), ("[::1]", true), ("localhost.example.org", false), ("127.0.0.1.example.org", false),
        ("127.0.0.256", false), ("127.1", false), ("127.+1.0.0", false), ("10.0.0.1", false), ("0.0.0.0", false),
        ("", false), ("notlocalhost", false), ("::2", false),
    ])
    func `Only this machine is this machine`(host: String, expected: Bool) {
        #expect(Loopback.contains(host: host) == expected)
    }

    @Test func `Plain http to elsewhere is refused unless the client was made for it`() async throws {
        server.on("/x", "{}")
        let url = try #require(URL(string: "http://example.org/x"))
        var client = HTTPClient(transport: server)
        await #expect(throws: HTTPClientError.self) { _ = try await client.get(url) }
        #expect(server.requests.isEmpty)
        client.plainHTTP = .anyHost
        #expect(try await client.get(url).status == 200)
    }

    @Test func `A form is percent-encoded`() async throws {
        server.on("/x", "{}")
        let url = try #require(URL(string: "https://example.org/x"))
        _ = try await HTTPClient(transport: server).post(
            form: [("grant_type", "refresh_token"), ("a b", "ä&=+~")], to: url)
        #expect(server.body(to: "/x") == "grant_type=refresh_token&a%20b=%C3%A4%26%3D%2B~")
        #expect(server.requests.first?.headers["Content-Type"] == "application/x-www-form-urlencoded")
    }

    @Test func `An answer longer than allowed is refused`() async throws {
        server.on("/x", String(repeating: "x", count: 11))
        let url = try #require(URL(string: "https://example.org/x"))
        let client = HTTPClient(transport: server, maximumResponseBytes: 10)
        do {
            _ = try await client.get(url)
            Issue.record("must throw")
        } catch let error as HTTPClientError {
            #expect(error.isResponseTooLarge)
        }
    }

    @Test func `A server that does not run is unreachable`() async throws {
        // Port 1 is not listened on.
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        do {
            _ = try await HTTPClient(timeout: 300).get(url)
            Issue.record("must throw")
        } catch let error as HTTPClientError {
            #expect(error.isUnreachable || error.isTimedOut)
        }
    }

    @Test func `Headers are found in any spelling`() {
        let response = HTTPClientResponse(status: 200, headers: ["Retry-AFTER": "1"])
        #expect(response.header("retry-after") == "1")
        #expect(response.header("Retry-After") == "1")
    }
}
