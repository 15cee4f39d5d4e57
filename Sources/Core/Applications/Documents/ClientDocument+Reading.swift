import Foundation
import JSON

/// Why a document is no registration. The words are for the log and for the client's developer.
struct ClientDocumentFault: Error, Sendable, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension ApplicationRegistration {
    /// Members of a document that count here; all others say nothing (RFC 7591, section 2). `scope` is not among them: a document is for many
    /// servers, and what its client may ask for is this server's to say. Nor is `logo_uri`: pages show no picture that they did not check.
    private static let members: Set<String> = [
        "redirect_uris", "client_name", "jwks", "jwks_uri", "dpop_bound_access_tokens",
        "require_pushed_authorization_requests", "id_token_signed_response_alg",
    ]
    /// Members whose addresses have to be on the client's own site.
    private static let addresses = ["client_uri", "policy_uri", "tos_uri", "backchannel_logout_uri"]
    private static let refreshGrant = "refresh_token"
    /// `grant_type`s that begin a sign-in.
    private static let grants = ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]

    /// Makes a registration of a document (draft-ietf-oauth-client-id-metadata-document-02, sections 4 and 5).
    /// - Parameters:
    ///   - document: as it was fetched.
    ///   - type: its `Content-Type`.
    ///   - address: where it was fetched.
    ///   - resources: the realm's APIs.
    init(
        document: Data, type: String?, at address: ClientDocumentID, settings: OAuthSettings,
        among resources: [Resource]
    ) throws(ClientDocumentFault) {
        guard Self.isJSON(type) else { throw ClientDocumentFault("its type is not JSON") }
        guard document.count <= ClientDocuments.longest, let json = try? JSONParser.parse(Array(document)),
            case .object(let written) = json
        else { throw ClientDocumentFault("it is no JSON object") }
        let given = written.filter { $0.value != .null }
        // Byte for byte: other texts can be equal to Unicode.
        guard let id = given["client_id"]?.stringValue, id.utf8.elementsEqual(address.url.utf8) else {
            throw ClientDocumentFault("client_id is not its address")
        }
        guard given["client_secret"] == nil, given["client_secret_expires_at"] == nil else {
            throw ClientDocumentFault("it has a secret, which all can read")
        }
        var members = given.filter { Self.members.contains($0.key) }
        let hasKeys = given["jwks"] != nil || given["jwks_uri"] != nil
        let method = given["token_endpoint_auth_method"] ?? (hasKeys ? "private_key_jwt" : "none")
        guard method == "none" || method == "private_key_jwt" else {
            throw ClientDocumentFault("token_endpoint_auth_method is neither none nor private_key_jwt")
        }
        members["token_endpoint_auth_method"] = method
        if method == "none" { (members["jwks"], members["jwks_uri"]) = (nil, nil) }
        members["grant_types"] = try Self.grantTypes(given["grant_types"])
        members["response_types"] = .array(["code"])

        let isListed = settings.lists(address)
        let isOwn: (String) -> Bool = { isListed || RedirectURI.origin(of: $0) == address.origin }
        let uris = try Self.texts(given["redirect_uris"], "redirect_uris")
        for uri in uris where !isOwn(uri) && !RedirectURI.isLoopback(uri) {
            throw ClientDocumentFault("a redirect URI is on another site")
        }
        if let keys = members["jwks_uri"]?.stringValue, !isOwn(keys) {
            throw ClientDocumentFault("jwks_uri is on another site")
        }
        for name in Self.addresses {
            if let uri = given[name]?.stringValue, isOwn(uri) { members[name] = .string(uri) }
        }
        let after = (try? Self.texts(given["post_logout_redirect_uris"] ?? .array([]), "")) ?? []
        members["post_logout_redirect_uris"] = .array(
            after.filter { isOwn($0) || RedirectURI.isLoopback($0) }.map { .string($0) })
        var registration = ApplicationRegistration()
        registration.oauth.origin = .document(uri: address.url)
        var allowance = RegistrationAllowance.open(settings)
        allowance.grantTypes = Self.grants
        do throws(ClientMetadata.Fault) {
            registration = try ClientMetadata(.object(members)).registration(
                from: registration, allowing: allowance, among: resources)
            if let fault = registration.fault { throw fault.ofMetadata }
        } catch {
            throw ClientDocumentFault(error.sentence)
        }
        self = registration
    }

    /// `application/json`, or one of the types that end with `+json` (RFC 6839, section 3.1).
    private static func isJSON(_ type: String?) -> Bool {
        guard let essence = type?.utf8.prefix(while: { $0 != UInt8(ascii: ";") }) else { return false }
        let name = String(decoding: essence, as: UTF8.self).trimmingCharacters(in: .whitespaces).lowercased()
        return name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json")
    }

    private static func texts(_ value: JSONValue?, _ name: String) throws(ClientDocumentFault) -> [String] {
        guard case .array(let values)? = value else { throw ClientDocumentFault("\(name) is no list") }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw ClientDocumentFault("\(name) has what is no text") }
        return texts
    }

    /// Those that a document's client may use: it begins a sign-in, with a browser or without one. Others, which it names for other servers, are
    /// left out.
    private static func grantTypes(_ value: JSONValue?) throws(ClientDocumentFault) -> JSONValue {
        guard let value, value != .array([]) else { return .array([.string(grants[0])]) }
        let named = try texts(value, "grant_types")
        guard grants.contains(where: named.contains) else {
            throw ClientDocumentFault("grant_types has none by which a user signs in")
        }
        return .array((grants + [refreshGrant]).filter(named.contains).map { .string($0) })
    }
}
