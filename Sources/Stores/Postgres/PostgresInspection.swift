import CountersignCore
import Dispatch
import StoreSQL

/// A look at a database by one connection that changes nothing, not its schema either: to judge it before a server is started on it.
///
/// The connection is used on the queue that it was made on, one transaction after the other.
public final class PostgresInspection: Store {
    public let schema: SchemaVersion
    private let queue: DispatchQueue
    /// Reached on the queue alone.
    private let link: Unshared

    /// A connection, which is no `Sendable`. Proof: it is made on the queue of the inspection and used there alone.
    private struct Unshared: @unchecked Sendable {
        let link: PostgresLink
    }

    private init(_ link: Unshared, _ schema: SchemaVersion, _ queue: DispatchQueue) {
        (self.link, self.schema, self.queue) = (link, schema, queue)
    }

    /// Connects once, without waiting for a database that is away.
    /// - Throws: `StoreError`, never with the password or the URL in it.
    public static func open(
        url: Secret<String>, options: PostgresStore.Options = PostgresStore.Options()
    ) async throws -> PostgresInspection {
        let (url, settings) = (try DatabaseURL(url), options.link)
        let queue = DispatchQueue(label: "countersign.postgres.inspection")
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(
                    with: Result {
                        do {
                            let link = try PostgresLink(url, settings)
                            let hasSchema = "SELECT to_regclass('schema_migrations') IS NOT NULL"
                            let schema =
                                try link.run(hasSchema, []).firstValue == .integer(1)
                                ? SchemaVersion(of: PostgresConnection(link)) : SchemaVersion(present: 0)
                            return PostgresInspection(Unshared(link: link), schema, queue)
                        } catch let failure as PostgresFailure {
                            throw failure.storeError
                        }
                    })
            }
        }
    }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [link] in
                continuation.resume(
                    with: Result {
                        switch TransactionMode.read.attempt(on: link.link, body) {
                        case .done(let value): return value
                        case .lostRace(let failure, _), .lostConnection(let failure), .readOnly(let failure):
                            throw failure.storeError
                        case .failed(let error as PostgresFailure): throw error.storeError
                        case .failed(let error): throw error
                        }
                    })
            }
        }
    }

    public func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        throw StoreError(.readOnly, "this is a look at the database, which changes nothing")
    }
}
