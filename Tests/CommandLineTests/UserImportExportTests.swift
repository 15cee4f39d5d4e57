import CountersignCore
import CountersignServer
import Foundation
import OneTimePassword
import Testing

/// `user import`, `user export` and `user data`, as people run them.
@Suite struct UserImportExportTests {
    private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    /// SHA-256 of "salt" and "correct horse battery".
    private static let hash = "b18/nJ904Acwb9ehApJKPrEUqyJZP1cuHjSeEcsyHUw="
    private static let password = "correct horse battery"

    private static func line(_ id: String, _ members: String = "") -> String {
        let own = members.isEmpty ? "" : ",\(members)"
        return #"{"localId":"\#(id)","email":"\#(id)@example.org","emailVerified":true"# + own + "}\n"
    }

    private static func full(_ id: String) -> String {
        line(
            id,
            """
            "displayName":"\(id)","passwordHash":"\(hash)","salt":"c2FsdA==","hashAlgorithm":"SHA256","rounds":1,\
            "createdAt":"1600000000000","customAttributes":"{\\"role\\":\\"x\\"}","mfaInfo":[{"mfaEnrollmentId":"f-\(id)",\
            "displayName":"Phone","enrolledAt":"2025-01-02T03:04:05.000Z","totpInfo":{"sharedSecretKey":"\(secret)"}}]
            """)
    }

    /// Signs in with the password and the code of now.
    private func signIn(
        _ id: String, password: String = password, code: String? = nil, in directory: TestDirectory
    ) async throws -> Bool {
        let opened = try await OpenedRealm.open(DataDirectory(path: directory.data))
        let email = try #require(EmailAddress("\(id)@example.org"))
        let verdict = try await opened.realm.authenticator.answer(
            .password(Secret(password)),
            to: .opening(FlowOpening(subject: .email(email), terms: GrantTerms())), by: .commandLine)
        var succeeded = false
        if case .accomplished(.signedIn) = verdict { succeeded = code == nil }
        if case .more(let continuation) = verdict, let code {
            let answer = try await opened.realm.authenticator.answer(
                .code(Secret(code), factor: FactorID(rawValue: "f-\(id)")),
                to: .flow(continuation.handle, FlowExpectation([.signIn], at: [.secondFactor], of: [.dialect(.admin)])),
                by: .commandLine)
            if case .accomplished(.signedIn) = answer { succeeded = true }
        }
        try await opened.close()
        return succeeded
    }

    private var code: String {
        get throws { try TOTP(secret: Base32.decode(Self.secret)).code(at: Date()).stringCode }
    }

    @Test func `What moves out moves in`() async throws {
        let (old, new) = (try await TestDirectory.prepared(), try await TestDirectory.prepared())
        let file = try old.write(Self.full("ada") + Self.full("bert"), to: "users.jsonl")
        let imported = try await old.run("user", "import", file)
        #expect(imported.status == 0, "\(imported.error)")
        #expect(imported.output == "Imported 2, 0 already there, 0 refused.\n")
        // Ada's hash becomes one of ours, and her code is used up.
        let used = try code
        #expect(try await signIn("ada", code: used, in: old))
        _ = try await old.run(
            "user", "add", "carl@example.org", "--id", "carl", "--password-stdin", input: Self.password)

        let export = old.url.appendingPathComponent("out.jsonl").path
        let exported = try await old.run("user", "export", export)
        #expect(exported.status == 0, "\(exported.error)")
        #expect(exported.output == "Wrote 3 users to \(export). Keep it as safe as the server.\n")
        let mode = try FileManager.default.attributesOfItem(atPath: export)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let text = try String(contentsOfFile: export, encoding: .utf8)
        #expect(text.contains(#""hashAlgorithm":"ARGON2""#) && text.contains(#""hashAlgorithm":"SHA256""#))
        #expect(text.contains(#""sharedSecretKey":"\#(Self.secret)""#))

        let moved = try await new.run("user", "import", export, "--json")
        #expect(moved.error.isEmpty, "With --json there is nothing but the result: \(moved.error)")
        #expect(try moved.json()["imported"] as? Int == 3)
        #expect(try await new.run("user", "export").output == text, "The new realm gives the same file.")
        #expect(
            try await new.run("user", "import", "-", input: text).output == "Imported 0, 3 already there, 0 refused.\n")

