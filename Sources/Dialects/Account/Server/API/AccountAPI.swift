import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import OneTimePassword
import ServerHTTP

/// `/account/v1`: what users do about their own accounts, for applications that have the scope ``scope`` of them
/// (`OwnAccount` in the core; the pages of the account do the same).
///
/// The access token is sent as `Bearer`, or as `DPoP` with a proof. A change whose session was proven too long ago is answered 401 with
/// `insufficient_user_authentication` and `max_age` (RFC 9470, section 3): the application leads its user through a sign-in with that
/// `max_age`, and sends the request again.
public struct AccountAPI: Sendable {
    /// An application gets it only where it was registered with it and the user has allowed it.
    public static let scope = "account"
    static let prefix = "/account/v1"

    let realm: Realm
    private let options: Options
    private let resource: OwnResource

    public struct Options: Sendable {
        /// The addresses that clients reach the server by, without slashes at their ends.
        public var publicURLs: @Sendable () -> [String]
        /// What authenticator apps call the server.
        public var name: String
        /// What a device takes to be enrolled; nil where it gives none.
        public var deviceLink: (@Sendable (DeviceTicket) -> String?)?

        public init(
            publicURLs: @escaping @Sendable () -> [String], name: String,
            deviceLink: (@Sendable (DeviceTicket) -> String?)? = nil
        ) {
            self.publicURLs = publicURLs
            self.name = name
            self.deviceLink = deviceLink
        }
    }

    public init(realm: Realm, options: Options) {
        self.realm = realm
        self.options = options
        resource = OwnResource(realm: realm, publicURLs: options.publicURLs)
    }

    /// Every endpoint, one line each (``endpoints``).
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        for endpoint in Self.endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                try await answer(endpoint, request, context).tellingNonce(to: request, of: realm)
            }
        }
    }

    private func answer(
        _ endpoint: AccountEndpoint, _ request: Request, _ context: CountersignRequestContext
    ) async throws -> Response {
        do {
            let caller = try await caller(request, context)
            try endpoint.checkQuery(of: request)
            return try await endpoint.answer(AccountCall(api: self, request, context, caller))
        } catch let refusal as OwnAccount.Refusal {
            return try AccountProblem(refusal, at: realm.clock.now).response()
        } catch let problem as AccountProblem {
            return try problem.response()
        } catch let challenge as TokenChallenge {
            return try AccountProblem.response(to: challenge)
        } catch let unknown as StrictJSON.UnknownMember {
            return try AccountProblem(
                .invalid, "There is no member \"\(unknown.path)\" here. \(unknown.remedy)"
            ).response()
        } catch let fault as RequestBodyFault {
            return try AccountProblem(.invalid, fault.sentence).response(status: fault.status)
        }
    }

    /// Who asks: the user of the token, by an application.
    struct Caller: Sendable {
        let session: OwnSession
        let client: ClientContext
        let scheme: String
    }

    private func caller(_ request: Request, _ context: CountersignRequestContext) async throws -> Caller {
        let access = try await resource.access(of: request).get()
        let token = access.token
        guard let user = token.user, let granted = token.session, token.scopes.contains(Self.scope) else {
            throw TokenChallenge.insufficientScope(Self.scope, scheme: access.scheme)
        }
        return Caller(
            session: OwnSession(
                userID: user.id, evidence: granted.evidence, epoch: granted.session.tokenEpoch,
                session: granted.session.id),
            client: context.client(token.client, of: .oauth), scheme: access.scheme)
    }

    /// What an app on a phone takes to make the factor; nil for a credential, which a client makes from the offer itself.
    func link(of offer: OwnOffer, for id: UserID) async throws -> String? {
        switch offer {
        case .response: return nil
        case .device(let ticket): return options.deviceLink?(ticket)
        case .codes(let offer):
            let user = try await realm.accounts.user(id)
            return try OTPAuthURI(
                kind: .totp(period: offer.period), issuer: options.name,
                accountName: user?.email?.canonical ?? id.rawValue, secret: offer.secret.reveal(),
                algorithm: offer.algorithm, digits: offer.digits
            ).uriString
        }
    }

    /// Whether a path is this API's. Pages of every origin may call it, as applications of browsers do: it reads no cookie.
    public static func owns(path: String) -> Bool { path == prefix || path.hasPrefix(prefix + "/") }

    /// This API's words for failures that no endpoint put into words.
    public static func format(_ failure: ServerFailure, _ request: Request) throws -> Response? {
        guard owns(path: request.uri.path) else { return nil }
        let problem: AccountProblem =
            switch failure {
            case .internalError: AccountProblem(.internalError, "Something went wrong inside the server.")
            case .overloaded, .unavailable:
                AccountProblem(.unavailable, "The server has too much to do. Try again in a moment.")
            case .outcomeUnknown:
                AccountProblem(.outcomeUnknown, "It may have been done or not. Look before you try again.")
            case .body(let fault): AccountProblem(.invalid, fault.sentence)
            case .status(.notFound): AccountProblem(.notFound, "There is no such endpoint.")
            case .status(.methodNotAllowed):
                AccountProblem(
                    .invalid, "The endpoint is there, but not for this method. `Allow` has those that it takes.")
            case .status(let status): AccountProblem(.invalid, "\(status)")
            }
        return try problem.response(status: failure.status)
    }
}

/// One request to an endpoint, whose caller is known.
struct AccountCall: Sendable {
    let api: AccountAPI
    let request: Request
    let context: CountersignRequestContext
    let caller: AccountAPI.Caller

    init(
        api: AccountAPI, _ request: Request, _ context: CountersignRequestContext, _ caller: AccountAPI.Caller
    ) {
        self.api = api
        self.request = request
        self.context = context
        self.caller = caller
    }

    var account: OwnAccount { api.realm.ownAccount }
    var session: OwnSession { caller.session }
    var client: ClientContext { caller.client }

    /// What the path names.
    func name(_ parameter: String) -> String { context.parameters.get(parameter) ?? "" }

    /// What a refusal is told, with the challenge of the scheme that the token came by.
    func get<Value>(_ result: Result<Value, OwnAccount.Refusal>) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(.proofTooOld(let needed)):
            throw TokenChallenge.stepUp(
                scheme: caller.scheme, "Prove who you are again: the last full proof is too long ago.",
                contextClass: needed == .aal2 ? .aal2 : nil, maxAge: Int(OwnAccount.recency))
        case .failure(.revoked): throw OwnResource.refused(caller.scheme)
        case .failure(let refusal): throw refusal
        }
    }

    /// The number of a query item; nil where it is not there.
    func number(_ item: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = request.queryItems[item] else { return nil }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), range.contains(number) else {
            throw AccountProblem(.invalid, "\(item) is \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}
