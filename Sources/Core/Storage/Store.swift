/// What remembers: the port that SQLite and PostgreSQL implement.
///
/// Bodies are synchronous and `Sendable`: a transaction cannot wait for anything, and a store may run a body twice (after
/// a serialization failure, or when a group of writes could not be committed together). So a body touches nothing but
/// its argument.
///
/// **How the files of this folder meet.** A driver conforms to this protocol and to `StoreTransaction`, which is made of the
/// protocols in `Storages`, one for each entity; `ClientRecord` is the one entity that has no folder of its own here. A
/// transaction that writes rows in another order than all others reserves them first (`RowReservation`). Which part of a list is read says a
/// `ListRange`, `ListLook` makes a page of it, and `ListPlace` is what callers are told of where a page begins. `RowsTogether` asks for
/// several rows in one statement; `RememberingTransaction` is put around every transaction of a realm, so that no row is read
/// twice; it takes notes of what others are told (`NoteTaking`, `TransactionNotes`), and `StandingDocuments` keeps what documents say.
/// `SealedValues` lists every place that holds a sealed value, `Maintenance` removes what is no longer needed, `StoreHealth` says how the store is.
public protocol Store: Sendable {
    /// Reads from one consistent snapshot. What the body writes is an error.
    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T

    /// Reads and writes. An error thrown by the body undoes all it wrote and is passed on.
    ///
    /// The one way to write that a store implements: the shorter ones are made of it (``write(_:)`` and its neighbours). A store that
    /// stands before another hands on everything it was told, but for what it has used up itself.
    /// - Parameters:
    ///   - isolation: how far it is kept apart from other writes. A store that runs one write after the other makes no difference.
    ///   - durability: when it has to be on the disk. A store that makes every write durable at once makes no difference.
    ///   - rows: what the body is going to ask for, by keys that are known before; called where it helps to know them.
    ///   - body: what is done in the transaction.
    /// - Throws: ``StoreError`` of code `overloaded` when too many writes wait already, `unavailable` where the database
    ///   is away, `readOnly` where it takes no writes, `outcomeUnknown` where it went away in the middle of the commit.
    func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T

    /// A number that is another one after anything was committed, by whichever process, told without a transaction: while
    /// it stays the same, nothing need be looked for. Nil where the store cannot tell so cheaply.
    func changeMark() async throws -> Int64?
}

extension Store {
    public func changeMark() async throws -> Int64? { nil }
}

/// The shorter ways to write. They are no requirements: a store has no other `write` than the one that they all call.
extension Store {
    /// Reads and writes, as if it ran alone; durable when it returns.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await write(.full, .atOnce, expecting: { [] }, body)
    }

    /// Reads and writes, kept apart from other writes as far as its rules need it; durable when it returns.
    public func write<T: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await write(isolation, .atOnce, expecting: { [] }, body)
    }

    /// The same, of a write that need not be durable when it returns.
    public func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability,
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await write(isolation, durability, expecting: { [] }, body)
    }

    /// A write that is durable when it returns, of a body that asks for rows whose keys are known before.
    public func write<T: Sendable>(
        _ isolation: Isolation, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await write(isolation, .atOnce, expecting: rows, body)
    }
}

/// How far a write is kept apart from others that run at the same time, where a store runs several (`docs/decisions/0192`).
public enum Isolation: Sendable, Equatable {
    /// As if it ran alone: the default, and right for every body.
    case full
    /// One snapshot; of two writes that change the same row, or add the same key, one is run again.
    ///
    /// For a body whose rules are all about rows that it changes itself, such as counters, a factor and a flow that are
    /// compared and set. What it decides by rows that it only reads has to be right as of the beginning of the transaction. A
    /// store refuses what cannot be such a rule, a look at many rows or the change of a setting: it undoes the body and runs it
    /// once more with ``full``.
    case rows
    /// No other write is under way when it begins, nor begins before it ends.
    case exclusive
}

/// When what a write has committed is on the disk (`docs/decisions/0556`). Others see it when `write` returns, either way.
public enum Durability: Sendable, Equatable {
    /// When `write` returns: the default, and right for every write.
    case atOnce
    /// No later than the next write of this process that changes something and is durable at once.
    ///
    /// For a write of which nothing is told before such a one has returned.
    case withNext
}

/// What can be done inside a transaction. Each part is described beside the things it keeps.
///
/// Inserts answer false where the key is taken; updates answer false where the row was deleted or its revision is not
/// the one that was read. Neither throws, and neither harms the transaction.
public protocol StoreTransaction:
    UserStorage, FactorStorage, FlowStorage, ClientRecordStorage, SessionStorage, GrantStorage,
    AuthorizationCodeStorage, UsedTokenStorage, GroupStorage, AdministratorStorage, MachineTokenStorage,
    EventHookStorage, SigningKeyStorage, ApplicationStorage, AttemptCounterStorage, AuditStorage, AuditSealStorage,
    OutboxStorage,
    DocumentStorage,
    SecretStorage, SealedValueStorage, StoreCondition, RowReservation, RowsTogether, NoteTaking
{}

/// A failure of the store itself.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Dialects choose their answer by it.
    public struct Code: Sendable, Hashable {
        private enum Kind { case overloaded, unavailable, readOnly, outcomeUnknown, corrupt, outdated }
        private let kind: Kind

        /// Too many transactions wait; try again shortly.
        public static let overloaded = Code(kind: .overloaded)
        /// The database cannot be reached or refuses to work. Nothing was written.
        public static let unavailable = Code(kind: .unavailable)
        /// The database takes no writes: it is a standby, or was made read-only. Nothing was written; reads go on.
        public static let readOnly = Code(kind: .readOnly)
        /// The database went away while it committed: all of the write was done, or nothing. Look before doing it again.
        public static let outcomeUnknown = Code(kind: .outcomeUnknown)
        /// A row holds what this version cannot read.
        public static let corrupt = Code(kind: .corrupt)
        /// The schema is newer than this program.
        public static let outdated = Code(kind: .outdated)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong and, where that is known, what to do about it. For the operator; it never reaches a client.
    public let sentence: String
    /// What the database itself said, for diagnosis; nil where the sentence says it.
    public let detail: String?

    /// A failure with a sentence for the operator.
    public init(_ code: Code, _ sentence: String, detail: String? = nil) {
        self.code = code
        self.sentence = sentence
        self.detail = detail
    }

    public var description: String { detail.map { "\($0): \(sentence)" } ?? sentence }
}
