import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import IdentityToolkitWire
import ServerHTTP

extension IdentityToolkit {
    /// Finds out who calls: which application by its API key, or an administrator by the bearer token.
    func call(_ request: Request, _ context: CountersignRequestContext, _ access: Access) async throws -> Call {
        let query = request.queryItems
        let administrator = administrator(request)
        let isAdministrator = administrator != nil
        let key = query["key"] ?? request.headers[.googleAPIKey]
        switch access {
        case .administrator:
            guard isAdministrator else {
                throw request.headers[.authorization] == nil
                    ? IdentityToolkitError.missingCredentials : IdentityToolkitError.wrongCredentials
            }
            try requireProject(context.parameters.get("project"))
        case .application:
            if key?.isEmpty ?? true, !isAdministrator { throw IdentityToolkitError.missingAPIKey }
        case .open: break
        }

        let (seen, settings) = try await realm.store.read { transaction -> (SeenApplication?, RealmSettings) in
            // Only what an administrator registered: clients of this protocol see passwords.
            let application = try key.flatMap { try transaction.application(ClientID(rawValue: $0)) }
                .flatMap { $0.registration.oauth.origin == .administrator ? $0 : nil }
            return (
                try application.map { try SeenApplication($0, in: transaction) }, try transaction.settings()
            )
        }
        if seen == nil, access == .application, !isAdministrator, !options.isDevelopment {
            throw IdentityToolkitError.unknownAPIKey
        }
        if let seen { seenApplications.note(seen) }
        return call(request, context, query, of: seen?.application, settings, administrator)
    }

    /// The call of an application that was seen by an earlier request, as it was then, for an endpoint whose first write finds out whether it
    /// still is so (``Realm/assuming(_:_:otherwise:)``). Nil where it has to be read first: no request has had that application lately, or an
    /// administrator may be asking.
    func assumedCall(
        _ request: Request, _ context: CountersignRequestContext
    ) -> (seen: SeenApplication, call: Call)? {
        guard request.headers[.authorization] == nil else { return nil }
        let query = request.queryItems
        guard let key = query["key"] ?? request.headers[.googleAPIKey],
            let seen = seenApplications.application(ClientID(rawValue: key))
        else { return nil }
        return (seen, call(request, context, query, of: seen.application, seen.settings, nil))
    }

    private func call(
        _ request: Request, _ context: CountersignRequestContext, _ query: [String: String],
        of application: CountersignCore.Application?, _ settings: RealmSettings, _ administrator: Holder?
    ) -> Call {
        let isAdministrator = administrator != nil
        var client = context.client(
            application?.id ?? ClientID(rawValue: isAdministrator ? "administrator" : "dev-app"),
            of: .identityToolkit, isAdministrator: isAdministrator,
            locale: request.headers[.firebaseLocale].flatMap { LanguageTag.plain($0) })
        client.enrolsBySession = true
        client.administrator = administrator?.name
        client.revealsAddresses =
            application?.revealsAddresses ?? false || !settings.privacy.hidesAddresses
        return Call(
            client: client, settings: settings,
            requiresSecondFactor: settings.secondFactors.isRequired
                || application?.requiresSecondFactor ?? false,
            isAdministrator: isAdministrator,
            tenantID: context.parameters.get("tenant"), query: query, requestID: request.clientRequestID)
    }

    /// Refuses any project but the one that this realm is. Under `--dev` every project is.
    func requireProject(_ project: String?) throws {
        if let project, !options.isDevelopment, project != options.projectID {
            throw IdentityToolkitError(.projectNotFound)
        }
    }

    private func administrator(_ request: Request) -> Holder? {
        guard let token = request.bearerToken else { return nil }
        if options.isDevelopment && token.reveal() == "owner" { return .emulatorOwner }
        return options.isAdministrator(token) ? .firstToken : nil
    }

    /// Who administers.
    private enum Holder {
        /// The emulator's `owner`, whom everybody is under `--dev`.
        case emulatorOwner
        case firstToken

        /// As the log names them.
        var name: String? { self == .firstToken ? AdministratorToken.actor : nil }
    }
}

extension HTTPField.Name {
    fileprivate static let googleAPIKey = known("X-Goog-Api-Key")
    fileprivate static let firebaseLocale = known("X-Firebase-Locale")
}

extension IdentityToolkitError {
    func response(_ form: Form) throws -> Response {
        var headers = retryAfter.map { HTTPFields.retryAfter($0) } ?? [:]
        // Only a request without credentials is answered 401 (RFC 9110, section 15.5.2).
        if httpStatus == HTTPResponse.Status.unauthorized.code { headers[.wwwAuthenticate] = "Bearer" }
        return try .json(envelope(form), status: HTTPResponse.Status(code: httpStatus), headers: headers)
    }

    /// What is wrong with a body, in the words of the protocol's servers.
    init(_ fault: RequestBodyFault) {
        switch fault {
        case .wrongType(let path, let expected, let found):
            self = .invalidValue(path, type: expected.protobufName, json: found)
        case .tooLarge(let limit):
            self.init(413, message: "Request payload size exceeds the limit: \(limit) bytes.")
        case .late, .unknownCoding, .encoded:
            self.init(fault.status.code, message: fault.sentence)
        case .wrongContentType(let type):
            self.init(message: "Invalid content type: \(type?.prefix(100) ?? "none"). Send application/json.")
        case .notAnObject:
            self.init(message: "Invalid JSON payload received. The body should be an object.")
        case .missingMember(let path):
            self.init(message: "Invalid JSON payload received. \(path) is missing.")
        case .duplicateMember(let path):
            self.init(message: "Invalid JSON payload received. \(path) is there twice.")
        case .zeroByte(let path):
            self.init(message: "Invalid JSON payload received. \(path) has a zero byte.")
        case .tooDeep(let limit):
            self.init(message: "Invalid JSON payload received. It is nested more than \(limit) deep.")
        case .invalidUTF8:
            self.init(message: "Invalid JSON payload received. It is not UTF-8.")
        case .malformed(let reason, let offset):
            self.init(message: "Invalid JSON payload received. Parsing failed at byte \(offset): \(reason).")
        }
    }
}

extension RequestBodyFault.Expected {
    /// What the protocol's servers call the type.
    fileprivate var protobufName: String {
        switch self {
        case .string: "TYPE_STRING"
        case .boolean: "TYPE_BOOL"
        // 64-bit numbers are strings of digits in this protocol, and read by `Int64String`.
        case .integer: "TYPE_INT32"
        case .number: "TYPE_DOUBLE"
        case .bytes: "TYPE_BYTES"
        case .array: "TYPE_ARRAY"
        case .object: "TYPE_MESSAGE"
        case .value: "TYPE_INT64"
        }
    }
}
