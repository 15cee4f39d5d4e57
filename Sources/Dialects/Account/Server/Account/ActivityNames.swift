import CountersignCore
import WebPages

/// What events of an account are about, as its user knows it: by which application it went, and which way to sign in it was. What is gone by
/// now has no name.
struct ActivityNames: Sendable {
    private var factors: [String: PageText] = [:]
    private var applications: [String: PageText] = [:]

    /// - Parameter known: the account's ways to sign in, where the page has read them already. Otherwise they are read, if an event names one.
    init(of events: [AuditEvent], among known: [OwnFactor]? = nil, _ account: AccountScene) async throws {
        let words = account.words
        let named = Set(events.compactMap { Self.factor(of: $0) })
        for factor in try await Self.factors(named, among: known, account) {
            let name = factor.record.name
            factors[factor.id.rawValue] =
                name.isEmpty
                ? FactorPage.name(of: factor.record, at: factor.address, words)
                : words(
                    "activityFactor",
                    ["kind": .words(words.plain(FactorPage.kind(of: factor.record.kind))), "name": .chosen(name)])
        }
        // The pages themselves are no application of the user.
        for id in Set(events.compactMap { Self.application(of: $0) }) where id != "account" && id != "console" {
            guard let application = try await account.realm.applications.application(ClientID(rawValue: id)) else {
                continue
            }
            applications[id] = words("activityApplication", ["application": .chosen(application.shownName(in: words))])
        }
    }

    private static func factors(
        _ named: Set<String>, among known: [OwnFactor]?, _ account: AccountScene
    ) async throws -> [OwnFactor] {
        if named.isEmpty { return [] }
        var own = known ?? []
        if known == nil, case .success(let read) = try await account.realm.ownAccount.factors(of: account.own) {
            own = read
        }
        return own.filter { named.contains($0.id.rawValue) }
    }

    private static func factor(of event: AuditEvent) -> String? { event.details["factor"]?.stringValue }

    private static func application(of event: AuditEvent) -> String? {
        event.details["application"]?.stringValue ?? event.clientID?.rawValue
    }

    /// The lines that an event's entry has about that.
    func of(_ event: AuditEvent) -> [PageText] {
        [
            Self.factor(of: event).flatMap { factors[$0] }, Self.application(of: event).flatMap { applications[$0] },
        ].compactMap { $0 }
    }
}
