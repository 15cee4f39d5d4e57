import CountersignCore
import Foundation
import Synchronization

/// What requests about the same client need again: its registration, the states of its checks, what its tokens come of, its
/// application's version, and the checks that its scopes lead to. One for each catalogue, in memory.
///
/// It is exact. The rows are read in each transaction, and what is kept of one counts only where its bytes are still the same: the
/// sealed bytes of a registration or state, the documents of an application. A master key that was taken away is noticed later
/// than it would be without; what it had sealed was readable then.
final class CheckMemory: Sendable {
    /// Rows of each kind that are remembered. Where there are more, all are forgotten.
    static let capacity = 8192

    private struct Opened<Value: Sendable>: Sendable {
        let body: Data
        let value: Value
    }

    private struct Versions: Sendable {
        let documents: [JSONValue]
        let versions: [ApplicationVersion]
    }

    private struct PlanName: Hashable, Sendable {
        let application: String
        let platform: String
        let version: String
        let scope: Set<String>
    }

    private let registrations = Mutex<[Data: Opened<ClientRegistration>]>([:])
    private let records = Mutex<[Data: Opened<CheckRecord>]>([:])
    private let families = Mutex<[Data: Opened<RefreshFamily>]>([:])
    private let versions = Mutex<[ClientID: Versions]>([:])
    private let plans = Mutex<[PlanName: CheckPlan]>([:])
    /// How many codes clients were given lately.
    let codes = RecentCounts()

    // MARK: Rows

    func registration(of row: ClientRecord, _ sealer: Sealer) throws -> ClientRegistration {
        try Self.value(of: row, sealer, in: registrations)
    }

    func record(of row: ClientRecord, _ sealer: Sealer) throws -> CheckRecord {
        try Self.value(of: row, sealer, in: records)
    }

    /// A family without its present token, which is nothing to keep in memory for who looks at what the family stands for.
    func family(of row: ClientRecord, _ sealer: Sealer) throws -> RefreshFamily {
        try Self.value(of: row, sealer, in: families) { $0.current = "" }
    }

    private static func value<Value: Decodable & Sendable>(
        of row: ClientRecord, _ sealer: Sealer, in opened: borrowing Mutex<[Data: Opened<Value>]>,
        without remove: (inout Value) -> Void = { _ in }
    ) throws -> Value {
        if let known = opened.withLock({ $0[row.digest] }), known.body == row.body { return known.value }
        var decoded = try JSONDecoder().decode(Value.self, from: sealer.open(row.body, for: row.address))
        remove(&decoded)
        let value = decoded
        opened.withLock { opened in
            if opened.count >= capacity, opened[row.digest] == nil { opened = [:] }
            opened[row.digest] = Opened(body: row.body, value: value)
        }
        return value
    }

    // MARK: Applications

    /// The entry of an application for a client; nil where there is none.
    func version(
        of client: ClientRegistration.Application, in application: CountersignCore.Application?
    ) -> ApplicationVersion? {
        guard let application else { return nil }
        let documents = application.registration.versionDocuments
        if let known = versions.withLock({ $0[application.id] }), known.documents == documents {
            return known.versions.entry(for: client)
        }
        let fresh = Versions(documents: documents, versions: application.registration.versions)
        versions.withLock { versions in
            if versions.count >= Self.capacity { versions = [:] }
            versions[application.id] = fresh
        }
        return fresh.versions.entry(for: client)
    }

    /// The checks of a scope; nil where an element leads to none.
    func plan(
        _ scope: Set<String>, of application: ClientRegistration.Application, _ version: ApplicationVersion,
        in catalogue: SecurityCheckCatalogue
    ) -> CheckPlan? {
        let name = PlanName(
            application: application.id, platform: version.clientPlatform, version: version.version, scope: scope)
        if let known = plans.withLock({ $0[name] }), known.version == version { return known }
        guard let plan = CheckPlan(scope, for: version, in: catalogue) else { return nil }
        plans.withLock { plans in
            if plans.count >= Self.plansCapacity { plans = [:] }
            plans[name] = plan
        }
        return plan
    }

    /// Plans that are remembered: clients choose their scopes, among those that lead to checks.
    static let plansCapacity = 512
}
