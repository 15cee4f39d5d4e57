import Foundation
import Synchronization

/// Everything a server works with: where things are kept, what time it is, which keys seal and sign.
///
/// A realm is one user directory and one set of rules. Dialects hold a realm and call its parts; they keep nothing of
/// their own.
///
/// **How the folders meet.** A dialect calls one of the realm's parts: `Authenticator` and `Journeys` (`Flows`) for whatever proves
/// who a user is, `Enrolments` (`Proofs/Enrolling`) for second factors, `Sessions`, `Accounts` (`Users`), `Applications`. These ask
/// `Policies` with the `Settings` as an argument, read and write through `Storage`, seal and draw through `Ambient`, append to
/// `Audit` and to the `Outbox`, and sign with `Tokens`. No part holds state of its own but caches of what the store says.
///
/// A class, of which there is one in a server: as a struct each hand-over would count up some thirty references that all threads share
/// (`docs/decisions/0371`).
public final class Realm: Sendable {
    /// Where everything is kept, in the realm's own wrapping: a transaction reads each row once, and runs once more
    /// where it met a master key that had to be read first.
    public let store: any Store
    /// The time that the realm's rules go by.
    public let clock: any WallClock
    /// Where unpredictable values come from.
    public let random: any RandomSource
    /// Seals what must not be readable in a stolen database.
    public let sealer: Sealer
    /// Hashes and compares passwords.
    public let hasher: any PasswordHasher
    /// Takes password hashes of other systems.
    public let passwordImporter: any PasswordImporter
    /// The keys that tokens are signed with.
    public let keyring: Keyring
    /// The means of proof that answers are judged by.
    public let proofs: ProofRegistry
    /// What the realm may do beyond the safe defaults.
    public let mode: RealmMode
    /// Calls services of the developer's own.
    public let extensionCaller: any ExtensionCaller
    /// Spells those calls.
    public let extensionFormat: any ExtensionFormat
    /// Spells the links of mails.
    public let linkFormat: any LinkFormat
    let extensionTraffic = ExtensionTraffic()
    private let rememberedSettings: Remembered<RealmSettings>
    let rememberedResources: Remembered<[Resource]>
    let knownTenant = Mutex<Tenant?>(nil)
    let standInPassword = StandInPassword()
    let proofNonce = PresentNonce()
    let clientKeySets: ClientKeySets
    let unsettledCharges = UnsettledCharges()
    let pollPace = PollPace()
    let pollIntervals = PollIntervals()
    /// Proofs of possession that were remembered of requests without credentials, by source.
    let proofPace = PollPace()
    /// Where browsers find this server, and what people call it.
    public let site = PublicSite()
    /// Mails as they would be, for administrators.
    public let mailPreviews = MailPreviews()
    /// What modules above the core have in this process.
    public let provided = ProvidedParts()
    /// Wakes those who wait for what this process sends; other processes' is found by looking.
    public let notifier = Notifier()
    /// What this process has seen happen, for metrics.
    public let statistics = EventStatistics()
    let useNotes: UseNotes
    let tokenUse = AdministratorTokenNote()
    /// Reads documents of clients.
    let documentFetcher: any ClientDocumentFetcher
    let documentTraffic = DocumentTraffic()
    /// The newest seal of the log that was seen.
    let sealMemory = SealMemory()
    /// Speaks with the services of hooks.
    let hookCaller: any HookCaller
    /// Between two looks of a page that waits for a decision and that nothing wakes (``AwaitedDecision``).
    let pagePause: Duration

