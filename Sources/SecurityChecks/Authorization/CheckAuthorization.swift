import CountersignCore
import Foundation

/// What a client asks for, with its answers to what it was asked.
public struct CheckInquiry: Sendable {
    /// The client that asks. A requester that knows the id may ask in its name, so that nothing is proven by it.
    public var client: RegisteredClientID
    /// Scope elements.
    public var scope: Set<String>
    /// By the checks' names. Null is no answer.
    public var answers: [String: JSONValue]

    /// Asks for these scope elements, by default without answers to any challenge.
    public init(client: RegisteredClientID, scope: Set<String>, answers: [String: JSONValue] = [:]) {
        self.client = client
        self.scope = scope
        self.answers = answers
    }

    /// Scope elements that one inquiry may have.
    static let mostElements = 64
}

/// What came of it. A refusal is a value.
public enum CheckAuthorizationOutcome: Sendable {
    /// The checks were evaluated: the scope is granted, or they ask for something, or they refuse.
    case decided(CheckAuthorization)
    /// The client is not served, so no check was asked.
    case refused(ClientRefusal)
    /// An element that is neither mapped nor a check; or too many elements.
    case unknownScope
    /// Something else of this client is under way; the same request may be sent again.
    case conflict
    /// The source has used up its answers.
    case limited(until: Date)
}

/// What all checks of a scope say together (MobileFirst's `AuthorizationResponse`): any failure fails, else any challenge
/// asks, and only if every check is in success is the scope granted.
public struct CheckAuthorization: Sendable, Equatable {
    /// What each check in success tells the client, by the checks' names. Some can succeed while another keeps the
    /// scope from being granted.
    public internal(set) var successes: [String: [String: JSONValue]] = [:]
    /// What each check asks of the client, by the checks' names: the documents that challenge handlers get.
    public internal(set) var challenges: [String: [String: JSONValue]] = [:]
    /// What each check that refuses says, by the checks' names.
    public internal(set) var failures: [String: [String: JSONValue]] = [:]
    /// When the first of the successes is over; nil where no check was needed.
    public internal(set) var expiresAt: Date?
    /// Checks that granted nothing and said nothing.
    var silent: Set<String> = []

    /// Whether every check of the scope is in success, so that a token may follow.
    public var isGranted: Bool { failures.isEmpty && challenges.isEmpty && silent.isEmpty }

    /// - Parameter user: the user that the check has recognised.
    mutating func add(
        _ outcome: SecurityCheckOutcome, of check: String, user: AuthenticatedUser? = nil, at now: Date
    ) {
        switch outcome {
        case .success(var data, let end) where end > now:
            if let user { data["user"] = user.json }
            successes[check] = data
            expiresAt = min(expiresAt ?? end, end)
        case .challenge(let data): challenges[check] = data
        case .failure(let data): failures[check] = data
        case .success, .silent: silent.insert(check)
        }
    }

    /// What the base classes of the original say of a blocked client.
    static let blocked: [String: JSONValue] = ["failure": .string("Account blocked")]
    /// What is said where a check could not be made.
    static let impossible: [String: JSONValue] = ["failure": .string("The check could not be made.")]
    /// What is said where no check says anything, and still not all is granted.
    static let unreachable: [String: JSONValue] = ["failure": .string("Nothing leads to this grant.")]
}

/// The checks of a scope for one client: which they are, and in what order they are evaluated.
struct CheckPlan: Sendable {
    let version: ApplicationVersion
    let checks: [String: any SecurityCheck]
    /// The names of all of them, in order.
    let names: [String]
    /// Those of the scope and of the application's mandatory one, each after its dependencies.
    let order: [String]
    /// The elements that lead to each.
    let elements: [String: Set<String>]
    /// The checks that each depends on, near or far.
    let dependencies: [String: [String]]
    /// The checks that depend on each, near or far.
    let dependents: [String: [String]]
    /// Those of the scope that recognise an account and are not followed by a check of a second factor, in their order.
    let unfollowedLogins: [String]
    let memory: CheckMemory

    /// Nil where an element leads to no check that is there.
    init?(_ scope: Set<String>, for version: ApplicationVersion, in catalogue: SecurityCheckCatalogue) {
        let mandatory = ApplicationVersion.elements(of: version.mandatoryScope)
        guard scope.count <= CheckInquiry.mostElements else { return nil }
        var elements: [String: Set<String>] = [:]
        for element in scope.union(mandatory) {
            for check in version.checks(of: element) { elements[check, default: []].insert(element) }
        }
        var checks: [String: any SecurityCheck] = [:]
        for name in catalogue.names { checks[name] = catalogue.check(name, for: version) }
        let dependencies = checks.mapValues(\.dependencies)
        guard elements.keys.allSatisfy({ checks[$0] != nil }),
            let order = SecurityCheckCatalogue.order(elements.keys, dependencies)
        else { return nil }
        self.dependencies = checks.keys.reduce(into: [:]) { all, name in
            all[name] = SecurityCheckCatalogue.order([name], dependencies)?.filter { $0 != name }
        }
        dependents = self.dependencies.reduce(into: [:]) { dependents, entry in
            for name in entry.value { dependents[name, default: []].append(entry.key) }
        }
        memory = catalogue.memory
        self.version = version
        self.checks = checks
        names = checks.keys.sorted()
        self.elements = elements
        let ofScope = order.filter { elements[$0] != nil }
        self.order = ofScope
        let followed = Set(ofScope.compactMap { (checks[$0] as? any FactorSecurityCheck)?.login })
        unfollowedLogins = ofScope.filter { checks[$0] is any AccountRecognisingCheck && !followed.contains($0) }
    }

    /// Whose state of the check it is: the client's, or the device's where its applications share it.
    func owner(of check: String, _ client: ClientRegistration) -> String { version.owner(of: check, client) }

    func isShared(_ check: String, _ client: ClientRegistration) -> Bool { version.isShared(check, client) }
}
