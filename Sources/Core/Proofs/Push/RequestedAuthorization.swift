import Crypto
import Foundation
import OneTimePassword

/// What an application asks a user to authorize beyond a sign-in. The device shows it before the user answers
/// (RFC 9396; CIBA, section 7.1, `binding_message`).
public struct RequestedAuthorization: Codable, Sendable, Equatable {
    /// `cns_` and 24 letters and digits. It names the request, and gives no right to read it.
    public let id: String
    /// The API that the authorization is for.
    public var audience: String
    /// The scopes that the application asks for.
    public var scopes: [String]
    /// What both screens show, so that people see that the requests belong together.
    public var bindingMessage: String?
    /// What exactly is to happen, in the application's own terms (RFC 9396): objects with a `type`.
    public var authorizationDetails: [JSONValue]
    /// When it was requested.
    public let createdAt: Date
    /// Until when the user can answer.
    public let expiresAt: Date
}

extension Approvals {
    /// What an application requests by the backchannel.
    public struct Backchannel: Sendable {
        /// What the session and its grant are to be like.
        public var terms: GrantTerms
        /// The API that the authorization is for, as devices show it.
        public var audience: String
        /// What both screens show; nil shows nothing.
        public var bindingMessage: String?
        /// What exactly is to happen, in the application's own terms (RFC 9396).
        public var authorizationDetails: [JSONValue]
        /// Seconds; 300 at most, as a request to a device.
        public var lifetime: TimeInterval

        /// What an application requests, by default for as long as a request to a device lives.
        public init(
            terms: GrantTerms, audience: String, bindingMessage: String? = nil,
            authorizationDetails: [JSONValue] = [], lifetime: TimeInterval = FlowLifetime.approval
        ) {
            self.terms = terms
            self.audience = audience
            self.bindingMessage = bindingMessage
            self.authorizationDetails = authorizationDetails
            self.lifetime = lifetime
        }
    }

    /// Asks a user's devices in the name of an application that the user has not spoken to (OpenID Connect
    /// Client-Initiated Backchannel Authentication). The devices are all that can allow it: no code does.
    ///
    /// A caller can send push notifications with this, so it requires client authentication.
    public func begin(
        for userID: UserID, _ request: Backchannel, details: ApprovalDetails = ApprovalDetails(),
        by client: ClientContext
    ) async throws -> (handle: FlowHandle, outcome: Outcome) {
        let handle = FlowHandle(random: realm.random)
        let draft = ApprovalDraft(
            realm: realm, devices: PushFactor.limit, details: details, asksForNumber: false, client: client)
        let authorizationID = "cns_\(realm.random.string(24, of: .alphanumeric))"
        let expiresAt = draft.now + min(request.lifetime, FlowLifetime.approval)
        let outcome: Outcome = try await realm.store.write { transaction in
            guard let user = try transaction.user(userID) else { return .refused(Refusal(.userNotFound)) }
            try transaction.reserve([.user(userID)])
            var body = FlowBody(
                purpose: .backchannel, client: client, challenge: .approval, terms: request.terms,
                tokenEpoch: user.tokenEpoch)
            body.requestedAuthorization = RequestedAuthorization(
                id: authorizationID, audience: request.audience, scopes: request.terms.scopes,
                bindingMessage: request.bindingMessage, authorizationDetails: request.authorizationDetails,
                createdAt: draft.now, expiresAt: expiresAt)
            let flow = FlowRecord(
                digest: handle.digest, userID: userID, purpose: FlowPurpose.backchannel.rawValue,
                createdAt: draft.now, expiresAt: expiresAt,
                body: try body.sealed(by: draft.sealer, digest: handle.digest, in: transaction))
            guard try transaction.insert(flow), let kept = try transaction.flow(digest: flow.digest) else {
                return .refused(Refusal(.busy))
            }
            let outcome = try draft.ask(for: kept, in: transaction)
            if case .asked = outcome { return outcome }
            _ = try transaction.deleteFlow(digest: flow.digest)
            return outcome
        }
        return (handle, outcome)
    }

