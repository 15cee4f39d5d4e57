import Foundation
import Synchronization

/// An application, the settings and where they are wanted the extensions as a transaction saw them, for a later request that takes them for
/// granted (``Realm/assuming(_:_:otherwise:)``).
public struct SeenApplication: Sendable {
    /// The application as it was.
    public let application: Application
    /// The realm's settings as they were.
    public let settings: RealmSettings
    /// The extensions that were asked for the application, by event; none where they were not looked at.
    let listeners: [ExtensionEvent: CustomExtension]
    /// What was looked at beside the application; without bytes where there was no such document.
    private let documents: [(name: String, bytes: Data?)]

    /// As the transaction sees them.
    /// - Parameters:
    ///   - application: what the transaction read.
    ///   - consults: whether the application's extensions are looked at too.
    public init(_ application: Application, consults: Bool = false, in transaction: any StoreTransaction) throws {
        self.application = application
        settings = try transaction.settings()
        listeners = consults ? try transaction.customExtensions().listeners(of: application.id) : [:]
        let names = [RememberingTransaction.settingsDocument] + (consults ? [CustomExtensions.document] : [])
        documents = try names.map { (name: $0, bytes: try transaction.document($0)) }
    }

    /// Whether the transaction sees the same.
    fileprivate func isStill(in transaction: any StoreTransaction) throws -> Bool {
        try transaction.application(application.id) == application
            && documents.allSatisfy { try transaction.document($0.name) == $0.bytes }
    }
}

/// The applications of the latest requests, as they were then: what the next request of one begins with.
public final class SeenApplications: Sendable {
    /// Applications that are remembered at most: those that came lately.
    private static let capacity = 512
    private let applications = Mutex(RecentEntries<ClientID, SeenApplication>(bound: SeenApplications.capacity))

    /// None so far.
    public init() {}

    /// The application as it was; nil where no request has had it lately.
    public func application(_ id: ClientID) -> SeenApplication? { applications.withLock { $0.value(of: id) } }

    /// Remembers what a request has seen.
    public func note(_ seen: SeenApplication) { applications.withLock { $0.put(seen, for: seen.application.id) } }
}

extension Realm {
    /// Does something by an application and the settings as an earlier request saw them, without reading them first: the first write of `body`
    /// looks whether they still are so, in its own transaction and before it does anything (docs/decisions/0521). Where they are not,
    /// `reading` does the same by what it reads.
    ///
    /// Both run, one after the other, where that write finds a change, and where `body` ends before any write has looked, with a value or an
    /// error: what was seen may be why, so that neither is passed on. What both do is done twice then; only writes of `reading` are kept.
    /// - Parameters:
    ///   - seen: nil where no request saw the application, or nothing is to be assumed; only `reading` runs then.
    ///   - body: changes nothing but by writes.
    ///   - reading: runs once at most, and not where a write of `body` found all as it was seen.
    /// - Throws: what `body` throws after a write has found that, and what `reading` throws.
    public func assuming<Value>(
        _ seen: SeenApplication?, _ body: (SeenApplication) async throws -> Value,
        otherwise reading: () async throws -> Value
    ) async throws -> Value {
        guard let seen else { return try await reading() }
        let look = FirstLook(seen)
        do {
            let value = try await WriteCondition.with(each: { look.judgement() }, { try await body(seen) })
            if look.isTaken { return value }
        } catch {
            // What failed before anything looked may have failed because of what was taken for granted.
            if look.isTaken { throw error }
        }
        return try await reading()
    }
}

/// Whether what was assumed holds, as the first write finds.
private final class FirstLook: Sendable {
    private struct Changed: Error {}

    private let seen: SeenApplication
    private let state = Mutex(false)

    init(_ seen: SeenApplication) {
        self.seen = seen
    }

    /// Whether a transaction has found that it holds.
    var isTaken: Bool { state.withLock { $0 } }

    /// The judgement of a write that begins. It throws where what was assumed does not hold; the transaction has changed nothing then. The
    /// store may run the transaction once more, against what another has written meanwhile, and each time it looks. Writes after one that
    /// has looked are not asked: they are about what that one began.
    func judgement() -> WriteCondition.Judgement {
        if isTaken { return { _ in } }
        return { transaction in
            let holds = try self.seen.isStill(in: transaction)
            self.state.withLock { $0 = holds }
            guard holds else { throw Changed() }
        }
    }
}
