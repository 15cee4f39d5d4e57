import CountersignCore
import Synchronization

/// Documents that were decoded, by the ids of their rows, with their texts: what a row says is always what is stored, and is decoded once.
final class DecodedDocuments<Value: StoredJSON & Sendable>: Sendable {
    private let capacity: Int
    private let documents = Mutex<[String: (text: String, value: OneReference<Value>)]>([:])

    /// - Parameter capacity: how many are kept, at most.
    init(capacity: Int) { self.capacity = capacity }

    /// - Parameter id: of the row that has this text now.
    func decoded(_ text: String, of id: String) throws -> OneReference<Value> {
        // A text is compared faster than it is hashed.
        if let known = documents.withLock({ $0[id] }), known.text == text { return known.value }
        let value = OneReference(wrappedValue: try Document.decode(Value.self, from: text))
        documents.withLock { documents in
            if documents.count >= capacity { documents = [:] }
            documents[id] = (text, value)
        }
        return value
    }
}
