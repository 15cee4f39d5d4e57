/// A large value that is handed on as one reference, however many it has in it: a copy counts up one and not forty. What changes a copy makes
/// a value of its own.
///
///     struct Context {
///         @OneReference var user: User
///     }
@propertyWrapper
package struct OneReference<Value: Sendable>: Sendable {
    private final class Kept: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var kept: Kept

    package init(wrappedValue: Value) {
        kept = Kept(wrappedValue)
    }

    /// Whether both are the same reference, so that their values are equal without a look at them.
    package func isReference(of other: OneReference) -> Bool { kept === other.kept }

    package var wrappedValue: Value {
        _read { yield kept.value }
        _modify {
            var value = kept.value
            defer { kept = Kept(value) }
            yield &value
        }
    }
}
