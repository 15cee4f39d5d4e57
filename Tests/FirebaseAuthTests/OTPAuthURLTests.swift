import Foundation
import IdentityToolkitWire
import Testing

@testable import FirebaseAuth

@Suite struct OTPAuthURLTests {
    private func secret(algorithm: String? = "SHA1", digits: Int? = 6, period: Int? = 30) throws -> TOTPSecret {
        try TOTPSecret(
            TOTPSessionInfo(
                sharedSecretKey: "JBSWY3DPEHPK3PXP", verificationCodeLength: digits, hashingAlgorithm: algorithm,
                periodSec: period, sessionInfo: "S", finalizeEnrollmentTime: "2026-09-24T10:26:12.123456Z"))
    }

    @Test(arguments: [
        ("a@b.c", "App", "App:a%40b.c", "App"),
        ("default account", "Your App Name", "Your%20App%20Name:default%20account", "Your%20App%20Name"),
        ("a:b", "x:y", "x%3Ay:a%3Ab", "x%3Ay"),
        ("a&issuer=evil", "b?#/%", "b%3F%23%2F%25:a%26issuer%3Devil", "b%3F%23%2F%25"),
        ("jürgen", "日本", "%E6%97%A5%E6%9C%AC:j%C3%BCrgen", "%E6%97%A5%E6%9C%AC"),
        ("a+b", "c+d", "c%2Bd:a%2Bb", "c%2Bd"),
    ])
    func `Names are percent-encoded, so that they arrive as they are`(
        account: String, issuer: String, label: String, item: String
    ) throws {
        let text = try secret().generateQRCodeURL(withAccountName: account, issuer: issuer)
        #expect(
            text == "otpauth://totp/\(label)?secret=JBSWY3DPEHPK3PXP&issuer=\(item)&algorithm=SHA1&digits=6&period=30")
        let parts = try #require(URLComponents(string: text))
        #expect(parts.path == "/\(issuer):\(account)")
        #expect(parts.queryItems?.first { $0.name == "issuer" }?.value == issuer)
        #expect(parts.queryItems?.filter { $0.name == "issuer" }.count == 1)
        #expect(URL(string: text) != nil)
    }

    @Test func `Algorithm, digits and period are the server's`() throws {
        let text = try secret(algorithm: "SHA256", digits: 8, period: 60)
            .generateQRCodeURL(withAccountName: "a", issuer: "b")
        #expect(text.hasSuffix("&algorithm=SHA256&digits=8&period=60"))
    }

    @Test func `Without algorithm or digits there is no URL`() throws {
        #expect(try secret(algorithm: nil).generateQRCodeURL(withAccountName: "a", issuer: "b") == "")
        #expect(try secret(digits: nil).generateQRCodeURL(withAccountName: "a", issuer: "b") == "")
        #expect(try secret(digits: 0).generateQRCodeURL(withAccountName: "a", issuer: "b") == "")
        #expect(
            try secret(period: nil).generateQRCodeURL(withAccountName: "a", issuer: "")
                == "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6")
    }

    @Test func `An app's own opener gets the URL, and nothing else gets to it`() async throws {
        let before = TOTPSecret.opener
        defer { TOTPSecret.opener = before }
        let (opened, continuation) = AsyncStream<URL>.makeStream()
        TOTPSecret.opener = { if $0.host == "opener-test" { continuation.yield($0) } }
        let secret = try secret()
        secret.openInOTPApp(withQRCodeURL: "https://opener-test/")
        secret.openInOTPApp(withQRCodeURL: "")
        secret.openInOTPApp(withQRCodeURL: "otpauth://opener-test/x?secret=A")
        var urls = opened.makeAsyncIterator()
        #expect(await urls.next()?.absoluteString == "otpauth://opener-test/x?secret=A")
    }

    @Test func `The secret tells until when the enrolment must be finished`() throws {
        #expect(try secret().enrollmentCompletionDeadline == WireTimestamp.date(from: "2026-09-24T10:26:12.123456Z"))
        #expect(try secret().sharedSecretKey() == "JBSWY3DPEHPK3PXP")
    }
}

@Suite struct ActionCodeURLTests {
    @Test(arguments: [
        ("https://x.y/auth/action?mode=signIn&oobCode=C&apiKey=K&lang=de", true),
        ("https://x.y/?link=https%3A%2F%2Fx.y%2F%3Fmode%3DsignIn%26oobCode%3DC", true),
        ("https://x.y/auth/action?mode=resetPassword&oobCode=C", false),
        ("https://x.y/auth/action?mode=signIn", false), ("https://x.y/auth/action?mode=signIn&oobCode=", false),
        ("", false), ("not a link", false), ("https://x.y/?link=https://x.y/?link=https://x.y/?link=", false),
    ])
    func `A link signs in where it has that mode and a code`(link: String, signsIn: Bool) {
        #expect(makeAuth(ScriptedServer()).isSignIn(withEmailLink: link) == signsIn)
    }

    @Test func `A link is taken apart`() {
        let url = ActionCodeURL(
            link: "https://x.y/auth/action?mode=verifyEmail&oobCode=C&apiKey=K&lang=de&continueUrl=https%3A%2F%2Fz")
        #expect(url?.operation == .verifyEmail)
        #expect(url?.code == "C")
        #expect(url?.apiKey == "K")
        #expect(url?.languageCode == "de")
        #expect(url?.continueURL == URL(string: "https://z"))
    }
}
