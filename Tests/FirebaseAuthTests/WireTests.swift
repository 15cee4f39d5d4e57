import Foundation
import IdentityToolkitWire
import Testing

/// The wire types, read and written. Source: REST reference of Identity Platform.
@Suite struct WireTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func read<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    @Test func `Times have six digits of a second and read back exactly`() throws {
        let date = Date(timeIntervalSince1970: 1_790_244_672.123456)
        #expect(WireTimestamp.string(from: date) == "2026-09-24T10:11:12.123456Z")
        #expect(WireTimestamp.string(from: Date(timeIntervalSince1970: -0.5)) == "1969-12-31T23:59:59.500000Z")
        #expect(
            WireTimestamp.string(from: Date(timeIntervalSince1970: 1_709_164_800)) == "2024-02-29T00:00:00.000000Z")
        #expect(
            WireTimestamp.string(from: Date(timeIntervalSince1970: 0.999_999_9)) == "1970-01-01T00:00:01.000000Z")
        for seconds in stride(from: -60_000_000_000.0, through: 250_000_000_000, by: 7_777_777_777) {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(WireTimestamp.date(from: WireTimestamp.string(from: date)) == date)
        }
        let edges = [-Double.infinity, .infinity, .nan].map { Date(timeIntervalSince1970: $0) }
        #expect(
            edges.map(WireTimestamp.string) == [
                "0000-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.000000Z", "1970-01-01T00:00:00.000000Z",
            ])
    }

    @Test(arguments: [
        ("2026-09-24T10:11:12Z", 1_790_244_672.0), ("2026-09-24T12:11:12.5+02:00", 1_790_244_672.5),
        ("2026-09-24t10:11:12.1234567891234z", 1_790_244_672.123456789), ("1969-12-31T23:59:60Z", 0),
    ])
    func `Any RFC 3339 time can be read`(text: String, seconds: Double) throws {
        let date = try #require(WireTimestamp.date(from: text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_001)
    }

    @Test(arguments: [
        "", "2026", "2026-09-24", "2026-09-24T10:11:12", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-09-24T24:00:00Z", "2026-09-24T10:11:12.Z", "2026-09-24T10:11:12Zx", "2026-09-24T10:11:12+2:00",
        "２026-09-24T10:11:12Z",
    ])
    func `What is no time is none`(text: String) { #expect(WireTimestamp.date(from: text) == nil) }

    @Test func `Large integers are written as strings and read from both`() throws {
        #expect(
            try json(SignUpResponse(expiresIn: 3600))
                == #"{"expiresIn":"3600","kind":"identitytoolkit#SignupNewUserResponse"}"#)
        #expect(try read(#"{"validSince":1790000000}"#, as: UpdateAccountRequest.self).validSince == 1_790_000_000)
        #expect(try read(#"{"validSince":"1790000000"}"#, as: UpdateAccountRequest.self).validSince == 1_790_000_000)
        for text in [#""""#, #""x""#, "1.5", "true", "{}", #""99999999999999999999""#] {
            #expect(throws: DecodingError.self) {
                try read(#"{"validSince":\#(text)}"#, as: UpdateAccountRequest.self)
            }
        }
    }

    @Test func `An answer to a sign-in with a second factor has the recorded shape`() throws {
        let answer = SignInWithPasswordResponse(
            localId: "u", email: "a@b.c", displayName: "", registered: true, mfaPendingCredential: "OPAQUE",
            mfaInfo: [
                MFAEnrollment(
                    mfaEnrollmentId: "f", displayName: "TOTP", enrolledAt: "2026-09-24T10:11:12.123456Z",
                    totpInfo: TOTPInfo())
            ])
        #expect(
            try json(answer)
                == #"{"displayName":"","email":"a@b.c","kind":"identitytoolkit#VerifyPasswordResponse","localId":"u","#
                + #""mfaInfo":[{"displayName":"TOTP","enrolledAt":"2026-09-24T10:11:12.123456Z","mfaEnrollmentId":"f","#
                + #""totpInfo":{}}],"mfaPendingCredential":"OPAQUE","registered":true}"#)
        #expect(try read(json(answer)) == answer)
    }

    @Test func `An enrolment's answer has numbers where the protocol has numbers`() throws {
        let answer = StartMFAEnrollmentResponse(
            totpSessionInfo: TOTPSessionInfo(
                sharedSecretKey: "A", verificationCodeLength: 6, hashingAlgorithm: "SHA1", periodSec: 30,
                sessionInfo: "S", finalizeEnrollmentTime: "2026-09-24T10:26:12.123456Z"))
        #expect(
            try json(answer)
                == #"{"totpSessionInfo":{"finalizeEnrollmentTime":"2026-09-24T10:26:12.123456Z","#
                + #""hashingAlgorithm":"SHA1","periodSec":30,"sessionInfo":"S","sharedSecretKey":"A","#
                + #""verificationCodeLength":6}}"#)
    }

    @Test func `A token request is read in both spellings and from a form`() throws {
        let expected = TokenRequest(grantType: "refresh_token", refreshToken: "r")
        #expect(try read(#"{"grantType":"refresh_token","refreshToken":"r"}"#) == expected)
        #expect(try read(#"{"grant_type":"refresh_token","refresh_token":"r"}"#) == expected)
        #expect(TokenRequest(form: ["grant_type": "refresh_token", "refresh_token": "r"]) == expected)
        #expect(
            try json(TokenResponse(accessToken: "a", expiresIn: 3600, refreshToken: "r", idToken: "a", userID: "u"))
                == #"{"access_token":"a","expires_in":"3600","id_token":"a","refresh_token":"r","#
                + #""token_type":"Bearer","user_id":"u"}"#)
    }

    @Test func `A configuration keeps what is absent apart from what is zero`() throws {
        let text = #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{}}]}}"#
        let config: ProjectConfig = try read(text)
        let provider = config.mfa?.providerConfigs?.first?.totpProviderConfig
        #expect(provider != nil)
        #expect(provider?.adjacentIntervals == nil)
        #expect(try json(config) == text)
    }

    @Test func `Errors are wrapped in the two forms of the protocol`() throws {
        let message = ErrorWord.weakPassword.message("Password should be longer")
        let first = ErrorEnvelope(error: ErrorBody(code: 400, message: message, errors: [ErrorItem(message: message)]))
        #expect(
            try json(first)
                == #"{"error":{"code":400,"errors":[{"domain":"global","message":"\#(message)","reason":"invalid"}],"#
                + #""message":"\#(message)"}}"#)
        let second = ErrorEnvelope(error: ErrorBody(code: 400, message: "INVALID_CODE", status: "INVALID_ARGUMENT"))
        #expect(
            try json(second) == #"{"error":{"code":400,"message":"INVALID_CODE","status":"INVALID_ARGUMENT"}}"#)
        let third = ErrorBody(
            details: [
                ErrorDetail(
                    type: "type.googleapis.com/google.rpc.BadRequest",
                    fieldViolations: [FieldViolation(field: "f", description: "d")])
            ])
        #expect(
            try json(third)
                == #"{"details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","#
                + #""fieldViolations":[{"description":"d","field":"f"}]}]}"#)
    }

    @Test(arguments: [
        ("INVALID_CODE", "INVALID_CODE"), ("WEAK_PASSWORD : Password: long", "WEAK_PASSWORD"), (" X ", "X"), ("", ""),
        (":", ""), ("A:B", "A"),
    ])
    func `A message's word is what stands before its first colon`(message: String, word: String) {
        #expect(ErrorWord(message: message) == ErrorWord(rawValue: word))
    }

    @Test func `An administrator's list of factors can be cleared, kept and imported`() throws {
        #expect(try read("{}", as: UpdateAccountRequest.self).mfa == nil)
        #expect(try read(#"{"mfa":{}}"#, as: UpdateAccountRequest.self).mfa == MFAEnrollments())
        let imported: BatchCreateAccountsRequest = try read(
            #"{"users":[{"localId":"u","mfaInfo":[{"displayName":"x","totpInfo":{"sharedSecretKey":"A","#
                + #""algorithm":"SHA1","digits":6,"period":30}}]}]}"#)
        #expect(imported.users?.first?.mfaInfo?.first?.totpInfo?.sharedSecretKey == "A")
    }
}
