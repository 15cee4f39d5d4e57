import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import ServerHTTP

@Suite struct HTTP2StreamTests {
    @Test(arguments: [
        ("/", true), ("/a?b=%C3%A9", true), ("/a#b", false), ("a", false), ("/\u{E9}", false), ("/a b", false),
        ("/?a=\u{301}", false),
    ])
    func `A path has visible ASCII alone, as one of HTTP/1 has`(path: String, isTaken: Bool) throws {
        let channel = EmbeddedChannel(handler: HTTP2StreamHandler(ConnectionDeadlines()))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let request = HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: path)
        try channel.writeInbound(HTTPRequestPart.head(request))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == (isTaken ? HTTPRequestPart.head(request) : nil))
        let answer = try channel.readOutbound(as: HTTPResponsePart.self)
        #expect((answer == nil) == isTaken)
    }

    @Test(
        arguments: [
            (nil, true), ("localhost", true), ("LOCALHOST:443", true), ("evil.example", false),
            ("localhost:80", false), ("", false),
        ] as [(String?, Bool)])
    func `A host that a field names beside the authority is the same one`(host: String?, isTaken: Bool) throws {
        let channel = EmbeddedChannel(handler: HTTP2StreamHandler(ConnectionDeadlines()))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        var request = HTTPRequest(method: .get, scheme: "https", authority: "localhost", path: "/")
        if let host { request.headerFields[.known("Host")] = host }
        try channel.writeInbound(HTTPRequestPart.head(request))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == (isTaken ? HTTPRequestPart.head(request) : nil))
        let answer = try channel.readOutbound(as: HTTPResponsePart.self)
        #expect((answer == nil) == isTaken)
    }
}
