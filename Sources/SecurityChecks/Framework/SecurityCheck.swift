import CountersignCore
import Foundation

/// Guards scope elements for one client at a time: a value with the rules of a check, not with its state.
///
/// Conform to this where the client is asked for nothing that could be guessed (is it enrolled? is the device known?).
/// Where it is, conform to ``CredentialsValidationSecurityCheck`` or ``UserAuthenticationSecurityCheck``: credentials
/// are never handed to anything else, because the core counts the attempt before a check judges it.
///
/// A check that throws, takes too long or answers with a success that is over already grants nothing.
public protocol SecurityCheck: Sendable {
    /// Names of checks whose standing this one asks for. They are evaluated before it, where they are in the scope too.
    var dependencies: [String] { get }
    /// Seconds that each state lasts; see ``ExternalizableState``.
    var stateDurations: [String: TimeInterval] { get }
    /// Seconds after which a success is over that no request has asked for; 0 for never.
    var inactivityTimeout: TimeInterval { get }

    /// Decides for one client, outside of any transaction; it may be slow. What it changes in the context is kept if
    /// nothing else changed it meanwhile; otherwise it is asked again.
    func authorize(_ context: inout SecurityCheckContext) async throws -> SecurityCheckOutcome
    /// Whether a success still counts by what the registration has, such as an enrolment that it relied on. Called each
    /// time the success is used, and for refresh tokens; within a transaction, so it must be quick and have no effect.
    func isStillGranted(in context: SecurityCheckContext) -> Bool
    /// What resource servers receive about a check that is in success.
    func introspectionData(_ context: SecurityCheckContext) -> [String: JSONValue]
    /// Cleans up when the client logs out of this check; its state is removed afterwards.
    func logout(_ context: inout SecurityCheckContext)
}

extension SecurityCheck {
    public var dependencies: [String] { [] }
    public var stateDurations: [String: TimeInterval] { [:] }
    public var inactivityTimeout: TimeInterval { 0 }
    public func isStillGranted(in context: SecurityCheckContext) -> Bool { true }
    public func introspectionData(_ context: SecurityCheckContext) -> [String: JSONValue] { [:] }
    public func logout(_ context: inout SecurityCheckContext) {}
}

/// What a check says of a client.
public enum SecurityCheckOutcome: Sendable, Equatable {
    /// Granted until then; the data goes to the client's handler.
    case success([String: JSONValue], expiresAt: Date)
    /// Something is asked of the client.
    case challenge([String: JSONValue])
    /// Refused, whatever the client does now.
    case failure([String: JSONValue])
    /// Neither granted nor asked: another check has to be passed first.
    case silent
}

/// What a check knows of the client in front of it, and what it may change.
public struct SecurityCheckContext: Sendable {
    /// The name that the check goes by.
    public let name: String
    /// The scope elements that led to this check.
    public let scope: Set<String>
    /// The time of the evaluation, by the realm's clock. Checks take it instead of asking the machine.
    public let now: Date
    /// The device, as the client describes it; nothing of it is verified.
    public let device: ClientRegistration.Device
    /// The application that the client is an installation of.
    public let application: ClientRegistration.Application
    /// Attributes of the registration, and its user. Kept with the registration: they outlive every state.
    public var registration: RegistrationContext
    /// What the check wants back the next time, as long as its state lasts.
    public var fields: [String: JSONValue]
    /// The user that this check has recognised.
    public var user: AuthenticatedUser?

    var state: ExternalizableState
    let durations: [String: TimeInterval]
    let standings: [String: CheckStanding]

    /// The state that the check is in, or ``ExternalizableState/expired``.
    public var currentState: String { state.current(durations, at: now) }
    /// When that state is over.
    public var stateExpiresAt: Date? { currentState == ExternalizableState.expired ? nil : state.expiresAt(durations) }

    /// Changes the state; see ``ExternalizableState/set(_:_:at:)``.
    public mutating func setState(_ name: String) throws(ExternalizableState.UnknownState) {
        try state.set(name, durations, at: now)
    }

    /// How the client stands with a check that this one depends on.
    public func standing(of check: String) -> CheckStanding { standings[check] ?? CheckStanding() }

    /// The known user: the user that a check this one depends on has recognised, the latest first; else the registered
    /// user.
    public var knownUser: AuthenticatedUser? {
        let recognised = standings.values.compactMap { $0.isSuccessful ? $0.user : nil }
        return recognised.max { $0.authenticatedAt < $1.authenticatedAt } ?? registration.registeredUser
    }
}

/// How a client stands with another check.
public struct CheckStanding: Sendable, Equatable {
    /// Whether the other check is in success now.
    public var isSuccessful = false
    /// When that success is over; nil where there is none.
    public var expiresAt: Date?
    /// The user that the other check has recognised; nil where it is not in success, or recognises no user.
    public var user: AuthenticatedUser?
}

/// What checks may keep with a client's registration.
public struct RegistrationContext: Sendable, Equatable, Codable {
    /// The client may read these.
    public var publicAttributes: [String: JSONValue] = [:]
    /// These never leave the server.
    public var protectedAttributes: [String: JSONValue] = [:]
    /// The user that a check made the registration's, and that outlives the check's success; nil before the first.
    public var registeredUser: AuthenticatedUser?

    /// A context without attributes and user, as a new registration has it.
    public init() {}
}

/// A user that a check has recognised.
public struct AuthenticatedUser: Sendable, Equatable, Codable {
    /// The user's id, unique within what the check asks: a user of the realm, or of the developer's own directory.
    public var id: String
    /// The user's name for people, as clients and resource servers get it.
    public var displayName: String
    /// When the check recognised the user.
    public var authenticatedAt: Date
    /// The check's name.
    public var authenticatedBy: String
    /// What the check tells of the user beside id and name. Clients and resource servers get it.
    public var attributes: [String: JSONValue]
    /// The account of the realm, where it is one.
    public var account: UserID?
    /// The account's epoch when it was recognised. Whatever revokes the account's tokens (a new password, a removed factor)
    /// ends what was recognised before.
    public var accountEpoch: Int?
    /// Whether the account was recognised by two factors, such as a passkey that verified its user; nil where one was given.
    public internal(set) var provesTwoFactors: Bool?

    /// Describes a user as a check of your own has recognised them. `account` and `accountEpoch` are for users of the
    /// realm.
    public init(
        id: String, displayName: String, authenticatedAt: Date, authenticatedBy: String,
        attributes: [String: JSONValue] = [:], account: UserID? = nil, accountEpoch: Int? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.authenticatedAt = authenticatedAt
        self.authenticatedBy = authenticatedBy
        self.attributes = attributes
        self.account = account
        self.accountEpoch = accountEpoch
    }

    /// As protocols write it; the time in milliseconds.
    public var json: JSONValue {
        .object([
            "id": .string(id), "displayName": .string(displayName),
            "authenticatedAt": .integer(authenticatedAt.milliseconds), "authenticatedBy": .string(authenticatedBy),
            "attributes": .object(attributes),
        ])
    }
}
