import Synchronization

/// What the composition root gives this process for modules above the core, one value of a type: such as the security checks that a server's
/// program has. The core knows none of these types, and a program that has no such part, such as a command beside a data directory, finds none.
public final class ProvidedParts: Sendable {
    private let makers = Mutex<[ObjectIdentifier: @Sendable () -> (any Sendable)?]>([:])

    init() {}

    /// Sets what this process has of a type, in place of what it had before.
    /// - Parameter make: called each time that the part is asked for; nil where there is none.
    public func provide<Part: Sendable>(_ type: Part.Type, _ make: @escaping @Sendable () -> Part?) {
        makers.withLock { $0[ObjectIdentifier(type)] = { make().map { $0 as any Sendable } } }
    }

    /// The part of a type; nil where this process has none.
    public func part<Part: Sendable>(_ type: Part.Type) -> Part? {
        let make = makers.withLock { $0[ObjectIdentifier(type)] }
        return make?() as? Part
    }
}
