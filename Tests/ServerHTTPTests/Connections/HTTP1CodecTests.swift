import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import ServerHTTP

/// The translation of HTTP/1, against the one that it stands in for.
@Suite struct HTTP1CodecTests {
    private static let targets = ["/", "/a/b?c=d&e=%2F", "//a", "/a:b", "/%", "/ä", "*", "/?", "/a#b", "/http://a/b"]
    private static let headers: [HTTPHeaders] = [
        [:], ["Host": "a.example:80", "Accept": "*/*"], ["host": "a", "authorization": "Basic YTpi", "X-A": "b"],
        ["Cookie": "a=b; c=d", "COOKIE": "e=f", "Host": "a"],
        ["X-Forwarded-For": "192.0.2.7", "x-forwarded-for": "::1"],
        ["User-Agent": "a\u{1}b", "Content-Type": "text/plain; charset=ü"], ["Not a name": "x", "traceparent": "00-1"],
        ["Content-Length": " 12 ", "DPoP": "e", "dpop": "f", "X-Request-ID": "r"],
        HTTPHeaders([("Host", "a"), ("Host", "b")]),
        ["HOST": "a", "User-agent": "", "Sec-Fetch-Site": "none", "sec-fetch-site": "cross-site"],
    ]

    @Test func `Requests are what they are to the codec of the library`() throws {
        for method in [HTTPMethod.GET, .POST, .PUT, .PATCH, .DELETE, .HEAD, .OPTIONS, .CONNECT, .RAW(value: "FOO")] {
            for target in Self.targets {
                for headers in Self.headers {
                    let head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers)
                    let ours = try #require(HTTPRequest(received: head))
                    let theirs = try HTTPRequest(head, secure: false, splitCookie: false)
                    #expect(ours == theirs)
                    #expect(ours.headerFields.map(\.name.rawName) == theirs.headerFields.map(\.name.rawName))
                    #expect(ours.headerFields.map(\.value) == theirs.headerFields.map(\.value))
                }
            }
        }
        #expect(
            HTTPRequest(
                received: HTTPRequestHead(version: .http1_1, method: .RAW(value: "A B"), uri: "/", headers: [:])) == nil
        )
    }

    private static func channels() throws -> (ours: EmbeddedChannel, theirs: EmbeddedChannel) {
        (EmbeddedChannel(handler: HTTP1Codec()), EmbeddedChannel(handler: HTTP1ToHTTPServerCodec(secure: false)))
    }

    @Test func `Parts of requests pass as through the codec of the library`() throws {
        let (ours, theirs) = try Self.channels()
        let parts: [HTTPServerRequestPart] = [
            .head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/a", headers: ["Host": "a", "X-B": "c"])),
            .body(ByteBuffer(string: "text")), .end(nil), .end(["X-Trailer": "t", "Host": "b"]),
        ]
        for part in parts {
            try ours.writeInbound(part)
            try theirs.writeInbound(part)
            #expect(try ours.readInbound(as: HTTPRequestPart.self) == theirs.readInbound(as: HTTPRequestPart.self))
        }
    }

    @Test func `Answers leave as through the codec of the library`() throws {
        let (ours, theirs) = try Self.channels()
        let fields: HTTPFields = [.contentType: "text/plain", .setCookie: "a=b", .setCookie: "c=d", .vary: "Origin"]
        let parts: [HTTPResponsePart] = [
            .head(HTTPResponse(status: .ok, headerFields: fields)),
            .head(HTTPResponse(status: .init(code: 299, reasonPhrase: "Odd"))), .body(ByteBuffer(string: "text")),
            .end(nil), .end([.eTag: "e"]),
        ]
        for part in parts {
            try ours.writeOutbound(part)
            try theirs.writeOutbound(part)
            #expect(
                try ours.readOutbound(as: HTTPServerResponsePart.self)
                    == theirs.readOutbound(as: HTTPServerResponsePart.self))
        }
    }

    @Test func `A server that shuts down closes what is idle at once and the rest after its answers`() throws {
        let idle = EmbeddedChannel(handler: HTTP1Codec())
        try idle.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        idle.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        idle.embeddedEventLoop.run()
        #expect(!idle.isActive)

        let busy = EmbeddedChannel(handler: HTTP1Codec())
        try busy.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for _ in 0..<2 {
            try busy.writeInbound(
                HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
            try busy.writeInbound(HTTPServerRequestPart.end(nil))
        }
        busy.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        for isLast in [false, true] {
            #expect(busy.isActive)
            busy.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
            busy.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
            busy.embeddedEventLoop.run()
            #expect(busy.isActive == !isLast)
        }
    }

    @Test func `A field is added after all others, whatever there is of its name`() {
        var added: HTTPFields = [:]
        var appended: HTTPFields = [:]
        for (name, value) in [
            (HTTPField.Name.accept, "a"), (.cookie, "a=b; c=d"), (.accept, "b"), (.cookie, "e=f"), (.vary, ""),
        ] {
            added.add(name, value)
            appended.append(HTTPField(name: name, value: value))
        }
        #expect(added.map(\.name) == appended.map(\.name) && added.map(\.value) == appended.map(\.value))
    }
}
