import Foundation
import JSON
import NativeAuthWire
import Testing

@Suite("Tokens that write themselves")
struct AnswerTextTests {
    @Test(
        arguments: [
            TokenResponse(),
            TokenResponse(
                tokenType: "Bearer", scope: "openid api", expiresIn: 3600, extendedExpiresIn: -1, refreshIn: 0,
                accessToken: "a/b", refreshToken: "r\n", idToken: "é", clientInfo: "e30"),
        ])
    func `Tokens are answered byte for byte as JSONEncoder writes them`(answer: TokenResponse) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var json = JSONWriter()
        answer.write(to: &json)
        #expect(
            try String(decoding: json.bytes, as: UTF8.self) == String(decoding: encoder.encode(answer), as: UTF8.self))
    }
}
