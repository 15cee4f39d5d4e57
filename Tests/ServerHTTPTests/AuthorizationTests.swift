import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import ServerHTTP

@Suite struct AuthorizationTests {
    @Test(
        arguments: [
            (nil, nil), ("", nil), ("Basic", nil), ("Basic ", nil), ("Basic abc", "abc"), ("bASIC abc", "abc"),
            ("Basic  abc", "abc"), ("Basic    abc  def", "abc  def"), ("Basic   ", nil), ("Basic abc def", "abc def"),
            ("Basic\tabc", nil), ("Basicabc", nil),
            ("Basi abc", nil),
            ("Bearer abc", nil), (" Basic abc", "abc"), ("Basic é", "é"), ("ｂasic abc", nil),
        ] as [(String?, String?)])
    func `Credentials are what follows a scheme in any case and one space or more`(_ field: String?, _ found: String?) {
        var headers: HTTPFields = [:]
        headers[.authorization] = field
        let request = Request(
            head: HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
        #expect(Authorization(of: request).credentials("Basic") == found)
    }
}
