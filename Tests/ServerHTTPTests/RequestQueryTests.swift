import HTTPTypes
import HummingbirdCore
import NIOCore
import ServerHTTP
import Testing

/// Queries are read as forms are (RFC 6749, appendix B), in every dialect and page by this one function: `scripts/check-seams` finds
/// other ways.
@Suite struct RequestQueryTests {
    @Test(
        arguments: [
            ("/", [:]), ("/?", [:]), ("/?a=b", ["a": "b"]),
            ("/?scope=openid+email&state=a%2Bb", ["scope": "openid email", "state": "a+b"]),
            ("/?state=a+b", ["state": "a b"]), ("/?state=a%20b", ["state": "a b"]), ("/?a=+", ["a": " "]),
            ("/?a+b=c+d", ["a b": "c d"]), ("/?%61=%62", ["a": "b"]),
            ("/?a=1&a=2", ["a": "1"]), ("/?a&b=&=c", ["a": "", "b": "", "": "c"]), ("/?a=b=c", ["a": "b=c"]),
            ("/?a=%&b=%zz+&c=%ff", ["a": "%", "b": "%zz ", "c": "%ff"]),
            ("/?&&a=b&", ["a": "b"]), ("/?a=%C3%A4", ["a": "ä"]), ("/?a=b#c", ["a": "b"]),
        ] as [(String, [String: String])])
    func `A plus sign is a space`(target: String, expected: [String: String]) {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: target)
        #expect(Request(head: head, body: RequestBody(buffer: ByteBuffer())).queryItems == expected)
    }
}
