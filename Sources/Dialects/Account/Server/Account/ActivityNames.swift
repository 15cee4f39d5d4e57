import CountersignCore
import WebPages

/// What events of an account are about, as its user knows it: by which application it went, and which way to sign in it was. What is gone by
/// now has no name.
struct ActivityNames: Sendable {
    private var factors: [String: PageText] = [:]
    private var applications: [String: PageText] = [:]

    init(of events: [AuditEvent], _ account: AccountScene) async throws {
        let words = account.words
        if events.contains(where: { Self.factor(of: $0) != nil }),
            case .success(let own) = try await account.realm.ownAccount.factors(of: account.own)
        {
            for factor in own {
                let name = factor.record.name
                factors[factor.id.rawValue] =
                    name.isEmpty
                    ? FactorPage.name(of: factor.record, at: factor.address, words)
                    : words(
                        "activityFactor",
                        ["kind": .words(words.plain(FactorPage.kind(of: factor.record.kind))), "name": .chosen(name)])
            }
        }
        // The pages themselves are no application of the user.
        for id in Set(events.compactMap { Self.application(of: $0) }) where id != "account" && id != "console" {
            guard let application = try await account.realm.applications.application(ClientID(rawValue: id)) else {
                continue
            }
            applications[id] = words("activityApplication", ["application": .chosen(application.shownName(in: words))])
        }
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
