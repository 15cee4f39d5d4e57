import Foundation

extension RememberingTransaction {
    func document(_ name: String) throws -> Data? {
        if !documents.has(name), Self.standingDocuments.contains(name) {
            keep(standing: try base.documents(Self.standingDocuments))
        }
        return try row(&documents, name) { try $0.document(name) }
    }

    func putDocument(_ name: String, _ body: Data) throws {
        documents[name] = nil
        try base.putDocument(name, body)
    }

    func decodedDocument<T: Sendable>(_ name: String, _ decode: (Data) throws -> T) throws -> T? {
        guard let body = try document(name) else { return nil }
        return try standing.decoded(name, body, decode)
    }
}
