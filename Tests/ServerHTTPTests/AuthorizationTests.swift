import CountersignCore
import Foundation
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

    @Test func `Base64 of credentials is what Foundation takes for it`() {
        var texts = [
            "", "=", "====", "YTpi", "YTpiYw==", "YTpiY2Q=", "YTpiYw", "YTpiYx==", "YTpiYw===", "YTpi====", "YT-_",
            "YT+/", "YT+_",
            "YTpi\n", " YTpi", "YTp=", "Y===", "YQ=Q", "ä", "YTpi\0", "=YTp", "YTpiYw=x",
        ]
        for count in 0..<40 { texts.append(Data((0..<count).map { UInt8($0 * 7 & 255) }).base64EncodedString()) }
        for text in texts {
            #expect(
                ClientCredentials.Basic.bytes(ofBase64: text) == Data(base64Encoded: text).map { Array($0) }, "\(text)")
        }
    }
}
