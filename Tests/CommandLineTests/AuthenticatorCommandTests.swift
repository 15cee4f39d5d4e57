import Foundation
import Testing

/// `countersign authenticator` without a prompt: the passcode comes by a descriptor.
@Suite struct AuthenticatorCommandTests {
    private let directory: TestDirectory
    private let github = "otpauth://totp/GitHub:ada?secret=JBSWY3DPEHPK3PXP&issuer=GitHub"
    private let bank = "otpauth://hotp/Bank:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bank&counter=0"

    init() throws {
        directory = try TestDirectory()
    }

    @discardableResult
    private func run(_ arguments: String..., passcode: String = "123456\n") async throws -> Program.Transcript {
        try await Program.run(
            ["authenticator"] + arguments + ["--vault", "vault", "--passcode-fd", "0"], in: directory, input: passcode)
    }

    /// Standard input is what the shell makes of `script`; the passcode comes by descriptor 3.
    private func shell(_ script: String) async throws -> Program.Transcript {
        let files = directory.url
        try Data("123456\n".utf8).write(to: files.appendingPathComponent("passcode"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script + " --vault vault --passcode-fd 3 3< passcode", Program.url.path]
        process.currentDirectoryURL = files
        let (output, error) = (files.appendingPathComponent("out"), files.appendingPathComponent("err"))
        for file in [output, error] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: error)
        return try await Running(process, output: output, error: error).transcript()
    }

    private func codes(_ transcript: Program.Transcript) throws -> [[String: Any]] {
        try #require(try transcript.json()["codes"] as? [[String: Any]])
    }

    @Test func `Without a vault there are no accounts and none is made`() async throws {
        let list = try await run("list", "--json")
        #expect(list.status == 0, "\(list)")
        #expect((try list.json()["accounts"] as? [Any])?.isEmpty == true)
        try await run("codes").expect(0)
        try await run("codes", "github").expect(4)
        try await run("remove", "github", "--yes").expect(4)
        try await run("export", "file", "--plain").expect(1)
        #expect(!FileManager.default.fileExists(atPath: directory.url.appendingPathComponent("vault").path))
    }

    /// In a vault that the program makes; the other tests have one that opens in less time.
    @Test func `An account is enrolled shown and removed`() async throws {
        let enrolled = try await run("enroll", github, "--json")
        #expect(enrolled.status == 0, "\(enrolled.error)")
        let id = try #require(try enrolled.json()["id"] as? String)
        #expect(!enrolled.output.contains("JBSWY3DP"))
        let folder = directory.url.appendingPathComponent("vault").path
        for (path, mode) in [(folder, 0o700), (folder + "/vault.kc", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }

        let listed = try await run("list")
        #expect(listed.lines.count == 2)
        #expect(listed.lines.last?.hasPrefix("\(id)  GitHub  ada   TOTP  to open") == true, "\(listed.output)")

        let code = try #require(try codes(try await run("codes", "--json")).first)
        #expect((code["code"] as? String)?.count == 6)
        #expect(code["period"] as? Int == 30)
        #expect((1...30).contains(try #require(code["secondsRemaining"] as? Int)))
        // In a pipe the code of one account stands alone.
        let alone = try await run("codes", "github")
        #expect(alone.output.wholeMatch(of: /[0-9]{6}\n/) != nil, "\(alone.output)")
        #expect(try await run("codes").output.hasPrefix("CODE"))

        try await run("remove", "github").expect(2)
        #expect(try await run("remove", "github", "--yes").output == "Removed GitHub (ada).\n")
        try await run("codes", id).expect(4)
    }

    @Test func `A counter moves on each time`() async throws {
        try await PreparedVault.copy(into: directory)
        try await run("enroll", bank).expect(0)
        #expect(try codes(try await run("codes", "--json")).first?["code"] == nil)
        // RFC 4226, appendix D.
        for code in ["755224", "287082", "359152"] { #expect(try await run("codes", "bank").output == "\(code)\n") }
    }

    @Test func `A secret that asks each time is not given without a prompt`() async throws {
        try await PreparedVault.copy(into: directory)
        try await run("enroll", github, "--ask-each-time").expect(0)
        try await run("enroll", bank).expect(0)
        #expect(try codes(try await run("codes", "--json")).map { $0["code"] as? String } == [nil, nil])
        let refused = try await run("codes", "github")
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.output.isEmpty)
        #expect(refused.error.contains("what asks each time needs a terminal"))
    }

    @Test func `A name is taken once`() async throws {
        try await PreparedVault.copy(into: directory)
        try await run("enroll", github).expect(0)
        let again = try await run("enroll", github)
        #expect(again.status == 1, "\(again)")
        #expect(again.error.contains("is there already"))
        let other = github.replacing("JBSWY3DPEHPK3PXP", with: "GEZDGNBVGY3TQOJQ")
        let taken = try await run("enroll", other)
        #expect(taken.status == 1, "\(taken)")
        #expect(taken.error.contains("--name"))
        try await run("enroll", other, "--name", "ada at work").expect(0)
        let ambiguous = try await run("codes", "git")
        #expect(ambiguous.status == 2, "\(ambiguous)")
        #expect(ambiguous.error.contains("Give the id"))
    }

    @Test(arguments: [
        "https://example.com/", "otpauth://totp/a", "otpauth://totp/a?secret=0",
        "otpauth://totp/a?secret=JBSWY3DP&digits=3",
        "otpauth://hotp/a?secret=JBSWY3DP", "otpauth://totp/a%1B%5B2J?secret=JBSWY3DP",
        "otpauth-migration://offline?data=x",
    ])
    func `A link that cannot be used is wrong usage`(link: String) async throws {
        let transcript = try await run("enroll", link)
        #expect(transcript.status == 2, "\(transcript.error)")
        #expect(transcript.output.isEmpty)
        #expect(!transcript.error.contains("JBSWY3DP"))
        #expect(!transcript.error.contains("\u{1B}"))
        #expect(!FileManager.default.fileExists(atPath: directory.url.appendingPathComponent("vault").path))
    }

    @Test func `A wrong passcode opens nothing`() async throws {
        try await PreparedVault.copy(into: directory)
        try await run("enroll", github).expect(0)
        let wrong = try await run("codes", passcode: "654321\n")
        #expect(wrong.status == 1, "\(wrong)")
        #expect(wrong.output.isEmpty)
        #expect(wrong.error.contains("The passcode is wrong."))
    }

    @Test func `Links come by standard input too`() async throws {
        try await PreparedVault.copy(into: directory)
        let enrolled = try await shell("printf '%s\\n' '\(github)' | \"$0\" authenticator enroll -")
        #expect(enrolled.status == 0, "\(enrolled.error)")
        try await run("codes", "github").expect(0)
        #expect(try await shell("\"$0\" authenticator enroll < /dev/null").status == 2)
        #expect(try await shell("head -c 200000 /dev/zero | tr '\\0' a | \"$0\" authenticator enroll -").status == 2)
        let imported = try await shell("printf '%s\\n' '\(github)' '\(bank)' | \"$0\" authenticator import - --json")
        #expect(imported.status == 0, "\(imported.error)")
        #expect((try imported.json()["added"] as? [Any])?.count == 1)
        #expect((try imported.json()["alreadyThere"] as? [Any])?.count == 1)
    }

    // MARK: Import and export

    @Test func `Accounts move out and in again`() async throws {
        try await PreparedVault.copy(into: directory)
        try await run("enroll", github).expect(0)
        try await run("enroll", bank).expect(0)
        let password = try directory.write("a password\n", to: "password")
        let forms: [[String]] = [
            ["--password-file", password], ["--plain"], ["--plain", "--format", "otpauth"],
            ["--plain", "--format", "migration"],
        ]
        for (index, form) in forms.enumerated() {
            let file = directory.url.appendingPathComponent("export-\(index)").path
            let exported = try await Program.run(
                ["authenticator", "export", file, "--vault", "vault", "--passcode-fd", "0"] + form, in: directory,
                input: "123456\n")
            #expect(exported.status == 0, "\(exported.error)")
            #expect(exported.error.contains("unencrypted secrets") == form.contains("--plain"))
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.contains("JBSWY3DP") == (form.contains("--plain") && !form.contains("migration")))

            try await PreparedVault.copy(into: directory, as: "vault-\(index)")
            let imported = try await Program.run(
                ["authenticator", "import", file, "--password-file", password, "--json", "--passcode-fd", "0"]
                    + ["--vault", "vault-\(index)"], in: directory, input: "123456\n")
            #expect(imported.status == 0, "\(imported.error)")
            let added = try #require(try imported.json()["added"] as? [[String: Any]])
            #expect(added.map { $0["issuer"] as? String } == ["Bank", "GitHub"])
            #expect(added.map { $0["codes"] as? String } == ["hotp", "totp"])
        }
    }

