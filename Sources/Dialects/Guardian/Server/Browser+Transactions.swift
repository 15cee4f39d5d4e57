import CountersignCore
import Foundation
import GuardianWire
import HTTPTypes
import Hummingbird
import OneTimePassword
import ServerHTTP

/// What a browser's `transaction_token` names: a sign-in that waits, an enrolment that is shown, or both.
struct BrowserTransaction: Sendable {
    let id: String
    /// The sign-in; nil where an invitation was opened.
    var signIn: FlowHandle?
    /// The device or app that is to enrol.
    var device: FactorID?
    /// The ticket by which an app enrols without a sign-in.
    var enrolment: FlowHandle?
}

extension Guardian {
    private static let browserAudience = "guardian-browser"

    /// A JWT with `txid` and `exp`, as the vendor's page decodes it. It carries the handle, as it is as good as one.
    private func transactionToken(for transaction: BrowserTransaction, until expiresAt: Date) async throws -> String {
        try await issueOwnToken(
            for: Self.browserAudience, until: expiresAt,
            [
                "txid": .string(transaction.id), "flow": transaction.signIn.map { .string($0.token.reveal()) },
                "dev": transaction.device.map { .string($0.rawValue) },
                "enr": transaction.enrolment.map { .string($0.token.reveal()) },
            ])
    }

    private func transaction(_ call: GuardianCall) async throws -> BrowserTransaction {
        guard let token = call.credentials("Bearer") else { throw GuardianError.missingBearer }
        let none = GuardianError(401, "invalid_token", "The transaction token was not issued by this server.")
        let claims: TokenClaims
        switch try await realm.tokens.verify(token, expecting: ownToken(for: Self.browserAudience)) {
        case .good(let token): claims = token.claims
        case .refused(.expired):
            throw GuardianError(401, "transaction_expired", "The sign-in has expired. Begin again.")
        case .refused: throw none
        }
        guard let id = claims.string("txid") else { throw none }
        return BrowserTransaction(
            id: id, signIn: claims.string("flow").map(FlowHandle.init),
            device: claims.string("dev").map(FactorID.init), enrolment: claims.string("enr").map(FlowHandle.init))
    }

    private func signIn(_ call: GuardianCall) async throws -> (handle: FlowHandle, userID: UserID) {
        let transaction = try await transaction(call)
        guard let handle = transaction.signIn else {
            throw GuardianError(400, "invalid_state", "No sign-in uses this invitation.")
        }
        return (handle, try await subject(of: handle))
    }

    private func subject(of handle: FlowHandle) async throws -> UserID {
        switch try await realm.authenticator.status(of: handle, expecting: .pendingSignIn()) {
        case .open(let summary):
            guard let userID = summary.userID else { throw GuardianError(browser: Refusal(.unknownFlow)) }
            return userID
        case .unknown: throw GuardianError(browser: Refusal(.unknownFlow))
        case .finished: throw GuardianError(browser: Refusal(.flowFinished))
        case .expired: throw GuardianError(browser: Refusal(.flowExpired))
        case .exhausted: throw GuardianError(code: Refusal(.flowExhausted))
        }
    }

    // MARK: Endpoints

    /// `POST api/start-flow`: a browser learns what its user has, or gets a ticket for a first device
    /// (auth0-guardian.js, `lib/transaction/factory.js`).
    func startFlow(_ request: Request, _ call: GuardianCall) async throws -> Response {
        _ = try await request.bodyObject()
        if let invitation = call.ticket {
            let outcome = try await realm.enrolments.beginDevice(invitation: invitation, by: call.client)
            return try await started(outcome, signIn: nil)
        }
        guard let token = call.credentials("Bearer") else { throw GuardianError.missingBearer }
        guard let handle = try await handle(ofMFAToken: token) else {
            throw GuardianError(browser: Refusal(.unknownFlow))
        }
        let userID = try await subject(of: handle)
        guard let found = try await realm.accounts.userAndFactors(userID) else { throw GuardianError.userNotFound }
        let settings = try await realm.settings()
        guard !realm.proofs.secondFactors(among: found.factors).isEmpty else {
            let outcome = try await realm.enrolments.beginDevice(
                during: handle, expecting: .pendingSignIn(), by: call.client)
            return try await started(outcome, signIn: handle)
        }
        let expiresAt = realm.clock.now + FlowLifetime.secondFactor
        let transaction = BrowserTransaction(id: Self.transactionID(of: handle), signIn: handle, device: nil)
        let account = account(of: found.factors, settings: settings)
        return try .json(
            StartFlowResponse(
                transactionToken: try await transactionToken(for: transaction, until: expiresAt),
                enrollmentTransactionID: nil,
                enrollmentURI: nil, deviceAccount: account,
                availableEnrollmentMethods: [], availableAuthenticationMethods: account.availableMethods ?? [],
                featureSwitches: .init(mfaApp: settings.secondFactors.offersPush)), status: .created)
    }

