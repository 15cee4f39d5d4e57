import CountersignCore
import Foundation
import TestSupport
import Testing

/// Whether `make endurance` runs the tests, which then take their time.
enum Endurance {
    /// `ENDURANCE_ROUNDS`; nil in `make test`.
    static let rounds = ProcessInfo.processInfo.environment["ENDURANCE_ROUNDS"].flatMap { Int($0) }

    /// Hashes that cost nearly nothing: a server would mostly be amid one, and not amid what is tried. `BurstTests` alone wants them at
    /// their default cost in `make endurance`.
    static let cheapHashes = ["COUNTERSIGN_PASSWORDS_MEMORY_MIB": "1", "COUNTERSIGN_PASSWORDS_OPERATIONS": "1"]

    /// Prints what was measured, for docs/scale.md.
    static func report(_ sentence: String) {
        if rounds != nil { print(sentence) }
    }
}

/// What a server keeps everything in.
enum Database: CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgres

    /// Both, where PostgreSQL is installed or must be.
    static let available: [Database] = PostgresCluster.isWanted ? allCases : [.sqlite]

    var testDescription: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgres: "PostgreSQL"
        }
    }

    /// What to start a server with, so that it has an empty one.
    func arguments() async throws -> [String] {
        switch self {
        case .sqlite: []
        case .postgres: ["--database", try await PostgresCluster.shared().emptyDatabase().url.reveal()]
        }
    }
}
