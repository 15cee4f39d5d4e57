import CountersignCore
import Synchronization

/// Documents that were decoded, by their text: what a row says is always what is stored, and is decoded once.
final class DecodedDocuments<Value: StoredJSON & Sendable>: Sendable {
    private let capacity: Int
    private let values = Mutex<[String: Value]>([:])

    /// - Parameter capacity: how many are kept, at most.
    init(capacity: Int) { self.capacity = capacity }

    func decoded(_ text: String) throws -> Value {
        if let known = values.withLock({ $0[text] }) { return known }
        let value = try Document.decode(Value.self, from: text)
        values.withLock { values in
            if values.count >= capacity { values = [:] }
            values[text] = value
        }
        return value
    }
}
