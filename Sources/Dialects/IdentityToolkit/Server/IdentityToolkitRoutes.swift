import CountersignCore
import HTTPTypes
import Hummingbird
import IdentityToolkitWire
import ServerHTTP

extension IdentityToolkit {
    /// Every endpoint, one line each. Where a legacy name is given, the same is found below
    /// `identitytoolkit/v3/relyingparty/` (discovery document of Identity Toolkit, v3).
    public func addRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let v1 = EndpointGroup(toolkit: self, form: .errors, router: router)
        v1.post("v1/accounts:signUp", legacy: "signupNewUser", signUp)
        v1.postAssuming("v1/accounts:signInWithPassword", legacy: "verifyPassword", signInWithPassword)
        v1.post("v1/accounts:signInWithEmailLink", legacy: "emailLinkSignin", signInWithEmailLink)
        v1.post("v1/accounts:signInWithCustomToken", legacy: "verifyCustomToken", signInWithCustomToken)
        v1.post("v1/accounts:lookup", legacy: "getAccountInfo", lookup)
        v1.post("v1/accounts:update", legacy: "setAccountInfo", update)
        v1.post("v1/accounts:delete", legacy: "deleteAccount", delete)
        v1.post("v1/accounts:sendOobCode", legacy: "getOobConfirmationCode", sendOobCode)
        v1.post("v1/accounts:resetPassword", legacy: "resetPassword", resetPassword)
        v1.post("v1/accounts:createAuthUri", legacy: "createAuthUri", createAuthURI)
        v1.post("v1/accounts:signInWithIdp", legacy: "verifyAssertion", providerNotEnabled)
        v1.post("v1/accounts:signInWithPhoneNumber", legacy: "verifyPhoneNumber", providerNotEnabled)
        v1.post("v1/accounts:sendVerificationCode", legacy: "sendVerificationCode", providerNotEnabled)
        v1.post("v1/accounts:signInWithGameCenter", legacy: "signInWithGameCenter", providerNotEnabled)
        v1.post("v1/accounts:verifyIosClient", legacy: "verifyClient", providerNotEnabled)
        v1.get("v1/projects", legacy: "getProjectConfig", clientProjectConfig)
        v1.get("v1/recaptchaParams", legacy: "getRecaptchaParam", recaptchaParams)

        let v2 = EndpointGroup(toolkit: self, form: .status, router: router)
        v2.post("v2/accounts/mfaEnrollment:start", startMFAEnrollment)
        v2.post("v2/accounts/mfaEnrollment:finalize", finalizeMFAEnrollment)
        v2.post("v2/accounts/mfaEnrollment:withdraw", withdrawMFA)
        v2.post("v2/accounts/mfaSignIn:start", startMFASignIn)
        v2.postAssuming("v2/accounts/mfaSignIn:finalize", finalizeMFASignIn)
        v2.post("v2/accounts:revokeToken", revokeToken)
        v2.post("v2/accounts/passkeyEnrollment:start", startPasskeyEnrollment)
        v2.post("v2/accounts/passkeyEnrollment:finalize", finalizePasskeyEnrollment)
        v2.post("v2/accounts/passkeySignIn:start", startPasskeySignIn)
        v2.post("v2/accounts/passkeySignIn:finalize", finalizePasskeySignIn)
        v2.get("v2/defaultSupportedIdps") { _ in ["defaultSupportedIdps": [String]()] }
        v2.get("v2/recaptchaConfig", recaptchaConfig)
        v2.get("v2/passwordPolicy", passwordPolicy)
        v2.postAssuming("v1/token", accepting: [.json, .form], token)

