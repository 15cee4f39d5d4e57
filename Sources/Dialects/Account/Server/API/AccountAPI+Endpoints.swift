import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import ServerHTTP

/// One endpoint: how it is called, what it takes and answers, and what it does. The routes and `/openapi.json` are made of the same list.
struct AccountEndpoint: Sendable {
    let method: HTTPRequest.Method
    let path: String
    let summary: String
    let request: (any (Codable & Sendable).Type)?
    let response: (any (Codable & Sendable).Type)?
    /// Query items, with what they are.
    let query: [(name: String, isNumber: Bool, summary: String)]
    let status: Int
    let answer: @Sendable (AccountCall) async throws -> Response

    /// An endpoint with a body.
    init<Body: Codable & Sendable, Answer: Codable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, status: HTTPResponse.Status = .ok,
        _ body: @escaping @Sendable (AccountCall, Body) async throws -> Answer
    ) {
        (self.method, self.path, self.summary) = (method, AccountAPI.prefix + path, summary)
        (request, response, query, self.status) = (Body.self, Answer.self, [], status.code)
        answer = { call in
            return try .json(try await body(call, try await call.body()), status: status)
        }
    }

    /// One without.
    init<Answer: Codable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String,
        query: [(name: String, isNumber: Bool, summary: String)] = [],
        _ body: @escaping @Sendable (AccountCall) async throws -> Answer
    ) {
        (self.method, self.path, self.summary) = (method, AccountAPI.prefix + path, summary)
        (request, response, self.query, status) = (nil, Answer.self, query, 200)
        answer = { call in
            // A client may send one, which then has to say nothing; of GET it is not read.
            if method == .delete { let _: AccountNothing = try await call.body() }
            return try .json(try await body(call))
        }
    }
}

extension AccountCall {
    /// What the body says, at most 64 KiB; no body says what `{}` does. Members that it does not have are refused.
    fileprivate func body<Body: Codable>() async throws -> Body {
        try StrictJSON.decode(Body.self, from: try await request.bodyObject(limit: 65_536))
    }
}

extension AccountEndpoint {
    /// - Throws: ``AccountProblem`` for a query item that the endpoint does not have, or that is there twice: a misspelt one, and one of
    ///   two values, must not look as if it had been heard.
    func checkQuery(of request: Request) throws {
        if let repeated = request.repeatedQueryItem {
            throw AccountProblem(.invalid, "The parameter \"\(repeated.prefix(64))\" is there twice.")
        }
        let known = query.map(\.name)
        guard let unknown = request.queryItems.keys.sorted().first(where: { !known.contains($0) }) else { return }
        let remedy =
            NearestName.of(unknown, among: known).map { "Did you mean \($0)?" }
            ?? (known.isEmpty ? "It takes none." : "It takes \(known.joined(separator: ", ")).")
        throw AccountProblem(.invalid, "There is no parameter \"\(unknown.prefix(64))\" here. \(remedy)")
    }
}

extension AccountAPI {
    static let endpoints: [AccountEndpoint] = [
        getProfile,
        patchProfile,
        postAddress,
        postAddressVerify,
        getFactors,
        postFactors,
        postFactorsVerify,
        patchFactorsId,
        deleteFactorsId,
        postRecoveryCodes,
        postPassword,
        deletePassword,
        getSessions,
        deleteSessionsId,
        deleteSessions,
        getApplications,
        deleteApplicationsClient,
        getActivity,
        postActivityIdDisown,
        getData,
        postDeletion,
    ]

    private static let getProfile = AccountEndpoint(.get, "/profile", "The profile") { call in
        AccountProfile(try call.get(try await call.account.profile(of: call.session)))
    }

    private static let patchProfile = AccountEndpoint(
        .patch, "/profile", "Change the name, the language, the picture and editable attributes"
    ) {
        (call, body: AccountProfileChange) in
        AccountProfile(
            try call.get(try await call.account.change(body.change, of: call.session, by: call.client)))
    }

