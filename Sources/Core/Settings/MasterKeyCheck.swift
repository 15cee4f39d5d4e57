import Foundation

extension Realm {
    /// Makes sure that the key which this database is sealed with is here, before anything is sealed with another.
    /// - Throws: ``SealingError`` where it is not.
    public func checkMasterKey() async throws {
        let fresh = try MasterKeys.check(of: 0, under: sealer.keys.all[0], random: random)
        let (sealer, now) = (sealer, clock.now)
        // A read-only database can still be read.
        let (isThere, isDated) = try await store.read { transaction in
            guard try transaction.document(MasterKeys.checkDocument) != nil else { return (false, false) }
            let key = try sealer.keys.current(in: transaction)
            return (true, try MasterKeyAge.read(transaction)?.id == key.id)
        }
        if isThere, isDated { return }
        do {
            try await store.write { transaction in
                if try transaction.document(MasterKeys.checkDocument) == nil {
                    try transaction.putDocument(MasterKeys.checkDocument, fresh)
                }
                let key = try sealer.keys.current(in: transaction)
                if try MasterKeyAge.read(transaction)?.id != key.id {
                    try transaction.putDocument(
                        MasterKeyAge.document, MasterKeyAge(id: key.id, since: now).stored)
                }
            }
        } catch let error as StoreError where isThere && error.code == .readOnly {
            return
        }
    }

    /// Asks the store for the key that seals now, and looks for it where it is not here.
    /// - Throws: ``SealingError`` where it is not found; ``StoreError`` where the store does not answer.
    public func seekMasterKey() async throws {
        let keys = sealer.keys
        _ = try await store.read { try keys.current(in: $0) }
    }
}
