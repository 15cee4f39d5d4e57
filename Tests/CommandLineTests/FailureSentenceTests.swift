import Foundation
import Testing

/// What a command says when the machine is at fault: what to do, and not what SQLite calls it.
@Suite struct FailureSentenceTests {
    /// Runs a line of a shell, with the program as `$0` and the rest as `$1`, `$2`, ….
    private func shell(_ line: String, _ arguments: [String], in directory: TestDirectory) async throws
        -> Program.Transcript
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line, Program.url.path] + arguments
        process.currentDirectoryURL = directory.url
        let (output, error) = (
            directory.url.appendingPathComponent("output-\(UUID().uuidString)"),
            directory.url.appendingPathComponent("error-\(UUID().uuidString)")
        )
        for file in [output, error] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: error)
        process.standardInput = FileHandle.nullDevice
        return try await Running(process, output: output, error: error).transcript()
    }

    /// Root of a container may lack the right to.
    private static let canMount: Bool = {
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare") else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["-m", "/bin/true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test(.enabled(if: canMount, "Only root mounts a disk that is full."))
    func `A full disk says so`() async throws {
        let directory = try TestDirectory()
        let disk = directory.url.appendingPathComponent("disk").path
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        // A first start on a disk that has no room for the database; one that has none for a single file; and a command.
        let mount = "mount -t tmpfs -o size=4m tmpfs '\(disk)' || exit 99; "
        for (line, expected) in [
            (
                "head -c 4100000 /dev/zero > '\(disk)/big'; \"$0\" serve --listen 127.0.0.1:0 --data '\(disk)/data'",
                "The store does not work: the disk is full. Free some space and try again; what was written before is intact."
            ),
            (
                "head -c 9000000 /dev/zero > '\(disk)/big'; \"$0\" serve --listen 127.0.0.1:0 --data '\(disk)/data'",
                "Free some space on its disk, and try again; what was written before is intact."
            ),
        ] {
            let transcript = try await shell(
                "exec /usr/bin/unshare -m /bin/sh -c '\((mount + line).replacing("'", with: "'\\''"))' \"$0\"", [],
                in: directory)
            #expect(transcript.status == 3, "\(transcript.error)")
            #expect(transcript.error.contains(expected), "\(transcript.error)")
            #expect(!transcript.error.contains("SQLite 13") && !transcript.error.contains("INSERT"))
        }
    }

    /// A limit on the size of files simulates a full disk.
    @Test func `A limit on the size of files says so`() async throws {
        let directory = try await TestDirectory.prepared()
        let users = try directory.write(
            (0..<2000).map { #"{"localId":"u\#($0)","displayName":"\#(String(repeating: "x", count: 200))"}"# + "\n" }
                .joined(), to: "users.jsonl")
        let transcript = try await shell(
            "ulimit -f 512; exec \"$0\" user import '\(users)' --data '\(directory.data)'", [], in: directory)
        #expect(transcript.status == 3, "\(transcript.output)\(transcript.error)")
        #expect(transcript.error.contains("The store does not work: "), "\(transcript.error)")
        #expect(transcript.error.contains("`ulimit -f`") || transcript.error.contains("the disk is full"))
        // What was acknowledged is there, and the same command goes on.
        let again = try await directory.run("user", "import", users)
        #expect(again.status == 0, "\(again.error)")
        try await directory.run("db", "check").expect(0)

        // A restore names what it cannot write, and leaves nothing of it.
        let backup = directory.url.appendingPathComponent("backup.sqlite").path
        try await directory.run("db", "backup", backup).expect(0)
        let target = directory.url.appendingPathComponent("restored").path
        let restored = try await shell(
            "ulimit -f 64; exec \"$0\" db restore '\(backup)' --data '\(target)'", [], in: directory)
        let sentence = "countersign: \(target)/countersign.sqlite cannot be written: "
        #expect(restored.status == 3 && restored.error.hasPrefix(sentence), "\(restored)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: target).isEmpty)
    }

    @Test func `A damaged database says what to do`() async throws {
        let directory = try await TestDirectory.prepared()
        let path = directory.data + "/countersign.sqlite"
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try directory.writePrivately(String(repeating: "this is no database. ", count: 5000), to: path)
        for command in [["serve", "--listen", "127.0.0.1:0"], ["user", "list"], ["db", "check"]] {
            let transcript = try await Program.run(command + ["--data", directory.data], in: directory)
            #expect(transcript.status == 3 && transcript.output.isEmpty, "\(transcript)")
            #expect(
                transcript.error.contains(
                    "countersign: The store does not work: the database is damaged, or is none. Put a backup in its place "
                        + "with `countersign db restore`; `countersign db check` tells what is damaged.\n"),
                "\(transcript.error)")
        }
    }

    @Test func `A directory in the place of a file cannot be read`() async throws {
        let directory = try await TestDirectory.prepared()
        for command in [
            ["user", "import", "."], ["app", "set", "shop", "--logo", "."],
            ["app", "set", "shop", "--logo", "nowhere.png"],
            ["app", "set", "shop", "--jwks", "."], ["user", "add", "a@example.com", "--password-file", "."],
        ] {
            let transcript = try await Program.run(command + ["--data", directory.data], in: directory)
            let name = try #require(command.last)
            #expect(
                transcript.status == 2
                    && transcript.error == "countersign: \(name) cannot be read. Name an existing file.\n",
                "\(command): \(transcript)")
        }
        try await directory.run("user", "add", "a@example.com").expect(0)
        let export = try await directory.run("user", "export", directory.data, "--replace")
        #expect(export.status == 3 && export.error.contains("cannot be written"), "\(export)")
        let lost = try await Program.run(["config", "init", "nowhere/server.yaml"], in: directory)
        let sentence = "countersign: nowhere/server.yaml cannot be written: No such file or directory.\n"
        #expect(lost.status == 3 && lost.error == sentence, "\(lost)")
        #expect(!FileManager.default.fileExists(atPath: directory.data + ".partial"), "It has hashes of passwords.")
    }

    @Test func `An empty file is there`() async throws {
        let directory = try TestDirectory()
        let file = try directory.write("", to: "empty.json")
        let told = try await Program.run(["authenticator", "import", file, "--vault", "vault"], in: directory)
        #expect(told.status == 1 && told.error == "countersign: The file is empty.\n", "\(told)")
    }

    /// The shell's `<(pass show anna)` is one.
    @Test func `A secret comes from a pipe as from a file`() async throws {
        let directory = try await TestDirectory.prepared()
        let added = try await shell(
            "printf 'a long and quiet afternoon' | \"$0\" \"$@\"",
            ["user", "add", "a@example.com", "--password-file", "/dev/stdin", "--data", directory.data], in: directory)
        #expect(added.status == 0, "\(added)")
        let shown = try await directory.run("user", "show", "a@example.com")
        #expect(shown.output.contains("signs in with  password"), "\(shown)")
    }

    /// The second time it is empty, and nothing would be imported, without a word.
    @Test func `A strict import takes no pipe, which is read once`() async throws {
        let directory = try await TestDirectory.prepared()
        let arguments = ["user", "import", "/dev/stdin", "--data", directory.data]
        let line = #"printf '{"localId":"ada","email":"ada@example.com"}\n' | "$0" "$@""#
        let strict = try await shell(line, arguments + ["--strict"], in: directory)
        #expect(
            strict.status == 2
                && strict.error == "countersign: --strict reads the file twice, which a pipe cannot. Name a file.\n",
            "\(strict)")
        try await directory.run("user", "show", "ada").expect(4)
        let once = try await shell(line, arguments, in: directory)
        #expect(once.status == 0 && once.output == "Imported 1, 0 already there, 0 refused.\n", "\(once)")
    }

    @Test func `A word that nothing is called is answered with those that there are`() async throws {
        let directory = try await TestDirectory.prepared()
        let lift = try await directory.run("limit", "lift", "everything", "192.0.2.7")
        #expect(lift.status == 2 && lift.error.contains("There is no limit \"everything\". There are "), "\(lift)")
        let search = try await directory.run("audit", "search", "--kind", "nothing-is-called-so")
        #expect(search.status == 2 && search.output.isEmpty, "\(search)")
        #expect(search.error.contains("\"nothing-is-called-so\" is no kind of event. Kinds begin with "), "\(search)")
    }

    /// As root everything can be read: then the command runs as another user.
    @Test func `A directory that may not be read is not called empty`() async throws {
        let directory = try await TestDirectory.prepared()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.url.path)
        let transcript: Program.Transcript
        let check: Program.Transcript
        let name: String
        let judging = ["serve", "--check", "--listen", "127.0.0.1:0"]
        if geteuid() == 0 {
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") else { return }
            name = "root"
            let other = "exec /usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups \"$0\" \"$@\""
            transcript = try await shell(other, ["user", "list", "--data", directory.data], in: directory)
            check = try await shell(other, judging + ["--data", directory.data], in: directory)
        } else {
            name = ""
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: directory.data)
            transcript = try await directory.run("user", "list")
            check = try await Program.run(judging + ["--data", directory.data], in: directory)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.data)
        }
        #expect(check.status == 1 && check.output.contains("cannot be written by this user"), "\(check)")
        #expect(!check.output.contains("There is no"), "\(check)")
        #expect(transcript.status == 3 && transcript.output.isEmpty, "\(transcript.error)")
        #expect(transcript.error.contains("cannot be read: Permission denied."), "\(transcript.error)")
        #expect(!transcript.error.contains("There is no Countersign data"))
        if name == "root" {
            #expect(transcript.error.contains("It belongs to the user root: run this as that user"))
        }
    }

    @Test func `A link begins with the address of a server or is not made`() async throws {
        let directory = try await TestDirectory.prepared()
        _ = try await directory.run("user", "add", "anna@example.com")
        let commands = [
            ["admin", "invite"], ["user", "reset-password", "anna@example.com", "--print-link"],
            ["user", "invite", "ben@example.com", "--print-link"],
        ]
        for command in commands {
            for url in [
                "javascript:alert(1)", "data:text/html,x", "login.example.com", "//login.example.com", "https://",
                "https://a.example.com/?x=", "https://a.example.com/#x", "https://a:b@example.com", "",
            ] {
                let transcript = try await Program.run(
                    command + ["--public-url", url, "--data", directory.data], in: directory)
                #expect(transcript.status == 2 && transcript.output.isEmpty, "\(command) \(url): \(transcript.output)")
                #expect(transcript.error.contains("is no URL of a server"), "\(transcript.error)")
            }
            let good = try await Program.run(
                command + ["--public-url", "https://login.example.com/", "--data", directory.data], in: directory)
            #expect(good.lines.last?.hasPrefix("https://login.example.com/") == true, "\(good.error)")
        }
    }

    @Test func `A link to a new password begins with what the server was started with`() async throws {
        let directory = try await TestDirectory.prepared()
        _ = try await directory.run("user", "add", "anna@example.com")
        func link(_ arguments: String..., environment: [String: String] = [:]) async throws -> String {
            let transcript = try await Program.run(
                ["user", "reset-password", "anna@example.com", "--print-link", "--data", directory.data] + arguments,
                in: directory, environment: environment)
            #expect(transcript.status == 0, "\(transcript.error)")
            let url = try #require(URLComponents(string: transcript.lines.last ?? ""))
            return "\(url.scheme ?? "")://\(url.host ?? "")\(url.port.map { ":\($0)" } ?? "")"
        }
        #expect(try await link() == "http://127.0.0.1:8080", "No server has said anything.")
        let token = tokenFile(directory)
        try await directory.serving { url, _ in
            let (local, remote) = (try await link(), try await link("--server", url, token[0], token[1]))
            #expect(local == url && remote == url, "Where it listens.")
        }
        try await directory.serving("--public-url", "https://login.example.com/") { url, _ in
            let (local, remote) = (try await link(), try await link("--server", url, token[0], token[1]))
            #expect(local == "https://login.example.com" && remote == "https://login.example.com")
            let chosen = try await link("--public-url", "https://other.example.com")
            #expect(chosen == "https://other.example.com")
        }
        #expect(try await link() == "https://login.example.com", "It is known when no server runs, too.")
        let variable = ["COUNTERSIGN_PUBLIC_URL": "https://third.example.com"]
        #expect(try await link(environment: variable) == "https://third.example.com")
    }
}
