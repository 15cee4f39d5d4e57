import CountersignCore

// What the console's pages about applications, APIs and clients do, as commands.

extension ListApplications: CommandedOperation {
    public var commandLine: [String] {
        let command = CommandParts("app", "list").option("limit", limit).option("after", after)
            .option("before", before)
        return text.map { command.arguments($0) } ?? command.words
    }
}

extension ListEndingSecrets: CommandedOperation {
    public var commandLine: [String] { CommandParts("app", "list").option("ending-secrets", days ?? Self.usual).words }
}

extension ShowApplication: CommandedOperation {
    public var commandLine: [String] { CommandParts("app", "show").arguments(id) }
}

extension ListClientDocuments: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("app", "document", "list").option("limit", limit).option("after", after).option("before", before)
            .words
    }
}

extension ForgetClientDocument: CommandedOperation {
    public var commandLine: [String] { CommandParts("app", "document", "forget").arguments(id) }
}

extension BlockClientDocuments: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("app", "document", lift == true ? "unblock" : "block").arguments(pattern)
    }
}

extension SetApplicationLogo: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("app", "set").option("logo", png == nil ? "none" : "logo.png").arguments(id)
    }
}

extension RemoveApplication: CommandedOperation {
    public var commandLine: [String] { CommandParts("app", "remove").arguments(id) }
}

extension AddApplication: CommandedOperation {
    public var commandLine: [String] {
        (registration ?? RegistrationChange()).options(of: CommandParts("app", "add").option("id", id)).words
    }
}

extension ChangeApplication: CommandedOperation {
    public var commandLine: [String] { registration.options(of: CommandParts("app", "set")).arguments(id) }
}

extension RegistrationChange {
    /// The options for what the console's forms say.
    fileprivate func options(of parts: CommandParts) -> CommandParts { further(of: usual(of: parts)) }

    private func usual(of parts: CommandParts) -> CommandParts {
        parts.option("name", displayName).flag("secret", if: hasSecret).flag("no-secret", if: hasSecret.map { !$0 })
            .option("secret-overlap", secretOverlap).option("kind", kind).list("redirect-uri", redirectURIs)
            .option("grant-types", grantTypes.map { $0.joined(separator: ",") }).option("auth-method", authMethod)
            .list("post-logout-redirect-uri", postLogoutRedirectURIs)
            .option("backchannel-logout-uri", backchannelLogoutURI)
            .flag("first-party", if: isFirstParty).flag("no-first-party", if: isFirstParty.map { !$0 })
            .flag("require-par", if: requiresPAR).flag("no-require-par", if: requiresPAR.map { !$0 })
            .flag("require-dpop", if: requiresDPoP).flag("no-require-dpop", if: requiresDPoP.map { !$0 })
            .list("resource", resources).option("scopes", scopes.map { $0.joined(separator: " ") })
            .list("audience", audiences).option("note", ownerNote).list("contact", contacts)
            .flag("require-mfa", if: requiresSecondFactor)
            .flag("no-require-mfa", if: requiresSecondFactor.map { !$0 })
            .flag("reveal-addresses", if: revealsAddresses)
            .flag("no-reveal-addresses", if: revealsAddresses.map { !$0 })
            .flag("redirects-on", if: redirectsOn).flag("no-redirects-on", if: redirectsOn.map { !$0 })
            .flag("disabled", if: isDisabled).flag("no-disabled", if: isDisabled.map { !$0 })
    }

    private func further(of parts: CommandParts) -> CommandParts {
        parts.option("issuer-style", issuerStyle).option("assertion-audience", assertionAudience)
            .option("jwks-uri", jwksURI).option("default-acr", defaultACR.map { $0.joined(separator: " ") })
            .option("default-max-age", defaultMaxAge.map { $0 < 0 ? "none" : "\($0)" })
            .option("id-token-alg", idTokenAlgorithm).option("initiate-login-uri", initiateLoginURI)
            .option("client-uri", clientURI).option("policy-uri", policyURI).option("tos-uri", termsURI)
            .option("accent", accent)
            .option("challenge-types", challengeTypes.map { $0.joined(separator: " ") })
            .list("attribute", attributes.map { $0.map(\.written) })
            .option("jwks", jwks.map { $0 == Self.noKeys ? "" : Self.fileOfKeys })
            .option("versions", versions.map { $0.isEmpty ? "" : Self.fileOfVersions })
    }

