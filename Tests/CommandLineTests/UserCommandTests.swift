import CountersignCore
import CountersignServer
import Foundation
import OneTimePassword
import Testing

@Suite struct UserCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    @Test func `A user is added listed and shown`() async throws {
        let added = try await directory.run(
            "user", "add", "Anna@Example.com", "--generate-password", "--name", "Anna", "--verified", "--id", "anna")
        #expect(added.status == 0, "\(added.error)")
        #expect(added.lines.first == "Added anna@example.com with the id anna.")
        let password = try #require(added.lines.last?.split(separator: " ").last)
        #expect(password.count == 20)

        let list = try await directory.run("user", "list")
        #expect(list.status == 0, "\(list)")
        #expect(list.lines.first == "ID    EMAIL             VERIFIED  DISABLED  NAME  CREATED")
        #expect(list.lines.last?.hasPrefix("anna  anna@example.com  yes       no        Anna  20") == true)
        #expect(list.lines.last?.hasSuffix("Z") == true, "Times are UTC.")

        let shown = try await directory.run("user", "show", "anna@example.com")
        #expect(shown.status == 0, "\(shown)")
        #expect(shown.output.contains("email          anna@example.com (verified)\n"))
        #expect(shown.output.contains("sessions       0\n"))
        #expect(shown.lines.last?.hasPrefix("password  -") == true)
        #expect(shown.lines.last?.hasSuffix("  good") == true)
        #expect(!shown.output.contains(password), "A password is shown once.")
    }

    /// As it is where users name themselves, and applications that register themselves.
    @Test func `A name is one line wherever an administrator gives it`() async throws {
        for name in ["a\nb", "a\u{1B}[31m", " ", String(repeating: "x", count: 201)] {
            for command in [
                ["user", "add", "anna@example.com"], ["app", "add", "--id", "shop"],
                ["resource", "add", "https://api.example.com", "--scopes", "read"],
            ] {
                let told = try await Program.run(
                    command + ["--name", name, "--data", directory.data], in: directory)
                #expect(
                    told.status == 2
                        && told.error == "countersign: displayName is one line of at most 200 characters.\n",
                    "\(command): \(told)")
            }
        }
        try await directory.run("user", "show", "anna@example.com").expect(4)
        try await directory.run("user", "add", "anna@example.com", "--name", "").expect(0)
        let shown = try await directory.run("user", "show", "anna@example.com", "--json").json()
        #expect((shown["user"] as? [String: Any])?["displayName"] == nil)
    }

    @Test func `JSON has what programs need`() async throws {
        let added = try await directory.run(
            "user", "add", "anna@example.com", "--password-stdin", "--id", "anna", "--json",
            input: "correct horse battery\n"
        ).json()
        #expect(added["password"] == nil, "The caller has given the password.")
        let user = try #require(added["user"] as? [String: Any])
        #expect(user["id"] as? String == "anna")
        #expect(user["emailVerified"] as? Bool == false)
        #expect(user["providers"] as? [String] == ["password"])

        _ = try await directory.run("user", "add", "bert@example.com", "--id", "bert")
        let page = try await directory.run("user", "list", "--limit", "1", "--json").json()
        #expect((page["users"] as? [[String: Any]])?.compactMap { $0["email"] as? String } == ["anna@example.com"])
        let next = try #require(page["next"] as? String)
        let rest = try await directory.run("user", "list", "--after", next, "--json").json()
        #expect((rest["users"] as? [[String: Any]])?.compactMap { $0["email"] as? String } == ["bert@example.com"])
        #expect(rest["next"] == nil)

        let shown = try await directory.run("user", "show", "anna", "--json").json()
        let factor = try #require((shown["factors"] as? [[String: Any]])?.first)
        #expect(factor["kind"] as? String == "password")
        #expect(factor["state"] as? String == "open")
    }

    @Test func `A password is judged like any other`() async throws {
        let file = try directory.write("password1\n", to: "common")
        let common = try await directory.run("user", "add", "anna@example.com", "--password-file", file)
        #expect(common.status == 1, "\(common)")
        #expect(common.error == "countersign: The password is one of the most common ones. Choose another.\n")
        let short = try await directory.run("user", "add", "anna@example.com", "--password-stdin", input: "short")
        #expect(short.status == 1, "\(short)")
        #expect(short.error.contains("at least 8 characters"))
        #expect(try await directory.run("user", "list").output == "There are no users.\n")
    }

    @Test func `An address and an id are taken once`() async throws {
        _ = try await directory.run("user", "add", "anna@example.com", "--id", "anna")
        let address = try await directory.run("user", "add", "ANNA@example.com")
        #expect(address.status == 1, "\(address)")
        #expect(address.error.contains("anna@example.com has an account"))
        let id = try await directory.run("user", "add", "other@example.com", "--id", "anna")
        #expect(id.status == 1, "\(id)")
        #expect(id.error.contains("Another user has the id anna"))
    }

    @Test func `A disabled user is enabled again and the log says so once`() async throws {
        _ = try await directory.run("user", "add", "anna@example.com", "--id", "anna")
        let disabled = try await directory.run("user", "disable", "anna")
        #expect(disabled.output == "anna@example.com is disabled.\n")
        _ = try await directory.run("user", "disable", "anna")
        let refused = try await directory.run("user", "reset-password", "anna")
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.error == "countersign: The user is disabled. Enable the account first.\n")
        let enabled = try await directory.run("user", "enable", "anna@example.com", "--json").json()
        #expect((enabled["user"] as? [String: Any])?["isDisabled"] as? Bool == false)
        let log = try await directory.run("audit", "tail").output
        #expect(log.components(separatedBy: "user.disabled").count == 2)
        #expect(log.contains("user.enabled"))
    }

    @Test func `Deleting asks where it can and refuses where it cannot`() async throws {
        _ = try await directory.run("user", "add", "anna@example.com")
        let unasked = try await directory.run("user", "delete", "anna@example.com")
        #expect(unasked.status == 2, "\(unasked)")
        #expect(unasked.error.contains("--yes"))
        // With days of grace it can be undone, and the question does not say otherwise.
        let later = try await directory.run("user", "delete", "anna@example.com", "--grace", "14")
        later.expect(2)
        #expect(later.error.contains("disabled until then") && !later.error.contains("undone"), "\(later.error)")
        let deleted = try await directory.run("user", "delete", "anna@example.com", "--yes")
        #expect(deleted.output == "Deleted anna@example.com.\n")
        try await directory.run("user", "show", "anna@example.com").expect(4)
    }

    @Test(arguments: [
        ["show"], ["disable"], ["enable"], ["delete", "--yes"], ["reset-password"], ["reset-password", "--generate"],
        ["reset-mfa"],
    ])
    func `An unknown user is not found`(command: [String]) async throws {
        let transcript = try await Program.run(
            ["user"] + command + ["nobody@example.com", "--data", directory.data], in: directory)
        #expect(transcript.status == 4, "\(transcript)")
        #expect(transcript.output.isEmpty)
        #expect(
            transcript.error
                == "countersign: There is no user nobody@example.com. `countersign user list` shows all of them.\n")
    }

    @Test func `A password is reset by mail by link or at once`() async throws {
        _ = try await directory.run(
            "user", "add", "anna@example.com", "--password-stdin", input: "correct horse battery")
        let mailed = try await directory.run("user", "reset-password", "anna@example.com")
        #expect(mailed.output.hasPrefix("A link to choose a new password is on its way to anna@example.com."))

        let printed = try await directory.run(
            "user", "reset-password", "anna@example.com", "--print-link", "--public-url", "https://login.example.com/")
        #expect(
            printed.lines.last?.hasPrefix("https://login.example.com/auth/action?mode=resetPassword&oobCode=") == true)
        let link = try await directory.run(
            "user", "reset-password", "anna@example.com", "--print-link", "--json",
            environment: ["COUNTERSIGN_PUBLIC_URL": "https://a.example.com,https://b.example.com"]
        ).json()
        #expect((link["link"] as? String)?.hasPrefix("https://a.example.com/auth/action?") == true)

        let generated = try await directory.run("user", "reset-password", "anna@example.com", "--generate", "--json")
            .json()
        let password = try #require(generated["password"] as? String)

        let opened = try await OpenedRealm.open(DataDirectory(path: directory.data))
        let mails = try await opened.realm.outbox.messages()
        #expect(
            Set(mails.map(\.content.template)) == ["reset-password", "password-changed"] && mails.count == 2,
            "Only one of the links was mailed; and the owner is told of the new password.")
        let verdict = try await opened.realm.authenticator.answer(
            .password(Secret(password)),
            to: .opening(
                FlowOpening(
                    subject: .email(try #require(EmailAddress("anna@example.com"))), terms: GrantTerms())),
            by: .commandLine)
        guard case .accomplished(.signedIn) = verdict else {
            Issue.record("The generated password is not taken: \(verdict)")
            return
        }
        try await opened.close()
        let log = try await directory.run("audit", "tail").output
        #expect(log.components(separatedBy: "mail.link-handed-out").count == 3)
    }

    @Test func `Second factors are reset with what was counted against them`() async throws {
        let opened = try await OpenedRealm.open(DataDirectory(path: directory.data))
        try await enrol("anna@example.com", in: opened.realm)
        let locked = try await directory.run("user", "show", "anna@example.com")
        #expect(locked.output.contains("totp      Phone"))
        #expect(locked.output.contains("locked until 2"))
        #expect(locked.output.contains("after 7 wrong answers in a row"))

        let reset = try await directory.run("user", "reset-mfa", "anna@example.com")
        #expect(reset.output == "Removed the second factor of anna@example.com, who is signed out everywhere.\n")
        let again = try await directory.run("user", "reset-mfa", "anna@example.com", "--json").json()
        #expect(again["removed"] as? Int == 0)
        let shown = try await directory.run("user", "show", "anna@example.com", "--json").json()
        #expect((shown["factors"] as? [[String: Any]])?.compactMap { $0["kind"] as? String } == ["password"])
        #expect(shown["sessions"] as? Int == 0)
        try await opened.close()
    }

    /// Makes a user with TOTP, locked for an hour.
    private func enrol(_ address: String, in realm: Realm) async throws {
        let email = try #require(EmailAddress(address))
        let password = Secret("correct horse battery")
        let user = try await realm.accounts.create(
            email: email, password: password, profile: UserProfile(emailVerified: true), by: .commandLine
        ).get()
        let opening = AnswerTarget.opening(FlowOpening(subject: .email(email), terms: GrantTerms()))
        let verdict = try await realm.authenticator.answer(.password(password), to: opening, by: .commandLine)
        guard case .accomplished(.signedIn(let signedIn)) = verdict,
            case .offered(let offer) = try await realm.enrolments.beginTOTP(
                for: user.id, evidence: signedIn.evidence, by: .commandLine)
        else {
            Issue.record("No factor is offered: \(verdict)")
            return
        }
        let code = try TOTP(secret: offer.secret.reveal()).code(at: realm.clock.now)
        let enrolled = try await realm.authenticator.answer(
            .enrolmentCode(Secret(code.stringCode), name: "Phone"),
            to: .flow(offer.handle, FlowExpectation([.enrolFactor], at: [.factorEnrolment], of: [.dialect(.admin)])),
            by: .commandLine)
        guard case .accomplished(.enrolled(let factor, _)) = enrolled else {
            Issue.record("The factor is not enrolled: \(enrolled)")
            return
        }
        // As seven wrong answers leave it, but for longer than any test takes.
        let now = realm.clock.now
        try await realm.store.write {
            try $0.put(AttemptCounter(key: "factor/\(factor.id)", count: 7, since: now, blockedUntil: now + 3600))
        }
    }

    @Test func `Names do not steer the terminal`() async throws {
        let name = "\u{1B}[31mAnna\u{202E}\n"
        let refused = try await directory.run("user", "add", "anna@example.com", "--name", name)
        #expect(refused.status == 2 && !refused.error.contains("\u{1B}"), "\(refused)")
        // As one from before the rule for names, which stays.
        let opened = try await OpenedRealm.open(DataDirectory(path: directory.data))
        _ = try await opened.realm.accounts.create(
            email: EmailAddress("anna@example.com"), password: nil, profile: UserProfile(displayName: name),
            by: .commandLine
        ).get()
        try await opened.close()
        let list = try await directory.run("user", "list")
        #expect(list.output.contains(#"\u{1b}[31mAnna\u{202e}\u{a}"#))
        #expect(list.lines.count == 2)
    }
}
