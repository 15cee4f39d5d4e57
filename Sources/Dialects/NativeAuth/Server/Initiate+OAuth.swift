import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST oauth2/v2.0/initiate`: begins a sign-in. Whether the address has an account does not show.
    func initiate(_ request: InitiateRequest, _ call: NativeAuthCall) async throws -> ContinuationResponse {
        let email = try address(request.username, call)
        return try await begin(
            .signIn(email), offered: call.offered, taken: call.taken(request.challengeType),
            abilities: request.abilities, call)
    }

    /// The claimed address. These names are addresses; nothing else has an account.
    func address(_ username: String?, _ call: NativeAuthCall) throws -> EmailAddress {
        guard let email = EmailAddress(try call.required(username, "username")) else {
            throw NativeAuthError.invalidParameter("username")
        }
        return email
    }

    func begin(
        _ opening: Journeys.Opening, offered: Set<FirstMethod>, taken: Set<FirstMethod>, abilities: JourneyAbilities,
        _ call: NativeAuthCall
    ) async throws -> ContinuationResponse {
        var client = call.client
        // What the realm requires of every user, this application requires too.
        if call.ground.requiresSecondFactor { client.requiresSecondFactor = true }
        switch try await realm.journeys.begin(
            opening, offered: offered, taken: taken, abilities: abilities, by: client)
        {
        case .begun(let handle): return ContinuationResponse(continuationToken: continuation(handle))
        case .beyondClient(let method): throw NativeAuthError.beyond(method)
        case .refused(let refusal): throw refused(refusal)
        }
    }

    /// The words for a refusal, with the seconds to wait.
    func refused(_ refusal: Refusal, _ judged: NativeAuthError.Judged = .handle, hasGrants: Bool = true)
        -> NativeAuthError
    {
        NativeAuthError(refusal, judged, hasGrants: hasGrants).waiting(until: refusal.retryAt, now: realm.clock.now)
    }
}
