import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NativeAuthWire
import ServerHTTP

extension NativeAuth {
    /// Every endpoint, one line each.
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let routes = NativeAuthGroup(nativeAuth: self, router: router)
        routes.on(.signUpStart, startSignUp)
        routes.on(.signUpChallenge, assuming: { _ in true }, challengeSignUp)
        routes.on(.signUpContinue, looking: lookOfContinue, continueSignUp)
        routes.on(.initiate, assuming: { _ in true }, initiate)
        routes.on(.challenge, assuming: { _ in true }, challenge)
        routes.on(.introspect, introspect)
        routes.on(.token, assuming: assumesInToken, token)
        routes.on(.resetPasswordStart, assuming: { _ in true }, startReset)
        routes.on(.resetPasswordChallenge, assuming: { _ in true }, challengeReset)
        routes.on(.resetPasswordContinue, continueReset)
        routes.on(.resetPasswordSubmit, submitReset)
        routes.on(.resetPasswordPoll, pollReset)
        routes.on(.registerIntrospect, introspectRegistration)
        routes.on(.registerChallenge, challengeRegistration)
        routes.on(.registerContinue, continueRegistration)
        routes.get(Endpoint.metadataPath, metadata)
        routes.get(Endpoint.keysPath, keys)
        routes.get(Self.authorizePath, authorize)
    }

    /// The browser's way in, which there is none of here.
    static let authorizePath = "/oauth2/v2.0/authorize"

    // MARK: Paths

    /// Where the routes are. Any path may stand in front of an endpoint; the normalizer puts it after.
    static let prefix = "/native-auth"

    /// All that a path may end with, with what it is here, by the last part of each. Every request's path is looked for here.
    private static let endings: [Substring: [(ending: String, path: String)]] = {
        let paths = Endpoint.allCases.map(\.path) + [Endpoint.metadataPath, Endpoint.keysPath, authorizePath]
        // The vendor's documents leave the 2 away in places.
        let misspelt = paths.filter { $0.hasPrefix("/oauth2/") }.map {
            ("/oauth/" + String($0.dropFirst("/oauth2/".count)), $0)
        }
        return Dictionary(grouping: paths.map { ($0, $0) } + misspelt) { lastPart(of: $0.0) }
    }()

    private static func lastPart(of path: String) -> Substring {
        path[(path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex)...]
    }

    /// Bytes that the path in front of an endpoint may have.
    private static let longestTenant = 256

    /// Puts the tenant's path after the endpoint, as one part of the path. With `.` or `..` in it, escaped or not, it names no tenant: a
    /// client that follows the addresses of its metadata would come out elsewhere (RFC 3986, section 5.2.4).
    public static func normalize(_ path: String) -> String {
        guard let (ending, own) = endings[lastPart(of: path)]?.first(where: { path.hasSuffix($0.ending) })
        else { return path }
        let tenant = path.dropLast(ending.count).trimming("/")
        let isPlain = tenant.utf8.allSatisfy {
            $0.isASCIILetterOrDigit || $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0)
        }
        guard tenant.utf8.count <= longestTenant, isPlain, !hasDotSegment(tenant) else { return path }
        return "\(prefix)\(own)/t\(Array(tenant.utf8).base64URL)"
    }

    private static func hasDotSegment(_ tenant: Substring) -> Bool {
        var segment = (dots: 0, others: 0)
        func isDots() -> Bool { segment.others == 0 && (1...2).contains(segment.dots) }
        var rest = tenant.utf8
        while let byte = rest.popFirst() {
            // `%2e` and `%2f`, in either case.
            let escaped = byte == UInt8(ascii: "%") && rest.first == UInt8(ascii: "2") ? rest.dropFirst().first : nil
            switch (byte, escaped.map { $0 | 0x20 }) {
            case (_, UInt8(ascii: "e")), (UInt8(ascii: "."), _): segment.dots += 1
            case (_, UInt8(ascii: "f")), (UInt8(ascii: "/"), _):
                if isDots() { return true }
                segment = (0, 0)
            default:
                segment.others += 1
                continue
            }
            if escaped != nil { rest = rest.dropFirst(2) }
        }
        return isDots()
    }

    /// Whether a normalized path is one of this dialect's.
    public static func owns(path: String) -> Bool { path.hasPrefix(ownPrefix) }

    private static let ownPrefix = "\(prefix)/"

    /// What pages may read of answers beside the usual headers.
    public static let exposedHeaders: [HTTPField.Name] = [.retryAfter, .clientRequestID, .requestID]

    /// This dialect's words for failures that no endpoint put into words.
    public func format(_ failure: ServerFailure, _ request: Request) throws -> Response? {
        guard Self.owns(path: request.uri.path) else { return nil }
        let error: NativeAuthError =
            switch failure {
            case .internalError: .internalError
            case .overloaded(let seconds), .unavailable(let seconds), .outcomeUnknown(let seconds):
                .overloaded(retryAfter: seconds)
            case .body(let fault): .malformed("\(fault)")
            case .status(let status): .noEndpoint(status)
            }
        return try error.response(correlation(of: request), at: realm.clock.now)
    }

    /// The ids of a request: what the client calls it, and what we do.
    func correlation(of request: Request) -> Correlation {
        Correlation(given: request.clientRequestID, own: realm.random.uuid())
    }
}

