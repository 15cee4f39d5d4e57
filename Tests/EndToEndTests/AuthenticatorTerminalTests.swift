import BlockingTestSupport
import Foundation
import TestSupport
import Testing

/// The authenticator as a person uses it: in a real terminal, against a real server.
@Suite(.onOwnThreads) struct AuthenticatorTerminalTests {
    private static let secret = "JBSWY3DPEHPK3PXP"
    private static let passcode = "246810"

    /// A shell whose keychain is its own.
    private func terminal() throws -> Tmux {
        let home = try TestRun.place(for: "home")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        return try Tmux(environment: ["XDG_DATA_HOME": home.path, "HOME": home.path])
    }

    private func choosePasscode(at terminal: Tmux) async throws {
        try await terminal.shows("at least 6 characters")
        try await terminal.shows("New passcode (empty cancels): ")
        try terminal.enter(Self.passcode)
        try await terminal.shows("Once more (empty cancels): ")
        try terminal.enter(Self.passcode)
    }

    /// - Parameter heading: what is asked for, so that an older question is not taken for this one.
    private func givePasscode(at terminal: Tmux, for heading: String) async throws {
        try await terminal.shows(heading) { screen in
            screen.range(of: heading, options: .backwards).map { screen[$0.upperBound...].contains("(empty cancels):") }
                ?? false
        }
        try terminal.enter(Self.passcode)
    }

    private func enrol(_ link: String, at terminal: Tmux) async throws {
        try await terminal.isReady()
        try terminal.enter("countersign authenticator enroll")
        try await terminal.shows("Paste the otpauth:// link")
        try terminal.enter(link)
    }

    @Test(.timeLimit(.minutes(20)))
    func `Codes are shown with the time that is left`() async throws {
        guard let oathtool = Tool(named: "oathtool") else { throw MissingTool(name: "oathtool") }
        let terminal = try terminal()
        try await enrol("otpauth://totp/GitHub:ada?secret=\(Self.secret)&issuer=GitHub", at: terminal)
        try await choosePasscode(at: terminal)
        let enrolled = try await terminal.shows("Enrolled GitHub (ada)")
        #expect(!enrolled.contains(Self.secret))
        #expect(!enrolled.contains(Self.passcode))

        try await terminal.isReady()
        try terminal.clear()
        let begin = Int(Date().timeIntervalSince1970)
        try terminal.enter("countersign authenticator codes")
        try await givePasscode(at: terminal, for: "Open the keychain")
        let shown = try await terminal.shows("q ends")
        let row = try #require(shown.firstMatch(of: /GitHub \(ada\) +([0-9]{3}) ([0-9]{3})  [█░]{10} ([0-9]+) s/))
        // Those of all half minutes from then until now: one, mostly.
        let steps = Int(Date().timeIntervalSince1970) / 30 - begin / 30
        let codes = try await oathtool.run([
            "--totp", "--base32", "--now", "@\(begin)", "--window", "\(steps)", Self.secret,
        ]).output.split(separator: "\n")
        #expect(codes.count == steps + 1 && codes.contains { $0 == row.1 + row.2 }, "\(codes): \(row.0)")
        // It counts down.
        try await terminal.shows("q ends") { screen in !screen.contains(" \(row.3) s") }
        try terminal.press("q")
        // What was there before is there again.
        #expect(try await terminal.isReady().contains("countersign authenticator codes"))
        #expect(try await terminal.echoes())
    }

