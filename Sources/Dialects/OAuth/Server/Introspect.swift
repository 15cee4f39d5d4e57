import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OAuthHTTP
import ServerHTTP

extension OAuth {
    static let introspectionType = TokenType(rawValue: "token-introspection+jwt")

    /// `POST /oauth/introspect`: what an access token or a refresh token stands for (RFC 7662). The token's own application sees it, and
    /// the one that owns the API which the token is for; to every other it is inactive.
    func introspect(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let form = try await OAuthForm(request)
        let given = form.text("token")
        // A token that comes often is judged in the transaction that knows who asks.
        var known: PresentedAccessToken?
        if let given {
            known = try await realm.tokens.knownAccessToken(
                given, issuers: issuers, audiences: ownAudiences, takesAPIs: true)
        }
        let (asker, _, judged) = try await authenticate(
            form, request, context, takesPublic: false,
            judging: known.map { Applications.Companion.asking(about: $0) })
        guard let text = given else { throw OAuthFailure.invalidRequest("token is missing.") }
        let token =
            if let judged { judged } else {
                try await realm.tokens.accessToken(text, issuers: issuers, audiences: ownAudiences, takesAPIs: true)
            }
        var members = token.flatMap { Self.members(of: $0, for: asker) }
        if members == nil {
            members = try await refreshTokenMembers(text, for: asker, by: context.client(asker.id, of: .oauth))
        }
        let answer = JSONValue.object(members ?? ["active": .bool(false)])
        let media = "application/\(Self.introspectionType.rawValue)"
        guard Self.accepts(media, request.headers[.accept]) else { return try .json(answer) }
        // RFC 9701, section 5.
        let draft = TokenDraft(
            type: Self.introspectionType, issuer: issuer(for: asker), audience: asker.id.rawValue, subject: nil,
            issuedAt: realm.clock.now, lifetime: 60, spelling: ["token_introspection": answer])
        let signed = try await realm.tokens.issue(draft, with: realm.keyring.algorithm(for: .oauth))
        return Response(
            status: .ok, headers: [.contentType: media, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: signed)))
    }

    /// Whether a field `Accept` names the media type itself, without case, and does not decline it by `q=0` (RFC 9110, section 12.5.1).
    /// A range that it falls into is not enough: the form that everyone reads is the other.
    static func accepts(_ media: String, _ field: String?) -> Bool {
        (field ?? "").lowercased().unicodeScalars.split(separator: ",").contains { range in
            let parts = String(range).unicodeScalars.split(separator: ";").map {
                String(String.UnicodeScalarView($0.filter { $0 != " " && $0 != "\t" }))
            }
            let isDeclined = parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            return parts.first == media && !isDeclined
        }
    }

    private static func members(
        of token: AccessToken, for asker: CountersignCore.Application
    ) -> [String: JSONValue]? {
        guard token.client == asker.id || token.resource?.owner == asker.id else { return nil }
        var members: [String: JSONValue] = ["active": .bool(true)]
        members.reserveCapacity(15)
        for name in ["scope", "client_id", "exp", "iat", "sub", "aud", "iss", "jti", "acr", "auth_time", "cnf"] {
            members[name] = token.claims[name]
        }
        // An API whose tokens say nothing by themselves learns here what its scopes open.
        for name in Set((token.resource?.scopes ?? []).flatMap(\.tokenClaims)) where members[name] == nil {
            members[name] = token.claims[name]
        }
        members["nbf"] = token.claims["iat"]
        members["token_type"] = .string(token.keyThumbprint == nil ? "Bearer" : "DPoP")
        // A third party learns the address where its user allowed that, here as elsewhere.
        if token.resource?.owner == asker.id || asker.registration.oauth.isFirstParty || token.scopes.contains("email")
        {
            members["username"] = token.user?.email.map { .string($0.canonical) }
        }
        return members
    }

    private func refreshTokenMembers(
        _ text: String, for asker: CountersignCore.Application, by client: ClientContext
    ) async throws -> [String: JSONValue]? {
        guard let (grant, scopes) = try await refreshable(Secret(text), of: asker, by: client) else { return nil }
        return [
            "active": .bool(true), "scope": .string(scopes.joined(separator: " ")),
            "client_id": .string(asker.id.rawValue), "sub": .string(grant.userID.rawValue), "iss": .string(base),
            "exp": .integer(Int64(realm.sessions.end(ofRefreshing: grant).timeIntervalSince1970)),
        ]
    }
}
