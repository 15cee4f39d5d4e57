import ClientHTTP
import Foundation
import Testing

/// One administrator's token for all servers of a database, and for what is restored of it.
@Suite struct AdminTokenTests {
    private func text(_ name: String, in path: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }

    private func status(of url: String, token: String) async throws -> Int {
        let target = try #require(URL(string: "\(url)/admin/v1/keys:list"))
        return try await HTTPClient().post(
            json: [String: String](), to: target,
            headers: ["Authorization": "Bearer \(token.trimmingCharacters(in: .whitespacesAndNewlines))"]
        ).status
    }

    @Test func `A restored directory keeps token and API key`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = directory.url.appendingPathComponent("backup.sqlite").path
        try await directory.run("db", "backup", file, "--with-master-key").expect(0)
        let copy = try TestDirectory()
        try await copy.run("db", "restore", file).expect(0)
        let token = try text("admin-token", in: directory.data)
        try await copy.serving { url, server in
            let (restored, key) = (try text("admin-token", in: copy.data), try text("api-key", in: copy.data))
            let formerKey = try text("api-key", in: directory.data)
            #expect(restored == token && key == formerKey)
            #expect(
                server.errorSoFar.contains(
                    "admin-token was not there: it has the administrator's token of the database"))
            #expect(try await status(of: url, token: token) == 200)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: copy.data + "/admin-token")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        let apps = try await copy.run("app", "list")
        #expect(apps.lines.count == 2, "No second first application is made: \(apps.output)")
    }

    @Test func `A file that says something else says what the database says`() async throws {
        let directory = try await TestDirectory.prepared()
        let token = try text("admin-token", in: directory.data)
        try directory.writePrivately("another\n", to: directory.data + "/admin-token")
        try await directory.serving { url, server in
            let written = try text("admin-token", in: directory.data)
            #expect(written == token)
            #expect(server.errorSoFar.contains("`countersign key rotate-admin-token` makes a new one for all servers"))
            #expect(try await status(of: url, token: "another") == 401)
            #expect(try await status(of: url, token: token) == 200)
        }
    }

    @Test func `A running server takes a new token within seconds`() async throws {
        let directory = try await TestDirectory.prepared()
        try await directory.serving { url, _ in
            let old = try text("admin-token", in: directory.data)
            let rotated = try await directory.run("key", "rotate-admin-token")
            #expect(rotated.status == 0, "\(rotated.error)")
            let new = try text("admin-token", in: directory.data)
            #expect(new != old && !rotated.output.contains(new.trimmingCharacters(in: .newlines)))
            var statuses = [0, 0]
            for _ in 0..<1_200 where statuses != [401, 200] {
                try await Task.sleep(for: .milliseconds(100))
                statuses = [try await status(of: url, token: old), try await status(of: url, token: new)]
            }
            #expect(statuses == [401, 200])
        }
        #expect(try await directory.run("audit", "tail").output.contains("admin-token.replaced"))
    }
}

/// Secrets that every user of the machine may read.
@Suite struct ExposedSecretTests {
    @Test(arguments: ["master-key", "admin-token"])
    func `A secret of the servers own is refused until it is mended`(name: String) async throws {
        let directory = try await TestDirectory.prepared()
        let path = directory.data + "/" + name
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let refused = try await directory.run("serve", "--listen", "127.0.0.1:0")
        #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
        #expect(
            refused.error.contains(
                "\(path) can be read by every user of this machine (mode 644). Make it private with `chmod o-rwx \(path)`."
            ), "\(refused.error)")
        // The command that it names mends it.
        let command = try #require(refused.error.firstMatch(of: #/`(chmod [^`]+)`/#)?.output.1)
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", String(command)]
        try shell.run()
        shell.waitUntilExit()
        try await directory.serving { _, _ in }
    }

    @Test func `Commands refuse a master key that others may read too`() async throws {
        let directory = try await TestDirectory.prepared()
        let path = directory.data + "/master-key"
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: path)
        let refused = try await directory.run("user", "list")
        #expect(refused.status == 1 && refused.error.contains("chmod o-rwx \(path)"), "\(refused.error)")
        // A group is an operator's choice.
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try await directory.run("user", "list").expect(0)
    }
}