    @Test func `A file is never replaced unasked`() async throws {
        try await PreparedVault.copy(into: directory)
        try await run("enroll", github).expect(0)
        let file = try directory.write("mine", to: "file")
        let refused = try await run("export", file, "--plain")
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.error.contains("--force"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        try await run("export", file, "--plain", "--force").expect(0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("JBSWY3DPEHPK3PXP"))
    }

    @Test(arguments: [
        ["export", "file", "--format", "otpauth"], ["export"], ["export", "-", "--plain", "--json"],
        ["export", "file", "--plain", "--password-file", "x"], ["export", "--qr"], ["import"], ["codes", "a", "b"],
        ["import", "not-there"], ["list", "--passcode-credential", "x"],
    ])
    func `Wrong usage is two`(arguments: [String]) async throws {
        let transcript = try await Program.run(
            ["authenticator"] + arguments + ["--vault", "vault", "--passcode-fd", "0"], in: directory, input: "123456\n"
        )
        #expect(transcript.status == 2, "\(transcript.error)")
        #expect(transcript.output.isEmpty)
    }

    @Test func `An import tells what it did not take`() async throws {
        try await PreparedVault.copy(into: directory)
        try await run("enroll", github).expect(0)
        let file = try directory.write(
            """
            \(github.replacing("JBSWY3DPEHPK3PXP", with: "GEZDGNBVGY3TQOJQ"))
            \(bank)
            otpauth://totp/x%1B?secret=JBSWY3DP
            """, to: "file")
        let transcript = try await run("import", file)
        #expect(transcript.status == 1, "\(transcript)")
        #expect(transcript.output == "Added 1, 0 already there, 1 refused, 1 left out.\n")
        #expect(transcript.error.contains("warning: GitHub: ada: There is another account"))
        #expect(transcript.error.contains("warning: line 3: "))
        let nothing = try await run("import", try directory.write("{", to: "broken"))
        #expect(nothing.status == 1, "\(nothing)")
        #expect(nothing.error.contains("no Aegis vault"))
    }

    @Test func `An encrypted file wants its password`() async throws {
        try await PreparedVault.copy(into: directory)
        try await run("enroll", github).expect(0)
        let password = try directory.write("right", to: "right")
        let wrong = try directory.write("wrong", to: "wrong")
        try await run("export", "file", "--password-file", password).expect(0)
        let refused = try await run("import", "file", "--password-file", wrong)
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.error.contains("The password does not open the file."))
    }
}
