import JSON
import Testing

@Suite("The parts of a compact JWS")
struct CompactJWSTests {
    /// The example of RFC 7515, appendix A.1, shortened to its header and signature.
    private static let header = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
    private static let signature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    private func token(header: String = "{}", payload: String = "{}") -> String {
        "\(Array(header.utf8).base64URL).\(Array(payload.utf8).base64URL)."
    }

    @Test
    func `The example of RFC 7515 is split, and its header says how it was signed`() throws {
        let payload = Array(#"{"iss":"joe"}"#.utf8)
        let parts = try #require(CompactJWS("\(Self.header).\(payload.base64URL).\(Self.signature)"))
        #expect(parts.signedText == "\(Self.header).\(payload.base64URL)")
        #expect(parts.payloadBytes == payload && parts.signatureBytes?.count == 32)
        let header = try #require(JWSHeader(of: parts))
        #expect(header.alg == "HS256" && header.typ == "JWT" && header.kid == nil)
    }

    @Test(
        arguments: [("", 0), ("a", 0), ("a.b", 0), ("..", 3), ("a.b.c", 3), ("a.b.c.d", 0), ("...", 0), ("a.b.c.", 0)])
    func `A token has three parts, which may be empty`(text: String, count: Int) {
        let parts = CompactJWS(text)
        #expect((parts == nil) == (count == 0))
        if let parts { #expect("\(parts.header).\(parts.payload).\(parts.signature)" == text) }
    }

    @Test
    func `A token that is decoded before it is verified is short, shallow and Base64 for URLs`() {
        let long = String(repeating: "x", count: 12_300)
        let deep = String(repeating: "[", count: 33)
        #expect(CompactJWS(untrusted: token(payload: "{\"a\":\"\(deep)\"}")) != nil)
        for text in [
            token(payload: "\"\(long)\""), token(payload: deep), token(header: deep), "a b.e30.", "e30.e3+0.",
            "e30.e30", "e30=.e30.",
            String(repeating: ".", count: 20_000),
        ] {
            #expect(CompactJWS(untrusted: text) == nil, "\(text.prefix(40))")
        }
        // The signature is for who verifies it; an unsigned token has none.
        #expect(CompactJWS(untrusted: "e30.e30.")?.signatureBytes == [])
        #expect(CompactJWS(untrusted: "e30.e30.a b")?.signatureBytes == nil)
    }

    @Test(
        arguments: [
            ("{\"alg\":\"ES256\"}", true), ("{\"alg\":\"ES256\",\"kid\":null}", true),
            ("{\"alg\":\"ES256\",\"typ\":7}", true), ("{}", false),
            ("{\"alg\":1}", false), ("{\"alg\":\"ES256\",\"kid\":1}", false),
            ("{\"alg\":\"ES256\",\"crit\":[]}", false),
            ("{\"alg\":\"ES256\",\"crit\":null}", false), ("{\"alg\":\"none\",\"alg\":\"ES256\"}", false),
            ("[]", false), ("null", false), ("", false),
            ("{\"alg\":\"ES256\"", false),
        ])
    func `A header needs an algorithm, one name for its key, and nothing critical`(header: String, isTaken: Bool) {
        #expect((JWSHeader(of: token(header: header)) != nil) == isTaken)
    }
}
