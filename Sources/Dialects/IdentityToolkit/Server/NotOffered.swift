import CountersignCore
import IdentityToolkitWire

/// What the protocol has and this realm has not, in the protocol's own refusals: SDKs treat a plain 404 as their own
/// fault. The words are those of Identity Platform's REST reference and of the Admin SDKs' tables of errors.
extension IdentityToolkit {
    /// Other identity providers, phones among them.
    func providerNotEnabled(_ request: EmptyObject, _ call: Call) async throws -> EmptyObject {
        throw IdentityToolkitError.providerNotEnabled
    }

    /// `accounts:revokeToken`: tokens of another identity provider are to end, and there are none.
    func revokeToken(_ request: RevokeTokenRequest, _ call: Call) async throws -> EmptyObject {
        _ = try await tokens(call).bearer(request.idToken)
        throw IdentityToolkitError.providerNotEnabled
    }

    /// Tenants can be named in paths, but share the realm's users: a new one would be no directory of its own.
    func oneDirectory(_ request: EmptyObject, _ call: Call) async throws -> EmptyObject {
        throw IdentityToolkitError(.operationNotAllowed, "All tenants share one directory, and none can be made.")
    }

    func noTenant(_ call: Call) async throws -> EmptyObject {
        throw IdentityToolkitError(404, message: ErrorWord.tenantNotFound.message(), status: "NOT_FOUND")
    }

    func noProvider(_ call: Call) async throws -> EmptyObject {
        throw IdentityToolkitError(404, message: ErrorWord.configurationNotFound.message(), status: "NOT_FOUND")
    }
}
