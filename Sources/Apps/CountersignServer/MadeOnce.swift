import Synchronization

/// A value that is made when it is first asked for, and once.
final class MadeOnce<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let make: @Sendable () throws -> Value

    init(_ make: @escaping @Sendable () throws -> Value) {
        self.make = make
    }

    /// - Throws: what kept it from being made; the next that asks tries again.
    func get() throws -> Value {
        try value.withLock { value in
            if let value { return value }
            let made = try make()
            value = made
            return made
        }
    }
}