    private func started(_ outcome: Enrolments.DeviceOutcome, signIn: FlowHandle?) async throws -> Response {
        let ticket: DeviceTicket
        switch outcome {
        case .offered(let offered): ticket = offered
        case .refused(let refusal): throw GuardianError(refusal)
        case .unknown(let reason):
            throw signIn == nil ? GuardianError(ticket: reason) : GuardianError(browser: Refusal(reason))
        }
        let transaction = BrowserTransaction(
            id: signIn.map(Self.transactionID) ?? ticket.factorID.rawValue, signIn: signIn, device: ticket.factorID,
            enrolment: signIn == nil ? ticket.handle : nil)
        let methods = ticket.kinds.map { $0 == .push ? "push" : "otp" }
        return try .json(
            StartFlowResponse(
                transactionToken: try await transactionToken(for: transaction, until: ticket.expiresAt),
                enrollmentTransactionID: ticket.handle.token.reveal(), enrollmentURI: enrollmentURI(ticket),
                deviceAccount: BrowserDeviceAccount(
                    id: ticket.factorID.rawValue, status: "pending",
                    otpSecret: ticket.totpSecret.map { Base32.encode($0.reveal()) },
                    recoveryCode: ticket.recoveryCode?.reveal()),
                availableEnrollmentMethods: methods, availableAuthenticationMethods: methods,
                featureSwitches: .init(mfaApp: methods.contains("push"))), status: .created)
    }

    /// Names a sign-in without giving any right.
    static func transactionID(of handle: FlowHandle) -> String {
        "tx_" + handle.publicName
    }

    /// `POST api/transaction-state`: where the sign-in or the enrolment stands.
    func transactionState(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let transaction = try await transaction(call)
        var enrollment: BrowserDeviceAccount?
        if let id = transaction.device, let enrolled = try await realm.enrolments.secondFactor(id) {
            let factors = try await realm.accounts.userAndFactors(enrolled.userID)?.factors ?? []
            enrollment = account(of: factors.filter { $0.id == id }, settings: try await realm.settings())
        }
        guard let handle = transaction.signIn else {
            return try .json(TransactionStateResponse(id: transaction.id, state: "pending", enrollment: enrollment))
        }
        let summary: FlowSummary
        switch try await realm.authenticator.status(of: handle, expecting: .pendingSignIn()) {
        case .open(let open): summary = open
        case .finished:
            // Fetched by the application meanwhile.
            return try .json(TransactionStateResponse(id: transaction.id, state: "accepted", enrollment: enrollment))
        case .unknown: throw GuardianError(browser: Refusal(.unknownFlow))
        case .expired: throw GuardianError(browser: Refusal(.flowExpired))
        case .exhausted: throw GuardianError(code: Refusal(.flowExhausted))
        }
        var state = TransactionStateResponse(id: transaction.id, state: "pending", enrollment: enrollment)
        switch summary.approval {
        case .pending(_, let number, _): state.number = number
        case .decided(_, let decision) where decision.isAllowed:
            state.state = "accepted"
            state.token = try await signature(of: transaction, by: summary.userID)
        case .decided: state.state = "rejected"
        case .expired, nil: break
        }
        return try .json(state)
    }

    static let resultAudience = "guardian-result"

    /// What the page posts to the application that sent it here: that this transaction was accepted. The application then
    /// fetches the tokens with its own `mfa_token`, and this as the `oob_code`.
    private func signature(of transaction: BrowserTransaction, by userID: UserID?) async throws -> String {
        try await issueOwnToken(
            for: Self.resultAudience, subject: userID.map(Self.name(of:)), until: realm.clock.now + 60,
            ["txid": .string(transaction.id), "state": "accepted"])
    }