        #expect(try await !signIn("ada", code: used, in: new), "A code that was used up stays so.")
        #expect(try await signIn("bert", code: code, in: new))
        #expect(try await signIn("carl", in: new))
        let shown = try await new.run("user", "show", "ada", "--json").json()
        #expect((shown["customClaims"] as? [String: String]) == ["role": "x"])
        let log = try await new.run("audit", "tail").output
        #expect(log.contains("users.imported") && log.contains("imported=3") && log.contains("users.exported"))
        #expect(!log.contains(Self.secret) && !log.contains(Self.hash))
    }

    @Test func `Bad lines are told and the others are taken`() async throws {
        let directory = try await TestDirectory.prepared()
        var bytes = Data()
        for line in [
            Self.line("a"), "\n", "{\"localId\":\n", Self.line("b", #""email":"b@example.org""#),
            Self.line("c", #""passwordHash":"AQID","hashAlgorithm":"ROT13""#),
            Self.line("d").replacingOccurrences(of: "d@example.org", with: "A@example.org"),
        ] { bytes.append(contentsOf: line.utf8) }
        bytes.append(contentsOf: [0x22, 0xC3, 0x28, 0x0A])
        bytes.append(contentsOf: Self.line("e").utf8)
        bytes.append(contentsOf: #"{"localId":"f""#.utf8)
        let file = directory.url.appendingPathComponent("users.jsonl")
        try bytes.write(to: file)

        let expected = [
            "line 3: it is no JSON: the end instead of a value at byte 11",
            #"line 4: the member "email" is there twice"#,
            #"line 5: hashAlgorithm "ROT13" is unknown"#, "line 7: it is not UTF-8",
            "line 9: the file ends in the middle of this line",
        ]
        let rehearsed = try await directory.run("user", "import", file.path, "--dry-run")
        #expect(rehearsed.status == 1, "\(rehearsed)")
        #expect(rehearsed.output == "Would import 2, 0 already there, 6 refused.\n")
        let told = rehearsed.error.split(separator: "\n").map(String.init)
        #expect(Set(told.dropLast()) == Set(expected + ["line 6: line 1 has the same email"]))
        #expect(told.last?.hasPrefix("countersign: 6 rows were refused.") == true)
        let strict = try await directory.run("user", "import", file.path, "--strict")
        #expect(strict.status == 1, "\(strict)")
        #expect(strict.error.hasSuffix("countersign: 6 rows were refused, and nothing was written.\n"))
        #expect(try await directory.run("user", "list").output == "There are no users.\n")

        let imported = try await directory.run("user", "import", file.path, "--json")
        #expect(imported.status == 1, "\(imported)")
        let json = try imported.json()
        #expect(json["imported"] as? Int == 2 && json["refused"] as? Int == 6)
        let rows = try #require(json["refusedRows"] as? [[String: Any]])
        let reasons = rows.map { "line \($0["line"] as? Int ?? 0): \($0["reason"] as? String ?? "")" }
        #expect(Set(reasons) == Set(expected + ["line 6: a@example.org belongs to the user a"]))
        let resumed = try await directory.run("user", "import", file.path, "--resume-from", "8")
        #expect(resumed.output == "Imported 0, 1 already there, 1 refused, 6 passed over.\n")
    }

    @Test func `A strict run without faults writes`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = try directory.write(Self.line("a") + Self.line("b"), to: "users.jsonl")
        let strict = try await directory.run("user", "import", file, "--strict")
        #expect(strict.output == "Imported 2, 0 already there, 0 refused.\n")
        try await directory.run("user", "import", "-", "--strict", input: "").expect(2)
    }

    @Test func `What Firebase exports moves in with its settings`() async throws {
        // The example of github.com/firebase/scrypt: the password is user1password.
        let key = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
        let hash = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
        let directory = try await TestDirectory.prepared()
        let file = try directory.write(
            """
            {"users": [
            {
              "localId": "ada",
              "email": "ada@example.org",
              "emailVerified": true,
              "passwordHash": "\(hash)",
              "salt": "42xEC+ixf3L2lw==",
              "lastSignedInAt": "1700000000000",
              "createdAt": "1600000000000",
              "providerUserInfo": []
            },
            {
              "localId": "bert",
              "email": "bert@example.org",
              "providerUserInfo": [{"providerId": "google.com", "rawId": "1"}]
            }]}
            """, to: "users.json")
        let keyFile = try directory.write(key + "\n", to: "key")
        let settings = [
            "--hash-algo", "scrypt", "--hash-key-file", keyFile, "--salt-separator", "Bw==", "--rounds", "8",
            "--mem-cost", "14",
        ]
        func run(_ arguments: [String]) async throws -> Program.Transcript {
            try await Program.run(["user", "import", file, "--data", directory.data] + arguments, in: directory)
        }
        let without = try await run(["--dry-run"])
        #expect(without.error.contains("line 2: passwordHash stands without hashAlgorithm"))
        let unknown = try await run(["--hash-algo", "ROT13"])
        #expect(unknown.status == 2, "\(unknown)")
        #expect(unknown.error.hasPrefix(#"countersign: There is no hash algorithm "ROT13". There are SCRYPT,"#))
        let incomplete = try await run(["--hash-algo", "SCRYPT"])
        #expect(incomplete.status == 2, "\(incomplete)")
        #expect(
            incomplete.error == "countersign: The settings for password hashes are wrong: SCRYPT needs rounds.\n")
        try await run(["--rounds", "8"]).expect(2)
        // The same where no line has a hash.
        let bare = try directory.write(Self.line("eve"), to: "bare.jsonl")
        for (name, sentence) in [("ROT13", "There is no hash algorithm"), ("SCRYPT", "SCRYPT needs rounds.")] {
            let refused = try await directory.run("user", "import", bare, "--hash-algo", name)
            #expect(refused.status == 2 && refused.error.contains(sentence), "\(refused)")
            #expect(refused.output.isEmpty)
        }

        let imported = try await run(settings)
        #expect(imported.status == 1, "\(imported)")
        #expect(imported.output == "Imported 1, 0 already there, 1 refused.\n")
        #expect(
            imported.error.hasPrefix("user bert@example.org, line 12: it signs in with google.com"),
            "\(imported.error)")
        #expect(try await run(settings + ["--drop-identities"]).output == "Imported 1, 1 already there, 0 refused.\n")
        #expect(try await signIn("ada", password: "user1password", in: directory))
    }

    @Test func `An export on one line names users and not the line`() async throws {
        let directory = try await TestDirectory.prepared()
        let google = #""providerUserInfo":[{"providerId":"google.com","rawId":"1"}]"#
        let users = [
            #"{"localId":"ada","email":"ada@example.org"}"#,
            #"{"localId":"bert","email":"bert@example.org",\#(google)}"#,
            #"{"localId":"carl",\#(google)}"#, #"{"email":"dora@example.org"}"#, #"{"emial":"x"}"#,
            #"{"localId":"eve","email":"ADA@example.org"}"#,
        ]
        let file = try directory.write("{\"users\":[\(users.joined(separator: ","))]}", to: "users.json")
        let expected = [
            "user bert@example.org: it signs in with google.com", "user carl: it signs in with google.com",
            "user dora@example.org: localId is missing", #"user number 5: there is no member "emial""#,
        ]
        let rehearsed = try await directory.run("user", "import", file, "--dry-run")
        for text in expected + ["user ADA@example.org: user number 1 has the same email"] {
            #expect(rehearsed.error.contains("\(text)"), "\(text): \(rehearsed.error)")
        }
        let imported = try await directory.run("user", "import", file)
        #expect(imported.status == 1 && imported.output == "Imported 1, 0 already there, 5 refused.\n")
        for text in expected { #expect(imported.error.contains(text), "\(text): \(imported.error)") }
        #expect(!imported.error.contains("line 1"), "\(imported.error)")
        let json = try await directory.run("user", "import", file, "--json").json()
        let rows = try #require(json["refusedRows"] as? [[String: Any]])
        #expect(
            Set(rows.compactMap { $0["user"] as? String }) == [
                "bert@example.org", "carl", "dora@example.org", "ADA@example.org",
            ])
    }

    @Test func `A file without a user is none that is found`() async throws {
        let directory = try await TestDirectory.prepared()
        let list = try directory.write("{\"users\":[]}\n", to: "users.json")
        let empty = try await directory.run("user", "import", list)
        #expect(empty.status == 4 && empty.error == "countersign: There is no user in \(list).\n", "\(empty)")
        #expect(empty.output == "Imported 0, 0 already there, 0 refused.\n")
        let piped = try await directory.run("user", "import", "-", "--json", input: "\n\n")
        #expect(piped.status == 4, "\(piped)")
        #expect(piped.error == "countersign: There is no user on standard input.\n")
        #expect(try piped.json()["imported"] as? Int == 0)
    }

    @Test func `A wrong file stops after a hundred faults`() async throws {
        let directory = try await TestDirectory.prepared()
        let wrong = try directory.write(String(repeating: "name,address,city\n", count: 5000), to: "users.csv")
        let stopped = try await directory.run("user", "import", wrong)
        #expect(stopped.status == 1, "\(stopped)")
        let told = stopped.error.split(separator: "\n")
        #expect(told.count == 101 && told[0].hasPrefix("line 1: it is no JSON"), "\(told.count)")
        #expect(told.last?.contains("100 rows were refused, and the rest of the file was not read.") == true)
        #expect(stopped.output == "Imported 0, 0 already there, 100 refused.\n")
        let all = try await directory.run("user", "import", wrong, "--fault-limit", "0", "--json").json()
        #expect(all["refused"] as? Int == 5000 && all["isStopped"] as? Bool == false)

        // The good ones before it are taken, and what stopped it is not.
        let mixed = try directory.write(
            (0..<50).map { Self.line("u\($0)") }.joined() + String(repeating: "{}\n", count: 200) + Self.line("late"),
            to: "mixed.jsonl")
        let some = try await directory.run("user", "import", mixed, "--fault-limit", "10", "--json").json()
        #expect(some["imported"] as? Int == 50 && some["isStopped"] as? Bool == true)
        try await directory.run("user", "show", "late").expect(4)
        try await directory.run("user", "import", mixed, "--fault-limit", "-1").expect(2)
    }

    @Test func `An import and an export are one event each`() async throws {
        let directory = try await TestDirectory.prepared()
        let text = (0..<450).map { Self.line("u\(1000 + $0)") }.joined()
        let file = try directory.write(text, to: "users.jsonl")
        func events(_ kind: String) async throws -> [String] {
            try await directory.run("audit", "tail", "--limit", "1000").output.split(separator: "\n").map(String.init)
                .filter { $0.contains(kind) }
        }
        try await directory.run("user", "import", file).expect(0)
        #expect(try await directory.run("user", "export").lines.count == 450)
        let (imports, exports) = (try await events("users.imported"), try await events("users.exported"))
        #expect(imports.count == 1 && imports[0].contains("imported=450"), "\(imports)")
        #expect(exports.count == 1 && exports[0].contains("users=450"), "\(exports)")
        // What changes nothing and what only looks are none.
        try await directory.run("user", "import", file).expect(0)
        try await directory.run("user", "import", file, "--dry-run").expect(0)
        #expect(try await events("users.imported").count == 1)
    }

    @Test func `A run that is cut off is made good by the same command`() async throws {
        let (cut, whole) = (try await TestDirectory.prepared(), try await TestDirectory.prepared())
        let text = (0..<3000).map { Self.full("u\(10_000 + $0)") }.joined()
        let file = try cut.write(text, to: "users.jsonl")
        let opened = try await OpenedRealm.open(DataDirectory(path: cut.data))
        var counts: [Int] = []
        for attempt in 0..<2 {
            // It reads what the test gives it, and waits for more when it is cut off: it cannot have come to its end before.
            let pipe = try HeldPipe(cut.url.appendingPathComponent("held-\(attempt)").path)
            let running = try Program.start(["user", "import", pipe.path, "--data", cut.data], in: cut)
            let before = try await opened.realm.accounts.count()
            var given = Array(text.utf8.prefix(text.utf8.count * (attempt + 1) / 3))[...]
            while running.isRunning, try await opened.realm.accounts.count() < before + 200 {
                given = given.dropFirst(pipe.write(given))
                try await Task.sleep(for: .milliseconds(5))
            }
            // Not by SIGINT, which a program ignores whose shell has started the tests in the background.
            if attempt == 0 { running.kill() } else { running.terminate() }
            let transcript = await running.transcript()
            #expect(transcript.status == (attempt == 0 ? SIGKILL : SIGTERM), "\(transcript)")
            counts.append(try await opened.realm.accounts.count())
        }
        #expect(counts[0] > 0 && counts[0] < counts[1] && counts[1] < 3000, "It was not cut off: \(counts)")
        try await opened.close()

        let last = try await cut.run("user", "import", file)
        #expect(last.status == 0, "\(last.error)")
        #expect(last.output == "Imported \(3000 - counts[1]), \(counts[1]) already there, 0 refused.\n")
        try await whole.run("user", "import", file).expect(0)
        #expect(try await cut.run("user", "export").output == whole.run("user", "export").output)
    }

    @Test func `An export appears whole or not at all`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = try directory.write((0..<3).map { Self.full("u\($0)") }.joined(), to: "users.jsonl")
        _ = try await directory.run("user", "import", file)
        let target = directory.url.appendingPathComponent("out.jsonl").path
        // What a run that was killed left behind, readable for others.
        _ = try directory.write("half a line", to: "out.jsonl.partial")
        try await directory.run("user", "export", target).expect(0)
        #expect(try String(contentsOfFile: target, encoding: .utf8).split(separator: "\n").count == 3)
        #expect(!FileManager.default.fileExists(atPath: target + ".partial"))
        let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        let again = try await directory.run("user", "export", target)
        #expect(again.status == 1, "\(again)")
        #expect(again.error == "countersign: \(target) exists already. Name another file, or add --replace.\n")
        let replaced = try await directory.run("user", "export", target, "--replace", "--json").json()
        #expect(replaced["users"] as? Int == 3 && replaced["file"] as? String == target)
        try await directory.run("user", "export", "--json").expect(2)
        try await directory.run("user", "export", "/nowhere/out.jsonl").expect(3)
    }

    @Test func `Both work through a server with the administrators token`() async throws {
        let directory = try await TestDirectory.prepared()
        // More than one request, and more than bodies of other operations may have.
        let text = (0..<450).map { Self.full("u\(1000 + $0)") }.joined()
        let file = try directory.write(text, to: "users.jsonl")
        try await directory.serving { url, _ in
            func remote(_ arguments: String..., token: String? = nil) async throws -> Program.Transcript {
                try await Program.run(
                    arguments + ["--server", url, "--data", directory.data], in: directory,
                    environment: token.map { ["COUNTERSIGN_ADMIN_TOKEN": $0] } ?? [:])
            }
            let refused = try await remote("user", "export", token: "wrong")
            #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
            try await remote("user", "import", file, token: "wrong").expect(1)
            #expect(try await remote("user", "import", file).output == "Imported 450, 0 already there, 0 refused.\n")
            #expect(try await remote("user", "import", file).output == "Imported 0, 450 already there, 0 refused.\n")
            let exported = try await remote("user", "export")
            #expect(exported.lines.count == 450)
            #expect(try await directory.run("user", "export").output == exported.output)
            let log = try await remote("audit", "tail").output
            #expect(log.contains("users.exported  app=admin-api") && log.contains("users.imported  app=admin-api"))
        }
    }

    @Test func `A persons data is one document without secrets`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = try directory.write(Self.full("ada") + Self.full("bert"), to: "users.jsonl")
        _ = try await directory.run("user", "import", file)
        #expect(try await signIn("ada", code: code, in: directory))
        _ = try await directory.run("user", "reset-password", "ada")
        let transcript = try await directory.run("user", "data", "ada@example.org")
        #expect(transcript.status == 0, "\(transcript.error)")
        let document = try transcript.json()
        let data = try #require(document["data"] as? [String: Any])
        #expect((data["profile"] as? [String: Any])?["email"] as? String == "ada@example.org")
        #expect((data["factors"] as? [[String: Any]])?.compactMap { $0["kind"] as? String } == ["totp", "password"])
        #expect((data["sessions"] as? [Any])?.count == 1)
        #expect((data["messages"] as? [[String: Any]])?.compactMap { $0["about"] as? String } == ["reset-password"])
        #expect((data["attempts"] as? [[String: Any]])?.isEmpty == false)
        let log = try #require(document["log"] as? [[String: Any]])
        let kinds = Set(log.compactMap { $0["kind"] as? String })
        #expect(kinds.isSuperset(of: ["sign-in.succeeded", "mail.queued", "user.data-shown"]))
        for secret in [Self.secret, Self.hash, "argon2", "oobCode", "bert"] {
            #expect(!transcript.output.contains(secret), "\(secret)")
        }
        try await directory.run("user", "data", "nobody").expect(4)
        try await directory.run("user", "delete", "ada", "--yes").expect(0)
        try await directory.run("user", "data", "ada").expect(4)
    }
}

/// A pipe with a name, which a program reads as a file: the test holds it open, so that the program never comes to its end.
private final class HeldPipe {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        try #require(mkfifo(path, 0o600) == 0)
        // For both, so that opening waits for no reader, and a reader that is killed leaves no broken pipe.
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    /// Writes as much as there is room for.
    /// - Returns: bytes.
    func write(_ bytes: ArraySlice<UInt8>) -> Int {
        max(0, bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) })
    }
}
