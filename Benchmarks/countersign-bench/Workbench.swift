import CountersignCore
import CountersignServer
import Foundation
import PasswordHashing
import StoreSQLite

/// Everything that cases share: the servers under measure with their people, the load generator, the folder for
/// databases. Servers are started when the first case asks for them, and stay for all rounds.
actor Workbench {
    let options: Options
    let load = Load()
    private(set) var round = 1
    private let say: @Sendable (String) -> Void
    private var subjects: [Subject.Kind: Subject] = [:]
    private var bare: ServerProcess?
    private var clusters: [Subject.Kind: PostgresCluster] = [:]
    private var sink: MailSink?
    private var peer: PeerServer?
    private var resources: ResourceServers?
    /// Starts of the present round have directories of their own.
    private var directories = 0
    /// What browsers that are signed in carry.
    private(set) var cookies: [Subject.Kind: [String]] = [:]
    private var lastCodes: [Subject.Kind: Int] = [:]
    private var offsets: [Subject.Kind: Int] = [:]
    /// Where pages begin, which are walked to once.
    private var places: [Subject.Kind: [List: [String]]] = [:]

    struct Options: Sendable {
        /// The program under measure.
        var server: String
        /// Where databases are; on the disk that they will be on.
        var scratch: String
        /// How long each case is measured in each round.
        var seconds: Double
        var rounds: Int
        /// How many people "many" are.
        var many: Int
        /// How many grants "many" are.
        var grants: Int
        /// How many users the console's lists have.
        var listed: Int
        /// How many devices wait idle.
        var idle: Int
        /// Whether the other server has indexes that its schema lacks.
        var indexesPeer: Bool
        /// Nil where allocations are not counted.
        var allocations: AllocationCounter?

        /// For the ones whose turn comes once: as many as a fast machine gets through.
        func people(perSecond: Int) -> Int { max(8, Int(Double(perSecond) * seconds)) }
    }

    init(_ options: Options, say: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.say = say
    }

    func begin(round: Int) { self.round = round }

    // MARK: Servers

    /// A server under measure, with its people.
    struct Subject: Sendable {
        /// Which data, and which cost of hashing.
        enum Kind: String, Sendable {
            /// The least that the configuration allows: 1 MiB, one pass.
            case minimum
            case standard
            case few
            case many
            /// A million.
            case million
            /// Devices that wait, and nothing else.
            case idle
            case postgres
            /// People with a device that is asked, in place of an authenticator.
            case devices
            /// People with nothing but an address, to which codes go.
            case mailed
            /// Browsers that are signed in, and applications of OAuth.
            case web
            /// The same, with many grants of others.
            case webMany
            /// People with a passkey beside password and authenticator.
            case passkeys
            /// Users for the console's lists, and an owner whose browser is signed in.
            case listed, listedPostgres

            var hasLeastHash: Bool { self != .standard }
            var isOnPostgres: Bool { self == .postgres || self == .listedPostgres }
        }

        let server: ServerProcess
        let realm: BenchRealm
        let adminToken: String
        /// Those whose turn has not come.
        let people: Turns
        let count: Int
    }

    func subject(_ kind: Subject.Kind) async throws -> Subject {
        if let known = subjects[kind] { return known }
        let count = count(of: kind)
        let others = kind == .webMany ? ", and \(options.grants) grants of others," : ""
        say("making \(count) people\(others) for the server \"\(kind.rawValue)\"")
        let directory = try DataDirectory(path: "\(options.scratch)/\(kind.rawValue)")
        var database: Secret<String>?
        if kind.isOnPostgres {
            let fresh = try await PostgresCluster(in: options.scratch, name: kind.rawValue)
            clusters[kind] = fresh
            database = Secret(fresh.url)
        }
        let hashing = kind.hasLeastHash ? Self.leastHashing : Argon2idParameters()
        let opened = try await OpenedRealm.open(directory, database: database, hashing: hashing)
        switch kind {
        case .devices, .idle: try await BenchDevice.add(0..<count, to: opened.realm)
        case .mailed: try await SigningInByMail.prepare(0..<count, in: opened.realm)
        case .web, .webMany:
            cookies[kind] = try await WebBrowsers.prepare(
                count, grants: kind == .webMany ? options.grants : 10, in: opened.realm)
        case .passkeys:
            try await Person.add(0..<count, to: opened.realm)
            try await SigningInByPasskey.prepare(0..<count, in: opened.realm)
        case .listed, .listedPostgres: cookies[kind] = [try await Listed.prepare(count, in: opened.realm)]
        default: try await Person.add(0..<count, to: opened.realm)
        }
        try await opened.close()
        // As the database does by itself within minutes of such an import.
        if kind == .listedPostgres { try await clusters[kind]?.analyze() }
        let subject = Subject(
            server: try await serve(directory, kind),
            realm: BenchRealm(apiKey: try text(of: directory.apiKeyPath)),
            adminToken: try text(of: directory.adminTokenPath), people: Turns(0..<count), count: count)
        subjects[kind] = subject
        return subject
    }

    static let leastHashing = Argon2idParameters(memoryKiB: 1024, operations: 1)

    private func count(of kind: Subject.Kind) -> Int {
        let perRound =
            switch kind {
            case .minimum: options.people(perSecond: 3600) + 200
            case .postgres: options.people(perSecond: 2000) + 200
            case .standard: options.people(perSecond: 500) + 200
            case .devices: options.people(perSecond: 1300) + 200
            case .passkeys: options.people(perSecond: 2000) + 200
            case .mailed: options.people(perSecond: 1000)
            case .few, .many, .million, .idle, .listed, .listedPostgres: 0
            case .web, .webMany: WebBrowsers.count
            }
        return switch kind {
        case .few: 100
        case .many: options.many
        case .million: 1_000_000
        case .idle: options.idle
        case .listed, .listedPostgres: options.listed
        case .minimum: perRound * (options.rounds + 1)
        case .web, .webMany: perRound
        default: perRound * options.rounds
        }
    }

    private func serve(_ directory: DataDirectory, _ kind: Subject.Kind) async throws -> ServerProcess {
        // Every user has a separate address, as a proxy would report it.
        var environment = ["COUNTERSIGN_TLS_ENDED_BY_PROXY": "true", "COUNTERSIGN_LOG_LEVEL": "warning"]
        if kind.hasLeastHash {
            environment["COUNTERSIGN_PASSWORDS_MEMORY_MIB"] = "\(Self.leastHashing.memoryKiB / 1024)"
            environment["COUNTERSIGN_PASSWORDS_OPERATIONS"] = "\(Self.leastHashing.operations)"
        }
        if let cluster = clusters[kind] { environment["COUNTERSIGN_DATABASE"] = cluster.url }
        if kind == .mailed {
            environment["COUNTERSIGN_MAIL_FROM"] = "login@bench.example"
            environment["COUNTERSIGN_MAIL_SMTP_URL"] = "smtp://127.0.0.1:\(try await mailSink().port)"
            environment["COUNTERSIGN_MAIL_SMTP_ENCRYPTION"] = "none"
        }
        if kind == .idle {
            // Each device is a connection, all from this machine.
            environment["COUNTERSIGN_HTTP_MAX_CONNECTIONS_PER_SOURCE"] = "\(options.idle + 100)"
        }
        return try await ServerProcess(
            options.server, ["serve", "--listen", "127.0.0.1:0", "--data", directory.path], environment: environment,
            allocations: options.allocations?.environment(for: kind.rawValue))
    }

    /// Where mails go.
    func mailSink() async throws -> MailSink {
        if let sink { return sink }
        let fresh = try await MailSink()
        sink = fresh
        return fresh
    }

    /// Another server, which is measured beside ours.
    func peerServer() async throws -> PeerServer {
        if let peer { return peer }
        let count = (options.people(perSecond: 1800) + 200) * options.rounds
        say("making \(count) people for the peer")
        let fresh = try await PeerServer(
            in: options.scratch, people: count, indexed: options.indexesPeer, load: load)
        peer = fresh
        return fresh
    }

    /// Servers with something behind a scope.
    func resourceServers() async throws -> ResourceServers {
        if let resources { return resources }
        let fresh = try await ResourceServers(in: options.scratch, allocations: options.allocations)
        resources = fresh
        return fresh
    }

    /// The limit of all requests.
    func bareServer() async throws -> ServerProcess {
        if let bare { return bare }
        let server = try await ServerProcess(
            ProcessInfo.processInfo.arguments[0], ["hello"],
            allocations: options.allocations?.environment(for: "hello"))
        bare = server
        return server
    }

    /// Where the database of the PostgreSQL server is.
    var postgresURL: String? { clusters[.postgres]?.url }

    /// A list whose pages are turned.
    enum List: String, Sendable {
        case users = "users:search"
        case log = "audit:search"

        /// What the operation calls the place where a page begins; the console says `after`.
        var member: String { self == .users ? "after" : "before" }
    }

    /// Where the pages of a list begin, but for the first: by turning a thousand pages, once.
    func places(_ list: List, _ subject: Subject, _ kind: Subject.Kind) async throws -> [String] {
        if let known = places[kind]?[list] { return known }
        let found = Collected<String>()
        _ = try await load.run(port: subject.server.port, connections: 1, seconds: 600) { _ in
            TurningPages(
                list.rawValue, member: list.member, bearer: subject.adminToken, pages: Listed.farPage - 1, places: found
            )
        }
        places[kind, default: [:]][list] = found.all
        return found.all
    }

    /// Waits until the next codes, where few users would reuse theirs.
    func waitForFreshCodes(_ kind: Subject.Kind) async throws {
        let period = 30.0
        if let last = lastCodes[kind] {
            while Int(Date().timeIntervalSince1970 / period) <= last { try await Task.sleep(for: .milliseconds(200)) }
        }
        lastCodes[kind] = Int(Date().timeIntervalSince1970 / period)
    }

    /// A number that is another one each time: few of many people are others each time.
    func nextOffset(_ kind: Subject.Kind) -> Int {
        defer { offsets[kind, default: 0] += 1 }
        return offsets[kind, default: 0]
    }

    /// Starts a server on a directory and stops it again.
    /// - Parameter isFresh: there is nothing yet, and everything has to be made.
    func start(isFresh: Bool) async throws -> (milliseconds: Double, memory: (resident: Double, proportional: Double)?)
    {
        let path: String
        if isFresh {
            directories += 1
            path = "\(options.scratch)/fresh-\(directories)"
        } else {
            path = "\(options.scratch)/existing"
            if !FileManager.default.fileExists(atPath: path) {
                try await OpenedRealm.open(DataDirectory(path: path)).close()
            }
        }
        let clock = ContinuousClock()
        let start = clock.now
        let server = try await ServerProcess(
            options.server, ["serve", "--listen", "127.0.0.1:0", "--data", path, "--log-level", "warning"])
        _ = try await load.run(port: server.port, connections: 1, seconds: 10) { _ in Getting("/health/live", times: 1)
        }
        let milliseconds = (clock.now - start) / .milliseconds(1)
        let memory = server.figures.memory
        await server.stop()
        return (milliseconds, memory)
    }

    private func text(of path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Ends all servers and removes what they kept.
    func close() async throws {
        for subject in subjects.values { await subject.server.stop() }
        await bare?.stop()
        await peer?.server.stop()
        await resources?.stop()
        try? await sink?.close()
        for cluster in clusters.values { await cluster.stop() }
        try await load.shutDown()
        try? FileManager.default.removeItem(atPath: options.scratch)
    }

    // MARK: Measuring

    /// Runs a load against a server, and says what it cost the two.
    func measure(
        _ server: ServerProcess, connections: Int = 64, seconds: Double? = nil,
        _ script: @escaping @Sendable (Int) throws -> any Script
    ) async throws -> Measured {
        let allocated = server.allocations?.calls
        let before = (server.figures.processorSeconds, ProcessFigures.ofThisProcess.processorSeconds)
        let (outcome, instructions) = try await InstructionCounter.count(of: server.identifier) {
            try await load.run(
                port: server.port, connections: connections, seconds: seconds ?? options.seconds, script)
        }
        let after = (server.figures.processorSeconds, ProcessFigures.ofThisProcess.processorSeconds)
        guard outcome.operations > 0 else { throw NothingMeasured() }
        let count = Double(outcome.operations)
        var result = Measured(operations: outcome.operations)
        result.quantities = [
            .perSecond: [outcome.perSecond], .medianLatency: [outcome.latency(0.5)],
            .p99Latency: [outcome.latency(0.99)],
        ]
        if let from = before.0, let to = after.0 {
            result.quantities[.serverMicroseconds] = [(to - from) / count * 1e6]
        }
        if let from = allocated, let to = server.allocations?.calls {
            result.quantities[.allocationsEach] = [(to - from) / count]
        }
        if let instructions { result.quantities[.kiloInstructions] = [instructions / count / 1000] }
        if let from = before.1, let to = after.1 {
            result.quantities[.clientMicroseconds] = [(to - from) / count * 1e6]
        }
        return result
    }

    /// The same, with what the server's store did meanwhile.
    func measure(
        _ subject: Subject, connections: Int = 64, _ script: @escaping @Sendable (Int) throws -> any Script
    ) async throws -> Measured {
        let before = try await storeCounts(of: subject)
        var result = try await measure(subject.server, connections: connections, script)
        let after = try await storeCounts(of: subject)
        for (quantity, name) in [(Quantity.writesEach, "writes"), (.commitsEach, "commits")] {
            let name = "countersign_store_\(name)_total"
            if let from = before[name], let to = after[name] {
                result.quantities[quantity] = [(to - from) / Double(result.operations)]
            }
        }
        return result
    }

    struct Measured: Sendable {
        let operations: Int
        var quantities: [Quantity: [Double]] = [:]
    }

    struct NothingMeasured: Error, CustomStringConvertible {
        let description = "No user was due, so nothing was measured. Give it more --seconds."
    }

    /// Gives many people's passwords, whose codes are then waited for.
    func waiting(_ subject: Subject, _ people: Turns) async throws -> Collected<Waiting> {
        let waiting = Collected<Waiting>()
        _ = try await load.run(port: subject.server.port, connections: 64, seconds: 600) { _ in
            GivingPassword(realm: subject.realm, people: people, waiting: waiting)
        }
        return waiting
    }

    /// What `/metrics` says.
    private func storeCounts(of subject: Subject) async throws -> [String: Double] {
        let answers = Collected<String>()
        _ = try await load.run(port: subject.server.port, connections: 1, seconds: 10) { _ in
            Asking("/metrics", bearer: subject.adminToken, answers: answers)
        }
        var counts: [String: Double] = [:]
        for line in (answers.take() ?? "").split(separator: "\n") where line.hasPrefix("countersign_store_") {
            let parts = line.split(separator: " ")
            if parts.count == 2 { counts[String(parts[0])] = Double(parts[1]) }
        }
        return counts
    }
}
