import Foundation
import Testing

@testable import CountersignCore

@Suite("What is read of a token before it is verified")
struct TokenHeaderTests {
    private func token(header: String = "{}", payload: String = "{}") -> String {
        "\(Array(header.utf8).base64URL).\(Array(payload.utf8).base64URL)."
    }

    /// What takes a reader of everything a second each: 500 brackets, or thousands of values.
    private static let deep = [
        String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
        String(repeating: "{\"a\":", count: 500) + "1" + String(repeating: "}", count: 500),
    ]
    private static let wide = "[" + Array(repeating: "{}", count: 3700).joined(separator: ",") + "]"

    private func read(with ballast: String) -> (JWSHeader?, UnverifiedCustomToken?) {
        let claims = "{\"iss\":\"i\",\"sub\":\"i\",\"uid\":\"u\",\"aud\":\"a\",\"x\":\(ballast)}"
        return (
            JWSHeader(of: token(header: "{\"alg\":\"ES256\",\"kid\":\"k\",\"x\":\(ballast)}")),
            UnverifiedCustomToken(token(payload: claims))
        )
    }

    @Test(.timeLimit(.minutes(20)))
    func `Unexpected members cost nothing`() {
        for _ in 0..<20 {
            let (header, custom) = read(with: Self.wide)
            #expect(header?.alg == "ES256" && header?.kid == "k")
            #expect(custom?.issuer == "i" && custom?.audience == "a")
            // Deeper nesting than needed is not read at all.
            for ballast in Self.deep {
                let (header, custom) = read(with: ballast)
                #expect(header == nil && custom == nil)
            }
        }
    }

    @Test(
        arguments: [
            ("{\"alg\":\"ES256\"}", true), ("{\"alg\":\"ES256\",\"kid\":null}", true), ("{}", false),
            ("{\"alg\":1}", false),
            ("{\"alg\":\"ES256\",\"kid\":1}", false), ("{\"alg\":\"ES256\",\"crit\":[]}", false),
            ("{\"alg\":\"ES256\",\"crit\":null}", false), ("[]", false), ("null", false), ("", false),
        ])
    func `A header needs an algorithm, and nothing critical`(header: String, isTaken: Bool) {
        #expect((JWSHeader(of: token(header: header)) != nil) == isTaken)
    }
}