    /// What a device gets that asks what it is to agree to.
    public enum RequestedAuthorizationOutcome: Sendable {
        /// What the application asks for.
        case granted(RequestedAuthorization)
        /// No request has this token, or it is over.
        case unknownRequest
        /// The request is not about this authorization.
        case unknownAuthorization
        /// The caller has not proven that it is the device.
        case refusedProof
    }

    /// The validity of a proof in seconds; its id is remembered at least as long.
    static let proofLifetime: TimeInterval = 60

    /// What a device is asked to agree to, for the device itself: it shows that it has its key (RFC 9449, section 4.3).
    /// - Parameters:
    ///   - handle: the request's token, which the proof is bound to.
    ///   - proof: a JWS of the device's key about this call.
    ///   - urls: the addresses by which this call may have reached us.
    public func requestedAuthorization(
        _ id: String, for handle: FlowHandle, proof: Secret<String>, method: String, urls: Set<String>
    ) async throws -> RequestedAuthorizationOutcome {
        let now = realm.clock.now
        let sealer = realm.sealer
        let found: (PushFactor.Payload, RequestedAuthorization?)? = try await realm.store.read { transaction in
            guard
                let found = try transaction.flow(of: handle, expecting: .pushTransaction, at: now, sealer: sealer),
                found.record.finishedAt == nil, found.record.expiresAt > now, let userID = found.record.userID,
                let challenge = try found.body.challenge.deviceDecision,
                let factor = try transaction.factor(challenge.factorID), factor.userID == userID,
                let waiting = try transaction.flow(digest: challenge.flow)
            else { return nil }
            return (
                try PushFactor.Payload.open(factor, with: sealer),
                try FlowBody.open(waiting, with: sealer).requestedAuthorization
            )
        }
        guard let (payload, authorization) = found else { return .unknownRequest }
        guard
            let proofID = DeviceProof(proof.reveal(), of: payload.key)?.id(
                token: handle.token.reveal(), method: method, urls: urls, at: now)
        else { return .refusedProof }
        // A proof is good once: its digest is remembered for longer than it lasts.
        let key = "limit/dpop/\(SHA256.digest(of: proofID).hex)/\(handle.publicName)"
        let limits = [
            Allowance(.proofsPerRequest, CounterKey.proofs(of: handle)),
            Allowance(RateLimit(count: 1, window: 2 * Self.proofLifetime), key),
        ]
        guard try await realm.store.write({ try $0.charge(limits, at: now) }) == nil else { return .refusedProof }
        guard let authorization, authorization.id == id else { return .unknownAuthorization }
        return .granted(authorization)
    }
}

/// A device's proof that it has its key, about one HTTP request (RFC 9449, section 4.2, as Guardian.swift makes it).
struct DeviceProof {
    private let claims: TokenClaims

    /// Nil where the key did not sign it, or where its header names another key.
    init?(_ token: String, of key: DeviceKey) {
        guard let claims = try? key.claims(of: token), let bytes = CompactJWS(untrusted: token)?.headerBytes,
            let header = try? JSONParser.parse(bytes),
            header["typ"]?.stringValue?.lowercased() == "dpop+jwt", let jwk = header["jwk"],
            let named = try? DeviceKey(jwk: jwk), named == key
        else { return nil }
        self.claims = claims
    }

    /// The proof's own id, where it is about this request and of now.
    func id(token: String, method: String, urls: Set<String>, at now: Date) -> String? {
        guard claims.string("htm") == method, let url = claims.string("htu"),
            urls.contains(String(url.prefix { $0 != "?" && $0 != "#" })),
            let hash = claims.string("ath"),
            ConstantTime.equal(Array(hash.utf8), Array(Self.hash(of: token).utf8)),
            let issuedAt = claims.date("iat"),
            abs(issuedAt.timeIntervalSince(now)) <= Approvals.proofLifetime,
            let id = claims.string("jti"), (1...256).contains(id.utf8.count)
        else { return nil }
        return id
    }

    /// `ath`: SHA-256 of the token, in base64url.
    static func hash(of token: String) -> String {
        SHA256.digest(of: token).base64URL
    }
}

extension RequestedAuthorization: StoredJSON {}