    private static let postAddress = AccountEndpoint(
        .post, "/address", "Mail a code to the address that is to be the account's", status: .accepted
    ) {
        (call, body: AccountAddressChange) in
        guard let address = EmailAddress(body.address) else {
            throw AccountProblem(.invalid, "The address is no e-mail address.")
        }
        let handle = try call.get(
            try await call.account.beginAddressChange(to: address, of: call.session, by: call.client))
        return AccountAttempt(attempt: handle.token.reveal())
    }

    private static let postAddressVerify = AccountEndpoint(
        .post, "/address/verify", "Change the address by the code that it got"
    ) {
        (call, body: AccountAddressProof) in
        _ = try call.get(
            try await call.account.completeAddressChange(
                FlowHandle(body.attempt), code: Secret(body.code), of: call.session, by: call.client))
        return AccountDone()
    }

    private static let getFactors = AccountEndpoint(.get, "/factors", "The means of proof") { call in
        AccountFactors(
            factors: try call.get(try await call.account.factors(of: call.session)).map(AccountFactor.init))
    }

    private static let postFactors = AccountEndpoint(
        .post, "/factors", "Begin to add a means of proof: totp, passkey or push", status: .created
    ) {
        (call, body: AccountFactorBeginning) in
        let offer = try call.get(
            try await call.account.beginEnrolling(
                FactorKind(rawValue: body.kind), wish: body.options, of: call.session, by: call.client))
        return AccountOffer(offer, link: try await call.api.link(of: offer, for: call.session.userID))
    }

    private static let postFactorsVerify = AccountEndpoint(
        .post, "/factors/verify", "Add the means of proof by its first code or response"
    ) {
        (call, body: AccountFactorProof) in
        let answer: OwnEnrolmentAnswer
        switch (body.code, body.response) {
        case (let code?, nil): answer = .code(Secret(code))
        case (nil, let response?): answer = .response(response)
        default: throw AccountProblem(.invalid, "Send code or response.")
        }
        let made = try call.get(
            try await call.account.completeEnrolling(
                FactorKind(rawValue: body.kind), answer, handle: FlowHandle(body.attempt), name: body.name ?? "",
                of: call.session, by: call.client))
        // The caller goes on with the session that it has.
        try await call.api.realm.sessions.end(
            made.signedIn, of: .application(call.client.clientID, of: call.client.dialect))
        return AccountAdded(id: made.factor.id.rawValue)
    }

    private static let patchFactorsId = AccountEndpoint(
        .patch, "/factors/{id}", "Rename a means of proof, report it lost, or take the report back"
    ) {
        (call, body: AccountFactorChange) in
        let id = FactorID(rawValue: call.name("id"))
        // Each is a change of its own: of two, the first would stay where the second is refused.
        guard (body.name == nil) != (body.isFrozen == nil) else {
            throw AccountProblem(.invalid, "Send name or isFrozen, one of the two.")
        }
        var factor: OwnFactor?
        if let name = body.name {
            factor = try call.get(try await call.account.rename(id, to: name, of: call.session, by: call.client))
        }
        switch body.isFrozen {
        case true?:
            factor = try call.get(try await call.account.reportLost(id, of: call.session, by: call.client))
        case false?: factor = try call.get(try await call.account.unfreeze(id, of: call.session, by: call.client))
        case nil: break
        }
        guard let factor else { throw OwnAccount.Refusal.unknown }
        return AccountFactor(factor)
    }

    private static let deleteFactorsId = AccountEndpoint(
        .delete, "/factors/{id}", "Remove a means of proof, never the last way in"
    ) { call in
        let consequence = try call.get(
            try await call.account.remove(FactorID(rawValue: call.name("id")), of: call.session, by: call.client))
        return AccountRemoval(consequence: consequence.rawValue)
    }

    private static let postRecoveryCodes = AccountEndpoint(
        .post, "/recovery-codes", "Fresh recovery codes in place of all earlier ones", status: .created
    ) {
        (call, _: AccountNothing) in
        let made = try await call.account.makeRecoveryCodes(of: call.session, by: call.client)
        if case .failure(.notOffered) = made {
            throw AccountProblem(
                .refused, "The account has no second factor that the codes could stand in for. Add one first.")
        }
        let codes = try call.get(made)
        return AccountRecoveryCodes(codes: codes.map { $0.reveal() })
    }

