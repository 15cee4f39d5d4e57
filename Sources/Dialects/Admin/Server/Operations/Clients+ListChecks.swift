import CountersignCore
import SecurityChecks

/// Lists the clients of security checks of one user: those where the user logged in last, and those where a check that has recognised the user
/// is open; with the state of each open check.
public struct ListClientChecks: AdministrationOperation {
    public static let name = "clients:list-checks"
    public static let right = AdministrationRight.readClients

    /// The id or the address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        /// Those that were seen last first.
        public let clients: [Client]
        /// False where the user has more clients or open checks than one answer tells.
        public let isWhole: Bool
    }

    /// A client and its open checks.
    public struct Client: Codable, Sendable {
        public let client: ClientSummary
        /// Whether the user is the one who logged in there last.
        public let isBound: Bool
        public let checks: [CheckSummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await realm.clients.clients(of: try await permit.user(user, of: realm).id)
        return Answer(
            clients: found.clients.map {
                Client(
                    client: ClientSummary($0.client), isBound: $0.isBound, checks: $0.checks.map(CheckSummary.init))
            }, isWhole: found.isWhole)
    }
}

/// A check of a client that is in a state.
public struct CheckSummary: Codable, Sendable, Equatable {
    public let check: String
    /// `attempting`, `success`, `blocked`, or a state of the check's own.
    public let state: String
    /// When it is over.
    public let until: Timestamp
    /// Whether the applications of the device share it.
    public let isShared: Bool

    init(_ check: OpenCheck) {
        self.check = check.name
        state = check.state
        until = Timestamp(check.until)
        isShared = check.isShared
    }

    /// Whether no answer is taken before it is over.
    public var isBlocked: Bool { state == AttemptLimits.blocked }
}
