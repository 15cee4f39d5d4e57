import CountersignCore
import Foundation

/// What requirements are judged by: the settings of the moment, what is registered, how the servers were started.
struct Situation: Sendable {
    var settings: RealmSettings
    var applications: [Application]
    /// Whether there are more applications than were looked at.
    var isCut = false
    /// Nil where no server has started yet, or none of this version.
    var deployment: Deployment?
    /// Whether passkeys can be used where they are offered; false where no server has a domain for them.
    var hasPasskeyDomain = true
    /// The assurance level that is asked about: advice for a lower one must not lead away from it.
    var assurance = 1
    /// When it was looked at. Before any day, where nothing else is said.
    var now = Date.distantPast

    /// Applications that are looked at.
    static let mostApplications = 10_000

    init(settings: RealmSettings, applications: [Application] = [], deployment: Deployment? = nil) {
        self.settings = settings
        self.applications = applications
        self.deployment = deployment
    }

    static func of(_ realm: Realm) async throws -> Situation {
        var situation = Situation(settings: try await realm.settings())
        situation.now = realm.clock.now
        situation.deployment = try await realm.deployment()
        situation.hasPasskeyDomain = try await realm.hasPasskeyDomain(situation.settings)
        var last: ClientID?
        repeat {
            let page = try await realm.applications.applications(after: last, limit: 1000)
            situation.applications += page
            last = page.count == 1000 ? page.last?.id : nil
        } while last != nil && situation.applications.count < mostApplications
        situation.isCut = last != nil
        return situation
    }

    // MARK: What several requirements ask

    /// Applications whose users sign in by a browser's redirect.
    var browserClients: [Application] {
        applications.filter {
            $0.registration.oauth.kind != nil && $0.registration.oauth.allowsGrant("authorization_code")
        }
    }

    /// Applications through which users sign in, by whatever protocol.
    var userClients: [Application] { applications.filter { $0.registration.oauth.kind != .service } }

    /// Says which of some applications fall short, and how each is mended.
    func shortcoming(
        of applications: [Application], _ what: String, mend option: String
    ) -> Shortcoming? {
        guard !applications.isEmpty else { return nil }
        let names = applications.prefix(5).map { PlainName.of($0.id.rawValue) }.joined(separator: ", ")
        let more = applications.count > 5 ? " and \(applications.count - 5) more" : ""
        return Shortcoming("\(what): \(names)\(more).", .application(option))
    }

    /// Judges by how the servers were started.
    func byDeployment(_ judge: (Deployment) -> [Shortcoming?]) -> Finding {
        guard let deployment else {
            return .unknown("No server of this version has started on this data yet; it says how it was started.")
        }
        return .unless(judge(deployment))
    }

    var encryption: Finding {
        byDeployment { deployment in
            [
                deployment.isEncrypted
                    ? nil
                    : Shortcoming(
                        "Clients reach the server by plain http.",
                        .start("publicURL", "an https URL, with tls.certificate"))
            ]
        }
    }

    var production: Finding {
        byDeployment { [$0.development] }
    }

    /// Two factors of every user, in every protocol.
    var twoFactors: Finding {
        let without = userClients.filter { !$0.registration.requiresSecondFactor }
        let areAllStrict = !userClients.isEmpty && without.isEmpty && !isCut
        let factors = settings.secondFactors
        return .unless([
            factors.isRequired || areAllStrict
                ? nil
                : Shortcoming(
                    "Users sign in without a second factor, unless they have enrolled one.",
                    .setting("secondFactors.state", "MANDATORY")),
            factors.isSkippable(at: now)
                ? Shortcoming(
                    "Users may put off setting up a second factor.", .setting("secondFactors.skippableTimes", "0"))
                : nil,
            factors.offersTOTP || factors.offersPush || (factors.offersPasskeys && hasPasskeyDomain)
                ? nil
                : Shortcoming(
                    "No second factor is offered: users who have none cannot set one up.",
                    .setting("secondFactors.totp.state", "ENABLED")),
        ])
    }

    var hashing: Finding {
        byDeployment { deployment in
            [
                // 7 MiB with five passes is the least that OWASP's table has.
                deployment.hashMemory / 1024 * deployment.hashPasses >= 35
                    ? nil
                    : Shortcoming(
                        "A password hash costs less than OWASP's recommendations.",
                        .start("passwords.memoryMiB", "19, with passwords.operations 2"))
            ]
        }
    }

    /// Whether notices reach users.
    var notices: Finding {
        byDeployment { deployment in
            [
                deployment.mail == .none
                    ? Shortcoming(
                        "No mail server is set: notices stay in the outbox.", .start("mail.smtp.url", "smtps://…"))
                    : nil
            ]
        }
    }
}

extension Deployment {
    /// What development brings is weaker throughout.
    var development: Shortcoming? {
        isDevelopment
            ? Shortcoming("The server runs with --dev: every client can sign in as any user.", .start("dev", "false"))
            : nil
    }
}

/// A name that a person chose, in a sentence of ours.
enum PlainName {
    static func of(_ text: String) -> String {
        let harmless = String(
            text.unicodeScalars.map { $0.properties.isPatternWhitespace || $0.value < 32 ? " " : Character($0) })
        return harmless.count > 60 ? "\(harmless.prefix(60))…" : harmless
    }
}
