import CountersignCore
import Foundation

/// An account of the realm, by address and password: `{"username":…,"password":…[,"rememberMe":…]}`.
///
/// The password goes through `Authenticator.answer(_:to:by:)` like any other, with the same lockout: guesses here and
/// in other protocols count together. A second factor is another check, such as ``TOTPSecurityCheck``.
public struct AccountLoginSecurityCheck: AccountRecognisingCheck {
    /// How many wrong answers one client may give; the account's own lockout counts beside it.
    public var limits: AttemptLimits
    public var rememberMeDuration: TimeInterval
    /// The realm whose accounts sign in.
    public let realm: Realm

    /// A check of the realm's passwords.
    /// - Parameter rememberMeDuration: seconds that a user who asks for it is remembered; 0 remembers no user.
    public init(realm: Realm, limits: AttemptLimits = AttemptLimits(), rememberMeDuration: TimeInterval = 0) {
        self.realm = realm
        self.limits = limits
        self.rememberMeDuration = rememberMeDuration
    }

    public func authenticate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> UserVerdict {
        guard let username = credentials["username"]?.credentialText,
            let password = credentials["password"]?.credentialText
        else { return .wrong("Credentials not set properly") }
        guard let email = EmailAddress(username) else { return .wrong("Wrong Credentials") }
        let verdict = try await realm.authenticator.answer(
            .password(Secret(password)),
            to: .opening(FlowOpening(subject: .email(email), terms: GrantTerms(), lifetime: 1)), by: context.client)
        return try await recognised(in: verdict, context).map(UserVerdict.right) ?? .wrong("Wrong Credentials")
    }

    public func remembers(_ user: AuthenticatedUser, credentials: JSONValue) -> Bool {
        credentials["rememberMe"] == .bool(true)
    }

    public func person(claimedBy credentials: JSONValue?, in context: SecurityCheckContext) -> String? {
        credentials?["username"]?.credentialText.flatMap { EmailAddress($0)?.canonical }
    }
}

/// A check whose users are accounts of the realm.
protocol AccountRecognisingCheck: UserAuthenticationSecurityCheck {
    var realm: Realm { get }
}

extension AccountRecognisingCheck {
    /// The account that a sign-in has recognised; nil where the answer was not right. What was proven is the check's: it leads to no
    /// session, and a second factor is another check's to ask for. Of whom the realm requires one, nothing is granted without such a check
    /// (docs/decisions/0468).
    func recognised(in verdict: Verdict, _ context: SecurityCheckContext) async throws -> AuthenticatedUser? {
        let user: User
        var isTwo = false
        switch verdict {
        case .accomplished(.signedIn(let signedIn)):
            try await realm.sessions.end(signedIn, of: context.owner)
            user = signedIn.user
            isTwo = realm.proofs.provesTwoFactors(signedIn.evidence)
        case .more(let continuation): user = continuation.user
        default: return nil
        }
        var recognised = AuthenticatedUser(
            id: user.id.rawValue, displayName: user.profile.displayName ?? user.email?.canonical ?? user.id.rawValue,
            authenticatedAt: context.now, authenticatedBy: context.name, account: user.id,
            accountEpoch: user.tokenEpoch)
        if isTwo { recognised.provesTwoFactors = true }
        return recognised
    }
}

/// A factor that an account of the realm has, asked for while a login holds. The factors' own rules hold: their lockout,
/// and that a code counts once.
public protocol FactorSecurityCheck: CredentialsValidationSecurityCheck {
    /// The realm that the account and its factors belong to.
    var realm: Realm { get }
    /// The name of the check that says whose account it is.
    var login: String { get }
}

extension FactorSecurityCheck {
    public var dependencies: [String] { [login] }

    func account(in context: SecurityCheckContext) -> UserID? { context.standing(of: login).user?.account }

    public func need(in context: SecurityCheckContext) -> CredentialsNeed {
        account(in: context) == nil ? .notYet : .asked
    }

    /// The account that the login has recognised: wrong answers count against it from whatever client they come.
    public func person(claimedBy credentials: JSONValue?, in context: SecurityCheckContext) -> String? {
        account(in: context)?.rawValue
    }

    /// A sign-in that waits for a second factor, and leads to no session.
    func attempt(in context: SecurityCheckContext) async throws -> FlowHandle? {
        guard let account = account(in: context) else { return nil }
        return try await realm.authenticator.openAttempt(
            of: account, recognisedBy: .securityCheck, by: context.client)
    }

    /// What the handle of such a sign-in has to be.
    func pendingSignIn(in context: SecurityCheckContext) -> FlowExpectation {
        FlowExpectation(
            [.signIn], at: [.secondFactor], of: [context.owner], user: account(in: context), isFetchedLater: true)
    }

    /// Whether the answer completes the attempt. Nil where no device has answered yet.
    func isRight(_ answer: Answer, to handle: FlowHandle, in context: SecurityCheckContext) async throws -> Bool? {
        switch try await realm.authenticator.answer(
            answer, to: .flow(handle, pendingSignIn(in: context)), by: context.client)
        {
        case .accomplished(.proven): true
        case .refused(let refusal) where refusal.reason == .approvalPending: nil
        default: false
        }
    }
}

