import CountersignCore
import CountersignServer
import Hummingbird
import JSON
import ScopeProtection
import SecurityChecks
import SecurityChecksServer

// What docs/security-checks.md shows, so that the build compiles it; `scripts/check-docs` compares.

func showsChecks() throws -> CountersignServer.Options {
    struct HouseNumberCheck: CredentialsValidationSecurityCheck {
        let limits = AttemptLimits(maxAttempts: 3, successStateExpiration: 600, blockedStateExpiration: 60)

        func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict {
            credentials["number"]?.credentialText == "221b" ? .right : .wrong("That is not the number.")
        }
    }

    var options = CountersignServer.Options()
    options.securityChecks = try SecurityCheckCatalogue([SecurityCheckDefinition("HouseNumber", HouseNumberCheck())])
    options.resources = { router, checks in
        router.requires(.securityChecks("letters"), validator: checks.validator).get("letters") { _, _ in "None today."
        }
    }
    return options
}
