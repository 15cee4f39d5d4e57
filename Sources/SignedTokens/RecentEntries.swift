/// Values by key, of which those that were asked for lately stay: never more than a bound, at a cost for each that does not grow with it.
///
/// There are two generations. What is put in, or found among the elder, is among the younger. Once these are half of the bound they become
/// the elder ones, and the elder ones of before are forgotten. So a client that brings many values displaces
/// those that no client has asked for meanwhile, and not those that others ask for again and again.
package struct RecentEntries<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let half: Int
    private var younger: [Key: Value] = [:]
    private var elder: [Key: Value] = [:]

    /// - Parameter bound: how many values there are at most; two at least.
    package init(bound: Int) {
        half = max(1, bound / 2)
    }

    /// How many there are.
    package var count: Int { younger.count + elder.count }

    /// The value of a key, which counts as asked for now; nil where there is none, or it was forgotten.
    package mutating func value(of key: Key) -> Value? {
        if let value = younger[key] { return value }
        guard let place = elder.index(forKey: key) else { return nil }
        // The key that it was put in by: the one that is asked for may be a part of something larger, which would stay in memory with it.
        let (kept, value) = elder.remove(at: place)
        put(value, for: kept)
        return value
    }

    /// Puts a value in, in place of the key's present one.
    package mutating func put(_ value: Value, for key: Key) {
        elder[key] = nil
        if younger.count >= half, younger[key] == nil {
            elder = younger
            younger = [:]
        }
        younger[key] = value
    }

    /// Forgets the value of a key.
    package mutating func remove(_ key: Key) {
        younger[key] = nil
        elder[key] = nil
    }
}
