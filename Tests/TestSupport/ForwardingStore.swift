import CountersignCore

/// A store that stands before another and hands everything on. One that needs to know what a write is told has a `write` of its own.
public protocol ForwardingStore: Store {
    /// The store that it stands before.
    var base: any Store { get }

    /// Does a read, which is `pass`, and what comes before and after it.
    func aroundRead<T: Sendable>(_ pass: () async throws -> T) async throws -> T

    /// Does a write, which is `pass`, and what comes before and after it.
    func aroundWrite<T: Sendable>(_ pass: () async throws -> T) async throws -> T
}

extension ForwardingStore {
    public func aroundRead<T: Sendable>(_ pass: () async throws -> T) async throws -> T { try await pass() }

    public func aroundWrite<T: Sendable>(_ pass: () async throws -> T) async throws -> T { try await pass() }

    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await aroundRead { try await base.read(body) }
    }

    public func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await aroundWrite { try await base.write(isolation, durability, expecting: rows, body) }
    }

    public func changeMark() async throws -> Int64? { try await base.changeMark() }
}
