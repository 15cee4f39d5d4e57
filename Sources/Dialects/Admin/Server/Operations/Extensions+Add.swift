import CountersignCore

/// Registers a custom authentication extension: a service that is asked in the middle of a sign-in or a sign-up. It is told of users, so that
/// it takes `users:read` as well; one that sends codes could sign in as any of them, and takes `users:write` and `administrators:write` too.
public struct AddExtension: RehearsedOperation {
    public static let name = "extensions:add"
    public static let right = AdministrationRight.changeExtensions

    /// `token-issuance-start`, `otp-send`, `attribute-collection-start`, `attribute-collection-submit`.
    public var event: String
    public var targetURL: String
    public var displayName: String?
    /// `api://HOST/APPID`; made where it is left out.
    public var resourceID: String?
    /// Client ids; left out or empty for every application.
    public var applications: [String]?
    /// Milliseconds: 200 to 2000; 1000 where it is left out.
    public var timeout: Int?
    /// 0 or 1; 0 where it is left out.
    public var retries: Int?
    /// `refuse`, or `fallback` to mail for codes; `refuse` where it is left out.
    public var onError: String?
    public var claims: [ExtensionSummary.Claim]?
    /// Of `id`, `access`; both where it is left out.
    public var tokens: [String]?
    /// The id of an extension in whose place it comes, in one step; left out where it is a further one.
    public var replaces: String?
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    public var dryRun: Bool?
    /// The `revision` that the extension in whose place it comes is to have still (``ShowExtension/Answer/revision``); otherwise nothing is
    /// changed.
    public var expecting: String?

    public init(
        event: String, targetURL: String, displayName: String? = nil, resourceID: String? = nil,
        applications: [String]? = nil, timeout: Int? = nil, retries: Int? = nil, onError: String? = nil,
        claims: [ExtensionSummary.Claim]? = nil, tokens: [String]? = nil, replaces: String? = nil,
        dryRun: Bool? = nil, expecting: String? = nil
    ) {
        self.event = event
        self.targetURL = targetURL
        self.displayName = displayName
        self.resourceID = resourceID
        self.applications = applications
        self.timeout = timeout
        self.retries = retries
        self.onError = onError
        self.claims = claims
        self.tokens = tokens
        self.replaces = replaces
        self.dryRun = dryRun
        self.expecting = expecting
    }

    public struct Answer: Codable, Sendable, WarningAnswer {
        public let `extension`: ExtensionSummary
        public let warnings: [String]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        try AdministrationError.check(displayName: displayName)
        let kind: ExtensionEvent = try Self.word(event, "event")
        try permit.requireGiving(kind.opens)
        var registration = CustomExtensions.Registration(
            event: kind, displayName: displayName.flatMap { $0.isEmpty ? nil : $0 },
            targetURL: targetURL, resourceID: resourceID, clients: applications ?? [], timeout: timeout ?? 1000,
            retries: retries ?? 0, fallsBack: try Self.word(onError ?? "refuse", "onError") == OnError.fallback,
            claims: try (claims ?? []).map(Self.mapping))
        if let tokens { registration.tokens = try tokens.map { try Self.word($0, "tokens") } }
        do {
            let extensions = realm.customExtensions
            let made: CustomExtension
            if let replaces {
                let expecting = expecting
                let judge: @Sendable (CustomExtension) throws -> Void = { present in
                    try RecordRevision.require(expecting, RecordRevision.text(of: present))
                }
                let changed =
                    try await dryRun == true
                    ? extensions.judged(registration, inPlaceOf: replaces, judging: judge)
                    : extensions.replace(replaces, by: registration, client: client, judging: judge)
                guard let changed else { throw AdministrationError.noExtension(replaces) }
                made = changed
            } else if dryRun == true {
                made = try extensions.judged(registration)
            } else {
                made = try await extensions.add(registration, by: client)
            }
            return Answer(
                extension: ExtensionSummary(made, for: permit), warnings: try await Self.warnings(of: made, in: realm))
        } catch let fault as CustomExtensionFault {
            let number = fault.code.map { " (\($0.rawValue) \($0.name))" } ?? ""
            throw AdministrationError(fault.isByOthers ? .conflict : .invalid, fault.message + number)
        }
    }

    private enum OnError: String, CaseIterable {
        case refuse
        case fallback
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String, _ member: String
    ) throws -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue)
            let remedy =
                NearestName.of(text, among: words).map { "Did you mean \($0)?" }
                ?? "There are \(words.joined(separator: ", "))."
            throw AdministrationError(.invalid, "\"\(text.prefix(60))\" is no \(member). \(remedy)")
        }
        return word
    }

    private static func mapping(_ claim: ExtensionSummary.Claim) throws -> ClaimMapping {
        switch (claim.id, claim.value, claim.jwtClaimType) {
        case (let id?, nil, let type): return ClaimMapping(id: id, jwtClaimType: type)
        case (nil, let value?, _) where value == ConcealedValue.mark: throw AdministrationError.concealedValue
        case (nil, let value?, let type?): return ClaimMapping(value: value, jwtClaimType: type)
        default:
            throw AdministrationError(
                .invalid, "A claim has the id that the service calls it by, or a value and a jwtClaimType.")
        }
    }

    /// What is allowed and probably not meant.
    private static func warnings(of made: CustomExtension, in realm: Realm) async throws -> [String] {
        var warnings: [String] = []
        for id in made.clients where try await realm.applications.registered(ClientID(rawValue: id)) == nil {
            warnings.append("There is no application \(id) yet.")
        }
        if made.event == .tokenIssuanceStart, made.claims.isEmpty {
            warnings.append("No claim is mapped: the service is asked, and nothing of its answer goes into tokens.")
        }
        if made.targetURL.hasPrefix("http:") {
            warnings.append("The service is called by plain http, which works on this machine and with --dev alone.")
        }
        return warnings
    }
}

extension ExtensionEvent {
    /// The rights that come with what the service is told.
    fileprivate var opens: Set<AdministrationRight> {
        self == .otpSend ? [.readUsers, .changeUsers, .changeAdministrators] : [.readUsers]
    }
}
