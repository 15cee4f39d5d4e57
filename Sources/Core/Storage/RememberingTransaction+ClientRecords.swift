import Foundation

extension RememberingTransaction {
    func clientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> ClientRecord? {
        try row(&clientRecords, ClientKey(kind: kind, digest: digest)) { try $0.clientRecord(kind, digest: digest) }
    }

    func clientRecords(_ kind: ClientRecord.Kind, _ range: ListRange<Data>) throws -> [ClientRecord] {
        try base.clientRecords(kind, range)
    }

    func clientRecords(_ kind: ClientRecord.Kind, of user: UserID, limit: Int) throws -> [ClientRecord] {
        try base.clientRecords(kind, of: user, limit: limit)
    }

    func insert(_ record: ClientRecord) throws -> Bool {
        clientRecords[ClientKey(kind: record.kind, digest: record.digest)] = nil
        return try base.insert(record)
    }

    func update(_ record: ClientRecord) throws -> Bool {
        let key = ClientKey(kind: record.kind, digest: record.digest)
        clientRecords[key] = nil
        guard try base.update(record) else { return false }
        var kept = record
        kept.revision += 1
        clientRecords[key] = .some(kept)
        return true
    }

    func deleteClientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> Bool {
        clientRecords[ClientKey(kind: kind, digest: digest)] = nil
        return try base.deleteClientRecord(kind, digest: digest)
    }

    func deleteClientRecords(_ kind: ClientRecord.Kind, expiredBefore instant: Date, limit: Int) throws -> Int {
        clientRecords = [:]
        return try base.deleteClientRecords(kind, expiredBefore: instant, limit: limit)
    }
}
