import AdminServer
import ArgumentParser
import CountersignCore

/// Applications.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Register and change applications.",
        discussion: "An application's id is what OAuth calls the client id and Firebase options call the API key.",
        subcommands: [
            Add.self, Set.self, List.self, Show.self, Remove.self, TestRedirectURI.self, Sessions.self,
            Registrations.self, Approve.self, Document.self, RegistrationTokenCommand.self,
        ])

    static func describe(_ application: ApplicationSummary) -> [String] {
        var table = Table()
        table.add("id", application.id)
        table.add("name", application.displayName)
        table.add("client", application.isConfidential ? "confidential (has a secret or keys)" : "public (no secret)")
        if let keys = application.keyIDs {
            table.add("keys", keys.map { $0.isEmpty ? "(without kid)" : $0 }.joined(separator: " "))
        }
        if let kind = application.oauth.kind { add(application.oauth, kind, to: &table) }
        if let note = application.ownerNote { table.add("note", note) }
        if let contacts = application.contacts { table.add("contacts", contacts.joined(separator: " ")) }
        table.add("redirect URIs", application.redirectURIs.joined(separator: " "))
        table.add("challenge types", application.challengeTypes.joined(separator: " "))
        table.add("scopes", application.scopes.joined(separator: " "))
        table.add("audiences", application.audiences?.joined(separator: " ") ?? "any (none was ever set)")
        table.add(
            "attributes",
            application.attributes.map { attribute in
                let pattern = attribute.pattern.map { ":/\($0)/" } ?? ""
                return "\(attribute.name):\(attribute.type)\(attribute.isRequired ? ":required" : "")\(pattern)"
            }.joined(separator: " "))
        table.add("requires MFA", application.requiresSecondFactor.yesOrNo)
        if application.isDisabled { table.add("disabled", "yes: no protocol knows it") }
        if let until = application.formerSecretUntil { table.add("former secret", "counts until \(until.text)") }
        if let origin = application.origin {
            table.add("registered by", origin.by == "itself" ? "itself" : origin.document)
            table.add("answers at", origin.host)
            table.add("registered from", origin.source)
            table.add("registration token", origin.token)
            table.add("checked", origin.approvedAt.map { "yes, \($0.text)" } ?? "no: pages say so")
        }
        table.add("reveals addresses", application.revealsAddresses.yesOrNo)
        table.add("created", application.createdAt.text)
        let protocols = (application.protocols ?? []).map { use in
            let used = use.lastUsedAt.map { "last used \($0.text)" } ?? "not used"
            return "\(use.name): \(used)\(use.isRegistered ? "" : ", not registered for it")"
        }
        if !protocols.isEmpty { table.add("protocols", protocols.joined(separator: "; ")) }
        for version in application.checkedVersions { table.add("version", describe(version)) }
        return table.lines
    }

    /// What a version asks of clients of security checks, on a line.
    private static func describe(_ version: ApplicationSummary.CheckedVersion) -> String {
        var parts = version.elements
        if !version.mandatoryScope.isEmpty { parts.append("every token: \(version.mandatoryScope)") }
        parts.append("tokens of \(version.lifetime) s")
        if !version.isServed { parts.append("not served") }
        return "\(version.name): " + parts.joined(separator: "; ")
    }

    private static func add(_ oauth: ApplicationSummary.OAuth, _ kind: String, to table: inout Table) {
        table.add("kind", kind)
        table.add("grant types", oauth.grantTypes.joined(separator: " "))
        table.add("authenticates by", oauth.authMethod ?? "what it has")
        table.add("after signing out", oauth.postLogoutRedirectURIs.joined(separator: " "))
        table.add("told of sign-outs", oauth.backchannelLogoutURI)
        table.add("first party", oauth.isFirstParty.yesOrNo)
        table.add("requires PAR", oauth.requiresPAR.yesOrNo)
        table.add("requires DPoP", oauth.requiresDPoP.yesOrNo)
        table.add("issuer", oauth.issuerStyle)
        table.add("resources", oauth.resources.joined(separator: " "))
        table.add("assertions for", oauth.assertionAudience)
        table.add("publishes keys at", oauth.jwksURI)
        table.add("default acr", oauth.defaultACR?.joined(separator: " "))
        table.add("default max age", oauth.defaultMaxAge.map { "\($0) s" })
        table.add("ID tokens by", idTokens(oauth))
        table.add("begins sign-in at", oauth.initiateLoginURI)
        table.add("home page", oauth.clientURI)
        table.add("leads on", oauth.redirectsOn == true ? "yes, so users get there by a page" : nil)
        table.add("accent", oauth.accent)
        table.add("picture", oauth.hasLogo ? "yes" : nil)
        table.add("privacy policy", oauth.policyURI)
        table.add("terms of use", oauth.termsURI)
    }

    /// What its ID tokens are signed with, and what it is registered with where that is another.
    private static func idTokens(_ oauth: ApplicationSummary.OAuth) -> String? {
        guard let used = oauth.idTokenAlgorithmInUse else { return oauth.idTokenAlgorithm }
        guard let registered = oauth.idTokenAlgorithm else { return "\(used) (by the server's settings)" }
        return registered == used ? used : "\(used) (\(registered) is registered; its keys are not published)"
    }

    static func describe(_ answer: AddApplication.Answer) -> [String] {
        var lines = describe(answer.application)
        if let secret = answer.secret {
            lines += ["", "The client secret, shown only once: \(secret.secret.reveal())"]
        }
        return lines
    }
}
