#if os(Linux) || os(macOS)
    import ClientHTTP
    import Foundation
    import Synchronization
    import Testing

    @testable import CountersignClient

    /// The port that waits for the browser's answer, and what else may come there.
    @Suite("The loopback browser")
    struct LoopbackTests {
        private static let address = "http://127.0.0.1:49152/callback"

        private static func page(_ redirectURI: String = address) throws -> AuthorizationPage {
            AuthorizationPage(
                url: try #require(URL(string: "https://auth.example.org/authorize")), redirectURI: redirectURI,
                state: "s")
        }

        private func verdict(_ text: String, host: String = "127.0.0.1:49152") throws -> LoopbackRequest.Verdict {
            var request = LoopbackRequest()
            return request.receive(
                Array("\(text) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8), at: Self.address, for: try Self.page())
        }

        @Test
        func `One request is the answer, and others change nothing`() throws {
            let good = try #require(URL(string: Self.address + "?code=c&state=s"))
            #expect(try verdict("GET /callback?code=c&state=s") == .answer(good))
            for (text, status) in [
                ("GET /callback?code=c&state=t", "400"), ("GET /callback?code=c", "400"), ("GET /callback", "400"),
                ("GET /callback?state=s&state=s", "400"), ("GET /callback?state=t&state=s", "400"),
                ("GET /callback/?state=s", "404"), ("GET /?state=s", "404"), ("GET /favicon.ico", "404"),
                ("GET http://127.0.0.1:49152/callback?state=s", "400"), ("GET", "400"),
                ("POST /callback?code=c&state=s", "405"), ("HEAD /callback?code=c&state=s", "405"),
            ] {
                guard case .refused(let found) = try verdict(text) else { return #expect(Bool(false), "\(text)") }
                #expect(found.hasPrefix(status), "\(text): \(found)")
            }
            for host in ["attacker.example:49152", "127.0.0.1", "127.0.0.1:49153", "localhost:49152", ""] {
                guard case .refused(let found) = try verdict("GET /callback?code=c&state=s", host: host) else {
                    return #expect(Bool(false), "\(host)")
                }
                #expect(found.hasPrefix("421"), "\(host): \(found)")
            }
        }

        @Test
        func `A request in pieces is waited for, and one without end is not`() throws {
            let page = try Self.page()
            var request = LoopbackRequest()
            let bytes = Array("GET /callback?code=c&state=s HTTP/1.1\r\nHost: 127.0.0.1:49152\r\n\r\n".utf8)
            for byte in bytes.dropLast() {
                #expect(request.receive([byte], at: Self.address, for: page) == .incomplete)
            }
            guard case .answer = request.receive([10], at: Self.address, for: page) else {
                return #expect(Bool(false), "no answer")
            }
            var long = LoopbackRequest()
            let half = [UInt8](repeating: UInt8(ascii: "a"), count: LoopbackRequest.longest)
            #expect(long.receive(half, at: Self.address, for: page) == .incomplete)
            guard case .refused(let status) = long.receive([10], at: Self.address, for: page) else {
                return #expect(Bool(false), "taken")
            }
            #expect(status.hasPrefix("431"))
        }

        @Test
        func `What the browser shows has no script, and nobody keeps it`() throws {
            let done = try #require(URL(string: Self.address + "?code=c&state=s"))
            let refused = try #require(URL(string: Self.address + "?error=access_denied&state=s"))
            for verdict: LoopbackRequest.Verdict in [
                .answer(done), .answer(refused), .refused(status: "404 Not Found"),
            ] {
                let text = String(decoding: LoopbackRequest.response(to: verdict), as: UTF8.self)
                #expect(text.contains("Cache-Control: no-store\r\n") && text.contains("default-src 'none'"))
                #expect(!text.contains("<script") && !text.contains("code=") && text.contains("Connection: close\r\n"))
                let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
                #expect(text.contains("Content-Length: \(parts[1].utf8.count)\r\n"))
            }
            #expect(
                String(decoding: LoopbackRequest.response(to: .answer(done)), as: UTF8.self).contains("close this page")
            )
        }

        @Test
        func `The port outlives strangers, is closed by its answer, and is this machine's alone`() async throws {
            let http = HTTPClient(timeout: 300)
            let seen = Mutex<[Int]>([])
            let shown = AsyncStream<URL>.makeStream()
            let begun = Locked<String?>(nil)
            let browser = LoopbackBrowser { shown.continuation.yield($0) }
            async let answer = browser.authorize { redirectURI in
                begun.withLock { $0 = redirectURI }
                return try Self.page(redirectURI)
            }
            for await _ in shown.stream { break }
            let address = try #require(begun.current)
            #expect(address.hasPrefix("http://127.0.0.1:") && address.hasSuffix("/callback"))
            let huge = String(repeating: "a", count: 20_000)
            for suffix in ["?code=c&state=wrong", "x", "?state=s&state=s"] {
                let url = try #require(URL(string: address + suffix))
                let status = try await http.get(url).status
                seen.withLock { $0.append(status) }
            }
            #expect(seen.withLock { $0 } == [400, 404, 400])
            let long = try #require(URL(string: "\(address)?state=s&code=\(huge)"))
            // Its answer may be lost, as the port does not read to the end.
            let status = try? await http.get(long).status
            #expect(status == nil || status == 431)
            let last = try #require(URL(string: address + "?code=c&state=s"))
            let reply = try await http.get(last)
            #expect(reply.status == 200 && reply.header("Cache-Control") == "no-store")
            #expect(try await answer == last)
            // Another program may have the port by now.
            let again = try? await http.get(last)
            #expect(again?.body != reply.body)
        }

        @Test
        func `A user who does not come back is not waited for without end, and a cancelled sign-in ends`() async throws
        {
            let late = LoopbackBrowser(timeout: 0) { _ in }
            await #expect { try await late.authorize { try Self.page($0) } } throws: {
                ($0 as? ClientFailure)?.code == .timedOut
            }
            let shown = AsyncStream<Void>.makeStream()
            let task = Task {
                try await LoopbackBrowser { _ in shown.continuation.yield() }.authorize { try Self.page($0) }
            }
            for await _ in shown.stream { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // What cannot be begun leaves no port behind.
            struct Refused: Error {}
            await #expect(throws: Refused.self) { try await late.authorize { _ in throw Refused() } }
        }
    }
#endif