/// What names a request in answers and logs.
struct Correlation: Sendable {
    let given: String?
    let own: String

    var id: String { given ?? own }

    var headers: HTTPFields { [.clientRequestID: id, .requestID: own] }
}

extension HTTPField.Name {
    static let clientRequestID = known(HeaderName.clientRequestID)
    static let requestID = known(HeaderName.requestID)
}

extension StringProtocol {
    func trimming(_ character: Character) -> Substring {
        var rest = self[...]
        while rest.first == character { rest = rest.dropFirst() }
        while rest.last == character { rest = rest.dropLast() }
        return Substring(rest)
    }
}

private struct NativeAuthGroup<Routes: RouterMethods<CountersignRequestContext>> {
    let nativeAuth: NativeAuth
    let router: Routes

    /// - Parameters:
    ///   - looking: the attempt that is looked at with the application.
    ///   - assumes: whether the first write of a request finds out whether the application that asks, its extensions and the settings are as they
    ///     were at an earlier one, in place of a read before it (docs/decisions/0521). What the handler does before that write changes nothing.
    func on<Form: FormRequest, Answer: Encodable & Sendable>(
        _ endpoint: Endpoint,
        looking: @escaping @Sendable (Form, NativeAuthMessage) -> NativeAuth.Look? = { _, _ in nil },
        assuming assumes: @escaping @Sendable (Form) -> Bool = { _ in false },
        _ handler: @escaping @Sendable (Form, NativeAuthCall) async throws -> Answer
    ) {
        let nativeAuth = nativeAuth
        router.post(RouterPath("\(NativeAuth.prefix)\(endpoint.path)/{tenant}")) { request, context in
            let correlation = nativeAuth.correlation(of: request)
            do {
                let (form, message): (Form, NativeAuthMessage) = try await nativeAuth.read(
                    request, endpoint, correlation)
                let caller = NativeAuthCaller(request, context, correlation)
                let answer = { (ground: JourneyGround) async throws -> Answer in
                    try await handler(form, NativeAuthCall(message, caller, ground))
                }
                let seen = assumes(form) ? nativeAuth.seenApplications.application(message.clientID) : nil
                let answered = try await nativeAuth.realm.assuming(seen) { seen in
                    try await answer(JourneyGround(seenBefore: seen))
                } otherwise: {
                    try await answer(try await nativeAuth.ground(message, looking(form, message), caller))
                }
                return try Response.json(answered, headers: correlation.headers)
            } catch let error as NativeAuthError {
                return try error.response(correlation, at: nativeAuth.realm.clock.now)
            } catch let failure as ExtensionFailure {
                return try NativeAuthError(failure).response(correlation, at: nativeAuth.realm.clock.now)
            } catch let objection as SignUpObjection {
                return try NativeAuthError(objection).response(correlation, at: nativeAuth.realm.clock.now)
            }
        }
    }

