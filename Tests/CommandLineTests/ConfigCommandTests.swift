import Foundation
import Testing

@Suite struct ConfigCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    @Test func `Settings are shown with defaults and ranges`() async throws {
        let all = try await directory.run("config", "show")
        #expect(all.lines.first?.split(separator: " ").joined(separator: " ") == "KEY VALUE DEFAULT TAKES MEANING")
        #expect(all.output.contains("secondFactors.totp.adjacentIntervals  1 "))
        let one = try await directory.run("config", "show", "passwords.minimumLength", "--json").json()
        let setting = try #require((one["settings"] as? [[String: Any]])?.first)
        #expect(setting["value"] as? Int == 8)
        #expect(setting["accepts"] as? String == "6 to 64")
        let some = try await directory.run("config", "show", "tokens", "--json").json()
        let keys = (some["settings"] as? [[String: Any]])?.compactMap { $0["key"] as? String } ?? []
        #expect(keys.contains("tokens.algorithm") && keys.allSatisfy { $0.hasPrefix("tokens.") })
    }

    /// The two are easily confused: one is the realm's and changes at once, the other is a server's.
    @Test func `A key of a server's configuration is told where it belongs`() async throws {
        for command in [["show"], ["set", "--preview"], ["set"]] {
            let arguments = ["config"] + command + ["publicURL"] + (command == ["show"] ? [] : ["https://a.example"])
            let told = try await Program.run(arguments + ["--data", directory.data], in: directory)
            told.expect(2)
            #expect(
                told.error
                    == "countersign: publicURL is no setting of the realm, but of a server's configuration: write it into the "
                    + "file that `serve --config` names, or set COUNTERSIGN_PUBLIC_URL. Then start the server anew.\n")
        }
    }

    @Test func `A change holds and is logged`() async throws {
        let changed = try await directory.run("config", "set", "tokens.algorithm", "rs256")
        #expect(changed.output == "tokens.algorithm is RS256 now; it was ES256.\n")
        #expect(changed.error.isEmpty)
        let again = try await directory.run("config", "set", "tokens.algorithm", "RS256", "--json").json()
        #expect(again["previous"] as? String == "RS256")
        let log = try await directory.run("audit", "tail", "--limit", "1")
        #expect(log.output.contains("settings.changed"))
        #expect(log.output.hasSuffix("setting=tokens.algorithm  value=RS256\n"))
        let preset = try await directory.run("config", "set", "passwords", "nist")
        #expect(preset.output == "passwords is nist now; it was standard.\n")
        #expect(try await directory.run("config", "show", "passwords.minimumLengthAlone").output.contains("  15 "))
    }

    @Test(arguments: [
        (["secondFactors.totp.adjacentIntervals", "2"], "A code is valid for 150 s from now on"),
        (["privacy.hidesAddresses", "false"], "Answers disclose from now on which addresses have an account"),
        (["passwords.minimumLength", "6"], "Shorter passwords are accepted from now on"),
        (["passwords.refusesCommon", "off"], "The most common passwords"),
        (["passwords.remembered", "0"], "sooner from now on"),
        (["secondFactors.totp.state", "disabled"], "sign in with the password alone"),
        (["tokens.idTokenLifetime", "86400"], "A stolen ID token is valid for longer"),
    ])
    func `What becomes weaker is said`(change: [String], warning: String) async throws {
        let transcript = try await Program.run(
            ["config", "set"] + change + ["--data", directory.data], in: directory)
        #expect(transcript.status == 0, "\(transcript)")
        #expect(transcript.error.hasPrefix("warning: "))
        #expect(transcript.error.contains(warning), "\(transcript.error)")
    }

    @Test func `A first file is written once for its owner alone and sets nothing`() async throws {
        let file = directory.url.appendingPathComponent("countersign.yaml").path
        let printed = try await Program.run(["config", "init"], in: directory)
        let written = try await Program.run(["config", "init", file], in: directory)
        #expect(printed.status == 0 && written.status == 0, "\(printed.error)\(written.error)")
        #expect(written.output == "\(file) is written. Start with: countersign serve --config \(file)\n")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text == printed.output && text.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
        let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        // Whoever edited it finds it as it was.
        try Data("log: { format: json }\n".utf8).write(to: URL(fileURLWithPath: file))
        let again = try await Program.run(["config", "init", file], in: directory)
        #expect(again.status == 1 && again.error.contains("exists already"), "\(again.error)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "log: { format: json }\n")
        let replaced = try await Program.run(["config", "init", file, "--replace"], in: directory)
        #expect(replaced.status == 0, "\(replaced.error)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == printed.output)
        for name in ["countersign", "countersign.json", "countersign.yaml.txt"] {
            let other = directory.url.appendingPathComponent(name).path
            let refused = try await Program.run(["config", "init", other], in: directory)
            #expect(refused.status == 2 && refused.error.contains("End it in .yaml"), "\(refused.error)")
            #expect(!FileManager.default.fileExists(atPath: other))
        }
    }

    @Test func `What is not right is refused and changes nothing`() async throws {
        let before = try await directory.run("config", "show", "--json").output
        let log = try await directory.run("audit", "tail").output
        let cases: [(change: [String], reason: String)] = [
            (["passwords.minimalLength", "10"], "Did you mean passwords.minimumLength?"),
            (["adjacentInterval", "1"], "Did you mean secondFactors.totp.adjacentIntervals?"),
            (["nonsense", "1"], "`countersign config show` lists all of them."),
            (["secondFactors.totp.adjacentIntervals", "11"], "cannot be \"11\". It takes 0 to 10, or none."),
            (["passwords.minimumLength", "many"], "cannot be \"many\". It takes 6 to 64."),
            (["passwords.remembered", "11"], "cannot be \"11\". It takes 0 to 10."),
            (["privacy.hidesAddresses", "2"], "cannot be \"2\". It takes true or false."),
            (["tokens.algorithm", "HS256"], "It takes ES256, RS256."),
            (["tokens.algorithms.identity-tolkit", "RS256"], "Did you mean tokens.algorithms.identity-toolkit?"),
            (["passwords", "weak"], "It takes standard, nist."),
            (["tokens.customTokenKeys.backend@example.com", "no key"], "It takes a public key in PEM"),
            (["tokens.customTokenKeys.backend@example.com", "@missing.pem"], "missing.pem cannot be read."),
            (["tokens.customTokenKeys.backend@example.com", "-----BEGIN PRIVATE KEY-----"], "That is a private key"),
        ]
        for (change, reason) in cases {
            let transcript = try await Program.run(
                ["config", "set", "--data", directory.data, "--"] + change, in: directory)
            #expect(transcript.status == 2, "\(change)")
            #expect(transcript.output.isEmpty)
            #expect(transcript.error.contains(reason), "\(transcript.error)")
        }
        #expect(try await directory.run("config", "show", "--json").output == before)
        #expect(try await directory.run("audit", "tail").output == log)
    }

    @Test func `Settings that contradict each other are refused together`() async throws {
        _ = try await directory.run("config", "set", "passwords", "nist")
        let transcript = try await directory.run("config", "set", "passwords.minimumLength", "20")
        #expect(transcript.status == 2, "\(transcript)")
        #expect(transcript.error.contains("passwords.minimumLengthAlone (15) has to be at least"))
    }

    @Test func `A key is read from a file and taken away again`() async throws {
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEe2so077OawL4emhaSgzWJEC7fD3B
            LqGitQAAThP100JKVXDDaWtNR1Yw0WoAn0hWCFO1YILVkLSZ17eZpvsd6A==
            -----END PUBLIC KEY-----
            """
        let file = try directory.write(pem + "\n", to: "public.pem")
        let key = "tokens.customTokenKeys.backend@project.iam.example.com"
        let taken = try await directory.run("config", "set", key, "@\(file)")
        #expect(taken.output == "\(key) is set now; it was none.\n", "\(taken.error)")
        #expect(taken.error.contains("sign in as any user"))
        let shown = try await directory.run("config", "show", "tokens.customTokenKeys", "--json").json()
        #expect((shown["settings"] as? [[String: Any]])?.first?["value"] as? String == pem)
        try await directory.run("config", "set", key, "none").expect(0)
        #expect(try await directory.run("config", "show", "tokens.customTokenKeys").output.hasPrefix("Nothing is set"))
    }
}
