#if !canImport(Security)
    import Foundation
    import Testing

    /// `countersign authenticator passkey` in pipes, as with a server of another.
    @Suite struct PasskeyCommandTests {
        private let directory: TestDirectory
        private static let challenge = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        private let creation = """
            {"rp":{"id":"example.org","name":"Example"},"user":{"id":"dXNlci0x","name":"ada","displayName":"Ada"},\
            "challenge":"\(challenge)","pubKeyCredParams":[{"type":"public-key","alg":-7}],\
            "authenticatorSelection":{"residentKey":"required","userVerification":"required"},\
            "extensions":{"credProps":true}}
            """
        private let request = #"{"challenge":"\#(challenge)","rpId":"example.org","userVerification":"required"}"#

        init() throws { directory = try TestDirectory() }

        @discardableResult
        private func run(_ arguments: String..., passcode: String = "123456\n") async throws -> Program.Transcript {
            try await Program.run(
                ["authenticator", "passkey"] + arguments + ["--vault", "vault", "--passcode-fd", "0"], in: directory,
                input: passcode)
        }

        private func create(_ more: String...) async throws -> Program.Transcript {
            let file = try directory.write(creation, to: "creation.json")
            return try await Program.run(
                [
                    "authenticator", "passkey", "create", file, "--origin", "https://example.org", "--no-tpm",
                    "--vault", "vault",
                ]
                    + ["--passcode-fd", "0"] + more, in: directory, input: "123456\n")
        }

        private func passkeys() async throws -> [[String: Any]] {
            try #require(try await run("list", "--json").json()["passkeys"] as? [[String: Any]])
        }

        @Test func `A passkey is made, used, renamed and removed`() async throws {
            #expect(try await passkeys().isEmpty)
            try await PreparedVault.copy(into: directory)
            #expect(try await passkeys().isEmpty)
            let made = try await create("--unattended")
            #expect(made.status == 0, "\(made.error)")
            #expect(made.lines.count == 1)
            let registration = try made.json()
            #expect(registration["type"] as? String == "public-key")
            let extensions = registration["clientExtensionResults"] as? [String: [String: Bool]]
            #expect(extensions == ["credProps": ["rk": true]])

            let file = try directory.write(request, to: "request.json")
            let used = try await run("get", file, "--origin", "https://login.example.org", "--json")
            #expect(used.status == 0, "\(used.error)")
            let response = try #require(try used.json()["response"] as? [String: Any])
            #expect(response["id"] as? String == registration["id"] as? String)
            #expect((response["response"] as? [String: Any])?["userHandle"] as? String == "dXNlci0x")

            let listed = try #require(try await passkeys().first)
            #expect(listed["credentialID"] as? String == registration["id"] as? String)
            #expect(listed["rpID"] as? String == "example.org" && listed["user"] as? String == "ada")
            #expect(listed["isInHardware"] as? Bool == false && listed["isBackupEligible"] as? Bool == true)
            #expect(listed["lastUsedAt"] as? String != nil)

            #expect(try await run("rename", "example", "Work").output == "It is called Work now.\n")
            #expect(try await run("list").lines.last?.contains("Work") == true)
            try await run("remove", "work").expect(2)
            #expect(try await run("remove", "work", "--yes").output == "Removed Work (ada).\n")
            try await run("remove", "work", "--yes").expect(4)
            try await run("get", file, "--origin", "https://example.org").expect(4)
        }

        @Test func `A key that asks each time is not used without a prompt`() async throws {
            try await create().expect(0)
            let file = try directory.write(request, to: "request.json")
            let refused = try await run("get", file, "--origin", "https://example.org")
            #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
            #expect(refused.error.contains("what asks each time needs a terminal"))
        }

        @Test func `What cannot be is refused with its exit code`() async throws {
            try await PreparedVault.copy(into: directory)
            try await create("--unattended").expect(0)
            let file = try directory.write(request, to: "request.json")
            try await run("get", file, "--origin", "https://example.com").expect(1)
            try await run("get", file, "--origin", "http://example.org").expect(2)
            try await run("get", "missing.json", "--origin", "https://example.org").expect(2)
            let nonsense = try directory.write("[]", to: "nonsense.json")
            try await run("get", nonsense, "--origin", "https://example.org").expect(2)
            try await run("rename", "example", "").expect(2)
            try await create("--tpm", "/dev/null").expect(2)
            let wrong = try await run("list", passcode: "654321\n")
            #expect(wrong.status == 1 && wrong.output.isEmpty, "\(wrong)")
            try await create("--unattended").expect(0)
            let ambiguous = try await run("get", file, "--origin", "https://example.org")
            #expect(ambiguous.status == 2 && ambiguous.error.contains("Name one by its id"))
        }
    }
#endif