    /// Settings of checks are not among the words, where every user of the machine could read them.
    private static var fileOfVersions: String { "versions.json" }

    /// A key set is long.
    private static var fileOfKeys: String { "keys.json" }
    private static var noKeys: JSONValue { .object(["keys": .array([])]) }
}

extension CommandParts {
    /// An option once for each value; an empty one empties a list.
    fileprivate func list(_ name: String, _ values: [String]?) -> CommandParts {
        guard let values else { return self }
        return options(name, values.isEmpty ? [""] : values)
    }
}

extension AddRegistrationToken: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("app", "registration-token", "add").option("expires", AddMachineToken.span(lifetime))
            .option("count", count).options("grant-type", grantTypes ?? []).options("resource", resources ?? [])
            .option("scopes", scopes.map { $0.joined(separator: " ") }).option("label", label).words
    }
}

extension ListRegistrationTokens: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("app", "registration-token", "list").option("limit", limit).option("after", after).option(
            "before", before
        ).words
    }
}

extension RemoveRegistrationToken: CommandedOperation {
    public var commandLine: [String] { CommandParts("app", "registration-token", "remove").arguments(id) }
}

extension ListRegistrations: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("app", "registrations").option("limit", limit).option("after", after).option("before", before)
            .words
    }
}

extension ApproveRegistration: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("app", "approve").flag("withdraw", if: isApproved.map { !$0 }).arguments(id)
    }
}

extension ListResources: CommandedOperation {
    public var commandLine: [String] { CommandParts("resource", "list").words }
}

extension PutResource: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("resource", "add").option("name", displayName)
            .option("scopes", scopes.flatMap { $0.isEmpty ? nil : $0.joined(separator: " ") })
            .options("scope-text", textOptions).options("scope-claims", claimOptions)
            .option("min-acr", minimumACR).options("scope-acr", levelOptions).option("owner", owner).option(
                "lifetime", lifetime
            )
            .option("token", tokenFormat).option("token-alg", tokenAlgorithm).arguments(uri)
    }
}

extension PutResource {
    private var textOptions: [String] {
        (scopeTexts ?? [:]).sorted { $0.key < $1.key }.flatMap { scope, texts in
            texts.sorted { $0.key < $1.key }.map { language, text in
                language.isEmpty ? "\(scope)=\(text)" : "\(scope)@\(language)=\(text)"
            }
        }
    }

    private var levelOptions: [String] {
        (scopeACRs ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }

    private var claimOptions: [String] {
        (scopeClaims ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.joined(separator: ","))" }
    }
}

extension RemoveResource: CommandedOperation {
    public var commandLine: [String] { CommandParts("resource", "remove").arguments(uri) }
}

extension ListClients: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("client", "list").option("limit", limit).option("after", after).option("before", before).option(
            "app", application
        )
        .option("user", user).option("status", status).words
    }
}

extension SetClientStatus: CommandedOperation {
    public var commandLine: [String] {
        status == "ACTIVE"
            ? CommandParts("client", "enable").arguments(client)
            : CommandParts("client", "disable").option("status", status).arguments(client)
    }
}

extension ListClientChecks: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "checks").arguments(user) }
}

extension ShowClient: CommandedOperation {
    public var commandLine: [String] { CommandParts("client", "show").arguments(client) }
}

extension ListOpenChecks: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("client", "checks").option("limit", limit).option("after", after).option("before", before)
            .option("app", application).option("check", check).option("state", state).words
    }
}

extension UnblockClient: CommandedOperation {
    public var commandLine: [String] { CommandParts("client", "unblock").arguments(client, check) }
}

extension ListSecurityChecks: CommandedOperation {
    public var commandLine: [String] { CommandParts("check", "list").option("app", application).words }
}

extension RemoveClient: CommandedOperation {
    public var commandLine: [String] { CommandParts("client", "remove").arguments(client) }
}

extension ListApplicationSessions: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("app", "sessions").option("limit", limit).option("after", after).option("before", before)
            .arguments(id)
    }
}

extension TestRedirect: CommandedOperation {
    public var commandLine: [String] { CommandParts("app", "test-redirect").arguments(id, uri) }
}
