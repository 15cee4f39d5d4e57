import CountersignCore
import Foundation
import Testing

@Suite("Password policies")
struct PasswordPolicyTests {
    private func fault(
        _ password: String, _ policy: PasswordPolicy = .standard, email: String? = nil, second: Bool = false
    ) -> PasswordPolicy.Fault? {
        policy.fault(
            of: Secret(password), email: email.map(EmailAddress.init(kept:)), secondFactorFollows: second)
    }

    @Test(
        arguments: [
            ("seven77", PasswordPolicy.Fault.tooShort(minimum: 8)), ("", .tooShort(minimum: 8)),
            ("eight 8a", nil), ("пароль12", nil), ("密码密码密码密吗", nil),
            ("e\u{301}e\u{301}e\u{301}e\u{301}xyz", .tooShort(minimum: 8)),
            (String(repeating: "ab c", count: 256), nil),
            (String(repeating: "ab c", count: 256) + "d", .tooLong(maximum: 1024)),
        ])
    func `Length counts in scalars of the composed text`(password: String, expected: PasswordPolicy.Fault?) {
        #expect(fault(password) == expected)
    }

    @Test
    func `The preset of NIST asks for fifteen characters where no second factor follows`() {
        #expect(fault("fourteen chars", .nist) == .tooShort(minimum: 15))
        #expect(fault("fifteen chars !", .nist) == nil)
        #expect(fault("eight 8a", .nist, second: true) == nil)
        #expect(fault("seven77", .nist, second: true) == .tooShort(minimum: 8))
        #expect(fault("passwordpassword", .nist) == .common)
    }

    @Test
    func `The address and what stands before its @ are no passwords`() {
        let email = "ada.lovelace@example.org"
        #expect(fault("Ada.Lovelace@example.org", email: email) == .containsAddress)
        #expect(fault("ADA.lovelace", email: email) == .containsAddress)
        #expect(fault("ada.lovelace was here", email: email) == nil)
        #expect(fault("ada.lovelace") == nil)
    }

    @Test(
        arguments: [
            "password", "Password1", "Password1!", "PASSWORD!!", "password123", "Password1234!", "password12345",
            "12password", "p@ssw0rd", "P@ssw0rd1", "pa$$w0rd", "Pa$$w0rd1!", "passw0rd!", "qwertyuiop", "qwerty123",
            "qwerty12345", "Qwerty!1", "1qaz2wsx", "1q2w3e4r", "1q2w3e4r5t", "zaq12wsx", "qwer1234", "1234qwer",
            "asdf1234", "asdfasdf", "iloveyou", "ILoveYou1", "letmein1", "welcome1", "Welcome123", "admin123",
            "Admin1234",
            "admin@123", "administrator", "changeme", "sunshine", "princess1", "football", "baseball1", "superman",
            "trustno1", "starwars", "dragon123", "monkey12", "abc12345", "abcd1234", "a1234567", "a12345678",
            "aa123456",
            "12345678", "123456789", "1234567890", "0123456789", "87654321", "9876543210", "11111111", "00000000",
            "aaaaaaaa", "abababab", "12121212", "abcdefgh", "abcdefghij", "hgfedcba", "abcdefg123", "99999999!",
            "12345678!", "!!!!!!!!",
            "test1234", "Summer2024", "Winter2025!", "secret123", "secret12!", "correcthorsebatterystaple", "passwort1",
            "Passwort123", "schalke04", "hallo123", "1234567a", "12345678a", "123456abc",
        ])
    func `The commonest passwords are refused, also decorated`(password: String) {
        #expect(fault(password) == .common)
    }

    @Test(
        arguments: [
            "correct horse battery", "correct horse battery staple", "Correct-Horse-7", "analytical engine",
            "password manager user", "my password is long", "the dragon sleeps", "summer in the city",
            "dragonfruit tea",
            "applesauce", "testament", "usernames", "adminstration", "monkeybusiness", "shadowboxer", "Tr0ub4dor&3",
            "xkcd 936 cartoon", "kX9#mQ2$", "7hG!2kPq", "3141592653", "27182818", "20240131", "1a2b3c4x", "zebra9831",
            "lila Kühe fliegen", "пароли-длинные", "パスワード長い方", "🐶🐱🐭🐹🐰🦊🐻🐼", "secretary of state",
            "hello world, again", "0110 or 1001?", "dragon2001!!xyz", "dragon98317", "kqz-7731", "qwerty is a layout",
            "abcdefg hijk lmnop",
        ])
    func `Passwords that are good enough are taken`(password: String) {
        #expect(fault(password) == nil)
    }

    @Test
    func `A realm may take common passwords; length still counts`() {
        let policy = PasswordPolicy(minimumLength: 6, refusesCommon: false)
        #expect(fault("password", policy) == nil)
        #expect(fault("12345", policy) == .tooShort(minimum: 6))
    }

    @Test
    func `Lengths of a document are cut to what makes sense`() throws {
        func policy(_ json: String) throws -> PasswordPolicy {
            try JSONDecoder().decode(PasswordPolicy.self, from: Data(json.utf8))
        }
        #expect(try policy("{}") == .standard)
        #expect(try policy(#"{"minimumLength":1}"#).minimumLength == 6)
        #expect(try policy(#"{"minimumLength":1000}"#).minimumLength == 64)
        #expect(try policy(#"{"minimumLength":10,"minimumLengthAlone":2}"#).minimumLengthAlone == 10)
        #expect(try policy(#"{"minimumLength":8,"minimumLengthAlone":15,"refusesCommon":true}"#) == .nist)
    }

    @Test
    func `Kinds of characters are required where a setting says so, in any script`() {
        func missing(_ password: String, _ required: Set<CharacterKind> = Set(CharacterKind.allCases))
            -> [CharacterKind]
        {
            let policy = PasswordPolicy(minimumLength: 6, required: required)
            guard case .lacks(let kinds)? = policy.fault(of: Secret(password), email: nil) else { return [] }
            return kinds
        }
        #expect(missing("long enough") == [.uppercase, .digit])
        #expect(missing("LONG ENOUGH") == [.lowercase, .digit])
        #expect(missing("LongEnough1") == [.symbol])
        #expect(missing("Größe ٣ Ж") == [])
        #expect(missing("日本語日本語") == CharacterKind.allCases)
        #expect(missing("long enough", []) == [])
        #expect(missing("long enough", [.digit]) == [.digit])
    }

    @Test
    func `A policy may allow less and more than the standard's 1,024 characters`() {
        func fault(_ length: Int, _ maximum: Int?) -> PasswordPolicy.Fault? {
            PasswordPolicy(minimumLength: 6, maximumLength: maximum, refusesCommon: false)
                .fault(of: Secret(String(repeating: "x", count: length)), email: nil)
        }
        #expect(fault(1024, nil) == nil && fault(1025, nil) == .tooLong(maximum: 1024))
        #expect(fault(20, 20) == nil && fault(21, 20) == .tooLong(maximum: 20))
        #expect(fault(4096, 4096) == nil && fault(4097, 4096) == .tooLong(maximum: 4096))
    }
}
