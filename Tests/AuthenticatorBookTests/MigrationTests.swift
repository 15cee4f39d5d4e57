import Foundation
import OneTimePassword
import Testing

@testable import AuthenticatorBook

@Suite("Google Authenticator's links") struct MigrationTests {
    private func read(_ text: String) throws -> AccountFile {
        try AccountFile(reading: Data(text.utf8)) { nil }
    }

    private static let payload = """
        {"version": 1, "batch_size": 2, "batch_index": 1, "batch_id": -5, "otp_parameters": [
          {"secret": "SGVsbG8h3q2+7w==", "name": "GitHub:ada", "issuer": "GitHub", "algorithm": 1, "digits": 1, "type": 2},
          {"secret": "SGVsbG8h3q2+7w==", "name": "Bank: bob", "issuer": "Bank", "algorithm": 3, "digits": 2, "type": 1,
           "counter": "1099511627776", "unique_id": "passed over"},
          {"secret": "SGVsbG8h3q2+7w==", "name": "plain"},
          {"secret": "SGVsbG8h3q2+7w==", "name": "md5", "algorithm": 4},
          {"secret": "SGVsbG8h3q2+7w==", "name": "seven", "digits": 3},
          {"secret": "SGVsbG8h3q2+7w==", "name": "other", "type": 3},
          {"secret": "SGVsbG8h3q2+7w==", "name": "negative", "type": 1, "counter": "-1"},
          {"name": "no secret"}
        ]}
        """

    @Test func `Links that another implementation wrote are read`() throws {
        let file = try read(try Peer.run("migration-write", input: Self.payload))
        let secret = "JBSWY3DPEHPK3PXP"
        #expect(
            file.accounts == [
                try OTPAuthURI(parsing: "otpauth://totp/GitHub:ada?secret=\(secret)&issuer=GitHub"),
                try OTPAuthURI(
                    parsing: "otpauth://hotp/Bank:bob?secret=\(secret)&issuer=Bank&algorithm=SHA512&digits=8"
                        + "&counter=1099511627776"),
                try OTPAuthURI(parsing: "otpauth://totp/plain?secret=\(secret)"),
            ])
        #expect(file.leftOut.map(\.name) == ["md5", "seven", "other", "negative", "no secret"])
        #expect(file.missingParts == ["1 of 2"])
    }

    @Test func `Another implementation reads what is written here`() throws {
        let accounts = try (0..<23).map { index in
            try OTPAuthURI(
                kind: index == 22 ? .hotp(counter: 7) : .totp(period: 30), issuer: "Issuer", accountName: "n\(index)",
                secret: Array("secret \(index)+/?".utf8), algorithm: OTPAlgorithm.allCases[index % 3],
                digits: index % 2 == 0 ? 6 : 8)
        }
        let odd = [
            try OTPAuthURI(kind: .totp(period: 60), accountName: "slow", secret: [1]),
            try OTPAuthURI(kind: .totp(period: 30), accountName: "seven", secret: [1], digits: 7),
        ]
        let (uris, leftOut) = MigrationURI.uris(of: accounts + odd)
        #expect(leftOut.map(\.name) == ["slow", "seven"])
        let parts = try #require(
            try Peer.json("migration-read", input: uris.joined(separator: "\n")) as? [[String: Any]])
        #expect(parts.map { ($0["otp_parameters"] as? [Any])?.count } == [10, 10, 3])
        #expect(parts.map { $0["batch_size"] as? Int } == [3, 3, 3])
        #expect(parts.map { $0["batch_index"] as? Int } == [nil, 1, 2])
        #expect(Set(parts.map { $0["batch_id"] as? Int }).count == 1)
        let entries = parts.flatMap { $0["otp_parameters"] as? [[String: Any]] ?? [] }
        for (account, entry) in zip(accounts, entries) {
            #expect((entry["secret"] as? String).flatMap { Data(base64Encoded: $0) } == Data(account.secret))
            #expect(entry["name"] as? String == "Issuer:\(account.accountName)")
            #expect(entry["issuer"] as? String == "Issuer")
            #expect(entry["digits"] as? Int == (account.digits == 6 ? 1 : 2))
            #expect(
                entry["algorithm"] as? Int == OTPAlgorithm.allCases.firstIndex(of: account.algorithm).map { $0 + 1 })
        }
        #expect(entries.last?["type"] as? Int == 1)
        #expect(entries.last?["counter"] as? String == "7")
        let file = try read(uris.joined(separator: "\n"))
        #expect(file.accounts == accounts)
        #expect(file.missingParts.isEmpty)
        #expect(try read(uris[0] + "\n" + uris[2]).missingParts == ["2 of 3"])
    }

    @Test(
        arguments: [
            "otpauth-migration://offline", "otpauth-migration://offline?data=", "otpauth-migration://offline?data=*",
            "otpauth-migration://offline?data=%", "otpauth-migration://offline?x=1",
            // A length beyond the end, a varint without end, a field of number 0, an unknown wire type, 64 bits and more.
            "otpauth-migration://offline?data=Cv8B", "otpauth-migration://offline?data=/////////////w==",
            "otpauth-migration://offline?data=AAA=", "otpauth-migration://offline?data=Cw==",
            "otpauth-migration://offline?data=GP////////////8B", "otpauth-migration://offline?data=CgEK",
        ])
    func `What is no migration is refused`(text: String) throws {
        let error = try #require(throws: AccountFileError.self) { try read(text) }
        #expect(error.description.contains("otpauth-migration"), "\(error)")
    }

    @Test func `Every link that is cut off is refused or has fewer`() throws {
        let (uris, _) = MigrationURI.uris(of: try AegisTests.accounts.dropLast(2) + AegisTests.accounts.dropLast(2))
        let payload = try #require(uris.first?.split(separator: "=", maxSplits: 1).last?.removingPercentEncoding)
        let bytes = try #require(Data(base64Encoded: payload))
        for length in 1..<bytes.count {
            let text = "otpauth-migration://offline?data=\(bytes.prefix(length).base64EncodedString())"
            // Never a crash; what is cut between two entries is whole.
            if let file = try? read(text) { #expect(file.accounts.count <= 2) }
        }
    }

    @Test func `Lines are read one by one`() throws {
        let file = try read(
            """
            \u{FEFF}# a list
            otpauth://totp/a?secret=JBSWY3DPEHPK3PXP

              otpauth://totp/b?secret=GEZDGNBVGY3TQOJQ\r
            otpauth://totp/c?secret=0
            https://example.com/
            """)
        #expect(file.accounts.map(\.accountName) == ["a", "b"])
        #expect(file.leftOut.map(\.name) == ["line 5", "line 6"])
        #expect(try read(AccountLines.text(of: file.accounts)).accounts == file.accounts)
        #expect(throws: AccountFileError.unknownForm) { try read("https://example.com/") }
        #expect(throws: AccountFileError.empty) { try read("# nothing") }
        #expect(throws: AccountFileError.notText) { try AccountFile(reading: Data([0x89, 0x50, 0x4E, 0x47])) { nil } }
        #expect(throws: AccountFileError.tooLarge) {
            try AccountFile(reading: Data(count: AccountFile.limit + 1)) { nil }
        }
        #expect(throws: AccountFileError.tooManyEntries) {
            try read(String(repeating: "otpauth://totp/a?secret=JBSWY3DP\n", count: AccountFile.entryLimit + 1))
        }
    }
}
