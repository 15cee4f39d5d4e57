import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import ServerHTTP

extension OAuth {
    /// `GET` and `POST /userinfo`: what the scopes of an access token open of its user (OpenID Connect Core 1.0, section 5.3). The token
    /// is in the header alone (RFC 6750, section 2.1; RFC 9449, section 7.1).
    func userInfo(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let presented = try OwnResource.presented(by: request).get()
        try await presented.requireNoOther(inFormOf: request)
        let audiences = Set(options.publicURLs().flatMap { [$0, $0 + Path.userInfo] })
        guard let token = try await realm.tokens.accessToken(presented.text, issuers: issuers, audiences: audiences)
        else {
            if !presented.isBound, let answer = try await options.shared?.userInfo(request, context) { return answer }
            throw OwnResource.refused(presented.scheme)
        }
        if let challenge = try await resource.refusal(of: token, presented, request) { throw challenge }
        guard let user = token.user, token.scopes.contains("openid") else {
            throw TokenChallenge.insufficientScope("openid", scheme: presented.scheme)
        }
        let apis = try await realm.resources.list()
        var members = apis.claims(of: user, openedBy: token.scopes)
        members.merge(user.claims(openedBy: token.scopes)) { _, own in own }
        let single = OAuthTokens.names(token.session?.grant.terms.details[GrantDetail.userInfoClaims])
        if !single.isEmpty, let application = try await realm.applications.application(token.client) {
            let scopes = OAuthTokens.scopes(token.scopes, openFor: application)
            let opened = user.claims(openedBy: scopes).merging(apis.claims(of: user, openedBy: scopes)) { own, _ in own
            }
            members.merge(opened.filter { single.contains($0.key) }) { told, _ in told }
        }
        members.merge(try await Memberships.claims(of: user.id, openedBy: token.scopes, in: realm)) { _, now in now }
        members["sub"] = .string(user.id.rawValue)
        return try .json(JSONValue.object(members))
    }
}
