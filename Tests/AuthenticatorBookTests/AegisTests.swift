import Foundation
import OneTimePassword
import Testing

@testable import AuthenticatorBook

@Suite("Aegis' vaults") struct AegisTests {
    static let contents = """
        {"version": 3, "groups": [], "entries": [
          {"type": "totp", "uuid": "0", "name": "ada", "issuer": "GitHub", "note": "x", "favorite": true, "icon": null,
           "info": {"secret": "JBSWY3DPEHPK3PXP", "algo": "SHA1", "digits": 6, "period": 30}, "groups": []},
          {"type": "totp", "uuid": "1", "name": "b/ö", "issuer": "", "icon": null,
           "info": {"secret": "gezdgnbvgy3tqojq", "algo": "SHA512", "digits": 8, "period": 60}},
          {"type": "hotp", "uuid": "2", "name": "c", "issuer": "Bank", "icon": null,
           "info": {"secret": "JBSWY3DPEHPK3PXP", "algo": "SHA256", "digits": 7, "counter": 10300}},
          {"type": "steam", "uuid": "3", "name": "d", "issuer": "Steam",
           "info": {"secret": "JBSWY3DPEHPK3PXP", "algo": "SHA1", "digits": 5, "period": 30}},
          {"type": "totp", "uuid": "4", "name": "e", "issuer": "Broken", "info": {"secret": "0189"}},
          {"type": "totp", "uuid": "5", "name": "f", "issuer": "MD5", "info": {"secret": "JBSWY3DP", "algo": "MD5"}},
          "nothing"
        ]}
        """

    static var accounts: [OTPAuthURI] {
        get throws {
            [
                try OTPAuthURI(parsing: "otpauth://totp/GitHub:ada?secret=JBSWY3DPEHPK3PXP&issuer=GitHub"),
                try OTPAuthURI(
                    parsing: "otpauth://totp/b%2F%C3%B6?secret=GEZDGNBVGY3TQOJQ&algorithm=SHA512&digits=8&period=60"),
                try OTPAuthURI(
                    parsing: "otpauth://hotp/Bank:c?secret=JBSWY3DPEHPK3PXP&issuer=Bank&algorithm=SHA256&digits=7"
                        + "&counter=10300"),
            ]
        }
    }

    private func read(_ text: String, password: String? = nil) throws -> AccountFile {
        try AccountFile(reading: Data(text.utf8)) { password.map { Array($0.utf8) } }
    }

    private func check(_ file: AccountFile) throws {
        #expect(file.accounts == (try Self.accounts))
        #expect(file.leftOut.map(\.name) == ["Steam: d", "Broken: e", "MD5: f", "entry 7"])
        #expect(file.leftOut[0].reason.contains("steam"))
        #expect(file.leftOut[1].reason.contains("Base32"))
    }

