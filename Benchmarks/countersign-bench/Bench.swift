import ArgumentParser
import CountersignCore
import CountersignServer
import Foundation

/// `make bench`.
@main struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countersign-bench",
        abstract: "Measure the server, against limits that are measured in the same run.",
        discussion: """
            Each round measures everything once, so that a busy neighbour falls on all alike. The server under measure is \
            a release of `countersign` in its own process, with SQLite on the disk of --scratch. It shares the machine \
            with the generator of the load, so its processor time for each request says more than requests a second.

              countersign-bench --rounds 1 --only jwks --only refresh
              countersign-bench --write Benchmarks/RESULTS.md
            """,
        subcommands: [Measure.self, Hello.self, Issuer.self, Service.self], defaultSubcommand: Measure.self)
}

struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure.", shouldDisplay: false)

    @Option(help: "How often everything is measured.")
    var rounds = 5

    @Option(help: "How long each benchmark is measured in a round.")
    var seconds = 2.0

    @Option(help: ArgumentHelp("Only this one and its limits; may be given again.", valueName: "name"))
    var only: [String] = []

    @Option(help: ArgumentHelp("Leave this one out; may be given again.", valueName: "name"))
    var except: [String] = []

    @Option(help: ArgumentHelp("The program under measure (default: countersign beside this one).", valueName: "file"))
    var server: String?

    @Option(help: ArgumentHelp("Where databases are made and removed; on a real disk.", valueName: "dir"))
    var scratch = ".build/benchmarks"

    @Option(help: "How many users \"many\" are.")
    var many = 100_000

    @Option(help: "How many grants \"many\" are (default: as many as users; with --million a million).")
    var grants: Int?

    @Flag(inversion: .prefixedNo, help: "Measure PostgreSQL too, where it is installed.")
    var postgres = true

    @Flag(inversion: .prefixedNo, help: "Measure another server beside ours (glewlwyd), where it is installed.")
    var peer = false

    @Flag(
        inversion: .prefixedNo,
        help: "Give that server six indexes that its schema lacks, so that its cost does not grow with users.")
    var peerIndexes = true

    @Flag(help: "Print JSON with the figures of every round.")
    var json = false

    @Option(help: ArgumentHelp("Print a comparison with the JSON of an earlier run, too.", valueName: "file"))
    var compare: String?

    @Flag(help: "Measure a million users and grants too, who are made first: some minutes, and some GB of disk.")
    var million = false

    @Option(help: "How many users the console's lists have.")
    var listed = 1_000_000

    @Flag(
        inversion: .prefixedNo,
        help: "Count the servers' allocations, by a library that is compiled and put before the allocator.")
    var allocations = true

    @Option(help: "How many devices wait idle.")
    var idle = 10_000

    @Option(help: ArgumentHelp("Put the figures into this Markdown file.", valueName: "file"))
    var write: String?

    @Option(help: "The date to write down (default: today).")
    var date: String?

    func validate() throws {
        guard rounds >= 1, seconds > 0, seconds <= 60, many >= 100, grants ?? 100 >= 100, idle >= 1, listed >= 100
        else {
            throw ValidationError(
                """
                --rounds and --idle are at least 1, --seconds is more than 0 and at most 60, --many, --grants and \
                --listed at least 100.
                """)
        }
    }

    func run() async throws {
        let earlier = try compare.map { try Comparison.Earlier(file: $0) }
        OpenFiles.allowAll()
        var cases = BenchCase.all
        if !million { cases.removeAll { BenchCase.ofMillion.contains($0.name) && !only.contains($0.name) } }
        if !postgres || PostgresCluster.programs == nil {
            let onPostgres = Set(BenchCase.listsOnPostgres.map(\.name))
            cases.removeAll { $0.section == .postgres || onPostgres.contains($0.name) }
        }
        if !peer || !PeerServer.isInstalled { cases.removeAll { $0.section == .peer } }
        for name in except where !cases.contains(where: { $0.name == name }) {
            throw UnknownCase(name: name, all: cases)
        }
        cases = try BenchCase.chosen(only, of: cases.filter { !except.contains($0.name) })
        let beside = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        let folder = "\(URL(fileURLWithPath: scratch).standardizedFileURL.path)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let machine = Machine.description(scratch: folder)
        let bench = Workbench(
            Workbench.Options(
                server: server ?? beside.appendingPathComponent("countersign").path, scratch: folder,
                seconds: seconds, rounds: rounds, many: many, grants: grants ?? (million ? 1_000_000 : many),
                listed: listed, idle: idle, indexesPeer: peerIndexes,
                allocations: allocations ? AllocationCounter(in: folder) : nil),
            say: Self.say)
        var figures = Figures()
        do {
            for round in 1...rounds {
                await bench.begin(round: round)
                for one in cases {
                    let measured = try await one.measure(bench)
                    figures.add(measured, of: one.name)
                    Self.say("\(round)/\(rounds) \(one.name): \(Self.summary(measured))")
                }
            }
        } catch {
            try? await bench.close()
            throw error
        }
        try await bench.close()
        let report = Report(
            cases: cases, figures: figures, machine: machine, date: date ?? Self.today,
            command: (["countersign-bench"] + CommandLine.arguments.dropFirst()).joined(separator: " "), rounds: rounds)
        print(json ? try report.json : report.markdown)
        if let earlier {
            let comparison = Comparison(cases: cases, figures: figures, earlier: earlier).markdown
            if json { Self.say(comparison) } else { print(comparison) }
        }
        if let write {
            let text = try? String(contentsOfFile: write, encoding: .utf8)
            try Report.replacingFigures(in: text, by: report.markdown)
                .write(toFile: write, atomically: true, encoding: .utf8)
        }
    }

    private static var today: String { String(Date().formatted(.iso8601).prefix(10)) }

    @Sendable private static func say(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    private static func summary(_ measured: [Quantity: [Double]]) -> String {
        Quantity.allCases.compactMap { quantity in
            measured[quantity].flatMap { Spread($0) }.map { "\($0.text) \(quantity.title)" }
        }.joined(separator: ", ")
    }
}