    @Test(.timeLimit(.minutes(20)))
    func `The terminal is put back whatever ends the codes`() async throws {
        let terminal = try terminal()
        try await enrol("otpauth://totp/GitHub:ada?secret=\(Self.secret)&issuer=GitHub", at: terminal)
        try await choosePasscode(at: terminal)
        try await terminal.shows("Enrolled")
        for ending in ["C-c", "C-\\", "kill -TERM", "kill -HUP"] {
            try await terminal.isReady()
            try terminal.clear()
            try terminal.enter("countersign authenticator codes")
            try await givePasscode(at: terminal, for: "Open the keychain")
            try await terminal.shows("q ends")
            if ending.hasPrefix("kill") {
                // Stopped meanwhile, as by a person who needs the shell.
                try terminal.press("C-z")
                try await terminal.shows("Stopped")
                try await terminal.isReady()
                #expect(try await terminal.echoes())
                // The terminal is the shell's, also for one that is told to go on.
                // What is typed meanwhile is the shell's, and its being there ends nothing.
                try terminal.enter("bg; sleep 0.3")
                try terminal.enter("# typed ahead")
                try await terminal.isReady()
                #expect(try await terminal.echoes())
                try terminal.enter("fg")
                try await terminal.shows("q ends")
                try terminal.press("C-z")
                try await terminal.isReady()
                try terminal.enter("\(ending) %1; fg")
            } else {
                try terminal.press(ending)
            }
            #expect(!(try await terminal.isReady()).contains("q ends"), "\(ending)")
            #expect(try await terminal.echoes(), "\(ending)")
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `Requests are shown allowed and denied with a reason`() async throws {
        let server = try await ServerProcess(["--dev"])
        let desk = GuardianDesk(server: server)
        let terminal = try terminal()
        try await enrol(try await desk.enrolmentURI(of: "ada@example.org"), at: terminal)
        try await choosePasscode(at: terminal)
        try await terminal.shows("Enrolled") { $0.contains("ada@example.org") && $0.contains("Recovery code") }

        try await terminal.isReady()
        try terminal.clear()
        try terminal.enter("countersign authenticator watch")
        try await givePasscode(at: terminal, for: "Open the keychain")
        try await terminal.shows("Watching 1 account")

        // One with a number to type.
        let allowed = try await desk.signIn("ada@example.org", asksForNumber: true)
        let request = try await terminal.shows("[a]llow")
        #expect(request.contains("Firefox 128.0 on Linux"))
        #expect(request.contains("127.0.0.1"))
        let time = /time +2[0-9]{3}-[0-9]{2}-[0-9]{2} [0-9:]{8}, (just now|[0-9]+ (s|min) ago)/
        #expect(request.firstMatch(of: time) != nil, "\(request)")
        #expect(request.firstMatch(of: /[0-5]:[0-9]{2}  \[a\]llow/) != nil, "\(request)")
        #expect(try await desk.poll(allowed)["error"] == "authorization_pending")
        try terminal.press("a")
        try await terminal.shows("The number on the screen (\(allowed.number?.count ?? 0) digits): ")
        try terminal.enter(try #require(allowed.number))
        try await givePasscode(at: terminal, for: "Allow the sign-in to")
        try await terminal.shows("Allowed the sign-in to")
        #expect(try await desk.poll(allowed)["access_token"] != nil)

        // One to reject.
        let denied = try await desk.signIn("ada@example.org")
        try await terminal.shows("[d]eny")
        try terminal.press("d")
        try await terminal.shows("Reason, for the log")
        try terminal.enter("hacked on a Tuesday")
        try await givePasscode(at: terminal, for: "Deny the sign-in to")
        try await terminal.shows("Denied the sign-in to")
        #expect(try await desk.poll(denied)["error"] == "invalid_grant")
        try terminal.press("q")
        try await terminal.isReady()
        #expect(try await terminal.echoes())

        let entry = try #require(try await desk.log("gd_auth_rejected").first)
        #expect((entry["description"] as? String)?.contains("hacked on a Tuesday") == true, "\(entry)")
        #expect((entry["details"] as? [String: Any])?["reason"] as? String == "hacked on a Tuesday")
        let tail = try await Tool(path: try ServerProcess.executable)
            .run(["audit", "tail", "--data", server.dataDirectory.path])
        #expect(tail.output.contains("hacked on a Tuesday"), "\(tail.output)")
    }

    /// What an application asks for by itself is shown before it can be allowed.
    @Test(.timeLimit(.minutes(20)))
    func `Consents are shown before they are given`() async throws {
        let server = try await ServerProcess(["--dev"])
        let desk = GuardianDesk(server: server)
        let terminal = try terminal()
        try await enrol(try await desk.enrolmentURI(of: "ada@example.org"), at: terminal)
        try await choosePasscode(at: terminal)
        try await terminal.shows("Enrolled")
        let secret = try await desk.confidentialApplication("site")

        try await terminal.isReady()
        try terminal.clear()
        try terminal.enter("countersign authenticator watch")
        try await givePasscode(at: terminal, for: "Open the keychain")
        try await terminal.shows("Watching 1 account")
        let asked = try await desk.askToPay("ada@example.org", as: "site", secret: secret)
        try await terminal.shows("[s]how") { !$0.contains("[a]llow") }
        try terminal.press("a")
        try await givePasscode(at: terminal, for: "Show what")
        let shown = try await terminal.shows("You are asked to agree to") { $0.contains("[a]llow") }
        #expect(
            shown.contains("21-49-38") && shown.contains("https://bank.example/") && shown.contains("\"amount\":42"))
        #expect(try await desk.poll(asked, as: "site", secret: secret)["error"] == "authorization_pending")
        try terminal.press("a")
        try await givePasscode(at: terminal, for: "Allow the sign-in to")
        try await terminal.shows("Allowed the sign-in to")
        #expect(try await desk.poll(asked, as: "site", secret: secret)["access_token"] != nil)
        try terminal.press("q")
        try await terminal.isReady()
    }

    /// Without a user: every step by a program.
    @Test(.timeLimit(.minutes(20)))
    func `Programs watch and answer too`() async throws {
        let server = try await ServerProcess(["--dev"])
        let desk = GuardianDesk(server: server)
        let folder = try TestRun.place(for: "programs").path
        let program = Tool(path: try ServerProcess.executable)
        func run(_ arguments: String...) async throws -> Tool.Outcome {
            try await program.run(
                ["authenticator"] + arguments + ["--vault", folder, "--passcode-fd", "0"], input: "246810\n")
        }
        let uri = try await desk.enrolmentURI(of: "bob@example.org")
        let enrolled = try await run("enroll", uri, "--unattended", "--name", "bob", "--json")
        #expect(enrolled.status == 0, "\(enrolled.errors)")
        #expect(enrolled.output.contains("\"recoveryCode\""))
        // The ticket is used up, and the name taken.
        try await run("enroll", uri, "--unattended", "--name", "bob").expect(1)
        let again = try await run("enroll", uri, "--unattended", "--name", "robert")
        #expect(again.status == 1)
        #expect(again.errors.contains("The ticket was used already"))

        #expect(try await run("watch", "--once", "--json").output.isEmpty)
        try await run("allow", "--latest", "--yes").expect(4)
        let first = try await desk.signIn("bob@example.org", asksForNumber: true)
        let waiting = try await run("watch", "--once", "--json")
        #expect(waiting.status == 0, "\(waiting.errors)")
        let request = try #require(
            try JSONSerialization.jsonObject(with: Data(waiting.output.utf8)) as? [String: Any], "\(waiting.output)")
        #expect(request["browser"] as? String == "Firefox 128.0")
        #expect(request["numberLength"] as? Int == first.number?.count)
        let id = try #require(request["id"] as? String)

        try await run("allow", id).expect(2)
        let number = try #require(first.number)
        let wrong = String(number.map { $0 == "9" ? "0" : "9" })
        let refused = try await run("allow", id, "--number", wrong)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("The number is not the one on the screen."))
        let allowed = try await run("allow", id, "--number", number, "--json")
        #expect(allowed.status == 0, "\(allowed.errors)")
        #expect(allowed.output.contains("\"decision\" : \"allowed\""))
        #expect(try await desk.poll(first)["access_token"] != nil)
        try await run("allow", id, "--number", number).expect(4)

        // A sign-in alone asks for no consent; a payment does, and a program sees what for.
        let secret = try await desk.confidentialApplication("site")
        let payment = try await desk.askToPay("bob@example.org", as: "site", secret: secret)
        let consent = try await run("consent", "--latest", "--yes", "--json")
        #expect(consent.status == 0, "\(consent.errors)")
        #expect(consent.output.contains("\"bindingMessage\" : \"21-49-38\""), "\(consent.output)")
        try await run("consent", "00000000").expect(4)
        try await run("deny", "--latest", "--yes", "--reason", "too dear").expect(0)
        #expect(try await desk.poll(payment, as: "site", secret: secret)["error"] == "access_denied")

        let second = try await desk.signIn("bob@example.org")
        let plain = try await run("consent", "--latest", "--yes")
        #expect(plain.status == 4 && plain.errors.contains("asks for a sign-in alone"))
        try await run("deny", "--latest").expect(2)
        let denied = try await run("deny", "--latest", "--yes", "--not-me", "--json")
        #expect(denied.status == 0, "\(denied.errors)")
        #expect(try await desk.poll(second).status != 200)
        #expect(try await desk.log("gd_auth_rejected").count >= 1)

        // Gone from the server first, then from here.
        let removed = try await run("remove", "bob", "--yes")
        #expect(removed.status == 0, "\(removed.errors)")
        #expect(try await desk.log("gd_unenroll").count == 1)
        try await run("watch", "--once").expect(4)
        #expect(await server.terminate() == 0)
        // Not at the port of the one before, which another may have got.
        let port = try QuietPort.next()
        let away = try await run("enroll", "--ticket", "gten_x", "--server", "http://127.0.0.1:\(port)", "--unattended")
        #expect(away.status == 3, "\(away.errors)")
        #expect(try await run("list", "--json").output.contains("\"accounts\" : [\n\n  ]"))
    }