    @Test(arguments: 1...3) func `Plain vaults are read entry by entry`(version: Int) throws {
        let contents = Self.contents.replacing("\"version\": 3", with: "\"version\": \(version)")
        try check(read(#"{"version": 1, "header": {"slots": null, "params": null}, "db": \#(contents)}"#))
    }

    @Test func `Vaults that another implementation sealed are opened`() throws {
        let vault = try Peer.run("aegis-seal", "correct horse ö", input: Self.contents)
        try check(read(vault, password: "correct horse ö"))
        #expect(throws: AccountFileError.wrongPassword) { try read(vault, password: "correct horse o") }
        #expect(throws: AccountFileError.passwordNeeded) { try read(vault) }
    }

    @Test func `Another implementation opens what is sealed here`() throws {
        let text = try AegisFile.text(of: Self.accounts, password: Array("pass ö".utf8))
        let contents = try #require(try Peer.json("aegis-open", "pass ö", input: text) as? [String: Any])
        #expect(contents["version"] as? Int == 3)
        let entries = try #require(contents["entries"] as? [[String: Any]])
        #expect(entries.map { $0["type"] as? String } == ["totp", "totp", "hotp"])
        #expect(entries.map { $0["name"] as? String } == ["ada", "b/ö", "c"])
        #expect(entries.map { $0["issuer"] as? String } == ["GitHub", "", "Bank"])
        let infos = entries.compactMap { $0["info"] as? [String: Any] }
        #expect(infos.map { $0["secret"] as? String } == ["JBSWY3DPEHPK3PXP", "GEZDGNBVGY3TQOJQ", "JBSWY3DPEHPK3PXP"])
        #expect(infos.map { $0["algo"] as? String } == ["SHA1", "SHA512", "SHA256"])
        #expect(infos.map { $0["digits"] as? Int } == [6, 8, 7])
        #expect(infos.map { $0["period"] as? Int } == [30, 60, nil])
        #expect(infos.map { $0["counter"] as? Int } == [nil, nil, 10300])
        #expect(try read(text, password: "pass ö").accounts == Self.accounts)
        #expect(!text.contains("JBSWY3DP"))
        #expect(try read(try AegisFile.text(of: Self.accounts, password: nil)).accounts == Self.accounts)
    }

    /// What a prepared file could make this machine do before anything tells who wrote it.
    @Test(
        arguments: [
            (1 << 30, 8, 1), (1 << 21, 1, 1), (1 << 15, 8, 64), (1 << 15, 64, 1), (1 << 18, 8, 2), (30000, 8, 1),
            (0, 8, 1), (1 << 15, 0, 1), (1 << 15, 8, 0),
        ] as [(UInt64, UInt64, UInt64)])
    func `Costly vaults are refused before their password is tried`(n: UInt64, r: UInt64, p: UInt64) throws {
        #expect(!AegisCipher.Cost(n: n, r: r, p: p).isBearable)
        let vault = try AegisFile.text(of: Self.accounts, password: [0x61], cost: .init(n: 16, r: 8, p: 1))
            .replacing("\"n\" : 16", with: "\"n\" : \(n)").replacing("\"r\" : 8", with: "\"r\" : \(r)")
            .replacing("\"p\" : 1,", with: "\"p\" : \(p),")
        let error = try #require(throws: AccountFileError.self) { try read(vault, password: "a") }
        #expect(error.description.contains("more work"))
    }

    @Test func `Every changed byte is noticed`() throws {
        let vault = try AegisFile.text(of: Self.accounts, password: [0x61], cost: .init(n: 16, r: 8, p: 1))
        for marker in ["\"db\" : \"", "\"key\" : \"", "\"nonce\" : \"", "\"tag\" : \"", "\"salt\" : \""] {
            var bytes = Array(vault.utf8)
            let at = try #require(vault.range(of: marker)).upperBound
            let index = vault.utf8.distance(from: vault.startIndex, to: at)
            bytes[index] = bytes[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            #expect(throws: AccountFileError.self, "\(marker)") {
                try read(String(decoding: bytes, as: UTF8.self), password: "a")
            }
        }
    }

    @Test(
        arguments: [
            ("", "empty"), ("   \n", "empty"), ("{", "JSON"), ("{}", "version"), (#"{"version": 2}"#, "version 2"),
            (#"{"version": 1, "header": {"slots": null, "params": null}}"#, "db"),
            (
                #"{"version": 1, "header": {"slots": null, "params": null}, "db": {"version": 4, "entries": []}}"#,
                "version 4"
            ),
            (#"{"version": 1, "header": {"slots": [], "params": null}, "db": ""}"#, "header.params"),
            (#"{"version": 1, "header": {"slots": [], "params": {"nonce": "", "tag": ""}}, "db": "*"}"#, "Base64"),
            (#"{"version": 1, "header": {"slots": [], "params": {"nonce": "", "tag": ""}}, "db": ""}"#, "no password"),
            (String(repeating: "[", count: 100_000), "neither"),
            ("{\"version\":1,\"header\":" + String(repeating: "[", count: 100_000), "no Aegis vault"),
        ])
    func `What is no vault is told apart`(text: String, word: String) throws {
        let error = try #require(throws: AccountFileError.self) { try read(text, password: "a") }
        #expect(error.description.contains(word), "\(error)")
    }
}