        addAdministratorsRoutes(to: router)
        addPublicKeyRoutes(to: router)
        if options.isDevelopment { addEmulatorRoutes(to: router) }
    }

    private func addAdministratorsRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let v1 = EndpointGroup(toolkit: self, form: .errors, access: .administrator, router: router)
        // All tenants are the one realm.
        for scope in ["v1/projects/{project}", "v1/projects/{project}/tenants/{tenant}"] {
            v1.post("\(scope)/accounts", createAccount)
            v1.post("\(scope)/accounts:lookup", limit: Self.listBodyLimit, lookupAccounts)
            v1.post("\(scope)/accounts:update", updateAccount)
            v1.post("\(scope)/accounts:delete", deleteAccount)
            v1.post("\(scope)/accounts:batchCreate", limit: Self.importBodyLimit, batchCreate)
            v1.post("\(scope)/accounts:batchDelete", limit: Self.listBodyLimit, batchDelete)
            v1.get("\(scope)/accounts:batchGet", batchGet)
            v1.post("\(scope)/accounts:query", queryAccounts)
            v1.post("\(scope)/accounts:sendOobCode", sendOobCode)
            v1.post("\(scope):createSessionCookie", createSessionCookie)
        }
        v1.post("v1/projects/{project}:queryAccounts", queryAccounts)
        v1.post("identitytoolkit/v3/relyingparty/uploadAccount", limit: Self.importBodyLimit, batchCreate)
        v1.post("identitytoolkit/v3/relyingparty/downloadAccount", downloadAccount)

        let admin = EndpointGroup(toolkit: self, form: .status, access: .administrator, router: router)
        for prefix in ["v2", "admin/v2"] {
            admin.get("\(prefix)/projects/{project}/config", projectConfig)
            admin.patch("\(prefix)/projects/{project}/config", updateProjectConfig)
            admin.get("\(prefix)/projects/{project}/passkeyConfig", passkeyConfig)
            admin.patch("\(prefix)/projects/{project}/passkeyConfig", updatePasskeyConfig)
            addTenantRoutes(below: "\(prefix)/projects/{project}", to: admin)
        }
    }

    /// What this realm has none of: the lists are empty, no one of them is found, and none can be made.
    private func addTenantRoutes(
        below project: String, to group: EndpointGroup<some RouterMethods<CountersignRequestContext>>
    ) {
        let tenant = "\(project)/tenants/{tenant}"
        group.get("\(project)/tenants") { _ in ["tenants": [String]()] }
        group.post("\(project)/tenants", oneDirectory)
        group.get(tenant, noTenant)
        group.patch(tenant) { (_: EmptyObject, call) in try await noTenant(call) }
        group.delete(tenant, noTenant)
        for scope in [project, tenant] {
            for list in ["oauthIdpConfigs", "inboundSamlConfigs", "defaultSupportedIdpConfigs"] {
                let one = "\(scope)/\(list)/{configuration}"
                group.get("\(scope)/\(list)") { _ in [list: [String]()] }
                group.post("\(scope)/\(list)", providerNotEnabled)
                group.get(one, noProvider)
                group.patch(one) { (_: EmptyObject, call) in try await noProvider(call) }
                group.delete(one, noProvider)
            }
        }
    }

    private func addEmulatorRoutes(to router: some RouterMethods<CountersignRequestContext>) {
        let emulator = EndpointGroup(toolkit: self, form: .errors, access: .open, router: router)
        for scope in ["emulator/v1/projects/{project}", "emulator/v1/projects/{project}/tenants/{tenant}"] {
            emulator.delete("\(scope)/accounts", deleteAllAccounts)
            emulator.get("\(scope)/oobCodes", openOobCodes)
            emulator.get("\(scope)/verificationCodes", openVerificationCodes)
        }
        emulator.get("emulator/v1/projects/{project}/config", emulatorConfig)
        emulator.patch("emulator/v1/projects/{project}/config", updateEmulatorConfig)
        router.get("emulator/action") { request, context in try await emulatorAction(request, context) }
    }

    /// Bytes that a body with a list of a thousand ids may have.
    private static var listBodyLimit: Int { 1024 * 1024 }

    /// Takes production's host names from the front of a path, where emulator clients put them (firebase-tools, the
    /// Authentication emulator).
    public static func normalize(path: String) -> String {
        guard let prefix = hostPrefixes.first(where: { path.hasPrefix($0) }) else { return path }
        return "/" + path.dropFirst(prefix.count)
    }

    private static let hostPrefixes = [
        "/identitytoolkit.googleapis.com/", "/securetoken.googleapis.com/", "/www.googleapis.com/",
    ]

    private static let ownPrefixes = [
        "/v1/", "/v2/", "/admin/v2/", "/identitytoolkit/v3/", "/emulator/", "/robot/v1/", "/service_accounts/v1/",
    ]

    /// Whether a path is one of this dialect's, for what applies to the dialect as a whole (CORS, error words).
    public static func owns(path: String) -> Bool {
        let path = normalize(path: path)
        return ownPrefixes.contains { path.hasPrefix($0) }
    }

    /// This dialect's words for failures that no endpoint put into words.
    public static func format(_ failure: ServerFailure, _ request: Request) throws -> Response? {
        guard owns(path: request.uri.path) else { return nil }
        let error: IdentityToolkitError =
            switch failure {
            case .internalError: .internal
            case .overloaded(let seconds), .unavailable(let seconds), .outcomeUnknown(let seconds):
                .overloaded(retryAfter: seconds)
            case .body(let fault): IdentityToolkitError(fault)
            case .status(.notFound): .notFound
            case .status(.methodNotAllowed): .wrongMethod
            case .status(let status) where status.kind == .serverError: .internal
            case .status: .invalidArgument
            }
        let path = normalize(path: request.uri.path)
        let isVersion2 = path == "/v1/token" || path.hasPrefix("/v2/") || path.hasPrefix("/admin/")
        return try error.response(isVersion2 ? .status : .errors)
    }
}

