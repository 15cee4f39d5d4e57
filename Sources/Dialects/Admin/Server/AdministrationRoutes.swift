import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import OAuthHTTP
import ServerHTTP

/// `POST /admin/v1/<operation>`: the operations, for holders of an administrator's token and for users with a role.
///
/// A user's access token has the scope ``scope``, and its session was proven with what administering takes (`AdministratorDemand`), which is
/// the same for the console.
public struct AdministrationRoutes: Sendable {
    private let realm: Realm
    private let resource: OwnResource
    private let isAdministrator: @Sendable (Secret<String>) -> Bool

    private static let prefix = "/admin/v1"
    /// What an application's access token needs, so that it opens administration for a user with a role. An application has it only
    /// where it was registered with it.
    public static let scope = OwnScopes.admin

    /// Scopes that change an account, of which an application of the operator's own asks no consent. A test compares them with those
    /// of the protocols.
    public static let accountScopes = OwnScopes.account

    /// - Parameter publicURLs: the addresses that clients reach the server by, without slashes at their ends.
    public init(
        realm: Realm, publicURLs: @escaping @Sendable () -> [String],
        isAdministrator: @escaping @Sendable (Secret<String>) -> Bool
    ) {
        self.realm = realm
        resource = OwnResource(realm: realm, publicURLs: publicURLs)
        self.isAdministrator = isAdministrator
    }

    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        router.post("admin/v1/{operation}") { request, context in
            let response: Response
            do {
                response = try await respond(to: request, context)
            } catch let error as AdministrationError {
                response = try error.response()
            } catch let challenge as TokenChallenge {
                response = try challenge.administrationResponse()
            }
            return try await response.tellingNonce(to: request, of: realm)
        }
    }

    /// This dialect's words for failures that no operation put into words.
    public static func format(_ failure: ServerFailure, _ request: Request) throws -> Response? {
        guard request.uri.path == prefix || request.uri.path.hasPrefix(prefix + "/") else { return nil }
        let error: AdministrationError =
            switch failure {
            case .internalError: .internalError
            case .overloaded: AdministrationError(.overloaded, "The server is overloaded. Try again in a moment.")
            case .unavailable:
                AdministrationError(
                    .unavailable, "The database cannot be reached, or takes no writes. Try again in a moment.")
            case .outcomeUnknown:
                AdministrationError(
                    .outcomeUnknown,
                    "The database went away in the middle, and may have done it or not. Look before you try again.")
            case .body(let fault): AdministrationError(fault)
            // The list of operations needs the token, too.
            case .status(.notFound):
                AdministrationError(
                    .notFound,
                    "There is nothing here. Operations are called with POST /admin/v1/NAME and a JSON object.")
            case .status(let status):
                AdministrationError(.invalid, "\(status). Operations are called with POST and a JSON object.")
            }
        return try error.response(status: failure.status)
    }

    private func respond(to request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let caller = try await caller(request)
        let name = context.parameters.get("operation") ?? ""
        guard let type = AdministrationOperations.named(name) else { throw AdministrationError.noOperation(name) }
        // Before the body is looked at: what an operation takes is for those who may do it.
        try type.requireRight(of: caller)
        let body: JSONValue
        do {
            body = try await request.bodyObject(limit: type.bodyLimit)
        } catch let fault as RequestBodyFault {
            let error = AdministrationError(fault)
            return try error.response(status: fault.status)
        }
        return try await perform(type, body, as: caller, context)
    }

    /// Who the request's token is of, as of now.
    private func caller(_ request: Request) async throws -> AdministrationCaller {
        let presented = try OwnResource.presented(by: request).get()
        if !presented.isBound {
            let token = Secret(presented.text)
            if isAdministrator(token) { return .adminToken }
            switch try await realm.machineTokens.judge(token) {
            case .success(let token): return .machine(token)
            case .failure(.expired):
                throw AdministrationError(.unauthorized, "The token has expired. Have another made.")
            case .failure(.dormant):
                throw AdministrationError(
                    .unauthorized,
                    "The administrator who answers for the token does not administer this realm any more. Have another made."
                )
            case .failure(.unknown): throw AdministrationError.unauthorized
            case nil: break
            }
        }
        let access = try await resource.access(of: request).get()
        guard access.token.scopes.contains(Self.scope), let user = access.token.user, let granted = access.token.session
        else {
            throw TokenChallenge.insufficientScope(Self.scope, scheme: access.scheme)
        }
        // A grant administers by its own authentication: what its browser's session was proven with since is not the application's
        // (docs/decisions/0460).
        var session = granted.session
        session.proofs = granted.evidence.proofs
        switch try await realm.administrators.judge(session, of: user.id) {
        case .open(let role): return .user(user.id, role)
        case .closed: throw AdministrationError(.forbidden, "The user does not administer this realm.")
        case .demanding(.secondFactor):
            throw TokenChallenge.stepUp(
                scheme: access.scheme, "Administering takes a second factor.", contextClass: .aal2)
        case .demanding(.passkey):
            throw TokenChallenge.passkey(scheme: access.scheme, "Administering takes the user's passkey.")
        case .demanding(.signIn):
            throw TokenChallenge.stepUp(
                scheme: access.scheme, "The sign-in is too long ago.", contextClass: .aal2,
                maxAge: Int(AdministratorDemand.longestSession))
        }
    }

    private func perform<Operation: AdministrationOperation>(
        _ type: Operation.Type, _ body: JSONValue, as caller: AdministrationCaller, _ context: CountersignRequestContext
    ) async throws -> Response {
        let operation = try OperationDecoder.decode(type, from: body)
        let client = context.client(ClientID(rawValue: "admin-api"), of: .admin, isAdministrator: true)
        let answer = try await operation.perform(on: realm, as: caller, by: client)
        for warning in (answer as? any WarningAnswer)?.warnings ?? [] { context.logger.warning("\(warning)") }
        return try .json(answer)
    }
}

