import Foundation
import StoreSQLite
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
        let good = directory.url.appendingPathComponent("good.sqlite").path
        #expect(try await directory.run("db", "backup", good).status == 0)
        let restore = try await directory.run("db", "restore", good)
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

    /// An empty file and a database of another program are databases to SQLite: they would be restored as a server without users.
    @Test func `What has nothing of Countersign in it is no backup`() async throws {
        let empty = try directory.write("", to: "empty.sqlite")
        let other = directory.url.appendingPathComponent("other.sqlite").path
        let store = try await SQLiteStore.open(path: other)
        try await store.close()
        for file in [empty, other, "."] {
            let restore = try await Program.run(["db", "restore", file, "--data", "restored"], in: directory)
            #expect(restore.status == 3 && restore.output.isEmpty, "\(file): \(restore)")
            #expect(
                restore.error
                    == "countersign: \(file) is no backup of Countersign. Name the file that `countersign db backup` wrote.\n"
            )
            let database = directory.url.appendingPathComponent("restored/countersign.sqlite").path
            #expect(!FileManager.default.fileExists(atPath: database))
        }
    }

    /// Copied as it is, a link would make the backup the server's database, or lead nowhere.
    @Test func `A link to a backup restores what it leads to`() async throws {
        try await directory.run("user", "add", "ada@example.com").expect(0)
        let file = directory.url.appendingPathComponent("backup.sqlite").path
        try await directory.run("db", "backup", file, "--with-master-key").expect(0)
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        let link = directory.url.appendingPathComponent("latest.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "backup.sqlite")
        try await Program.run(["db", "restore", link, "--data", "restored"], in: directory).expect(0)
        let restored = directory.url.appendingPathComponent("restored/countersign.sqlite").path
        let type = try FileManager.default.attributesOfItem(atPath: restored)[.type] as? FileAttributeType
        #expect(type == .typeRegular)
        let users = try await Program.run(["user", "list", "--data", "restored"], in: directory)
        #expect(users.output.contains("ada@example.com"), "\(users)")
        try await Program.run(["user", "add", "later@example.com", "--data", "restored"], in: directory).expect(0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before, "The backup stays as it is.")
    }

    @Test func `The database of a server is not restored without what it wrote last`() async throws {
        let copy = directory.url.appendingPathComponent("copy.sqlite").path
        try await directory.run("db", "backup", copy).expect(0)
        _ = try directory.write("what was written last", to: "copy.sqlite-wal")
        let restore = try await Program.run(["db", "restore", copy, "--data", "restored"], in: directory)
        #expect(restore.status == 3, "\(restore)")
        #expect(restore.error.contains("\(copy)-wal has what was written last"), "\(restore.error)")
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
