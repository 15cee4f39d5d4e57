import Foundation
import Testing

@testable import CountersignCore

@Suite("Secrets")
struct SecretTests {
    private struct Holder {
        let password: Secret<String>
        let maybe: Secret<[UInt8]>?
        let many: [Secret<String>]
    }

    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test
    func `Nothing that prints, dumps, interpolates or mirrors a secret shows it`() {
        let secret = Secret("hunter2")
        let holder = Holder(password: secret, maybe: Secret(Array("hunter2".utf8)), many: [secret])
        let texts = [
            "\(secret)", String(describing: secret), String(reflecting: secret), secret.description,
            secret.debugDescription, dumped(secret), "\(holder)", String(reflecting: holder), dumped(holder),
            "\([secret])", "\(Optional(secret) as Any)", "\(["key": secret])", dumped([secret]),
            "\(Mirror(reflecting: secret).children.map(\.value))",
        ]
        for text in texts {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104"), "the bytes")
        }
        #expect("\(secret)" == "<secret>")
        #expect(secret.reveal() == "hunter2")
        #expect(secret == Secret("hunter2") && secret != Secret("hunter3"))
    }

    @Test
    func `What the core hands out and takes in shows no secret`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let pending = try await test.pending()
        let offer = try await test.offer(to: test.addUser(TestRealm.otherEmail).id)
        let token = enrolled.signedIn.refreshToken.reveal()
        let values: [Any] = [
            enrolled.signedIn, pending, offer, Answer.password(Secret("hunter2")),
            Answer.link(newPassword: Secret("hunter2")), AnswerTarget.flow(pending.handle, .any(.signIn)),
        ]
        let secrets = [
            token, String(token.split(separator: ".")[1]), pending.handle.token.reveal(), offer.handle.token.reveal(),
            "hunter2", offer.secret.reveal().map(String.init).joined(separator: ", "),
        ]
        for value in values {
            for text in ["\(value)", String(reflecting: value), dumped(value)] {
                for secret in secrets { #expect(!text.contains(secret), "\(type(of: value))") }
            }
        }
    }
}