    func get(_ path: String, _ handler: @escaping @Sendable (_ tenant: String) async throws -> Response) {
        let nativeAuth = nativeAuth
        router.get(RouterPath("\(NativeAuth.prefix)\(path)/{tenant}")) { request, context in
            let correlation = nativeAuth.correlation(of: request)
            do {
                var response = try await handler(NativeAuth.tenant(context))
                response.headers.append(contentsOf: correlation.headers)
                return response
            } catch let error as NativeAuthError {
                return try error.response(correlation, at: nativeAuth.realm.clock.now)
            }
        }
    }
}

extension NativeAuth {
    fileprivate static func tenant(_ context: CountersignRequestContext) -> String {
        let part = context.parameters.get("tenant") ?? ""
        return String(decoding: [UInt8](base64URL: part.dropFirst()) ?? [], as: UTF8.self)
    }

    /// The form, and all that the body said.
    fileprivate func read<Form: FormRequest>(
        _ request: Request, _ endpoint: Endpoint, _ correlation: Correlation
    ) async throws -> (Form, NativeAuthMessage) {
        let form: Form
        var fields: [String: String] = [:]
        do {
            let object = try await request.bodyObject(accepting: .form)
            guard case .object(let members) = object else { throw NativeAuthError.malformed("no form") }
            for (name, value) in members {
                guard let text = PlainText(value.stringValue ?? "", bytes: 0...)?.text else {
                    throw NativeAuthError.invalidParameter(PlainText(name, longest: 40).text)
                }
                fields[name] = text
            }
            form = try LenientJSON.decode(Form.self, from: object)
        } catch let fault as RequestBodyFault {
            throw NativeAuthError.malformed("\(fault)")
        }
        guard let id = PlainText(form.clientID, bytes: 1...128)?.text else {
            throw NativeAuthError.invalidParameter("client_id")
        }
        return (
            form,
            NativeAuthMessage(
                endpoint: endpoint, clientID: ClientID(rawValue: id), requestID: correlation.given, fields: fields)
        )
    }

    /// A public application that native authentication was switched on for, by its challenge types, and what is read with it.
    fileprivate func ground(
        _ message: NativeAuthMessage, _ look: Look?, _ caller: NativeAuthCaller
    ) async throws -> JourneyGround {
        let (outcome, ground) = try await realm.applications.authenticate(
            ClientCredentials(clientID: message.clientID.rawValue), expecting: ClientExpectation([.none]),
            by: caller.client(ClientID(rawValue: "native-auth")), judging: realm.journeys.ground(of: look))
        switch (outcome, ground) {
        case (.authenticated(let application, _), let ground?):
            if application.registration.challengeTypes.isEmpty { throw NativeAuthError.disabled }
            seenApplications.note(ground.seen)
            return ground
        case (.refused(.credentialsMissing), _): throw NativeAuthError.confidentialClient
        default: throw NativeAuthError.unknownClient
        }
    }
}

/// Who asks, as far as the request itself says it.
private struct NativeAuthCaller: Sendable {
    /// The path in front of the endpoint.
    let tenant: String
    private let context: CountersignRequestContext
    private let locale: String?
    private let correlationID: String

    init(_ request: Request, _ context: CountersignRequestContext, _ correlation: Correlation) {
        self.context = context
        tenant = NativeAuth.tenant(context)
        locale = request.headers[.acceptLanguage].flatMap { LanguageTag.first(of: $0) }
        correlationID = correlation.id
    }

    func client(_ id: ClientID) -> ClientContext {
        context.client(id, of: .nativeAuth, locale: locale, correlationID: correlationID)
    }
}

extension NativeAuthCall {
    fileprivate init(_ message: NativeAuthMessage, _ caller: NativeAuthCaller, _ ground: JourneyGround) {
        let application = ground.seen.application
        var client = caller.client(application.id)
        client.revealsAddresses = application.registration.revealsAddresses
        client.requiresSecondFactor = application.registration.requiresSecondFactor
        client.refusesFormerPasswords = true
        self.init(message: message, tenant: caller.tenant, client: client, ground: ground)
    }
}
