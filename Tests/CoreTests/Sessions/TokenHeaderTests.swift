@testable import CountersignCore
import Foundation
import Testing

@Suite("What is read of a token before it is verified")
struct TokenHeaderTests {
    private func token(header: String = "{}", payload: String = "{}") -> String {
        "\(Array(header.utf8).base64URL).\(Array(payload.utf8).base64URL)."
    }

    /// What takes a reader of everything a second each: 500 brackets, or 5,000 numbers.
    private static let ballast = [
        String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
        String(repeating: "{\"a\":", count: 500) + "1" + String(repeating: "}", count: 500),
        "[" + Array(repeating: "{}", count: 3700).joined(separator: ",") + "]",
    ]

    @Test("Members that nobody asked for cost nothing", .timeLimit(.minutes(1)))
    func ballast() throws {
        for _ in 0..<20 {
            for ballast in Self.ballast {
                let header = try #require(
                    TokenHeader(of: token(header: "{\"alg\":\"ES256\",\"kid\":\"k\",\"x\":\(ballast)}")))
                #expect(header.alg == "ES256" && header.kid == "k")
                let claims = "{\"iss\":\"i\",\"sub\":\"i\",\"uid\":\"u\",\"aud\":\"a\",\"x\":\(ballast)}"
                let custom = try #require(UnverifiedCustomToken(token(payload: claims)))
                #expect(custom.issuer == "i" && custom.audience == "a")
            }
        }
    }

    @Test("A header needs an algorithm, and nothing critical", arguments: [
        ("{\"alg\":\"ES256\"}", true), ("{\"alg\":\"ES256\",\"kid\":null}", true), ("{}", false), ("{\"alg\":1}", false),
        ("{\"alg\":\"ES256\",\"kid\":1}", false), ("{\"alg\":\"ES256\",\"crit\":[]}", false),
        ("{\"alg\":\"ES256\",\"crit\":null}", false), ("[]", false), ("null", false), ("", false),
    ])
    func headers(header: String, isTaken: Bool) {
        #expect((TokenHeader(of: token(header: header)) != nil) == isTaken)
    }
}
