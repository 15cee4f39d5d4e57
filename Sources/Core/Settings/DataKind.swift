import Foundation

/// What a store's data is for.
///
/// The first start decides it and the store keeps it, so that what development brings – applications with public
/// secrets, accounts with unsigned tokens – never comes before the users of a server in production.
public enum DataKind: String, Sendable, CaseIterable {
    /// Closed by default: signed tokens, registered applications.
    case production
    /// For laptops and CI: sample applications, unsigned tokens, a clock that tests move.
    case development

    /// The document that says it.
    static let document = "data-kind"

    /// What a store says of itself.
    public enum Finding: Sendable, Equatable {
        /// It has not been used yet.
        case unused
        /// It says that it is for this.
        case marked(DataKind)
        /// Data of a version that did not say it. These sample applications of development are in it; where there are none,
        /// it counts as production.
        case unmarked(samples: [ClientID])
        /// The mark is of a later version.
        case unknown(String)

        /// Nil while it is unknown.
        public var kind: DataKind? {
            switch self {
            case .unused, .unknown: nil
            case .marked(let kind): kind
            case .unmarked(let samples): samples.isEmpty ? .production : .development
            }
        }
    }

    /// Looks what the data of a store is for.
    /// - Parameter isSample: whether an application is one that development brings.
    /// - Throws: ``StoreError``.
    public static func find(
        in store: any Store, samples: [ClientID], isSample: @escaping @Sendable (Application) -> Bool
    ) async throws -> Finding {
        try await store.read { try find(in: $0, samples: samples, isSample: isSample) }
    }

    /// Marks a store that has no mark as of this kind, unless its data is of the other.
    ///
    /// Of two servers that start at once on an unused store, the first decides.
    /// - Returns: what the store said before; it is of this kind now where that was nothing or the same.
    /// - Throws: ``StoreError``.
    public func claim(
        _ store: any Store, samples: [ClientID], isSample: @escaping @Sendable (Application) -> Bool
    ) async throws -> Finding {
        let found = try await Self.find(in: store, samples: samples, isSample: isSample)
        // The usual start writes nothing.
        if case .marked = found { return found }
        do {
            return try await mark(store, samples: samples, isSample: isSample)
        } catch let error as StoreError where error.code == .readOnly && found != .unused {
            // What takes no writes says what it is without a mark.
            return found
        }
    }

    private func mark(
        _ store: any Store, samples: [ClientID], isSample: @escaping @Sendable (Application) -> Bool
    ) async throws -> Finding {
        try await store.write { transaction in
            let found = try Self.find(in: transaction, samples: samples, isSample: isSample)
            switch found {
            case .marked, .unknown: break
            case .unused: try transaction.putDocument(Self.document, Data(rawValue.utf8))
            case .unmarked:
                if found.kind == self { try transaction.putDocument(Self.document, Data(rawValue.utf8)) }
            }
            return found
        }
    }

    private static func find(
        in transaction: any StoreTransaction, samples: [ClientID], isSample: (Application) -> Bool
    ) throws -> Finding {
        if let mark = try transaction.document(document) {
            let text = String(decoding: mark, as: UTF8.self)
            return DataKind(rawValue: text).map { .marked($0) } ?? .unknown(text)
        }
        let isUnused =
            try transaction.applications(after: nil, limit: 1).isEmpty
            && transaction.users(after: nil, limit: 1).isEmpty
        if isUnused { return .unused }
        return .unmarked(samples: try samples.filter { try transaction.application($0).map(isSample) ?? false })
    }
}
