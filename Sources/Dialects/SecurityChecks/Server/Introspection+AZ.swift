import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

extension SecurityChecks {
    /// `POST az/v1/introspection`, for confidential clients (RFC 7662).
    func introspect(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        guard let own = call.credentials("Bearer") else { throw SecurityChecksError.bearer(nil) }
        guard let asking = try await tokens.claimsOfConfidential(own) else {
            throw SecurityChecksError.bearer(.invalidToken)
        }
        var token = ""
        var fault: RequestBodyFault?
        do {
            token = try await request.bodyObject(accepting: .form)["token"]?.stringValue ?? ""
        } catch let error as RequestBodyFault {
            fault = error
        }
        // Whatever is wrong with the body, the one who asks is judged first.
        let found = try await tokens.standing(of: token, askedBy: asking)
        guard let asker = found.asker else { throw SecurityChecksError.bearer(.invalidToken) }
        guard ConfidentialScope.covers(asker.scope, IntrospectionRequest.scope.elements) else {
            throw SecurityChecksError.bearer(.insufficientScope, IntrospectionRequest.scope.text)
        }
        if let fault { throw SecurityChecksError.invalidOAuthRequest("\(fault)") }
        guard !token.isEmpty else { throw SecurityChecksError.invalidOAuthRequest("token is missing.") }
        let answer: IntrospectionResponse<JSONValue>
        switch found.standing {
        case .inactive: answer = .inactive
        case .confidential(let id, let scope, let expiresAt):
            answer = IntrospectionResponse(
                active: true, scope: Scope(scope), username: IntrospectionResponse<JSONValue>.anonymous,
                clientID: id.rawValue, exp: expiresAt.milliseconds)
        case .client(let grant, let expiresAt):
            answer = IntrospectionResponse(
                active: true, scope: Scope(grant.scope),
                username: grant.user?.id ?? IntrospectionResponse<JSONValue>.anonymous,
                clientID: grant.client.id.rawValue, exp: expiresAt.milliseconds,
                application: ApplicationData(grant.client), device: DeviceData(grant.client),
                user: grant.user.map {
                    SecurityChecksWire.AuthenticatedUser(
                        id: $0.id, displayName: $0.displayName, authenticatedAt: $0.authenticatedAt.milliseconds,
                        authenticatedBy: $0.authenticatedBy, attributes: $0.attributes)
                },
                checks: grant.checks.mapValues { .object($0) })
        }
        return .json(bytes: try answer.jsonText)
    }
}
