import CountersignCore
import Foundation
import TestSupport
import Testing

/// Whether `make endurance` runs the tests, which then take their time.
enum Endurance {
    /// `ENDURANCE_ROUNDS`; nil in `make test`.
    static let rounds = ProcessInfo.processInfo.environment["ENDURANCE_ROUNDS"].flatMap { Int($0) }

    /// What a password hash costs: nearly nothing, or in `make endurance` its default cost.
    static let hashing: [String: String] = rounds == nil ? cheapHashes : [:]
    /// Hashes that cost nearly nothing in `make endurance` too, where a process is killed: it would mostly be amid a hash, and not amid
    /// what it writes.
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
