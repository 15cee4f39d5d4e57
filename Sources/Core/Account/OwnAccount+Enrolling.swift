import Foundation

/// What a client needs to make the factor that a user adds.
public enum OwnOffer: Sendable {
    /// An authenticator app: a secret, and its first code goes to the handle.
    case codes(Enrolments.TOTPOffer)
    /// A credential: what the client is to make, and its response goes to the handle.
    case response(Enrolments.ResponseOffer)
    /// A device that answers requests: its app takes the ticket.
    case device(DeviceTicket)

    /// What names the enrolment until it is completed, whatever is enrolled.
    public var handle: FlowHandle {
        switch self {
        case .codes(let offer): offer.handle
        case .response(let offer): offer.handle
        case .device(let ticket): ticket.handle
        }
    }
}

/// What completes it.
public enum OwnEnrolmentAnswer: Sendable {
    /// A code that the new authenticator app shows.
    case code(Secret<String>)
    /// The client's response to ``OwnOffer/response(_:)``.
    case response(JSONValue)
}

extension OwnAccount {
    /// Begins to add a factor: ``FactorKind/totp``, ``FactorKind/passkey`` or ``FactorKind/push``.
    /// - Parameter wish: what the client asks for, by the method's own words.
    public func beginEnrolling(
        _ kind: FactorKind, wish: JSONValue? = nil, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<OwnOffer, Refusal> {
        if let refusal = try await refusal(of: session) { return .failure(refusal) }
        let enrolments = realm.enrolments
        guard let method = realm.proofs.method(kind) else {
            // A kind that another server has is not set up here; any other word is none.
            return .failure([.totp, .passkey, .push].contains(kind) ? .notOffered : .invalid("kind"))
        }
        if kind == realm.proofs.ticketSecret?.kind {
            switch try await enrolments.beginTOTP(
                for: session.userID, evidence: session.evidence, asOf: session.epoch, in: session.session,
                by: client)
            {
            case .offered(let offer): return .success(.codes(offer))
            case .refused(let refusal): return .failure(try await words(refusal, session))
            }
        }
        if method.traits.prompt == .device {
            switch try await enrolments.beginDevice(
                for: session.userID, kinds: [kind], evidence: session.evidence, asOf: session.epoch,
                in: session.session, by: client)
            {
            case .offered(let ticket): return .success(.device(ticket))
            case .refused(let refusal): return .failure(try await words(refusal, session))
            case .unknown(let reason): return .failure(.wrong(CountersignCore.Refusal(reason)))
            }
        }
        switch try await enrolments.begin(kind, of: session, wish: wish, by: client) {
        case .offered(let offer): return .success(.response(offer))
        case .refused(let refusal): return .failure(try await words(refusal, session))
        }
    }

    /// Adds the factor that was begun, by its first code or by the response of the client.
    /// - Parameter name: what the user calls it: empty, or one line of at most 64 characters.
    /// - Returns: the factor, and a session that is proven with it beside what was proven before: the caller puts it in place of its own
    ///   (``Sessions/raise(_:by:stays:)``), or ends it.
    public func completeEnrolling(
        _ kind: FactorKind, _ answer: OwnEnrolmentAnswer, handle: FlowHandle, name: String, of session: OwnSession,
        by client: ClientContext
    ) async throws -> Result<(factor: FactorRecord, signedIn: SignedIn), Refusal> {
        guard name.isEmpty || PlainText.isLine(name, longest: 64) else { return .failure(.invalid("name")) }
        // A code names no kind of its own: an attempt of another kind is as unknown as a made-up one.
        if case .code = answer, kind != realm.proofs.ticketSecret?.kind {
            return .failure(.wrong(CountersignCore.Refusal(.unknownFlow)))
        }
        let expectation = FlowExpectation(
            [.enrolFactor], at: [.factorEnrolment], of: [.dialect(client.dialect)], user: session.userID)
        let given: Answer =
            switch answer {
            case .code(let code): .enrolmentCode(code, name: name)
            case .response(let response): .registration(of: kind, response: response, name: name)
            }
        switch try await realm.authenticator.answer(given, to: .flow(handle, expectation), by: client) {
        case .accomplished(.enrolled(let factor, let signedIn)): return .success((factor, signedIn))
        case .refused(let refusal) where refusal.reason == .factorLimitReached: return .failure(.limitReached)
        case .refused(let refusal): return .failure(.wrong(refusal))
        default: return .failure(.wrong(CountersignCore.Refusal(.unexpectedAnswer)))
        }
    }

    private func words(_ refusal: Enrolments.EnrolmentRefusal, _ session: OwnSession) async throws -> Refusal {
        switch refusal {
        case .userNotFound, .revoked: .revoked
        case .notOffered: .notOffered
        case .unverifiedEmail: .unverifiedEmail
        case .noAddress: .noAddress
        case .unsupportedFirstFactor: .unsupportedFirstFactor
        case .signInTooOld: try await self.refusal(of: session) ?? .proofTooOld(.aal2)
        case .limitReached: .limitReached
        case .limited(let until): .limited(until: until)
        }
    }
}
