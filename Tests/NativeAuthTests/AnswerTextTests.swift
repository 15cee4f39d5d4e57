import Foundation
import JSON
import NativeAuthWire
import Testing

@Suite("Answers that write themselves")
struct AnswerTextTests {
    private static let answers: [any JSONWritable & Sendable] = [
        TokenResponse(),
        TokenResponse(
            tokenType: "Bearer", scope: "openid api", expiresIn: 3600, extendedExpiresIn: -1, refreshIn: 0,
            accessToken: "a/b", refreshToken: "r\n", idToken: "é", clientInfo: "e30"),
        ContinuationResponse(), ContinuationResponse(continuationToken: "a.\"b"),
        ChallengeResponse(),
        ChallengeResponse(
            continuationToken: "a.b", challengeType: .preverified, bindingMethod: "prompt",
            challengeTargetLabel: "c***r@co**o.com", challengeTarget: "é@x", challengeChannel: "email", codeLength: -1,
            interval: 300),
    ]

    @Test(arguments: answers.indices)
    func `An answer is byte for byte what JSONEncoder writes`(index: Int) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var json = JSONWriter()
        try Self.answers[index].write(to: &json)
        let encoded = try encoder.encode(Self.answers[index])
        #expect(String(decoding: json.bytes, as: UTF8.self) == String(decoding: encoded, as: UTF8.self))
    }

    @Test
    func `What identifies a user is JSON that clients read back`() {
        let info = ClientInfo(uid: "u\"1", utid: "t")
        #expect(ClientInfo(text: info.text) == info)
    }
}
