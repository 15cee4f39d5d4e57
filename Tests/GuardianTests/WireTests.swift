import Foundation
import GuardianWire
import Testing

@Suite("What goes over Guardian's wire")
struct WireTests {
    @Test
    func `The QR code's text is as the vendor's page puts it together`() throws {
        let uri = EnrollmentURI(
            issuer: "issuer name", account: "myuser@gmail.com", transactionID: "aa1 234", id: "dev_1234",
            baseURL: "https://a.guardian.auth0.com", secret: "SUPERSECRETBASE32")
        let text =
            "otpauth://totp/issuer%20name:myuser%40gmail.com?secret=SUPERSECRETBASE32&enrollment_tx_id=aa1%20234"
            + "&issuer=issuer%20name&id=dev_1234&base_url=https%3A%2F%2Fa.guardian.auth0.com&algorithm=sha1&digits=6"
            + "&counter=0&period=30"
        #expect(uri.text == text)
        #expect(EnrollmentURI(text) == uri)
    }

    @Test(
        arguments: [
            ("otpauth://totp/a?enrollment_tx_id=1&enrollment_tx_id=2", "2"),
            ("otpauth://TOTP/a?enrollment_tx_id=1", "1"),
            ("OTPAUTH://totp/a?enrollment_tx_id=1", nil), ("otpauth://hotp/a?enrollment_tx_id=1", nil),
            ("otpauth://totp/a?secret=AAAA", nil), ("otpauth://totp/a?enrollment_tx_id=", nil),
            ("https://totp/a?enrollment_tx_id=1", nil), ("", nil), ("otpauth://", nil),
        ])
    func `Only an enrolment is read as one`(text: String, transactionID: String?) {
        #expect(EnrollmentURI(text)?.transactionID == transactionID)
    }

    @Test(
        arguments: [
            ("2015-12-17T19:53:31.000Z", 1_450_382_011.0), ("2015-12-17T19:53:31.5+0000", 1_450_382_011.5),
            ("2015-12-17T19:53:31.123456Z", 1_450_382_011.123456), ("2015-12-17T19:53:31.000+00:00", 1_450_382_011.0),
            ("2015-12-17T19:53:31Z", nil), ("2015-12-17T19:53:31.Z", nil), ("2015-12-17T19:53:31.000+01:00", nil),
            ("2024-02-29T23:59:59.5Z", 1_709_251_199.5), ("1970-01-01T00:00:00.0Z", 0.0),
            ("1969-12-31T23:59:59.5Z", -0.5), ("2026-13-01T00:00:00.0Z", nil),
            ("yesterday", nil), ("", nil),
        ])
    func `Times are read with a fraction and in UTC only`(text: String, seconds: Double?) {
        let read = GuardianTimestamp.date(from: text)?.timeIntervalSince1970
        #expect(read.map { ($0 * 1e6).rounded() } == seconds.map { ($0 * 1e6).rounded() })
    }
}
