import Foundation

extension Realm {
    private static var checkDocument: String { "master-key-check" }
    private static var checkContext: String { "master-key-check" }

    /// Makes sure that the master key is the one that this database was sealed with, before anything is sealed with
    /// another.
    /// - Throws: ``SealingError`` where it is not.
    public func checkMasterKey() async throws {
        let sealer = sealer
        let sealed = try sealer.seal(Data("countersign".utf8), for: Self.checkContext)
        let present = try await store.write { transaction -> Data in
            if let present = try transaction.document(Self.checkDocument) { return present }
            try transaction.putDocument(Self.checkDocument, sealed)
            return sealed
        }
        _ = try sealer.open(present, for: Self.checkContext)
    }
}