    /// `POST api/send-push-notification`.
    func sendPushNotification(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let (handle, _) = try await signIn(call)
        let body = try await request.decodeBody(as: SendPushRequest.self)
        let outcome = try await ask(
            for: handle, .pendingSignIn(), device: nil, asksForNumber: body.asksForNumber ?? false, request,
            call.client)
        switch outcome {
        case .asked(let asked): return Response(status: .noContent, headers: asked.standing.headers)
        case .limited(let standing): throw GuardianError.tooManyPushes(standing)
        case .refused(let refusal): throw GuardianError(browser: refusal)
        }
    }

    func ask(
        for handle: FlowHandle, _ expectation: FlowExpectation, device: FactorID?, asksForNumber: Bool,
        _ request: Request, _ client: ClientContext
    ) async throws -> Approvals.Outcome {
        try await realm.approvals.ask(
            for: handle, expecting: expectation, device: device, details: details(request, client),
            asksForNumber: asksForNumber, by: client)
    }

    /// What the device shows of a request.
    func details(_ request: Request, _ client: ClientContext) -> ApprovalDetails {
        var details = ApprovalDetails(userAgent: request.headers[.userAgent])
        // The place as far as it is known here. What city an address is in, only a database could tell.
        details.location = client.source.map { ApprovalDetails.Location(name: $0) }
        return details
    }

    /// `POST api/send-sms` and `POST api/device-accounts/{id}/sms-enroll`: this server sends no text messages.
    func textMessages(_ request: Request, _ call: GuardianCall) async throws -> Response {
        _ = try await transaction(call)
        throw GuardianError.featureDisabled
    }

    /// `POST api/verify-otp`: a code of an app or of a device.
    func verifyOTP(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let transaction = try await transaction(call)
        let body = try await request.decodeBody(as: VerifyOTPRequest.self)
        guard let code = body.code, !code.isEmpty, body.type ?? "manual_input" == "manual_input" else {
            throw GuardianError.invalidBody("Send {\"type\": \"manual_input\", \"code\": \"…\"}.")
        }
        let verdict: Verdict
        if transaction.signIn == nil, let enrolment = transaction.enrolment {
            // The first code of an app that an invitation is for.
            verdict = try await realm.authenticator.answer(
                .code(Secret(code)), to: .flow(enrolment, .enrolmentTicket), by: call.client)
        } else {
            let (handle, _) = try await signIn(call)
            verdict = try await realm.authenticator.answer(
                .code(Secret(code)), to: .flow(handle, .pendingSignIn(isFetchedLater: true)), by: call.client)
        }
        switch verdict {
        case .accomplished(.proven), .accomplished(.codesEnrolled): return .done
        case .refused(let refusal): throw GuardianError(code: refusal)
        default: throw GuardianError(browser: Refusal(.unexpectedAnswer))
        }
    }

    /// `POST api/recover-account`: the code on paper, and the next one.
    func recoverAccount(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let (handle, _) = try await signIn(call)
        let body = try await request.decodeBody(as: RecoverAccountBody.self)
        guard let code = body.recoveryCode, !code.isEmpty else {
            throw GuardianError.invalidBody("recovery_code is missing.")
        }
        let verdict = try await realm.authenticator.answer(
            .recoveryCode(Secret(code)), to: .flow(handle, .pendingSignIn(isFetchedLater: true)), by: call.client)
        switch verdict {
        case .accomplished(.proven(_, let next)): return try .json(RecoverAccountBody(recoveryCode: next?.reveal()))
        case .refused(let refusal): throw GuardianError(code: refusal, isRecovery: true)
        default: throw GuardianError(browser: Refusal(.unexpectedAnswer))
        }
    }

    // MARK: Accounts

    /// What a browser may know of a user's factors: the first device, or the codes where there is none.
    private func account(of factors: [FactorRecord], settings: RealmSettings) -> BrowserDeviceAccount {
        let device = factors.devices.first
        let second = realm.proofs.secondFactors(among: factors)
        var methods: [String] = []
        if device != nil, settings.secondFactors.offersPush { methods.append("push") }
        if settings.secondFactors.offersTOTP, !second.isEmpty { methods.append("otp") }
        let hasRecovery = factors.recoveryCode != nil
        return BrowserDeviceAccount(
            id: (device ?? second.first)?.id.rawValue, status: "confirmed",
            name: device?.name, methods: device == nil ? ["otp"] : ["push"], availableMethods: methods,
            availableAuthenticatorTypes: methods + (hasRecovery ? ["recovery-code"] : []),
            pushNotifications: .init(enabled: device != nil))
    }
}
