/// A value that must not reach a log, an error message or a crash report.
///
/// Printing, dumping or interpolating it gives `<secret>`; ``reveal()`` is the one, searchable, way to the value.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: Value

    /// Wraps a value, as early as possible: where it is read or received.
    public init(_ value: Value) {
        self.value = value
    }

    /// The value itself. Call it where the value is used, as late as possible.
    public func reveal() -> Value { value }

    public var description: String { "<secret>" }
    public var debugDescription: String { "<secret>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value: Equatable {}
