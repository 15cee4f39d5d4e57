import CountersignCore

/// What every store must do, as checks that any test framework can run.
///
/// The author of a driver runs all of them against it, each on a fresh store:
///
///     for check in StoreConformance.checks {
///         try await check.run { try await MyStore.openEmpty() }
///     }
public enum StoreConformance {
    /// One thing that a store must do.
    public struct Check: Sendable, CustomStringConvertible {
        /// A sentence that says what is checked.
        public let name: String
        private let body: @Sendable (any Store) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any Store) async throws -> Void) {
            self.name = name
            self.body = body
        }

        public var description: String { name }

        /// Runs the check.
        /// - Parameter makeStore: opens an empty store that no other test uses; called once.
        /// - Throws: a ``Failure`` where the store misbehaves; what the store throws where it fails.
        public func run(_ makeStore: () async throws -> any Store) async throws {
            try await body(try await makeStore())
        }
    }

    /// What a store did instead of what it must do.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// All checks.
    public static let checks: [Check] =
        users + userLists + lists + factors + flows + clientRecords + sessions + grants + authorizationCodes
        + usedTokens
        + signingKeys
        + applications + groups + administrators + machineTokens
        + attemptCounters + audit + eventHooks + outbox + documents + sealedValues + texts + transactions + races
}

func require(_ condition: Bool, _ message: String) throws {
    guard condition else { throw StoreConformance.Failure(message) }
}

func requireEqual<T: Equatable>(_ actual: T?, _ expected: T?, _ what: String) throws {
    guard actual == expected else {
        func text(_ value: T?) -> String { value.map { "\($0)" } ?? "nothing" }
        throw StoreConformance.Failure("\(what): \(text(actual)), where \(text(expected)) was expected")
    }
}
