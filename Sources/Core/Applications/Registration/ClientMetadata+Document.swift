import Foundation
import JSON

extension ClientMetadata {
    /// What an application is registered with, as it is told to it (RFC 7591, section 3.2.1): every member as it counts, whatever was asked
    /// for. No secret is among them.
    /// - Parameter tokens: what the server signs with now.
    public static func document(of application: Application, tokens: TokenSettings) -> [String: JSONValue] {
        let (registration, oauth) = (application.registration, application.registration.oauth)
        func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        let grantTypes = oauth.grantTypes ?? oauth.defaultGrantTypes
        var members: [String: JSONValue] = [
            "client_id": .string(application.id.rawValue),
            "client_id_issued_at": .integer(Int64(application.createdAt.timeIntervalSince1970)),
            "redirect_uris": texts(registration.redirectURIs), "grant_types": texts(grantTypes),
            "response_types": texts(grantTypes.contains("authorization_code") ? ["code"] : []),
            "token_endpoint_auth_method": .string((oauth.authMethod ?? .none).rawValue),
            "scope": .string(registration.scopes.joined(separator: " ")),
            "application_type": .string(oauth.hasFreeLoopbackPorts ? "native" : "web"),
            "id_token_signed_response_alg": .string(tokens.idTokenAlgorithm(of: oauth).rawValue),
            "dpop_bound_access_tokens": .bool(oauth.requiresDPoP),
            "require_pushed_authorization_requests": .bool(oauth.requiresPAR),
        ]
        members["client_name"] = registration.displayName.map { .string($0) }
        for (language, name) in oauth.selfRegistration?.names ?? [:] {
            members["client_name#\(language)"] = .string(name)
        }
        members["jwks_uri"] = oauth.jwksURI.map { .string($0) }
        members["client_uri"] = oauth.clientURI.map { .string($0) }
        members["policy_uri"] = oauth.policyURI.map { .string($0) }
        members["tos_uri"] = oauth.termsURI.map { .string($0) }
        members["backchannel_logout_uri"] = oauth.backchannelLogoutURI.map { .string($0) }
        if !oauth.postLogoutRedirectURIs.isEmpty {
            members["post_logout_redirect_uris"] = texts(oauth.postLogoutRedirectURIs)
        }
        return members.merging(oauth.selfRegistration?.told ?? [:]) { own, _ in own }
    }
}
