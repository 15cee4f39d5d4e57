import Foundation
import IdentityToolkitWire
import JSON
import Testing

@Suite("Answers that write themselves")
struct AnswerTextTests {
    private func isAsEncoded(_ answer: some JSONWritable) throws -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var json = JSONWriter()
        try answer.write(to: &json)
        return try String(decoding: json.bytes, as: UTF8.self)
            == String(decoding: encoder.encode(answer), as: UTF8.self)
    }

    @Test
    func `Tokens are answered byte for byte as JSONEncoder writes them`() throws {
        #expect(try isAsEncoded(TokenResponse(tokenType: nil)))
        #expect(
            try isAsEncoded(
                TokenResponse(
                    accessToken: "a.b/c", expiresIn: 3600, refreshToken: "r\"\\", idToken: "é", userID: "u",
                    projectID: "p")))
        #expect(try isAsEncoded(FinalizeMFASignInResponse()))
        #expect(
            try isAsEncoded(
                FinalizeMFASignInResponse(
                    idToken: "i", refreshToken: "r", totpAuthInfo: EmptyObject(),
                    phoneAuthInfo: PhoneAuthInfo(phoneNumber: "+49"))))
        #expect(try isAsEncoded(FinalizeMFASignInResponse(phoneAuthInfo: PhoneAuthInfo())))
        #expect(try isAsEncoded(JSONValue.object(["b": .array([.null, .number(0.5)]), "a": "x/y"])))
    }

    @Test
    func `What a password is answered with is byte for byte as JSONEncoder writes it`() throws {
        #expect(try isAsEncoded(SignInWithPasswordResponse()))
        #expect(try isAsEncoded(SignInWithPasswordResponse(kind: nil, mfaInfo: [])))
        #expect(
            try isAsEncoded(
                SignInWithPasswordResponse(
                    localId: "l", email: "a@b.c", displayName: "Ä/\"", registered: true, profilePicture: "https://p/q",
                    idToken: "i", refreshToken: "r", expiresIn: 3600, mfaPendingCredential: "m",
                    mfaInfo: [
                        MFAEnrollment(),
                        MFAEnrollment(
                            mfaEnrollmentId: "e", displayName: "Phone", enrolledAt: "2026-11-23T00:00:00Z",
                            phoneInfo: "+49", unobfuscatedPhoneInfo: "+4930",
                            totpInfo: TOTPInfo(sharedSecretKey: "S", algorithm: "SHA1", digits: 6, period: 30)),
                        MFAEnrollment(totpInfo: TOTPInfo()),
                    ])))
    }

    @Test
    func `What a passkey is answered with is byte for byte as JSONEncoder writes it`() throws {
        #expect(try isAsEncoded(PasskeySessionResponse()))
        #expect(
            try isAsEncoded(
                PasskeySessionResponse(
                    localId: "l", idToken: "i/j", refreshToken: "r", expiresIn: 3600, mfaPendingCredential: "m",
                    mfaInfo: [MFAEnrollment(mfaEnrollmentId: "e")])))
        #expect(try isAsEncoded(StartPasskeySignInResponse()))
        #expect(
            try isAsEncoded(
                StartPasskeySignInResponse(
                    credentialRequestOptions: .object(["rpId": "a", "challenge": "+/=", "timeout": .integer(1)]))))
    }

    @Test
    func `Refusals are answered byte for byte as JSONEncoder writes them`() throws {
        #expect(try isAsEncoded(ErrorEnvelope()))
        #expect(try isAsEncoded(ErrorEnvelope(error: ErrorBody())))
        #expect(
            try isAsEncoded(
                ErrorEnvelope(
                    error: ErrorBody(
                        code: 400, message: "INVALID_CODE : \"a/b\"", errors: [ErrorItem(message: "m"), ErrorItem()],
                        status: "INVALID_ARGUMENT",
                        details: [
                            ErrorDetail(),
                            ErrorDetail(
                                type: "t",
                                fieldViolations: [FieldViolation(), FieldViolation(field: "f", description: "d")],
                                reason: "r", domain: "d"),
                        ]))))
    }
}
