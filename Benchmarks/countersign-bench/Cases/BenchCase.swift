/// One thing that is measured, once in every round.
struct BenchCase: Sendable {
    /// The tables of the report.
    enum Section: String, CaseIterable, Sendable {
        case inProcess = "In one process"
        case http = "Over HTTP, 64 connections"
        case guarded = "A resource behind a scope, 64 connections"
        case peer = "Beside another server, glewlwyd 2.7 (--peer), 64 connections"
        case postgres = "With PostgreSQL, 64 connections"
        case mixed = "A cheap GET while eight clients sign in"
        case push = "From the sign-in to the device that polls, one after another"
        case size = "From few users to many"
        case lists = "The console's lists among a million users (--listed), one connection"
        case idle = "Waiting for nothing"
        case syncs = "Syncs, counted by strace in a load of its own"
        case start = "Start"
        case memory = "Memory"
    }

    /// Another case that cannot be beaten, or should not be.
    struct Limit: Sendable {
        let name: String
        var quantity = Quantity.perSecond
        /// Whether the other is divided by this one: ours by another server's.
        var isInverse = false
    }

    let name: String
    let title: String
    let section: Section
    var limits: [Limit] = []
    let measure: @Sendable (Workbench) async throws -> [Quantity: [Double]]

    /// Those that are asked for, with their limits, in the order of all; all where none is named.
    static func chosen(_ names: [String], of all: [BenchCase]) throws -> [BenchCase] {
        guard !names.isEmpty else { return all }
        for name in names where !all.contains(where: { $0.name == name }) { throw UnknownCase(name: name, all: all) }
        let wanted = Set(names).union(all.filter { names.contains($0.name) }.flatMap { $0.limits.map(\.name) })
        return all.filter { wanted.contains($0.name) }
    }
}

struct UnknownCase: Error, CustomStringConvertible {
    let name: String
    let all: [BenchCase]
    var description: String {
        "There is no benchmark \"\(name)\". There are: \(all.map(\.name).joined(separator: ", "))."
    }
}
