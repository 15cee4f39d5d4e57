import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import Passkeys
import ServerHTTP

/// The authentication methods of the user whose access token it is (Auth0, My Account API). Passkeys are made here; other methods are
/// listed and removed.
extension OAuth {
    /// What access tokens need for it.
    public enum AccountScope: String, CaseIterable, Sendable {
        case create = "create:me:authentication_methods"
        case read = "read:me:authentication_methods"
        case delete = "delete:me:authentication_methods"
    }

    private struct Owner {
        let session: OwnSession
        let client: ClientContext
        let application: ClientID
        let scheme: String

        var user: UserID { session.userID }

        /// A body, which has no second access token (RFC 6750, section 2).
        func form(_ request: Request) async throws -> OAuthForm {
            let form = try await OAuthForm(request)
            guard form.members["access_token"] == nil else { throw OwnResource.ambiguous(scheme) }
            return form
        }
    }

    /// Answers the user whose token it is, where it has the scope.
    private func asOwner(
        _ request: Request, _ context: CountersignRequestContext, _ scope: AccountScope,
        _ body: (Owner) async throws -> Response
    ) async throws -> Response {
        let access = try await resource.access(of: request, audiences: ownAudiences).get()
        let token = access.token
        guard let user = token.user, let granted = token.session, token.scopes.contains(scope.rawValue) else {
            throw TokenChallenge.insufficientScope(scope.rawValue, scheme: access.scheme)
        }
        do {
            return try await body(
                Owner(
                    session: OwnSession(
                        userID: user.id, evidence: granted.evidence, epoch: granted.session.tokenEpoch,
                        session: granted.session.id),
                    client: context.client(token.client, of: .oauth), application: token.client, scheme: access.scheme))
        } catch let problem as AccountProblem where problem.status == .unauthorized {
            // The session ended in the meantime, and its token with it.
            var problem = problem
            problem.headers[.wwwAuthenticate] = OwnResource.refused(access.scheme).headers[.wwwAuthenticate]
            throw problem
        }
    }

    // MARK: Making a passkey

    /// The id of a method that is being made, between the two calls: `auth_session` says which.
    private static let newMethod = "passkey_new"

    /// `POST /me/v1/authentication-methods`. The vendor's libraries take the id of the next call from `Location`.
    func beginMethod(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        try await asOwner(request, context, .create) { owner in
            let form = try await owner.form(request)
            guard form.text("type") == "passkey" else {
                throw AccountProblem.invalid("type has to be passkey: other methods are added by the pages.")
            }
            switch try await realm.enrolments.begin(.passkey, of: owner.session, handleApart: true, by: owner.client) {
            case .offered(let offer):
                return try .json(
                    PasskeyChallenge(
                        auth_session: offer.handle.token.reveal(), authn_params_public_key: offer.challenge),
                    status: .created, headers: [.location: "\(base)\(Path.methods)/\(Self.newMethod)"])
            case .refused(let refusal): throw AccountProblem(refusal, at: realm.clock.now)
            }
        }
    }

    /// `POST /me/v1/authentication-methods/{id}/verify`.
    func verifyMethod(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        try await asOwner(request, context, .create) { owner in
            guard context.parameters.get("id") == Self.newMethod else { throw AccountProblem.notFound }
            let form = try await owner.form(request)
            guard let session = form.text("auth_session"), let response = form.document("authn_response"),
                case .object = response["response"]
            else { throw AccountProblem.invalid("auth_session or authn_response is missing.") }
            let issuer = HandleOwner.application(owner.application, of: .oauth)
            let expectation = FlowExpectation(
                [.enrolFactor], at: [.factorEnrolment], of: [issuer], user: owner.user)
            let verdict = try await realm.authenticator.answer(
                .registration(of: .passkey, response: response, name: form.text("name") ?? ""),
                to: .flow(FlowHandle(session), expectation), by: owner.client)
            switch verdict {
            case .accomplished(.enrolled(let factor, let signedIn)):
                // The caller goes on with the token that it has.
                try await realm.sessions.end(signedIn, of: issuer)
                guard let made = try await methods(of: owner.user).first(where: { $0.id == factor.id }) else {
                    throw AccountProblem.notFound
                }
                return try .json(made)
            case .refused(let refusal): throw AccountProblem(refusal, at: realm.clock.now)
            default: throw AccountProblem(Refusal(.unexpectedAnswer), at: realm.clock.now)
            }
        }
    }

    // MARK: Those that there are

