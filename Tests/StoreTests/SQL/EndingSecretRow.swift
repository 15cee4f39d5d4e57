import CountersignCore
import Foundation

@testable import StoreSQL

/// An application as versions of before schema 21 kept it, and when its secret of before ends.
struct EndingSecretRow: Sendable {
    let id: String
    let registration: String
    /// In microseconds; nil where there is none, or it is not told.
    let end: Int64?

    static let migrationsBefore = Migrations(Array(Migrations.all.steps.prefix { $0.name != "ends of secrets" }))

    private static func all() throws -> [EndingSecretRow] {
        func row(
            _ id: String, until end: Date?, isDrawn: Bool = false, named name: String? = nil
        ) throws -> EndingSecretRow {
            var registration = ApplicationRegistration()
            registration.displayName = name
            registration.setSecret(Secret("first"), isDrawn: isDrawn)
            registration.setSecret(Secret("second"), keepingFormerUntil: end)
            let bytes = try registration.stored
            // What a change of the application writes beside it.
            let kept = try ApplicationRegistration(stored: bytes).oauth.formerSecretUntil
            return EndingSecretRow(
                id: id, registration: String(decoding: bytes, as: UTF8.self), end: kept?.microseconds)
        }
        return [
            try row("fraction", until: Date(timeIntervalSince1970: 1_900_000_000.43666)),
            try row("whole", until: Date(timeIntervalSince1970: 1_900_000_001)),
            try row("drawn", until: Date(timeIntervalSince1970: 1_900_000_002.000_001), isDrawn: true),
            try row("none", until: nil),
            // What somebody called an application, or registered beside, does not pass for an end.
            try row("named", until: nil, named: #""formerSecrets":[{"expiresAt":1"#),
            EndingSecretRow(
                id: "nested",
                registration: #"{"oauth":{"formerSecrets":[],"told":{"formerSecrets":[{"expiresAt":900000000}]}}}"#,
                end: nil),
            // PostgreSQL has no text for it, and the server starts all the same.
            EndingSecretRow(
                id: "zero",
                registration: #"{"displayName":"a\u0000b","oauth":{"formerSecrets":[{"expiresAt":900000000}]}}"#,
                end: nil),
        ]
    }

    static func insert(into transaction: any StoreTransaction) throws {
        for row in try all() {
            _ = try raw(
                transaction,
                """
                INSERT INTO applications (id, revision, created_at, registration) \
                VALUES ('\(row.id)', 0, 5, '\(row.registration)')
                """)
        }
    }

    static func ends(in transaction: any StoreTransaction) throws -> [SQLRow] {
        try raw(
            transaction,
            "SELECT id, secret_ends_at FROM applications WHERE secret_ends_at IS NOT NULL ORDER BY secret_ends_at")
    }

    /// The rows that ``ends(in:)`` is to find.
    static func told() throws -> [SQLRow] {
        try all().compactMap { row in row.end.map { (row.id, $0) } }.sorted { $0.1 < $1.1 }
            .map { SQLRow([.text($0.0), .integer($0.1)]) }
    }
}
