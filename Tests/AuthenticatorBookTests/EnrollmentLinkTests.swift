import Foundation
import Testing

@testable import AuthenticatorBook

@Suite("What a device enrols with") struct EnrollmentLinkTests {
    @Test(
        arguments: [
            (
                "otpauth://totp/Shop:ada%40example.org?secret=JBSWY3DP&enrollment_tx_id=abc&base_url=https%3A%2F%2Fs.example&issuer=Shop",
                nil, "abc", "https://s.example", "Shop", "ada@example.org"
            ),
            // Without a secret, as the MFA API has it; the server is named beside it.
            (
                "otpauth://totp/Shop?enrollment_tx_id=abc", "http://127.0.0.1:8080", "abc", "http://127.0.0.1:8080",
                "Shop", nil
            ),
            ("https://s.example/guardian/enroll?ticket=gten_1", nil, "gten_1", "https://s.example", nil, nil),
            (" http://127.0.0.1:1/base/guardian/enroll?x=1&ticket=t \n", nil, "t", "http://127.0.0.1:1/base", nil, nil),
            (
                "https://s.example/guardian/enroll?ticket=t", "https://other.example", "t", "https://other.example",
                nil, nil
            ),
        ] as [(String, String?, String, String, String?, String?)])
    func `A link says ticket and server`(
        text: String, server: String?, ticket: String, at: String, issuer: String?, name: String?
    ) throws {
        let link = try #require(try EnrollmentLink(text, server: server))
        #expect(link.ticket == ticket)
        #expect(link.server.absoluteString == at)
        #expect(link.issuer == issuer)
        #expect(link.name == name)
    }

    @Test(arguments: ["otpauth://totp/a?secret=JBSWY3DP", "https://example.com/", "gten_1", "", "mailto:a@example.com"])
    func `Other texts are none`(text: String) throws {
        #expect(try EnrollmentLink(text) == nil)
    }

    @Test(
        arguments: [
            ("otpauth://totp/a?enrollment_tx_id=abc", EnrollmentLinkError.noServer),
            ("otpauth://totp/a?enrollment_tx_id=abc&base_url=ftp%3A%2F%2Fx", .badServer("ftp://x")),
            ("otpauth://totp/a?enrollment_tx_id=abc&base_url=https%3A%2F%2Fu:p%40x", .badServer("https://u:p@x")),
            ("otpauth://totp/a?enrollment_tx_id=a%22b&base_url=https%3A%2F%2Fx", .badTicket),
            ("otpauth://totp/a?enrollment_tx_id=a%0Ab&base_url=https%3A%2F%2Fx", .badTicket),
            ("https://example.com/elsewhere?ticket=t", .notATicketPage),
        ])
    func `What cannot be used is refused`(text: String, error: EnrollmentLinkError) {
        #expect(throws: error) { try EnrollmentLink(text) }
    }

    @Test func `Names bring no control characters along`() throws {
        let link = try #require(
            try EnrollmentLink(
                "otpauth://totp/S%1B%5B2J:a%07?enrollment_tx_id=abc&issuer=S%1B%5B2J&base_url=https%3A%2F%2Fx"))
        #expect(link.issuer == "S[2J")
        #expect(link.name == "a")
    }
}