/// Endpoints that share the form of their errors and the accepted callers.
private struct EndpointGroup<Routes: RouterMethods<CountersignRequestContext>> {
    let toolkit: IdentityToolkit
    let form: IdentityToolkitError.Form
    var access = Access.application
    let router: Routes

    func post<Body: Decodable & Sendable, Answer: Encodable & Sendable>(
        _ path: String, legacy: String? = nil, accepting formats: RequestBodyFormats = .json,
        limit: Int = Request.defaultBodyLimit,
        _ handler: @escaping @Sendable (Body, Call) async throws -> Answer
    ) {
        on(.post, path, legacy: legacy) { request, call in
            try await handler(try await request.decodeBody(as: Body.self, accepting: formats, limit: limit), call)
        }
    }

    /// An endpoint whose answers come of a write: that one finds out whether the application that calls and the settings are as they were at
    /// an earlier request, in place of a read before it. What the handler does before its first write changes nothing.
    func postAssuming<Body: Decodable & Sendable, Answer: Encodable & Sendable>(
        _ path: String, legacy: String? = nil, accepting formats: RequestBodyFormats = .json,
        _ handler: @escaping @Sendable (Body, Call) async throws -> Answer
    ) {
        let (toolkit, access) = (toolkit, access)
        answer(.post, path, legacy: legacy) { request, context -> Answer in
            guard let (seen, assumed) = toolkit.assumedCall(request, context) else {
                let call = try await toolkit.call(request, context, access)
                return try await handler(try await request.decodeBody(as: Body.self, accepting: formats), call)
            }
            // A body can be read once. What is wrong with it is told after what is wrong with the caller: thrown before any write, it leads to
            // the read.
            let body: Result<Body, any Error>
            do {
                body = .success(try await request.decodeBody(as: Body.self, accepting: formats))
            } catch {
                body = .failure(error)
            }
            return try await toolkit.realm.assuming(seen) { _ in
                try await handler(try body.get(), assumed)
            } otherwise: {
                let call = try await toolkit.call(request, context, access)
                return try await handler(try body.get(), call)
            }
        }
    }

    func patch<Body: Decodable & Sendable, Answer: Encodable & Sendable>(
        _ path: String, _ handler: @escaping @Sendable (Body, Call) async throws -> Answer
    ) {
        on(.patch, path, legacy: nil) { request, call in
            try await handler(try await request.decodeBody(as: Body.self), call)
        }
    }

    func delete<Answer: Encodable & Sendable>(
        _ path: String, _ handler: @escaping @Sendable (Call) async throws -> Answer
    ) {
        on(.delete, path, legacy: nil) { _, call in try await handler(call) }
    }

    func get<Answer: Encodable & Sendable>(
        _ path: String, legacy: String? = nil, _ handler: @escaping @Sendable (Call) async throws -> Answer
    ) {
        on(.get, path, legacy: legacy) { _, call in try await handler(call) }
    }

    private func on<Answer: Encodable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, legacy: String?,
        _ handler: @escaping @Sendable (Request, Call) async throws -> Answer
    ) {
        let (toolkit, access) = (toolkit, access)
        answer(method, path, legacy: legacy) { request, context -> Answer in
            let call = try await toolkit.call(request, context, access)
            return try await handler(request, call)
        }
    }

    private func answer<Answer: Encodable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, legacy: String?,
        _ answer: @escaping @Sendable (Request, CountersignRequestContext) async throws -> Answer
    ) {
        let form = form
        let respond: @Sendable (Request, CountersignRequestContext) async throws -> Response = { request, context in
            do {
                return try .json(try await answer(request, context))
            } catch let error as IdentityToolkitError {
                return try error.response(form)
            } catch let fault as RequestBodyFault {
                return try IdentityToolkitError(fault).response(form)
            }
        }
        router.on(RouterPath(path), method: method, use: respond)
        if let legacy {
            router.on(RouterPath("identitytoolkit/v3/relyingparty/\(legacy)"), method: method, use: respond)
        }
    }
}
