import CountersignCore
import SecurityChecks

/// Lists the security checks of the server: what each asks for, its limits, what it was configured with and where each value comes from, and
/// the applications that name it.
///
/// Checks are in the server's program, and nothing here changes them. What an application sets of its own is changed with the application
/// (``ChangeApplication``, `versions`).
public struct ListSecurityChecks: AdministrationOperation {
    public static let name = "checks:list"
    public static let right = AdministrationRight.readApplications

    /// Applications that one answer looks at.
    public static let most = 1000

    /// The id of the application that is looked at; where it is left out, the first 1,000 are, in the order of their ids.
    public var application: String?

    public init(application: String? = nil) {
        self.application = application
    }

    public struct Answer: Codable, Sendable {
        /// Whether a server answers. False where the command works beside a data directory: checks are in a server's program, so only what
        /// applications name is told.
        public let isServer: Bool
        /// Those of the server by name, and after them those that applications name and the server does not have.
        public let checks: [SecurityCheckSummary]
        /// Seconds that a check may take to judge; nil where no server answers.
        public let timeLimit: Int?
        /// False where there are applications that were not looked at.
        public let isWhole: Bool
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let catalogue = realm.checkCatalogue
        let (applications, isWhole) = try await lookedAt(in: realm)
        var uses: [String: [SecurityCheckSummary.Use]] = [:]
        for application in applications {
            for version in application.registration.versions {
                let named = SecurityCheckSummary.Use.all(of: version, application.id.rawValue, catalogue)
                for (check, use) in named { uses[check, default: []].append(use) }
            }
        }
        let known = catalogue?.names ?? []
        let others = Set(uses.keys).subtracting(known).sorted()
        return Answer(
            isServer: catalogue != nil,
            checks: known.map {
                SecurityCheckSummary(name: $0, catalogue?.describe($0), uses: uses[$0] ?? [])
            } + others.map { SecurityCheckSummary(name: $0, nil, uses: uses[$0] ?? []) },
            timeLimit: catalogue.map { Int(wholeSeconds: $0.timeLimit) }, isWhole: isWhole)
    }

    private func lookedAt(in realm: Realm) async throws -> ([Application], isWhole: Bool) {
        guard let application else {
            let found = try await realm.applications.applications(limit: Self.most)
            guard found.count == Self.most, let last = found.last else { return (found, true) }
            return (found, try await realm.applications.applications(after: last.id, limit: 1).isEmpty)
        }
        guard let found = try await realm.applications.registered(ClientID(rawValue: application)) else {
            throw AdministrationError.noApplication(application)
        }
        return ([found], true)
    }
}
