import CountersignCore
import Foundation
import OneTimePassword
import Testing

@testable import AdminServer

/// The lines of a file of users, as they are read and written.
@Suite struct UserRowTests {
    /// Keeps what it is given, and knows one algorithm.
    private struct Importer: PasswordImporter {
        func keep(
            _ hash: ForeignPasswordHash, of scheme: ForeignPasswordScheme
        ) -> Result<StoredPasswordHash, PasswordImportFault> {
            guard scheme.algorithm == "SHA256" else { return .failure(.unknownAlgorithm) }
            guard let rounds = scheme.rounds else { return .failure(.invalidParameter("SHA256 needs rounds")) }
            guard hash.hash.count == 3 else { return .failure(.invalidHash("a hash has 3 bytes here")) }
            return .success(StoredPasswordHash(Secret("\(rounds)/\(hash.hash.hex)/\(hash.salt.hex)")))
        }

        func give(_ kept: Secret<String>) -> (hash: ForeignPasswordHash, scheme: ForeignPasswordScheme)? { nil }
    }

    private func read(_ text: String, rules: UserRowRules = UserRowRules()) throws -> PortableAccount {
        try UserRow.read(Array(text.utf8)).account(rules, importer: Importer())
    }

    @Test func `A line gives a role only where its importer may, and names only groups that can be`() throws {
        let line = #"{"localId":"a","role":"support","groups":["staff","eng/core","staff"]}"#
        var rules = UserRowRules()
        #expect(throws: UserRowFault.self) { try read(line, rules: rules) }
        rules.givenRoles = [.support]
        let account = try read(line, rules: rules)
        #expect(account.role == .support && account.groups?.map(\.rawValue).sorted() == ["eng/core", "staff"])
        let without = try read(#"{"localId":"a"}"#, rules: rules)
        #expect(without.role == nil && without.groups == nil)
        #expect(try read(#"{"localId":"a","groups":[]}"#).groups == [])
        let many = (0...100).map { "\"g\($0)\"" }.joined(separator: ",")
        for wrong in [
            #"{"localId":"a","role":"owner"}"#, #"{"localId":"a","role":"root"}"#, #"{"localId":"a","groups":["a b"]}"#,
            #"{"localId":"a","groups":[""]}"#,
            #"{"localId":"a","groups":"staff"}"#, #"{"localId":"a","role":1}"#, #"{"localId":"a","groups":[\#(many)]}"#,
        ] {
            #expect(throws: UserRowFault.self, "\(wrong)") { try read(wrong, rules: rules) }
        }
    }

    private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    @Test func `A line keeps what it brings`() throws {
        let account = try read(
            """
            {"localId":"ada","email":"Ada@Example.org","emailVerified":true,"displayName":"Ada","photoUrl":"https://a",\
            "phoneNumber":"+1 555 555 0100","disabled":true,"customAttributes":"{\\"role\\":\\"x\\"}",\
            "attributes":{"team":3},"createdAt":"1600000000000","lastLoginAt":1600000001000,\
            "lastRefreshAt":"2020-09-13T12:26:42.123456Z","passwordUpdatedAt":1600000003000,"emailLinkSignin":true,\
            "customAuth":true,"providers":["anonymous"],"passwordHash":"AQID","salt":"BAU=","hashAlgorithm":"sha256",\
            "rounds":2,"providerUserInfo":[{"providerId":"password","rawId":"x"},{"providerId":"phone"}],\
            "validSince":"1","version":0,"tenantId":"t","mfaInfo":[{"mfaEnrollmentId":"f","displayName":"Phone",\
            "enrolledAt":"2020-09-13T12:26:44Z","totpInfo":{"sharedSecretKey":"\(Self.secret)","algorithm":"sha-256",\
            "digits":8,"period":60,"lastUsedStep":7,"lastUsedAt":"2020-09-13T12:26:45Z"}}]}
            """)
        #expect(account.id == UserID(rawValue: "ada") && account.email?.canonical == "ada@example.org")
        #expect(
            account.profile
                == UserProfile(
                    emailVerified: true, displayName: "Ada", photoURL: "https://a", phoneNumber: "+15555550100",
                    customClaims: ["role": "x"], attributes: ["team": .integer(3)],
                    providers: ["emailLink", "custom", "anonymous"]))
        #expect(account.isDisabled)
        #expect(account.createdAt?.milliseconds == 1_600_000_000_000)
        #expect(account.lastSignInAt?.milliseconds == 1_600_000_001_000)
        #expect(account.lastRefreshAt?.milliseconds == 1_600_000_002_123)
        #expect(account.passwordChangedAt?.milliseconds == 1_600_000_003_000)
        guard case .hash? = account.password else {
            Issue.record("no password")
            return
        }
        let factor = try #require(account.secondFactors.first)
        #expect(factor.id == FactorID(rawValue: "f") && factor.name == "Phone" && factor.lastStep == 7)
        #expect(factor.algorithm == .sha256 && factor.digits == 8 && factor.period == 60)
        #expect(factor.secret.reveal() == Array("12345678901234567890".utf8))
        #expect(factor.enrolledAt?.milliseconds == 1_600_000_004_000)
        #expect(factor.lastUsedAt?.milliseconds == 1_600_000_005_000)
    }

