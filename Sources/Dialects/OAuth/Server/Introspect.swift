import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OAuthHTTP
import ServerHTTP

extension OAuth {
    static let introspectionType = TokenType(rawValue: "token-introspection+jwt")
    private static let introspectionMedia = "application/\(introspectionType.rawValue)"

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
        let answer = members ?? MemberList([("active", .bool(false))])
        guard let accepted = request.headers.value(of: .accept), Self.accepts(Self.introspectionMedia, accepted) else {
            return .json(bytes: try answer.jsonText())
        }
        // RFC 9701, section 5.
        let draft = TokenDraft(
            type: Self.introspectionType, issuer: issuer(for: asker), audience: asker.id.rawValue, subject: nil,
            issuedAt: realm.clock.now, lifetime: 60, spelling: ["token_introspection": answer.object])
        let signed = try await realm.tokens.issue(draft, with: realm.keyring.algorithm(for: .oauth))
        return Response(
            status: .ok, headers: [.contentType: Self.introspectionMedia, .cacheControl: "no-store"],
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
    ) -> MemberList? {
        guard token.client == asker.id || token.resource?.owner == asker.id else { return nil }
        var members = MemberList([("active", .bool(true))], capacity: 16)
        for name in Self.introspectedClaims { members.add(name, token.claims[name]) }
        members.add("nbf", token.claims["iat"])
        members.add("token_type", .string(token.keyThumbprint == nil ? "Bearer" : "DPoP"))
        // A third party learns the address where its user allowed that, here as elsewhere.
        if let address = token.user?.email,
            token.resource?.owner == asker.id || asker.registration.oauth.isFirstParty || token.scopes.contains("email")
        {
            members.add("username", .string(address.canonical))
        }
        // An API whose tokens say nothing by themselves learns here what its scopes open.
        for scope in token.resource?.scopes ?? [] where scope.claims != nil {
            for name in scope.tokenClaims where !members.contains(name) { members.add(name, token.claims[name]) }
        }
        return members
    }

    private static let introspectedClaims = [
        "scope", "client_id", "exp", "iat", "sub", "aud", "iss", "jti", "acr", "auth_time", "cnf",
    ]

    private func refreshTokenMembers(
        _ text: String, for asker: CountersignCore.Application, by client: ClientContext
    ) async throws -> MemberList? {
        guard let (grant, scopes) = try await refreshable(Secret(text), of: asker, by: client) else { return nil }
        return MemberList([
            ("active", .bool(true)), ("scope", .string(scopes.joined(separator: " "))),
            ("client_id", .string(asker.id.rawValue)), ("sub", .string(grant.userID.rawValue)), ("iss", .string(base)),
            ("exp", .integer(Int64(realm.sessions.end(ofRefreshing: grant).timeIntervalSince1970))),
        ])
    }
}

/// The members of an object that is written out at once: a few that are all different, for which a dictionary would hash each name twice.
struct MemberList {
    private var members: [(name: String, value: JSONValue)]

    init(_ members: [(name: String, value: JSONValue)], capacity: Int = 0) {
        self.members = []
        self.members.reserveCapacity(max(capacity, members.count))
        self.members += members
    }

    /// - Parameter value: nil adds nothing.
    mutating func add(_ name: String, _ value: JSONValue?) {
        if let value { members.append((name, value)) }
    }

    func contains(_ name: String) -> Bool { members.contains { $0.name == name } }

    var object: JSONValue { .object(Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })) }

    /// The object as ``JSONValue/jsonText(order:)`` writes it.
    func jsonText() throws(EncodingError) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        try json.write(members: members)
        return json.bytes
    }
}
