import AccountServer
import ArgumentParser
import Foundation
import HTTPTypes
import OneTimePassword
import ServerHTTP
import Testing

@testable import countersign

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `countersign account`, by the token of `login`.
@Suite struct AccountCommandTests: AtTerminal {
    let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
        let credentials = directory.url.appendingPathComponent("credentials")
        try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
        // As systemd lays it: others who could read it would be refused.
        try directory.writePrivately("123456\n", to: credentials.appendingPathComponent("passcode").path)
    }

    /// What the account can do over HTTP, a command does too.
    @Test func `Every endpoint of the account has a command`() {
        let called = Set(AccountCommand.all.flatMap { $0.endpoints })
        let served = Set(
            AccountAPI.openAPI.map { "\($0.method.rawValue) \($0.path.dropFirst("/account/v1".count))" })
        #expect(called == served)
        let subcommands = AccountCommand.configuration.subcommands
        #expect(subcommands.count == AccountCommand.all.count)
    }

    // MARK: The program

    /// Runs `account …` with the passcode from a credential, so that standard input is the command's own.
    private func account(_ words: String..., input: String? = nil) async throws -> Program.Transcript {
        try await Program.run(
            ["account"] + words + ["--vault", "vault", "--passcode-credential", "passcode"], in: directory,
            input: input,
            environment: ["CREDENTIALS_DIRECTORY": directory.url.appendingPathComponent("credentials").path])
    }

    private func login(_ base: String, _ more: [String] = [], typed: [String: String] = [:]) async throws {
        let login = try start(
            [
                "login", "--issuer", base, "--no-browser", "--no-tpm", "--scope",
                "openid email offline_access account",
            ] + more)
        let page = try await browse(
            try await address(of: login), TerminalUser.typed.merging(typed) { $1 })
        #expect(page.text.contains("You can close this page."), "\(page.text)")
        let signedIn = await login.transcript()
        #expect(signedIn.status == 0, "\(signedIn.error)")
    }

    /// The code of the newest mail.
    private func mailedCode(_ base: String) async throws -> String {
        let url = try #require(URL(string: base + "/dev/inbox.json"))
        let (data, _) = try await URLSession.shared.data(from: url)
        let inbox = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let messages = try #require(inbox["messages"] as? [[String: Any]])
        for message in messages.reversed() {
            let text = message["text"] as? String ?? ""
            if let code = text.firstMatch(of: /\b(\d{8})\b/) { return String(code.1) }
        }
        throw TerminalUser.Ended(said: "no code was mailed")
    }

    private func id(_ kind: String) async throws -> String {
        let answer = try await account("factors", "--json").json()
        let factors = try #require(answer["factors"] as? [[String: Any]])
        return try #require(factors.first { $0["kind"] as? String == kind }?["id"] as? String)
    }

    // MARK: The story

    @Test func `A user changes everything about the own account by command`() async throws {
        try await serving { base in
            try await account("show").expect(4, "No user is signed in.")
            try await login(base)
            #expect(try await account("show").output.contains("\(TerminalUser.address) (not confirmed)"))
            let changed = try await account("set", "--name", "Ada Lovelace", "--locale", "de", "--json")
            #expect(try changed.json()["displayName"] as? String == "Ada Lovelace", "\(changed.error)")

            let asked = try await account("set-address", TerminalUser.address, "--json").json()
            let attempt = try #require(asked["attempt"] as? String)
            try await account("confirm-address", attempt, input: "00000000\n").expect(1)
            let confirmed = try await account("confirm-address", attempt, input: "\(try await mailedCode(base))\n")
            #expect(confirmed.status == 0, "\(confirmed.error)")
            #expect(try await account("show", "--json").json()["isAddressVerified"] as? Bool == true)

            let offer = try await account("add-authenticator", "--json").json()
            #expect((offer["link"] as? String)?.hasPrefix("otpauth://totp/") == true)
            let totp = try TOTP(secret: Base32.decode(try #require(offer["secret"] as? String)))
            let added = try await account(
                "confirm-factor", try #require(offer["attempt"] as? String), "--name", "Phone",
                input: "\(totp.code(at: Date()).stringCode)\n")
            #expect(added.status == 0, "\(added.error)")

            // The account asks for a second factor from now on, and the sign-in had none.
            let refused = try await account("recovery-codes")
            #expect(refused.status == 1 && refused.error.contains("--max-age 0 --acr aal2"), "\(refused.error)")
            // Each code counts once, and those of the neighbouring half minutes count.
            try await login(
                base, ["--max-age", "0", "--acr", "aal2"],
                typed: ["code": totp.code(at: Date() + 30).stringCode])
            let codes = try await account("recovery-codes").lines
            #expect(codes.count == 10)

            let totpID = try await id("totp")
            #expect(try await account("rename-factor", totpID, "Ada's phone").output.contains("Ada's phone"))
            let passkey = try await account("add-passkey", "--name", "Laptop", "--unattended", "--no-tpm")
            #expect(passkey.status == 0, "\(passkey.error)")
            let listed = try await account("factors").output
            #expect(listed.contains("Ada's phone") && listed.contains("Laptop") && listed.contains("10 left"))
            #expect(try await account("add-device").output.contains("otpauth://"))

            let file = directory.url.appendingPathComponent("new-password").path
            try Data("difference engine number two\n".utf8).write(to: URL(fileURLWithPath: file))
            let set = try await account("set-password", "--password-file", file)
            #expect(set.status == 0, "\(set.error)")
            try await account("set-password", input: "short\n").expect(2)

            #expect(try await account("sessions").output.contains("(this one)"))
            try await account("end-other-sessions").expect(0)
            try await account("end-session", "none").expect(4)
            try await account("applications").expect(0)
            try await account("revoke-application", "none").expect(4)
            let activity = try await account("activity", "--limit", "2", "--json").json()
            #expect((activity["events"] as? [Any])?.count == 2 && activity["next"] as? String != nil)
            try await account("activity", "--kind", "none").expect(2)
            try await account("disown", "none").expect(4)
            let data = try await account("data").json()
            #expect((data["profile"] as? [String: Any])?["email"] as? String == TerminalUser.address)

            let passkeyID = try await id("passkey")
            try await account("report-lost", passkeyID).expect(0)
            #expect(try await account("factors").output.contains("lost"))
            // What was proven before the report may have been proven by the finder.
            let early = try await account("use-again", passkeyID)
            #expect(early.status == 1 && early.error.contains("--max-age 0 --acr aal2"), "\(early.error)")
            try await login(
                base, ["--max-age", "0", "--acr", "aal2"],
                typed: ["password": "difference engine number two", "recovery_code": try #require(codes.first)])
            let again = try await account("use-again", passkeyID)
            #expect(again.status == 0, "\(again.error)")
            try await account("remove-password").expect(0)
            try await account("remove-factor", "none").expect(4)
            try await account("remove-factor", totpID).expect(0)

            try await account("delete", "other@example.com").expect(2)
            let deleted = try await account("delete", TerminalUser.address)
            #expect(
                deleted.status == 0 && deleted.output.contains("A link that keeps it was mailed."), "\(deleted.error)")
            try await account("show").expect(4, "The session has ended.")
        }
    }

    @Test func `A sign-in without the scope is told how to get it`() async throws {
        try await serving { base in
            let login = try start(["login", "--issuer", base, "--no-browser"])
            _ = try await browse(try await address(of: login), TerminalUser.typed)
            await login.transcript().expect(0)
            let refused = try await account("show")
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.error.contains("--scope \"openid offline_access account\""), "\(refused.error)")
        }
    }
}