    @Test func `A row writes what it reads, and has a name for each of its members`() throws {
        let account = try read(
            #"{"localId":"ada","locale":"de","acceptedTerms":[{"version":"2026-11","at":"2026-11-23T07:30:00Z"}]}"#)
        #expect(account.profile.locale == "de" && account.profile.acceptedTerms.map(\.version) == ["2026-11"])
        let written = try JSONEncoder().encode(UserRow(account, importer: Importer()))
        #expect(try read(String(decoding: written, as: UTF8.self)).profile == account.profile)
        let members = Mirror(reflecting: UserRow()).children.compactMap { $0.label }
        #expect(Set(members) == Set(UserRow.CodingKeys.allCases.map(\.rawValue)))
    }

    @Test func `What Firebase exports is understood`() throws {
        let account = try read(
            """
            {
              "localId": "a", "email": "a@example.org", "emailVerified": false, "passwordHash": "AQID", "salt": "BA==",
              "lastSignedInAt": "1600000001000", "createdAt": "1600000000000", "disabled": false,
              "providerUserInfo": []
            }
            """, rules: UserRowRules(hash: Self.settings(rounds: 1)))
        #expect(account.lastSignInAt?.milliseconds == 1_600_000_001_000)
        #expect(account.password != nil && account.secondFactors.isEmpty)
    }

    private static func settings(rounds: Int?, _ algorithm: String = "SHA256") -> PasswordHashSettings {
        var settings = PasswordHashSettings(hashAlgorithm: algorithm)
        settings.rounds = rounds
        return settings
    }

    @Test(
        arguments: [
            ("", "it is no JSON: the end instead of a value at byte 0"),
            ("[]", "it is no JSON object"),
            (#"{"localId":"a""#, "it is no JSON: no comma or brace after a member at byte 14"),
            (#"{"localId":"a","localId":"b"}"#, #"the member "localId" is there twice"#),
            (#"{"localId":"a","localID":"b"}"#, #"there is no member "localID"; did you mean localId?"#),
            (
                #"{"localId":"a","mfaInfo":[{"totp":{}}]}"#,
                #"there is no member "mfaInfo[0].totp""#
            ),
            (
                #"{"localId":"a","mfaInfo":[{"totpInfo":{"secret":"x"}}]}"#,
                #"there is no member "mfaInfo[0].totpInfo.secret""#
            ),
            (#"{"localId":"a","rounds":"many"}"#, #"the member "rounds" has to be an integer"#),
            ("{}", "localId is missing: it names the user, so that an import can be made again"),
            (
                #"{"localId":"a\u0001"}"#,
                "localId has 1 to 128 characters and no control characters, and is not . or .."
            ),
            (#"{"localId":".."}"#, "localId has 1 to 128 characters and no control characters, and is not . or .."),
            (#"{"localId":"a","email":"nobody"}"#, "email is no address"),
            (#"{"localId":"a","phoneNumber":"123"}"#, "phoneNumber is none: write it as +, country code and number"),
            (#"{"localId":"a","customAttributes":"x"}"#, "customAttributes is no JSON object in a string"),
            (
                #"{"localId":"a","customAttributes":"{\"iss\":1}"}"#,
                #"customAttributes has the claim "iss", which tokens have a meaning for"#
            ),
            (#"{"localId":"a","createdAt":"-1"}"#, "createdAt is no time in milliseconds since 1970"),
            (#"{"localId":"a","passwordUpdatedAt":1e300}"#, "passwordUpdatedAt is no time in milliseconds"),
            (#"{"localId":"a","lastRefreshAt":"soon"}"#, "lastRefreshAt is no time such as 2026-11-21T08:15:00Z"),
            (
                #"{"localId":"a","providers":["google.com"]}"#,
                #"providers has the unknown "google.com"; there are anonymous, custom, emailLink, password"#
            ),
            (
                #"{"localId":"a","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]}"#,
                "it signs in with google.com, which this realm does not have; with --drop-identities it is taken without, "
                    + "and signs in by a mailed link or a password"
            ),
            (
                #"{"localId":"a","passwordHash":"AQID"}"#,
                "passwordHash stands without hashAlgorithm: name it on the line, or for all lines with --hash-algo"
            ),
            (#"{"localId":"a","passwordHash":"AQID","hashAlgorithm":"ROT13"}"#, #"hashAlgorithm "ROT13" is unknown"#),
            (#"{"localId":"a","passwordHash":"AQID","hashAlgorithm":"SHA256"}"#, "SHA256 needs rounds"),
            (
                #"{"localId":"a","passwordHash":"AQ==","hashAlgorithm":"SHA256","rounds":1}"#,
                "a hash has 3 bytes here"
            ),
            (#"{"localId":"a","passwordHash":"%","hashAlgorithm":"SHA256"}"#, "passwordHash is no Base64"),
            (#"{"localId":"a","passwordHash":"AQID","salt":"%"}"#, "salt is no Base64"),
            (#"{"localId":"a","passwordHash":"AQID","rawPassword":"x"}"#, "it has both passwordHash and rawPassword"),
            (
                #"{"localId":"a","passwordHash":"UkVEQUNURUQ="}"#,
                "passwordHash is the word REDACTED: export with an account that may read password hashes"
            ),
            (
                #"{"localId":"a","factors":[{"id":"x","kind":"push","content":{}}]}"#,
                "a factor is of no kind that is known here, or its content is not of its kind"
            ),
            (#"{"localId":"a","factors":[{"id":"x","type":"push"}]}"#, #"there is no member "factors[0].type""#),
            (
                #"{"localId":"a","mfaInfo":[{"phoneInfo":"+15555550100"}]}"#,
                "a phone is no second factor here: remove it from mfaInfo, and the password alone is enough"
            ),
            (
                #"{"localId":"a","mfaInfo":[{"totpInfo":{}}]}"#,
                "a factor of mfaInfo has no totpInfo.sharedSecretKey: without the secret no code can be looked at"
            ),
            (
                #"{"localId":"a","mfaInfo":[{"totpInfo":{"sharedSecretKey":"1"}}]}"#,
                "totpInfo.sharedSecretKey is no Base32"
            ),
            (
                #"{"localId":"a","mfaInfo":[{"totpInfo":{"sharedSecretKey":"MFRA","lastUsedStep":"18446744073709551615"}}]}"#,
                "totpInfo.lastUsedStep is no time step"
            ),
            (
                #"{"localId":"a","mfaInfo":[{"totpInfo":{"sharedSecretKey":"\#(secret)","digits":5}}]}"#,
                "totpInfo has a secret of 1 to 128 bytes, 6 to 8 digits and a period of 15 to 300 seconds"
            ),
        ])
    func `What is wrong with a line is said`(line: String, sentence: String) {
        #expect(throws: UserRowFault(sentence)) { try read(line) }
    }

    @Test func `A line is bounded`() {
        let long = #"{"localId":"a","displayName":"\#(String(repeating: "x", count: UserRow.longestLine))"}"#
        #expect(throws: UserRowFault("it has more than 262144 bytes")) { try read(long) }
        let name = #"{"localId":"a","displayName":"\#(String(repeating: "x", count: 257))"}"#
        #expect(throws: UserRowFault("displayName has more than 256 characters")) { try read(name) }
    }

    @Test func `Settings for all lines are the fault of all`() throws {
        let line = #"{"localId":"a","passwordHash":"AQID"}"#
        #expect(throws: PasswordImportFault.unknownAlgorithm) {
            try read(line, rules: UserRowRules(hash: Self.settings(rounds: 1, "ROT13")))
        }
        #expect(throws: PasswordImportFault.invalidParameter("SHA256 needs rounds")) {
            try read(line, rules: UserRowRules(hash: Self.settings(rounds: nil)))
        }
        // What the line says goes before, with all that belongs to it.
        #expect(throws: UserRowFault("SHA256 needs rounds")) {
            try read(
                #"{"localId":"a","passwordHash":"AQID","hashAlgorithm":"SHA256"}"#,
                rules: UserRowRules(hash: Self.settings(rounds: 1)))
        }
    }

    @Test func `Foreign identities are dropped where that is asked for`() throws {
        let line = #"{"localId":"a","providerUserInfo":[{"providerId":"google.com","rawId":"1"}]}"#
        var rules = UserRowRules()
        rules.dropsForeignIdentities = true
        #expect(try read(line, rules: rules).profile.providers.isEmpty)
    }
}