    private static let postPassword = AccountEndpoint(.post, "/password", "Set the password; all other sessions end") {
        (call, body: AccountPassword) in
        try call.get(try await call.account.setPassword(Secret(body.password), of: call.session, by: call.client))
        return AccountDone()
    }

    private static let deletePassword = AccountEndpoint(
        .delete, "/password", "Remove the password, where there is another way in"
    ) { call in
        try call.get(try await call.account.removePassword(of: call.session, by: call.client))
        return AccountDone()
    }

    private static let getSessions = AccountEndpoint(.get, "/sessions", "Sessions, grouped by device") { call in
        AccountDevices(
            devices: try call.get(try await call.account.devices(of: call.session)).map(AccountDevice.init))
    }

    private static let deleteSessionsId = AccountEndpoint(.delete, "/sessions/{id}", "End a session") { call in
        try call.get(
            try await call.account.endSession(
                SessionID(rawValue: call.name("id")), of: call.session, by: call.client))
        return AccountDone()
    }

    private static let deleteSessions = AccountEndpoint(.delete, "/sessions", "End all sessions but this one") { call in
        AccountEnded(
            ended: try call.get(try await call.account.endOtherSessions(of: call.session, by: call.client)))
    }

    private static let getApplications = AccountEndpoint(
        .get, "/applications", "Applications that the user has allowed something"
    ) { call in
        AccountApplications(
            applications: try call.get(try await call.account.applications(of: call.session))
                .map(AccountApplication.init))
    }

    private static let deleteApplicationsClient = AccountEndpoint(
        .delete, "/applications/{client}", "Take back all that an application was allowed"
    ) { call in
        try call.get(
            try await call.account.revokeApplication(
                ClientID(rawValue: call.name("client")), of: call.session, by: call.client))
        return AccountDone()
    }

    private static let getActivity = AccountEndpoint(
        .get, "/activity", "The user's own part of the log, of ninety days, the newest first",
        query: [
            ("limit", true, "Events of a page: 1 to 200"), ("after", false, "The next of a page: older events"),
            ("before", false, "The previous of a page: newer events"),
            ("kind", false, ActivityKind.allCases.map(\.rawValue).joined(separator: ", ")),
        ]
    ) { call in
        var kind: ActivityKind?
        if let text = call.request.queryItems["kind"] {
            kind = ActivityKind(rawValue: text)
            guard kind != nil else { throw AccountProblem(.invalid, "There is no such kind.") }
        }
        let (after, before) = (call.request.queryItems["after"], call.request.queryItems["before"])
        guard after == nil || before == nil else {
            throw AccountProblem(.invalid, "Send after or before, and not both.")
        }
        guard [after, before].allSatisfy({ $0.map(AuditEvent.isID) ?? true }) else {
            throw AccountProblem(
                .invalid, "after has to be what another page gave as next, and before what it gave as previous.")
        }
        return AccountActivity(
            try call.get(
                try await call.account.activity(
                    of: call.session, kind: kind, before: after, after: before,
                    limit: try call.number("limit", in: 1...200) ?? 50)))
    }

    private static let postActivityIdDisown = AccountEndpoint(
        .post, "/activity/{id}/disown", "\"That was not me\": end sessions, freeze, mail a reset"
    ) {
        (call, _: AccountNothing) in
        AccountDisowned(
            try call.get(try await call.account.disown(call.name("id"), of: call.session, by: call.client)))
    }

    private static let getData = AccountEndpoint(.get, "/data", "All that is kept about the user") { call in
        let data = try call.get(try await call.account.data(of: call.session, by: call.client))
        return UserData(data, logDays: try await call.api.realm.settings().audit.retentionDays)
    }

    private static let postDeletion = AccountEndpoint(
        .post, "/deletion", "Have the account removed after the grace period", status: .accepted
    ) {
        (call, body: AccountDeletion) in
        let notice = try call.get(
            try await call.account.requestDeletion(typedName: body.address, of: call.session, by: call.client))
        return AccountDeletionNotice(dueAt: Timestamp(notice.dueAt), undoMailed: notice.undoMailed)
    }
}