/// A code of an authenticator app: `{"code":"123456"}`.
public struct TOTPSecurityCheck: FactorSecurityCheck {
    /// How many wrong codes one client may give; the factor's own lockout counts beside it.
    public var limits: AttemptLimits
    /// The realm whose accounts have the authenticator apps.
    public let realm: Realm
    public let login: String

    /// - Parameter login: a check whose users are accounts of the realm, such as ``AccountLoginSecurityCheck``.
    public init(realm: Realm, after login: String, limits: AttemptLimits = AttemptLimits(maxAttempts: 5)) {
        self.realm = realm
        self.login = login
        self.limits = limits
    }

    public func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict
    {
        guard let code = credentials["code"]?.credentialText, let account = account(in: context) else {
            return .wrong("No code was provided")
        }
        let factors = try await realm.enrolments.secondFactors(of: account)
        guard let factor = factors.first(where: { $0.kind == .totp }), let handle = try await attempt(in: context)
        else { return .wrong("No authenticator is enrolled") }
        return try await isRight(.code(Secret(code), factor: factor.id), to: handle, in: context) == true
            ? .right : .wrong("Wrong code")
    }
}

/// A yes on one of the user's devices: the challenge asks them, and `{}` asks whether one has answered.
public struct PushApprovalSecurityCheck: FactorSecurityCheck, ChallengePreparing {
    /// How many denials one client may cause, and how long a device has to answer.
    public var limits: AttemptLimits
    /// The realm whose accounts have the devices.
    public let realm: Realm
    public let login: String
    private static let handle = "handle"

    /// - Parameter login: a check whose users are accounts of the realm.
    public init(
        realm: Realm, after login: String,
        limits: AttemptLimits = AttemptLimits(attemptingStateExpiration: FlowLifetime.approval)
    ) {
        self.realm = realm
        self.login = login
        self.limits = limits
    }

    public func prepare(_ context: inout SecurityCheckContext) async throws {
        guard let handle = try await attempt(in: context),
            case .asked = try await realm.approvals.ask(
                for: handle, expecting: pendingSignIn(in: context), by: context.client)
        else { return }
        context.fields[Self.handle] = .string(handle.token.reveal())
    }

    public func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict
    {
        guard let handle = context.fields[Self.handle]?.stringValue else { return .undecided("No device was asked") }
        switch try await isRight(.approval, to: FlowHandle(handle), in: context) {
        case true?: return .right
        case nil: return .undecided("The request has not been answered yet")
        case false?: return .wrong("The request was refused")
        }
    }
}

/// A code that is mailed to the user's address when the client is challenged: `{"code":"12345678"}`.
public struct EmailCodeSecurityCheck: FactorSecurityCheck, ChallengePreparing {
    /// How many wrong codes one client may give, and how long a mailed code is asked for.
    public var limits: AttemptLimits
    /// The realm whose accounts the codes are mailed to.
    public let realm: Realm
    public let login: String
    private static let handle = "handle"

    /// - Parameter login: a check whose users are accounts of the realm.
    public init(
        realm: Realm, after login: String,
        limits: AttemptLimits = AttemptLimits(maxAttempts: 5, attemptingStateExpiration: FlowLifetime.mailedCode)
    ) {
        self.realm = realm
        self.login = login
        self.limits = limits
    }

    public func prepare(_ context: inout SecurityCheckContext) async throws {
        guard let account = account(in: context), let email = try await realm.accounts.user(account)?.email,
            case .sent(_, let handle?) = try await realm.mailings.sendCode(to: email, by: context.client)
        else { return }
        context.fields[Self.handle] = .string(handle.token.reveal())
    }

    public func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict
    {
        guard let code = credentials["code"]?.credentialText, let handle = context.fields[Self.handle]?.stringValue,
            let account = account(in: context)
        else { return .wrong("No code was provided") }
        let expectation = FlowExpectation([.signIn], at: [.mailedCode], of: [context.owner], user: account)
        let verdict = try await realm.authenticator.answer(
            .mailedCode(Secret(code)), to: .flow(FlowHandle(handle), expectation), by: context.client)
        switch verdict {
        case .accomplished(.signedIn(let signedIn)):
            try await realm.sessions.end(signedIn, of: context.owner)
            return .right
        case .more: return .right
        default: return .wrong("Wrong code")
        }
    }
}

extension SecurityCheckContext {
    /// The application on whose behalf a check asks the realm. The source was charged before the check was asked.
    var client: ClientContext {
        ClientContext(
            clientID: ClientID(rawValue: application.id), dialect: .securityChecks, limitedSource: nil, source: nil)
    }

    /// Whose attempts and sessions those of the application's checks are.
    var owner: HandleOwner { .application(ClientID(rawValue: application.id), of: .securityChecks) }
}

extension FactorKind {
    /// A security check has recognised the user. No row.
    static let securityCheck = FactorKind(rawValue: "security-check")
}
