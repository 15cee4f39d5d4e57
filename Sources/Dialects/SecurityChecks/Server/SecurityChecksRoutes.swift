import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

extension SecurityChecks {
    /// Every endpoint, one line each.
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let group = SecurityChecksGroup(checks: self, router: router)
        group.on(.post, Endpoint.registration, register)
        group.on(.put, Endpoint.registration + "/{clientId}", updateRegistration)
        group.on(.get, Endpoint.registration + "/{clientId}", showRegistration)
        group.on(.get, "/registration/v1/clients/{clientId}", showClient)
        group.on(.post, "/registration/v1/clients/{clientId}", changeClient)
        group.on(.delete, "/registration/v1/clients/{clientId}", removeClient)
        group.on(.post, Endpoint.preauthorize, preauthorize)
        group.on(.post, Endpoint.logout, logout)
        group.on(.post, Endpoint.heartbeat, heartbeat)
        group.on(.get, Endpoint.authorization, authorize)
        group.on(.get, Endpoint.authorizationRedirect + "/{clientId}", showRedirect)
        group.on(.post, Endpoint.token, token)
        group.on(.post, Endpoint.introspection, introspect)
        group.on(.post, "/loguploader", takeLogs)
        group.on(.get, "/clientLogProfile", logProfile)
        group.on(.get, "/clientLogProfile/**", logProfile)
    }

    /// Whether a path is one of this dialect's, for what applies to the dialect as a whole.
    public static func owns(path: String) -> Bool { path.hasPrefix(Endpoint.base + "/") }

    /// This dialect's words for failures that no endpoint put into words.
    public static func format(_ failure: ServerFailure, _ request: Request) throws -> Response? {
        guard owns(path: request.uri.path) else { return nil }
        if request.uri.path.hasPrefix(Endpoint.base + "/az/") {
            let error: SecurityChecksError =
                switch failure {
                case .internalError: .oauth(500, .serverError, "Something went wrong inside the server.")
                case .overloaded(let seconds), .unavailable(let seconds), .outcomeUnknown(let seconds):
                    .oauth(503, .temporarilyUnavailable, "There is too much to do.", retryAfter: seconds)
                case .body(let fault): .oauth(400, .invalidRequest, "\(fault)")
                case .status(.methodNotAllowed):
                    .oauth(405, .invalidRequest, "The endpoint is there, but not for this method.")
                case .status(let status): .oauth(status.code, .invalidRequest, "There is no such endpoint.")
                }
            return try error.response(to: request.uri.path)
        }
        let error: SecurityChecksError =
            switch failure {
            case .internalError: .plain(500, .unexpectedError, "Something went wrong inside the server.")
            case .overloaded(let seconds), .unavailable(let seconds), .outcomeUnknown(let seconds):
                .plain(503, .unexpectedError, "The server is overloaded. Try again in a moment.", retryAfter: seconds)
            case .body(let fault): .invalidRequest("\(fault)")
            case .status(.methodNotAllowed):
                .plain(405, .invalidRequest, "The endpoint is there, but not for this method.")
            case .status(let status): .plain(status.code, .invalidRequest, "There is no such endpoint.")
            }
        return try error.response(to: request.uri.path)
    }
}

typealias SecurityChecksCall = ClientCall

extension ClientCall {
    /// The client that the path names.
    var pathClient: RegisteredClientID { RegisteredClientID(rawValue: parameters["clientId"] ?? "") }
}

private struct SecurityChecksGroup<Routes: RouterMethods<CountersignRequestContext>> {
    let checks: SecurityChecks
    let router: Routes

    func on(
        _ method: HTTPRequest.Method, _ path: String,
        _ handler: @escaping @Sendable (Request, SecurityChecksCall) async throws -> Response
    ) {
        let checks = checks
        router.on(RouterPath(Endpoint.base + path), method: method) { request, context in
            do {
                return try await handler(request, checks.call(request, context))
            } catch let error as SecurityChecksError {
                return try error.response(to: request.uri.path)
            }
        }
    }
}

extension SecurityChecks {
    fileprivate func call(_ request: Request, _ context: CountersignRequestContext) -> SecurityChecksCall {
        SecurityChecksCall(
            request, context, client: context.client(ClientID(rawValue: "security-checks"), of: .securityChecks))
    }
}