    /// `GET /me/v1/authentication-methods`.
    func listMethods(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        try await asOwner(request, context, .read) { owner in
            try .json(AuthenticationMethodList(authentication_methods: try await methods(of: owner.user)))
        }
    }

    /// `GET /me/v1/authentication-methods/{id}`.
    func showMethod(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        try await asOwner(request, context, .read) { owner in
            try .json(try await named(context, of: owner.user))
        }
    }

    /// `DELETE /me/v1/authentication-methods/{id}`.
    func removeMethod(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        try await asOwner(request, context, .delete) { owner in
            let method = try await named(context, of: owner.user)
            switch try await realm.enrolments.removeOwn(
                (id: method.id, onlyCodes: false), of: owner.session, by: owner.client)
            {
            case .removed: return Response(status: .noContent)
            case .unknownFactor: throw AccountProblem.notFound
            case .lastWayIn:
                throw AccountProblem(
                    .conflict, "Conflict", "It is the only way to sign in. Add another one first.")
            case .refused(let fault): throw AccountProblem(fault)
            }
        }
    }

    private func named(_ context: CountersignRequestContext, of user: UserID) async throws -> AuthenticationMethod {
        guard let text = context.parameters.get("id"),
            let method = try await methods(of: user).first(where: { $0.name(is: text) })
        else { throw AccountProblem.notFound }
        return method
    }

    private func methods(of user: UserID) async throws -> [AuthenticationMethod] {
        guard let found = try await realm.accounts.userAndFactors(user) else { return [] }
        let passkeys = try realm.passkeys.list(among: found.factors)
        return found.factors.compactMap { factor in
            AuthenticationMethod(factor, passkeys.first { $0.id == factor.id }, of: user)
        }
    }
}

struct AuthenticationMethodList: Encodable {
    let authentication_methods: [AuthenticationMethod]
}

/// One way in which a user shows who they are, as the vendor's API describes it.
struct AuthenticationMethod: Encodable {
    let id: FactorID
    private let type: String
    private let factor: FactorRecord
    private let passkey: PasskeyAccounts.Passkey?
    private let user: UserID

    /// - Returns: nil for what the vendor has no word for.
    init?(_ factor: FactorRecord, _ passkey: PasskeyAccounts.Passkey?, of user: UserID) {
        switch factor.kind {
        case .passkey: type = "passkey"
        case .totp: type = "totp"
        case .push: type = "push-notification"
        case .recoveryCode: type = "recovery-code"
        case .password: type = "password"
        default: return nil
        }
        id = factor.id
        self.factor = factor
        self.passkey = passkey
        self.user = user
    }

    /// `passkey|…`, also with its bar escaped, as some clients leave it.
    func name(is text: String) -> Bool {
        let name = "\(type)|\(id)"
        return text == name || text.replacing("%7C", with: "|").replacing("%7c", with: "|") == name
    }

    private enum CodingKeys: String, CodingKey {
        case id, type, name, confirmed, aaguid
        case createdAt = "created_at"
        case lastUsedAt = "last_auth_at"
        case identity = "identity_user_id"
        case userAgent = "user_agent"
        case keyID = "key_id"
        case publicKey = "public_key"
        case userHandle = "user_handle"
        case deviceType = "credential_device_type"
        case isBackedUp = "credential_backed_up"
        case relyingParty = "relying_party_id"
        case transports
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode("\(type)|\(id)", forKey: .id)
        try members.encode(type, forKey: .type)
        try members.encode(true, forKey: .confirmed)
        if !factor.name.isEmpty { try members.encode(factor.name, forKey: .name) }
        try members.encode(Self.time(factor.createdAt), forKey: .createdAt)
        try members.encodeIfPresent(factor.lastUsedAt.map(Self.time), forKey: .lastUsedAt)
        guard let passkey else { return }
        let credential = passkey.credential
        try members.encode(user.rawValue, forKey: .identity)
        try members.encodeIfPresent(passkey.userAgent, forKey: .userAgent)
        try members.encode(credential.id.base64URL, forKey: .keyID)
        try members.encode(credential.publicKey.base64URL, forKey: .publicKey)
        try members.encode(credential.userHandle.base64URL, forKey: .userHandle)
        try members.encode(credential.backupEligible ? "multi_device" : "single_device", forKey: .deviceType)
        try members.encode(credential.backupState, forKey: .isBackedUp)
        try members.encode(credential.aaguid.description, forKey: .aaguid)
        try members.encode(credential.rpID, forKey: .relyingParty)
        try members.encode(credential.transports, forKey: .transports)
    }

    /// With milliseconds.
    private static func time(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
