import Synchronization

/// A value that is made when it is first asked for, and once. Callers that ask while it is made wait for it.
public final class MadeOnce<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let make: @Sendable () throws -> Value

    public init(_ make: @escaping @Sendable () throws -> Value) {
        self.make = make
    }

    /// - Throws: what kept it from being made; the next that asks tries again.
    public func get() throws -> Value {
        try value.withLock { value in
            if let value { return value }
            let made = try make()
            value = made
            return made
        }
    }
}
