import CountersignCore
import Foundation

extension SigningKeyRecord: StoredRow {
    static let table = "signing_keys"
    static let columns = "id, algorithm, created_at, retired_at, removed_after, sealed_private_key"

    init(row: inout RowReader) throws {
        let id = try row.text()
        let name = try row.text()
        guard let algorithm = SigningAlgorithm(rawValue: name) else {
            throw row.corrupt("names the unknown algorithm \(name)")
        }
        self.init(
            id: id, algorithm: algorithm, createdAt: try row.date(), retiredAt: try row.optionalDate(),
            removedAfter: try row.optionalDate(), sealedPrivateKey: try row.blob())
    }

    var values: [SQLValue] {
        [
            SQLValue(id), SQLValue(algorithm.rawValue), SQLValue(createdAt), SQLValue(retiredAt),
            SQLValue(removedAfter), SQLValue(sealedPrivateKey),
        ]
    }
}

private enum Statements {
    static let all = SigningKeyRecord.selection("ORDER BY created_at, id")
    static let insertion = SigningKeyRecord.insertion()
    static let update = SQLStatement(
        "UPDATE signing_keys SET retired_at = $2, removed_after = $3, sealed_private_key = $4 WHERE id = $1")
    static let deletion = SQLStatement("DELETE FROM signing_keys WHERE id = $1")
}

extension SQLTransaction {
    public func signingKeys() throws -> [SigningKeyRecord] {
        try select(Statements.all)
    }

    public func insert(_ key: SigningKeyRecord) throws -> Bool {
        locks.noteNew(.signingKeys, key.id)
        return try connection.changes(Statements.insertion, key.values)
    }

    public func update(_ key: SigningKeyRecord) throws -> Bool {
        try locks.note(.signingKeys, key.id)
        return try changes(
            Statements.update, SQLValue(key.id), SQLValue(key.retiredAt), SQLValue(key.removedAfter),
            SQLValue(key.sealedPrivateKey))
    }

    public func deleteSigningKey(_ id: String) throws -> Bool {
        try locks.note(.signingKeys, id)
        return try changes(Statements.deletion, SQLValue(id))
    }
}
