import CountersignCore
import Foundation
import SecurityChecks
import Testing

/// What clients sign registrations and assertions with (RFC 7515).
@Suite("Signed statements of clients")
struct StatementTests {
    private static let header = #"{"alg":"RS256","kid":"1"}"#
    private static let payload = #"{"sub":"one","jti":"x"}"#

    private static func read(_ header: String, _ payload: String) throws -> ClientKey.Statement {
        try ClientKey.Statement(
            header: Array(header.utf8).base64URL, payload: Array(payload.utf8).base64URL, signature: "AA")
    }

    @Test
    func `A statement says whose it is before it is verified`() throws {
        #expect(try Self.read(Self.header, Self.payload).claimedClient?.rawValue == "one")
        #expect(try Self.read(Self.header, "{}").claimedClient?.rawValue == "1")
    }

    /// RFC 7515, section 4; RFC 7519, section 4: two readers could read two clients.
    @Test(
        arguments: [
            (header, #"{"sub":"one","sub":"two"}"#), (header, #"{"sub":"one","\u0073ub":"two"}"#),
            (header, #"{"sub":"one","data":{"a":1,"a":2}}"#), (#"{"alg":"RS256","alg":"HS256"}"#, payload),
            (#"{"alg":"RS256","jwk":{"n":"AQAB","n":"AQAC"}}"#, payload),
        ])
    func `A member that is there twice makes a statement malformed`(header: String, payload: String) {
        #expect {
            try Self.read(header, payload)
        } throws: {
            if case ClientKey.Fault.malformed = $0 { true } else { false }
        }
    }
}
