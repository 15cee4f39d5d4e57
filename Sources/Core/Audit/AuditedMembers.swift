/// What the log shows of the members of a kind of document. What no list names is never shown: a member that is added later appears as
/// changed, with no value, until someone has thought about it (docs/decisions/0436).
///
/// Members within members are named with a dot between, also those of the elements of a list. `*` stands for every name in one place.
struct AuditedMembers: Sendable, Equatable {
    /// How the log has a member that changed.
    enum Treatment: Sendable, Equatable {
        /// With its value.
        case shown
        /// With a digest of its value: for what is public, and long. A digest of a secret that a person chose could be guessed.
        case digest
        /// Without its value: for secrets, and what is made of them.
        case concealed
        /// Not at all: it changes with another member, or is told in words of its own.
        case omitted
    }

    private let treatments: [String: Treatment]
    /// Lists of which only the elements count: another order of them is no change, and they are shown sorted.
    let sets: Set<String>

    init(
        shown: [String], digested: [String] = [], concealed: [String] = [], omitted: [String] = [],
        sets: Set<String> = []
    ) {
        self.sets = sets
        var treatments: [String: Treatment] = [:]
        for (names, treatment) in [
            (shown, Treatment.shown), (digested, .digest), (concealed, .concealed), (omitted, .omitted),
        ] {
            for name in names { treatments[name] = treatment }
        }
        self.treatments = treatments
    }

    /// The names that are listed.
    var names: Set<String> { Set(treatments.keys) }

    /// Nil for what no list names: it is concealed.
    func treatment(of name: String) -> Treatment? {
        if let own = treatments[name] { return own }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        for index in parts.indices {
            var pattern = parts
            pattern[index] = "*"
            if let own = treatments[pattern.joined(separator: ".")] { return own }
        }
        // What is within a member of which no value is shown is none either.
        for count in parts.indices.dropFirst().reversed() {
            guard let outer = treatments[parts[..<count].joined(separator: ".")] else { continue }
            return outer == .shown ? nil : outer
        }
        return nil
    }
}

extension AuditedMembers {
    /// Of an application's registration.
    static let application = AuditedMembers(
        shown: [
            "displayName", "secretIsDrawn", "redirectURIs", "challengeTypes", "scopes", "audiences",
            "attributes.name", "attributes.type", "attributes.isRequired", "attributes.pattern", "requiresSecondFactor",
            "revealsAddresses", "isDisabled", "ownerNote", "contacts",
        ]
            + [
                "kind", "grantTypes", "authMethod", "postLogoutRedirectURIs", "backchannelLogoutURI", "isFirstParty",
                "requiresPAR", "requiresDPoP", "issuerStyle", "defaultACR", "defaultMaxAge", "resources",
                "takesTokenEndpointAudience", "jwksURI", "idTokenAlgorithm", "initiateLoginURI", "clientURI",
                "policyURI",
                "termsURI", "redirectsOn", "accent", "logo", "approval.at", "approval.by", "origin.by", "origin.uri",
                "origin.registration.at", "origin.registration.token", "origin.registration.source",
                "origin.registration.allowance.grantTypes", "origin.registration.allowance.resources",
                "origin.registration.allowance.scopes", "origin.registration.changedAt", "origin.registration.withheld",
                "origin.registration.names.*", "origin.registration.scopeLimit",
            ].map { "oauth.\($0)" },
        digested: ["assertionKeys"],
        concealed: ["oauth.formerSecrets", "versions"],
        omitted: [
            // Told as `secretChanged`.
            "secretDigest", "oauth.document", "oauth.handedOverAt", "oauth.asksSince",
            "oauth.origin.registration.accessTokenDigest", "oauth.origin.registration.told",
        ],
        sets: [
            "challengeTypes", "scopes", "audiences", "oauth.grantTypes", "oauth.resources",
            "oauth.origin.registration.allowance.grantTypes", "oauth.origin.registration.allowance.resources",
            "oauth.origin.registration.allowance.scopes", "oauth.origin.registration.withheld",
        ])

    /// Of an API.
    static let resource = AuditedMembers(shown: [
        "uri", "name", "scopes.name", "scopes.text", "scopes.texts.*", "scopes.minimumACR", "scopes.claims", "owner",
        "lifetime", "tokenFormat", "algorithm",
    ])

    /// Of a service that is told what happens. Its secret is kept elsewhere; its address may have one too.
    static let hook = AuditedMembers(shown: ["name", "events", "isEnabled"], concealed: ["url"], sets: ["events"])

    /// Of an extension. Its address may have a secret, and what goes into tokens as a constant may be one between the operator and an API.
    static let customExtension = AuditedMembers(
        shown: [
            "event", "displayName", "resourceID", "clients", "timeout", "retries", "fallsBack",
            "claims.id",
            "claims.jwtClaimType", "tokens",
        ], concealed: ["targetURL", "claims.value"], omitted: ["id", "listenerID", "createdAt"],
        sets: ["clients", "tokens"])

    /// Of the settings. What modules above the core keep with them is theirs to tell.
    static let settings = AuditedMembers(
        shown: members([
            "secondFactors":
                "state totp.state totp.adjacentIntervals offersPush offersPasskeys skippableTimes skippableUntil "
                + "requiredGroups requiredRoles",
            "passwords": "minimumLength minimumLengthAlone maximumLength required refusesCommon remembered",
            "signUp": "isOpen takesInvitations anonymous allowsAnonymous", "privacy": "hidesAddresses",
            "tokens": "algorithm algorithms.* publishedKeys idTokenLifetime sessionDays", "audit": "retentionDays",
            "push.apns": "keyID teamID bundleID isSandbox", "links": "authorizedDomains",
            "oauth":
                "registration registrationResources dpopNonce policyURI termsURI documentationURI clientDocuments listedDocuments "
                + "blockedDocuments",
            "passkeys":
                "rpID rpName origins relatedOrigins framingOrigins userVerification algorithms attestation allowedAAGUIDs "
                + "allowsSynced counter appleApps androidApps",
            "browserSessions": "preset otherDevice", "terms": "version url urls.*",
            "accounts": "deletionGraceDays editableAttributes takesPictures",
        ]) + ["push.provider"],
        digested: ["tokens.customTokenKeys", "passkeys.attestationRoots"],
        concealed: ["securityChecks", "identityToolkit"],
        sets: Set(
            members([
                "secondFactors": "requiredGroups requiredRoles", "passwords": "required", "links": "authorizedDomains",
                "accounts": "editableAttributes",
                "oauth": "registrationResources listedDocuments blockedDocuments",
                "passkeys": "origins relatedOrigins framingOrigins allowedAAGUIDs appleApps androidApps",
            ])))

    private static func members(_ parts: [String: String]) -> [String] {
        parts.flatMap { part, names in names.split(separator: " ").map { "\(part).\($0)" } }
    }
}
