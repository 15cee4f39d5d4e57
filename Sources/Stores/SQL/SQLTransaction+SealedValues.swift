import CountersignCore
import Foundation

/// Where a place's sealed values are. A place without an answer here does not compile.
struct SealedColumn {
    let table: String
    let key: String
    let column: String
    /// Whether the key is bytes, which addresses have in hexadecimal.
    var hasBinaryKey = false
    /// Whether the row counts its changes: then a transaction that read it before finds that it changed.
    var hasRevision = false

    init(_ place: SealedPlace) {
        switch place {
        case .factor: self.init("factors", "id", "payload", hasRevision: true)
        case .flow: self.init("flows", "digest", "body", hasBinaryKey: true, hasRevision: true)
        case .clientRegistration: self.init(ClientRecord.Kind.registration)
        case .checkState: self.init(ClientRecord.Kind.checkState)
        case .refreshFamily: self.init(ClientRecord.Kind.refreshFamily)
        case .grant: self.init("grants", "id", "sealed_current", hasRevision: true)
        case .authorizationCode: self.init("authorization_codes", "digest", "body", hasBinaryKey: true)
        case .signingKey: self.init("signing_keys", "id", "sealed_private_key")
        case .outbox: self.init("outbox_messages", "id", "sealed_content")
        case .secret: self.init("secrets", "name", "sealed_value")
        }
    }

    private init(_ kind: ClientRecord.Kind) {
        self.init(kind.table, "digest", "body", hasBinaryKey: true, hasRevision: true)
    }

    private init(
        _ table: String, _ key: String, _ column: String, hasBinaryKey: Bool = false, hasRevision: Bool = false
    ) {
        self.table = table
        self.key = key
        self.column = column
        self.hasBinaryKey = hasBinaryKey
        self.hasRevision = hasRevision
    }

    /// Nil where the text is no key of this table.
    func value(of key: String) -> SQLValue? {
        hasBinaryKey ? Data(hexadecimal: key).map { SQLValue($0) } : SQLValue(key)
    }
}

extension SQLTransaction {
    // Run by the replacement of the master key alone, so that the statements are not kept.
    public func sealedRows(
        in place: SealedPlace, after key: String?, except name: Data?, limit: Int
    ) throws -> [SealedRow] {
        let column = SealedColumn(place)
        guard let after = column.value(of: key ?? "") else { return [] }
        // What need not be read is not fetched.
        let statement = SQLStatement.once(
            """
            SELECT \(column.key), \
            CASE WHEN substr(\(column.column), 2, \(SealedRow.nameByteCount)) = $2 THEN NULL ELSE \(column.column) END \
            FROM \(column.table) WHERE \(column.key) > $1 AND \(column.column) IS NOT NULL ORDER BY \(column.key) LIMIT $3
            """)
        var rows: [SealedRow] = []
        try connection.query(statement, [after, SQLValue(name ?? Data()), SQLValue(limit: limit)]) { columns in
            var reader = RowReader(columns, table: column.table)
            let key = column.hasBinaryKey ? try reader.blob().hex : try reader.text()
            rows.append(SealedRow(address: SealedAddress(place, key: key), sealed: try reader.optionalBlob()))
        }
        return rows
    }

    public func replaceSealed(_ present: Data, at address: SealedAddress, with sealed: Data) throws -> Bool {
        let column = SealedColumn(address.place)
        guard let key = column.value(of: address.key) else { return false }
        return try changes(
            .once(
                """
                UPDATE \(column.table) SET \(column.hasRevision ? "revision = revision + 1, " : "")\
                \(column.column) = $3 WHERE \(column.key) = $1 AND \(column.column) = $2
                """), key, SQLValue(present), SQLValue(sealed))
    }
}

extension SealedRow {
    /// Bytes of a key's name, after the version.
    fileprivate static let nameByteCount = 4
}

extension Data {
    /// Nil where the text is not hexadecimal.
    fileprivate init?(hexadecimal text: String) {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self.init(bytes)
    }
}