    /// Connects what a realm works with. The defaults call nothing outside of the process.
    /// - Parameters:
    ///   - passwordImporter: takes password hashes of other systems.
    ///   - extensionCaller: makes the calls to custom authentication extensions, which `extensionFormat` spells.
    ///   - linkFormat: spells the links of mails.
    ///   - proofs: the means of proof that answers are judged by.
    ///   - keySetFetcher: fetches the key sets that applications publish.
    ///   - hookCaller: makes the calls to hooks.
    ///   - documentFetcher: fetches the documents of clients whose id is an address.
    ///   - storePatience: how long public documents wait for the store, where there is an answer of before.
    ///   - pagePause: between two looks of a page that waits for a decision and that nothing wakes. For tests.
    public init(
        store: any Store, clock: any WallClock, random: any RandomSource, sealer: Sealer, hasher: any PasswordHasher,
        passwordImporter: any PasswordImporter = NoPasswordImporter(), mode: RealmMode = .production,
        extensionCaller: any ExtensionCaller = NoExtensionCaller(),
        extensionFormat: any ExtensionFormat = NoExtensionFormat(), linkFormat: any LinkFormat = PlainLinkFormat(),
        proofs: ProofRegistry = .standard, keySetFetcher: any KeySetFetcher = NoKeySetFetcher(),
        hookCaller: any HookCaller = NoHookCaller(),
        documentFetcher: any ClientDocumentFetcher = NoClientDocumentFetcher(), storePatience: Duration = .seconds(1),
        pagePause: Duration = .seconds(5)
    ) {
        rememberedSettings = Remembered(patience: storePatience)
        rememberedResources = Remembered(patience: storePatience)
        self.documentFetcher = documentFetcher
        self.hookCaller = hookCaller
        self.pagePause = pagePause
        useNotes = UseNotes(clock: clock)
        let store = KeyedStore(
            base: store, keys: sealer.keys, notifier: notifier, logouts: LogoutNotices(sealer: sealer, clock: clock),
            statistics: statistics, uses: useNotes)
        self.store = store
        self.clock = clock
        self.random = random
        self.sealer = sealer
        self.hasher = hasher
        self.passwordImporter = passwordImporter
        self.mode = mode
        self.extensionCaller = extensionCaller
        self.extensionFormat = extensionFormat
        self.linkFormat = linkFormat
        self.proofs = proofs
        clientKeySets = ClientKeySets(keySetFetcher)
        keyring = Keyring(
            store: store, clock: clock, random: random, sealer: sealer, standing: store.standing,
            patience: storePatience)
    }

    /// The one door through which every answer goes.
    public var authenticator: Authenticator { Authenticator(realm: self) }
    /// Users: signing up, changing, removing.
    public var accounts: Accounts { Accounts(realm: self) }
    /// Second factors: enrolling and withdrawing.
    public var enrolments: Enrolments { Enrolments(realm: self) }
    /// Devices that answer requests.
    public var devices: Devices { Devices(realm: self) }
    /// Requests to devices.
    public var approvals: Approvals { Approvals(realm: self) }
    /// Links and codes that go out by mail.
    public var mailings: Mailings { Mailings(realm: self) }
    /// Sessions: refresh tokens, and whether a token still counts.
    public var sessions: Sessions { Sessions(realm: self) }
    /// Grants: what applications got of sessions.
    public var grants: Grants { Grants(realm: self) }
    /// Authorization codes.
    public var authorizationCodes: AuthorizationCodes { AuthorizationCodes(realm: self) }
    /// Requests for authorization that browsers bring.
    public var authorizations: AuthorizationRequests { AuthorizationRequests(realm: self) }
    /// What users have allowed applications.
    public var consents: Consents { Consents(realm: self) }
    /// Devices without a browser that wait for a user.
    public var deviceAuthorizations: DeviceAuthorizations { DeviceAuthorizations(realm: self) }
    /// APIs that access tokens are issued for.
    public var resources: Resources { Resources(realm: self) }
    /// Applications: client ids.
    public var applications: Applications { Applications(realm: self) }
    /// When applications were last used.
    public var applicationUses: ApplicationUses { ApplicationUses(realm: self) }
    /// Applications whose client id is the address of a document.
    public var clientDocuments: ClientDocuments { ClientDocuments(realm: self) }
    /// Tokens: composing, signing, verifying.
    public var tokens: Tokens { Tokens(realm: self) }
    /// How often a request that waits may come again.
    public var polls: Polls { Polls(realm: self) }
    /// What the log says.
    public var auditLog: AuditLog { AuditLog(realm: self) }
    /// Removes what has expired.
    public var maintenance: Maintenance { Maintenance(realm: self) }

    /// The settings as they are now.
    public func settings() async throws -> RealmSettings {
        try await store.read { try $0.settings() }
    }

    /// The settings for what verifiers elsewhere depend on, such as discovery documents: those read last where the store
    /// does not answer.
    public func publishedSettings() async throws -> RealmSettings {
        try await rememberedSettings.value { [store] in try await store.read { try $0.settings() } }
    }

    /// Changes the settings, and says so in the log.
    /// - Parameters:
    ///   - details: for the log: which setting became what. Never a secret.
    ///   - former: what the log says that it was, of the settings of before; nil: the log has all that became different, as far as
    ///     `AuditedMembers` lets it be shown.
    public func changeSettings<T: Sendable>(
        by actor: ClientContext, details: [String: JSONValue] = [:],
        before former: (@Sendable (RealmSettings) -> JSONValue)? = nil,
        _ change: @escaping @Sendable (inout RealmSettings) throws -> T
    ) async throws -> T {
        let now = clock.now
        let eventID = AuditEvent.freshID(at: now, random: random)
        let changed: T = try await store.write { transaction in
            var settings = try transaction.settings()
            var details = details
            if let former { details["before"] = former(settings) }
            let before = settings
            let result = try change(&settings)
            try transaction.putSettings(settings)
            if former == nil {
                details.merge(try AuditDifference(from: before, to: settings, .settings).details) { own, _ in own }
            }
            try transaction.appendSettingsChange(
                AuditEvent(
                    id: eventID, at: now, kind: .settingsChanged, userID: nil, context: actor, details: details))
            return result
        }
        keyring.noteChange()
        return changed
    }
}