extension TokenChallenge {
    /// The challenge with this dialect's body.
    func administrationResponse() throws -> Response {
        let answer: AdministrationError =
            switch error {
            case nil, "invalid_token": .unauthorized
            case "invalid_request": AdministrationError(.invalid, description ?? "Refused.")
            default:
                AdministrationError(status == .forbidden ? .forbidden : .unauthorized, description ?? "Refused.")
            }
        return try .json(AdministrationErrorBody(answer), status: status, headers: headers)
    }
}

extension AdministrationError {
    static let unauthorized = AdministrationError(
        .unauthorized,
        "The administrator's token is missing or wrong. Send `Authorization: Bearer …` with what is in the file "
            + "admin-token of the data directory.")
    static let internalError = AdministrationError(
        .internalError, "Something went wrong inside the server. Its log says what.")

    static func noOperation(_ name: String) -> AdministrationError {
        let names = AdministrationOperations.all.map { $0.name }
        let remedy =
            NearestName.of(name, among: names).map { "Did you mean \($0)?" }
            ?? "There are \(names.joined(separator: ", "))."
        return AdministrationError(.notFound, "There is no operation \"\(name)\". \(remedy)")
    }

    func response(status: HTTPResponse.Status? = nil) throws -> Response {
        try .json(
            AdministrationErrorBody(self), status: status ?? code.status,
            // A request without a token is answered by a challenge (RFC 6750, section 3.1): this one had one.
            headers: code == .unauthorized ? [.wwwAuthenticate: #"Bearer error="invalid_token""#] : [:])
    }
}

extension AdministrationError.Code {
    var status: HTTPResponse.Status {
        switch self {
        case .notFound: .notFound
        case .invalid, .refused: .badRequest
        case .conflict: .conflict
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .overloaded, .unavailable, .outcomeUnknown: .serviceUnavailable
        case .internalError: .internalServerError
        }
    }
}
