import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import ServerHTTP

/// The handlers on a channel whose time the test moves.
@Suite struct ConnectionHandlerTests {
    /// A connection of HTTP/1, from its bytes to the parts of requests.
    private static func connection(isEncrypted: Bool = false) throws -> (EmbeddedChannel, ConnectionDeadlineHandler) {
        let deadlines = ConnectionDeadlineHandler(ConnectionDeadlines(), isEncrypted: isEncrypted)
        let channel = EmbeddedChannel()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([
            deadlines, HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()),
            HTTP1ConnectionHandler(deadlines),
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (channel, deadlines)
    }

    private static func send(_ text: String, _ channel: EmbeddedChannel) {
        // What the parser refuses is thrown here; the answer is what counts.
        _ = try? channel.writeInbound(ByteBuffer(string: text))
    }

    private static func answer(_ channel: EmbeddedChannel) throws -> String {
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": "0"])
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        channel.embeddedEventLoop.run()
        var text = ""
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: buffer) }
        return text
    }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `A silent connection is closed`() throws {
        let (channel, _) = try Self.connection()
        channel.embeddedEventLoop.advanceTime(by: .seconds(14))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `A head that drips is closed in its time`() throws {
        let (channel, _) = try Self.connection()
        for byte in "GET / HTTP/1.1" {
            Self.send(String(byte), channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        }
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `A body that drips fails its request and ends the connection`() throws {
        let (channel, _) = try Self.connection()
        Self.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", channel)
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            Self.send("x", channel)
        }
        #expect(throws: Never.self) { try channel.throwIfErrorCaught() }
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(throws: RequestDeadlineError.self) { try channel.throwIfErrorCaught() }
        #expect(channel.isActive)
        // The reader of the body answers, and the client learns that the connection ends.
        #expect(try Self.answer(channel).contains("Connection: close"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!channel.isActive)
    }

    @Test func `An answer is waited for and the connection kept`() throws {
        let (channel, _) = try Self.connection()
        for _ in 0..<3 {
            Self.send(Self.request, channel)
            // Longer than a long poll.
            channel.embeddedEventLoop.advanceTime(by: .seconds(200))
            #expect(try !Self.answer(channel).contains("Connection: close"))
            channel.embeddedEventLoop.advanceTime(by: .seconds(74))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `A handshake that does not end is closed`() throws {
        let (channel, deadlines) = try Self.connection(isEncrypted: true)
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        deadlines.secured(isHTTP2: false)
        channel.embeddedEventLoop.advanceTime(by: .seconds(14))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)

        let (silent, _) = try Self.connection(isEncrypted: true)
        silent.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(!silent.isActive)
    }

    @Test(
        arguments: [
            "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            // `ab -k`, which waits for the end unless the answer says that there is more.
            "GET / HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n",
        ])
    func `The last answer says so and the connection ends`(request: String) throws {
        let (channel, _) = try Self.connection()
        Self.send(request, channel)
        Self.send(Self.request, channel)
        #expect(try Self.answer(channel).contains("Connection: close"))
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!channel.isActive)
    }

    @Test func `An answer before the end of its request is the last of its connection`() throws {
        let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"
        let (channel, _) = try Self.connection()
        Self.send(post + "12345", channel)
        #expect(try Self.answer(channel).contains("Connection: close"))
        // What a proxy sends into the place of the missing bytes is no request, nor is what follows.
        Self.send("GET /" + Self.request + Self.request, channel)
        var heads = 0
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            if case .head = part { heads += 1 }
        }
        #expect(heads == 1)
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!channel.isActive)

        let (whole, _) = try Self.connection()
        Self.send(post + "1234567890", whole)
        #expect(try !Self.answer(whole).contains("Connection: close"))
    }

    @Test(arguments: [
        ("Expect: 100-continue\r\n", "1.1", true), ("expect: 100-Continue\r\n", "1.1", true),
        ("Expect: more\r\n", "1.1", false), ("", "1.1", false), ("Expect: 100-continue\r\n", "1.0", false),
    ])
    func `Who waits for a word before the body gets it, and the answer behind it`(
        header: String, version: String, isTold: Bool
    ) throws {
        let (channel, _) = try Self.connection()
        Self.send("POST / HTTP/\(version)\r\nHost: a\r\n\(header)Content-Length: 5\r\n\r\n", channel)
        var told = ""
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { told += String(buffer: buffer) }
        #expect(told == (isTold ? "HTTP/1.1 100 Continue\r\n\r\n" : ""))
        Self.send("12345", channel)
        let answer = try Self.answer(channel)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("Connection: close") == (version == "1.0"))
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", false),
            ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost:\r\n\r\n", true),
            ("GET / HTTP/1.0\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: a-1.example:8080\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: [::ffff:192.0.2.1]\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a:xx\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: ä\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: []\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n", false),
        ])
    func `A request names one host`(request: String, isTaken: Bool) throws {
        let (channel, _) = try Self.connection()
        var fault: (any Error)?
        do { try channel.writeInbound(ByteBuffer(string: request)) } catch { fault = error }
        let part = try channel.readInbound(as: HTTPServerRequestPart.self)
        #expect((fault as? HTTPParserError) == (isTaken ? nil : .invalidHeaderToken))
        #expect((part != nil) == isTaken)
    }

    @Test(
        arguments: [
            ("http://evil.example/a?b=c", "evil.example", "/a?b=c"), ("HTTP://evil.example:81", "evil.example:81", "/"),
            ("https://[::1]:8443?b", "[::1]:8443", "/?b"),
            ("/a?b=http://evil.example/", "own.example", "/a?b=http://evil.example/"),
            ("*", "own.example", "*"),
        ])
    func `The host of a target takes the place of the header's`(target: String, host: String, path: String) throws {
        let (channel, _) = try Self.connection()
        try channel.writeInbound(ByteBuffer(string: "OPTIONS \(target) HTTP/1.1\r\nhost: own.example\r\n\r\n"))
        guard case .head(let head)? = try channel.readInbound(as: HTTPServerRequestPart.self) else {
            Issue.record("no request")
            return
        }
        #expect(head.headers["host"] == [host] && head.uri == path)
    }

    @Test(arguments: [
        "http:///a", "https://?a", "http://", "ftp://own.example/a", "/a#b", "/#", "/a?b#c", "/a?b=%23#",
        "http://own.example/a#b", "http://own.example/?a#b",
    ])
    func `A target of another form, or with a fragment, is refused`(target: String) throws {
        let (channel, _) = try Self.connection()
        #expect(throws: HTTPParserError.invalidURL) {
            try channel.writeInbound(ByteBuffer(string: "GET \(target) HTTP/1.1\r\nHost: own.example\r\n\r\n"))
        }
        #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == nil)
    }

    @Test func `A stream has its own deadlines`() throws {
        let channel = EmbeddedChannel(handler: HTTP2StreamHandler(ConnectionDeadlines()))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequest(method: .post, scheme: "https", authority: "a", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(throws: RequestDeadlineError.self) { try channel.throwIfErrorCaught() }
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!channel.isActive)
    }

    /// What the handler answers itself.
    private static func refusal(_ channel: EmbeddedChannel) throws -> [HTTPResponsePart] {
        var parts: [HTTPResponsePart] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) { parts.append(part) }
        return parts
    }

    private static let badRequest: [HTTPResponsePart] = [
        .head(HTTPResponse(status: .badRequest, headerFields: [.contentLength: "0"])), .end(nil),
    ]

    @Test(arguments: [
        "https://own.example/admin/v1", "http://own.example", "health/live", "", "*", "/a#b", "/#", "/a?b#c", "#",
    ])
    func `A stream whose path is no path, or has a fragment, is refused`(path: String) throws {
        let channel = EmbeddedChannel(handler: HTTP2StreamHandler(ConnectionDeadlines()))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequest(method: .post, scheme: "https", authority: "own.example", path: path)
        try channel.writeInbound(HTTPRequestPart.head(head))
        #expect(try Self.refusal(channel) == Self.badRequest)
        // Nothing that follows reaches a route, or is answered again; the rest of the body has its time.
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "x")))
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
        #expect(try Self.refusal(channel) == [])
        #expect(throws: Never.self) { try channel.throwIfErrorCaught() }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test(
        arguments: [
            ("a", ["a"], true), (nil, ["a"], true), ("a", [], true), (nil, [], true), (nil, ["a", "a"], false),
            (nil, ["a", "b"], false), ("a", ["a", "b"], false),
        ] as [(String?, [String], Bool)])
    func `A stream names one host`(authority: String?, hosts: [String], isTaken: Bool) throws {
        let channel = EmbeddedChannel(handler: HTTP2StreamHandler(ConnectionDeadlines()))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        var head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
        for host in hosts { head.headerFields.append(HTTPField(name: .known("Host"), value: host)) }
        try channel.writeInbound(HTTPRequestPart.head(head))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == (isTaken ? HTTPRequestPart.head(head) : nil))
        #expect(try Self.refusal(channel) == (isTaken ? [] : Self.badRequest))
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    private static let wellFormed: [(HTTPRequest.Method, String?)] = [
        (.get, "/http://a"), (.options, "*"), (.connect, nil),
    ]

    @Test(arguments: wellFormed)
    func `A stream with a path, or with a method that has none, goes on`(
        method: HTTPRequest.Method, path: String?
    ) throws {
        let channel = EmbeddedChannel(handler: HTTP2StreamHandler(ConnectionDeadlines()))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequest(method: method, scheme: "https", authority: "own.example", path: path)
        try channel.writeInbound(HTTPRequestPart.head(head))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == .head(head))
        #expect(channel.isActive)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func `A stream whose answer is not taken is closed`() throws {
        let channel = EmbeddedChannel(handler: HTTP2StreamHandler(ConnectionDeadlines()))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(
            HTTPRequestPart.head(HTTPRequest(method: .get, scheme: "https", authority: "a", path: "/")))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(200))
        channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
        channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(74))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }
}