/// What a realm may do beyond the safe defaults.
public struct RealmMode: Sendable, Equatable {
    /// Tokens with `alg: none` are issued and accepted, as the Firebase emulator does. Only ever on under `--dev`.
    public var usesUnsignedTokens: Bool
    /// Clients may create anonymous users, unless the settings say otherwise.
    public var allowsAnonymousUsers: Bool
    /// Messages stay readable after they were delivered, for the developer's inbox.
    public var keepsDeliveredMessages: Bool
    /// Documents of clients may be on this machine, by plain http.
    public var takesLoopbackDocuments: Bool
    /// Hooks may be on this machine, by plain http.
    public var takesLoopbackHooks: Bool

    /// A mode with these permissions; ``production`` has none.
    public init(
        usesUnsignedTokens: Bool, allowsAnonymousUsers: Bool, keepsDeliveredMessages: Bool = false,
        takesLoopbackDocuments: Bool = false, takesLoopbackHooks: Bool = false
    ) {
        self.usesUnsignedTokens = usesUnsignedTokens
        self.allowsAnonymousUsers = allowsAnonymousUsers
        self.keepsDeliveredMessages = keepsDeliveredMessages
        self.takesLoopbackDocuments = takesLoopbackDocuments
        self.takesLoopbackHooks = takesLoopbackHooks
    }

    /// The safe defaults: none of these permissions.
    public static let production = RealmMode(usesUnsignedTokens: false, allowsAnonymousUsers: false)
    /// For laptops and CI: everything that is weaker is on.
    public static let development = RealmMode(
        usesUnsignedTokens: true, allowsAnonymousUsers: true, keepsDeliveredMessages: true,
        takesLoopbackDocuments: true, takesLoopbackHooks: true)
}

/// Who asks: through which application and protocol, from where. It goes into limits and into the log.
public struct ClientContext: Sendable {
    /// The application that asks.
    public var clientID: ClientID
    /// The protocol in which it asks.
    public var dialect: Dialect
    /// The address that limits per source count by; nil where they do not apply (loopback under `--dev`, the command
    /// line).
    public var limitedSource: String?
    /// The address for the log.
    public var source: String?
    /// What the client calls itself (RFC 9110, section 10.1.5), where the protocol's server says so.
    public var userAgent: String?
    /// Whether this application's answers may tell that an address has no account.
    public var revealsAddresses: Bool
    /// The application requires a second factor of every user.
    public var requiresSecondFactor: Bool
    /// BCP 47; the language that mails should have.
    public var locale: String?
    /// Names the request in calls to the developer's own services: a UUID, where the protocol has one.
    public var correlationID: String?
    /// Whether a password is refused that the user had lately: the protocol has a word for it.
    public var refusesFormerPasswords = false
    /// Whether clients of the protocol put the host of their page in the place of the domain that passkeys belong to, where it is another:
    /// then passkeys of a host that may ask for them are taken, too.
    public var namesSiteByHost = false
    /// Whether a user whom a rule about groups or roles asks for a second factor, and who has none, gets a session all the same: the protocol has
    /// tokens that allow enrolling one and nothing else, and asks ``Accounts/requiresSecondFactor(of:_:)`` for which sessions they are.
    public var enrolsBySession = false
    /// The administrator who asks, as the log names them beside ``clientID``: `user:ID`, `token:ID`, or `admin-token` for the first token, the
    /// one of the data directory (``AdministratorToken/actor``). Nil for the command line, and where a user asks for their own account. Events
    /// of before the first token had a name have none for it.
    public var administrator: String?

    /// Who asks; a dialect makes it once for each request. Without `limitedSource` no limit per source applies.
    public init(
        clientID: ClientID, dialect: Dialect, limitedSource: String?, source: String?, revealsAddresses: Bool = false,
        requiresSecondFactor: Bool = false, locale: String? = nil, correlationID: String? = nil,
        userAgent: String? = nil
    ) {
        self.clientID = clientID
        self.dialect = dialect
        self.limitedSource = limitedSource
        self.source = source
        self.revealsAddresses = revealsAddresses
        self.requiresSecondFactor = requiresSecondFactor
        self.locale = locale
        self.correlationID = correlationID
        self.userAgent = userAgent
    }

    /// An administrator at the machine itself, and the server on its own behalf.
    public static let commandLine = ClientContext(
        clientID: ClientID(rawValue: "command-line"), dialect: .admin, limitedSource: nil, source: "local")
}