    @Test(.timeLimit(.minutes(20)))
    func `Codes of an enrolled device sign in too`() async throws {
        let server = try await ServerProcess(["--dev"])
        let desk = GuardianDesk(server: server)
        let folder = try TestRun.place(for: "codes").path
        let program = Tool(path: try ServerProcess.executable)
        let options = ["--vault", folder, "--passcode-fd", "0"]
        let uri = try await desk.enrolmentURI(of: "eve@example.org")
        let enrolled = try await program.run(
            ["authenticator", "enroll", uri, "--unattended"] + options, input: "246810\n")
        #expect(enrolled.status == 0, "\(enrolled.errors)")
        // A code that grew old on its way is sent again as another one.
        for attempt in 1... {
            let first = try await desk.send(
                "POST", "/oauth/token",
                [
                    "grant_type": "password", "client_id": "dev-app", "username": "eve@example.org",
                    "password": "analytical engine",
                ])
            let begin = ContinuousClock.now
            let code = try await program.run(["authenticator", "codes", "eve"] + options, input: "246810\n")
                .output.trimmingCharacters(in: .newlines)
            let answer = try await desk.send(
                "POST", "/oauth/token",
                [
                    "grant_type": "http://auth0.com/oauth/grant-type/mfa-otp", "client_id": "dev-app",
                    "mfa_token": try #require(first["mfa_token"]), "otp": code,
                ])
            if answer["access_token"] == nil, attempt < 4, ContinuousClock.now - begin > .seconds(25) { continue }
            #expect(answer["access_token"] != nil, "\(answer)")
            break
        }
    }
}
