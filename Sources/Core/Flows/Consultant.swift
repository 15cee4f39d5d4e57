/// A consultant that is asked before a right answer counts: a service of the developer's own.
///
/// Nothing is written and no transaction is open while they think. Where they throw, it is as if the answer had never been
/// given: no code is used up, no session begun, no account made.
public protocol Consultant: Sendable {
    /// Where they want to be asked.
    var steps: Set<ConsultedStep> { get }

    /// A session is about to begin.
    func beforeSession(of user: User) async throws

    /// A sign-up is about to ask for attributes.
    /// - Returns: values for fields of forms, which the user has not submitted.
    func beforeAttributes(of signUp: SignUpContext) async throws -> [String: JSONValue]

    /// A sign-up is about to make an account.
    func beforeAccount(of signUp: SignUpContext) async throws -> SignUpAdvice
}

/// A point of an attempt at which a consultant is asked.
public enum ConsultedStep: Sendable, Hashable {
    /// Before a session begins, with the user known.
    case session
    /// Before a sign-up asks for attributes.
    case attributes
    /// Before a sign-up makes an account.
    case account
}

/// What a sign-up has collected.
public struct SignUpContext: Sendable {
    /// The address that is signed up for.
    public let email: EmailAddress
    /// The attributes that were given so far, by name.
    public let attributes: [String: JSONValue]
    /// Whether attributes are what was given just now: then they can be refused, and given again.
    public let isAboutAttributes: Bool
}

/// What becomes of a sign-up that wants to make an account.
public enum SignUpAdvice: Sendable {
    /// The account is made, with these attributes.
    case take([String: JSONValue])
    /// These are asked for, whether they were given or not.
    case ask([ApplicationRegistration.Attribute])
}

/// What was said by those who were asked.
struct Advice: Sendable {
    var clearsSession = false
    var prefill: [String: JSONValue]?
    var signUp: SignUpAdvice?
}

/// Thrown out of the transaction that settles, so that it is rolled back: a consultant is to be asked first.
enum ConsultationNeeded: Error {
    case session(User)
    case attributes(SignUpContext)
    case account(SignUpContext)
}

extension Authenticator {
    /// Asks.
    func consult(_ consultant: any Consultant, about question: ConsultationNeeded, _ advice: inout Advice) async throws
    {
        switch question {
        case .session(let user):
            try await consultant.beforeSession(of: user)
            advice.clearsSession = true
        case .attributes(let context): advice.prefill = try await consultant.beforeAttributes(of: context)
        case .account(let context): advice.signUp = try await consultant.beforeAccount(of: context)
        }
    }
}
