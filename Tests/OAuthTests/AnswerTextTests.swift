import Foundation
import JSON
import OAuthWire
import Testing

@Suite("Tokens that write themselves")
struct AnswerTextTests {
    @Test(arguments: [nil, "r\"/"], [nil, "é.i"])
    func `Tokens are answered byte for byte as JSONEncoder writes them`(refresh: String?, identity: String?) throws {
        let answer = TokenResponse(
            accessToken: "a.b/c", tokenType: "DPoP", expiresIn: 600, scope: "openid email", refreshToken: refresh,
            idToken: identity)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var json = JSONWriter()
        answer.write(to: &json)
        #expect(
            try String(decoding: json.bytes, as: UTF8.self) == String(decoding: encoder.encode(answer), as: UTF8.self))
    }
}
