import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct DbCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    private func keys(_ url: String) async throws -> Data {
        let target = try #require(URL(string: "\(url)/.well-known/jwks.json"))
        return try await URLSession.shared.data(from: target).0
    }

    @Test func `A backup taken while the server runs is restored with its sealed keys`() async throws {
        let file = directory.url.appendingPathComponent("backup.sqlite").path
        let password = try directory.write("a quiet afternoon", to: "password")
        let before = try await directory.serving { url, _ in
            let added = try await directory.run("user", "add", "ada@example.com", "--password-file", password)
            #expect(added.status == 0, "\(added.error)")
            let backup = try await directory.run("db", "backup", file, "--with-master-key")
            #expect(backup.status == 0, "\(backup.error)")
            #expect(backup.lines == ["Wrote \(file) and \(file).master-key."])
            // What comes later is not in it.
            _ = try await directory.run("user", "add", "later@example.com", "--password-file", password)
            return try await keys(url)
        }
        for path in [file, "\(file).master-key"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(path)")
        }

        let other = directory.url.appendingPathComponent("restored").path
        let restored = try await Program.run(["db", "restore", file, "--data", other], in: directory)
        #expect(restored.status == 0, "\(restored.error)")
        let check = try await Program.run(["db", "check", "--data", other, "--json"], in: directory)
        #expect(try check.json()["faults"] as? [String] == [])
        let users = try await Program.run(["user", "list", "--data", other], in: directory)
        #expect(users.output.contains("ada@example.com"))
        #expect(!users.output.contains("later@example.com"))

        let server = try Program.start(["serve", "--data", other, "--listen", "127.0.0.1:0"], in: directory)
        let line = try await server.line { $0.hasPrefix("listening on ") }
        let url = try #require(line?.dropFirst("listening on ".count))
        #expect(try await keys(String(url)) == before, "The signing keys open with the restored master key.")
        server.terminate()
        _ = await server.transcript()
    }

    @Test func `Nothing is overwritten`() async throws {
        let file = try directory.write("mine", to: "backup.sqlite")
        let backup = try await directory.run("db", "backup", file)
        #expect(backup.status == 1, "A file that is in the way is no failure of the store: \(backup)")
        #expect(
            backup.error
                == "countersign: \(file) exists already, and nothing is overwritten. Name another, or move it away.\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        let other = directory.url.appendingPathComponent("other.sqlite").path
        let key = try directory.write("mine", to: "other.sqlite.master-key")
        let withKey = try await directory.run("db", "backup", other, "--with-master-key")
        #expect(withKey.status == 1 && withKey.error.contains("\(key) exists already"), "\(withKey)")
        #expect(!FileManager.default.fileExists(atPath: other))
        let restore = try await directory.run("db", "restore", file)
        #expect(restore.status == 1, "\(restore)")
        #expect(restore.error.contains("exists already") && !restore.error.contains("The store"))
    }

    @Test func `What is no backup makes no database`() async throws {
        let file = try directory.write("this is no database", to: "nonsense.sqlite")
        let other = directory.url.appendingPathComponent("restored").path
        let restore = try await Program.run(["db", "restore", file, "--data", other], in: directory)
        #expect(restore.status == 3, "\(restore.output)")
        #expect(!FileManager.default.fileExists(atPath: other + "/countersign.sqlite"))
        let missing = try await Program.run(["db", "restore", file + "x", "--data", other], in: directory)
        #expect(missing.status == 3, "\(missing)")
    }

    @Test func `A sound database is sound and up to date`() async throws {
        #expect(try await directory.run("db", "check").lines == ["The database is sound."])
        #expect(try await directory.run("db", "migrate").lines == ["The schema is up to date."])
        let remote = try await Program.run(["db", "check", "--server", "http://127.0.0.1:1"], in: directory)
        #expect(remote.status == 2, "\(remote)")
        let nowhere = try await Program.run(["db", "check", "--data", "nowhere"], in: directory)
        #expect(nowhere.status == 3, "\(nowhere)")
    }
}
