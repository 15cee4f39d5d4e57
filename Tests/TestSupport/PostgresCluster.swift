import CPostgres
import CountersignCore
import Foundation
import Logging
import StorePostgres
import Synchronization

/// A PostgreSQL cluster for the tests of one process: made when first asked for, and gone when the process is, however
/// it ends.
///
/// A shell watches over it and reads commands from a pipe. When the pipe ends – the process returned, crashed or was
/// killed – it stops the server and removes the files.
package final class PostgresCluster: Sendable {
    package struct Unavailable: Error, CustomStringConvertible {
        package let description: String
    }

    private let watcher: Process
    private let commands: FileHandle
    private let replies: FileHandle
    package let directory: String
    package let port: Int
    private let schemas = Mutex(0)

    // MARK: Whether and where

    /// The one that tests share.
    package static func shared() async throws -> PostgresCluster { try await sharing.value }

    /// One for tests that stop it, and start it again. Those that share it run one after the other.
    package static func stoppable() async throws -> PostgresCluster { try await stopping.value }

    /// One for exclusive use.
    package static func ofItsOwn() async throws -> PostgresCluster { try await start() }

    private static let sharing = Task { try await PostgresCluster.start() }
    private static let stopping = Task { try await PostgresCluster.start() }

    /// Whether tests that need it run: where PostgreSQL is installed. With `REQUIRE_POSTGRES=1` they run, and fail, where it
    /// is not; with `REQUIRE_POSTGRES=0` they are skipped everywhere (`make quick`).
    package static let isWanted: Bool =
        switch ProcessInfo.processInfo.environment["REQUIRE_POSTGRES"] {
        case "0": false
        case "1": true
        default: programs != nil
        }
    package static let hint: String =
        "PostgreSQL's programs are not installed; scripts/deps installs them, or POSTGRES_BIN says where they are"

    /// The folder of `initdb` and `postgres`, which Debian keeps out of the search path.
    private static let programs: String? = {
        let environment = ProcessInfo.processInfo.environment
        var folders = [environment["POSTGRES_BIN"]].compactMap { $0 }
        folders += (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for (parent, child) in [
            ("/usr/lib/postgresql", "bin"), ("/opt/homebrew/opt", "bin"), ("/usr/local/opt", "bin"),
        ] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            let versions = names.filter { $0.hasPrefix("postgresql") || $0.allSatisfy(\.isNumber) }
            folders += versions.sorted { $0.localizedStandardCompare($1) == .orderedDescending }
                .map { "\(parent)/\($0)/\(child)" }
        }
        return folders.first { folder in
            ["initdb", "postgres", "pg_isready"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
            }
        }
    }()

    // MARK: Life

    private static func start() async throws -> PostgresCluster {
        try await blocking { try PostgresCluster() }
    }

    private init() throws {
        guard let programs = Self.programs else { throw Unavailable(description: Self.hint) }
        // A short name: the path of a socket has 107 bytes at most, on macOS 103.
        var template = Array("\(try TestRun.directory().path)/pg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Unavailable(description: "no temporary directory") }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // It is away now and then, and begins to listen seconds from now.
        port = try QuietPort.next()

        watcher = Process()
        let shell = ["/bin/sh", "-c", Self.script, "watcher", programs, directory, "\(port)"]
        // The server refuses to be run by root.
        if getuid() == 0 {
            guard let user = getpwnam("postgres"), chown(directory, user.pointee.pw_uid, user.pointee.pw_gid) == 0
            else {
                throw Unavailable(description: "root needs a user named postgres to run the server as")
            }
            watcher.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            watcher.arguments = ["runuser", "-u", "postgres", "--"] + shell
        } else {
            watcher.executableURL = URL(fileURLWithPath: shell[0])
            watcher.arguments = Array(shell.dropFirst())
        }
        watcher.currentDirectoryURL = URL(fileURLWithPath: "/")
        let (input, output) = (Pipe(), Pipe())
        // No other child may hold the end that tells the watcher that this process is gone.
        for handle in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        watcher.standardInput = input
        watcher.standardOutput = output
        commands = input.fileHandleForWriting
        replies = output.fileHandleForReading
        try watcher.run()
        try expect("ready")
    }

    /// Stops the server as an operator would: connections are ended, nothing is lost.
    package func stop() async throws { try await command("stop", "stopped") }

    /// Ends the server as a crash would, without any good-bye.
    package func crash() async throws { try await command("crash", "stopped") }

    /// Kills every process of the server at once (`kill -9`), which leaves them no moment for anything.
    package func kill() async throws { try await command("kill", "stopped") }

    /// Stops every process of the server where it stands (`SIGSTOP`): connections stay open, without answers. Its
    /// kernel goes on accepting new ones.
    package func freeze() async throws { try await command("freeze", "frozen") }

    /// Lets them go on.
    package func thaw() async throws { try await command("thaw", "thawed") }

    /// Makes the server a standby, without a primary, or the primary again; it is started again for that.
    package func becomeStandby() async throws { try await command("standby", "ready") }
    package func becomePrimary() async throws {
        try await run("SELECT pg_promote(true, 600)")
    }

    /// Ends it for good, and removes its files.
    package func end() {
        try? commands.close()
        watcher.waitUntilExit()
    }

    /// Starts it again after `stop`, `crash` or `kill`.
    package func startAgain() async throws { try await command("start", "ready") }

    private func command(_ command: String, _ reply: String) async throws {
        try await blocking { [self] in
            try commands.write(contentsOf: Data("\(command)\n".utf8))
            try expect(reply)
        }
    }

    private func expect(_ reply: String) throws {
        var line = Data()
        while let byte = try replies.read(upToCount: 1), !byte.isEmpty, byte != Data("\n".utf8) { line += byte }
        let text = String(decoding: line, as: UTF8.self)
        guard text == reply else { throw Unavailable(description: "the cluster says '\(text)', not '\(reply)'") }
    }

    // MARK: Use

    /// A place of its own for one store, or for several that are to share it: a schema, which is made in a millisecond
    /// where a database takes a hundred.
    package func emptyDatabase() async throws -> TestDatabase {
        let number = schemas.withLock { number in
            number += 1
            return number
        }
        let name = "test_\(number)"
        try await run("CREATE SCHEMA \(name)")
        return TestDatabase(cluster: self, name: name)
    }

    /// Runs commands as the database's owner.
    package func run(_ command: String) async throws {
        try await blocking { [url = url()] in
            let connection = PQconnectdb(url)
            defer { PQfinish(connection) }
            PQsetNoticeProcessor(connection, { _, _ in }, nil)
            let result = PQexec(connection, command)
            defer { PQclear(result) }
            let status = PQresultStatus(result)
            guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
                throw Unavailable(
                    description: PQerrorMessage(connection).map { String(cString: $0) } ?? "no connection")
            }
        }
    }

    /// - Parameter host: a directory of sockets, or an address.
    package func url(user: String = "postgres", host: String? = nil, options: String = "") -> String {
        let host = (host ?? directory).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgres://\(user)@/postgres?host=\(host)&port=\(port)\(options)"
    }

    /// Locale and collation are those of a language, so that a text that sorts by its bytes does so because the schema
    /// says so. Nothing is worth a wait for the disk.
    private static let script = #"""
        programs=$1 directory=$2 port=$3
        # The end of standard input is the one sign to stop: a Ctrl-C reaches the whole group.
        trap '' INT TERM HUP
        export LC_ALL=C
        make() {
            rm -rf "$directory/data"
            "$programs/initdb" -D "$directory/data" --username=postgres --auth=trust --encoding=UTF8 --no-sync \
                --no-instructions "$@" >"$directory/initdb.log" 2>&1
        }
        # A server without ICU does with the plain locale.
        make --locale-provider=icu --icu-locale=en-US || make || { echo "initdb failed"; exit 1; }
        {
            echo "host all secretive 127.0.0.1/32 scram-sha-256"
            echo "local all all trust"
            echo "host all all 127.0.0.1/32 trust"
        } >"$directory/data/pg_hba.conf"
        {
            echo "listen_addresses = '127.0.0.1'"
            echo "port = $port"
            echo "unix_socket_directories = '$directory'"
            echo "max_connections = 200"
            echo "fsync = off"
            echo "shared_buffers = 32MB"
            # Each look goes through the tables of every schema that a test has made, some forty thousand at the end.
            echo "autovacuum_naptime = 20s"
        } >>"$directory/data/postgresql.conf"
        launch() {
            "$programs/postgres" -D "$directory/data" >>"$directory/log" 2>&1 </dev/null &
            server=$!
        }
        start() {
            launch
            tries=0
            until "$programs/pg_isready" -q -h "$directory" -p "$port"; do
                tries=$((tries + 1))
                if [ "$tries" -gt 12000 ]; then
                    echo "the server does not start: $(tail -n 1 "$directory/log")"
                    return
                fi
                if ! kill -0 "$server" 2>/dev/null; then
                    case $(tail -n 1 "$directory/log") in
                    # Those that were killed end when the machine has time for it.
                    *"old server processes"*) launch ;;
                    *)
                        echo "the server does not start: $(tail -n 1 "$directory/log")"
                        return
                        ;;
                    esac
                fi
                sleep 0.05
            done
            echo ready
        }
        stop() {
            kill "-$1" "$server"
            wait "$server"
        }
        # The first process goes first and comes last, so that it makes no more of them meanwhile.
        children() { ps -A -o pid= -o ppid= | awk -v parent="$server" '$2 == parent { print $1 }'; }
        freeze() {
            kill -STOP "$server"
            kill -STOP $(children) 2>/dev/null
        }
        thaw() {
            kill -CONT $(children) 2>/dev/null
            kill -CONT "$server"
        }
        # The first process stands still meanwhile, so that it makes no more of them.
        slay() {
            kill -STOP "$server"
            kill -KILL "$server" $(ps -A -o pid= -o ppid= | awk -v parent="$server" '$2 == parent { print $1 }')
            wait "$server" 2>/dev/null
        }
        start
        while read -r command; do
            case $command in
            stop) stop INT; echo stopped ;;
            crash) stop QUIT; echo stopped ;;
            kill) slay; echo stopped ;;
            freeze) freeze; echo frozen ;;
            thaw) thaw; echo thawed ;;
            standby) stop INT; touch "$directory/data/standby.signal"; start ;;
            start) start ;;
            esac
        done
        thaw 2>/dev/null
        stop QUIT 2>/dev/null
        rm -rf "$directory"
        """#
}

extension PostgresStore.Options {
    /// Nothing runs out of time, however slow the machine is and however long a test holds a transaction.
    package static var patient: Self {
        var options = Self()
        options.patience = .seconds(600)
        options.statementTimeout = .seconds(600)
        options.transactionTimeout = .seconds(600)
        options.idleTimeout = .seconds(600)
        return options
    }
}

/// One schema of the cluster.
package struct TestDatabase: Sendable {
    package let cluster: PostgresCluster
    /// Of the schema, and of the application that its stores say they are.
    package let name: String

    package var url: Secret<String> { url() }

    package func url(options: String = "") -> Secret<String> {
        Secret(cluster.url(options: "&application_name=\(name)&options=-csearch_path%3D\(name)\(options)"))
    }

    package func open(_ options: PostgresStore.Options = .patient) async throws -> PostgresStore {
        // What goes on is told by errors; the log's story of a restart would only hide it.
        try await PostgresStore.open(
            url: url, options: options, logger: Logger(label: name, factory: { _ in SwiftLogNoOpLogHandler() }))
    }

    /// Ends the connections of the schema's stores that the condition picks.
    package func endConnections(where condition: String = "true") async throws {
        try await cluster.run(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
            WHERE application_name = '\(name)' AND \(condition)
            """)
    }

    /// Waits until a store of the schema has a commit under way, for ten minutes at most.
    package func isCommitting() async throws {
        try await cluster.run(
            """
            DO $$ BEGIN FOR look IN 1..12000 LOOP \
            IF EXISTS (SELECT FROM pg_stat_activity \
            WHERE application_name = '\(name)' AND query = 'COMMIT' AND state = 'active') THEN RETURN; END IF; \
            PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.05); END LOOP; \
            RAISE EXCEPTION 'no commit is under way'; END $$
            """)
    }

    /// Runs commands inside the schema.
    package func run(_ command: String) async throws {
        try await cluster.run("SET search_path = \(name); \(command)")
    }
}

private func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "postgres.cluster").async {
            continuation.resume(with: Result(catching: work))
        }
    }
}
