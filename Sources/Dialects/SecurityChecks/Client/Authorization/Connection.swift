import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire

/// One server with one registration: what a session has until the app names another server or calls itself otherwise.
final class Connection: Sendable {
    let session: SecuritySession
    let address: ServerAddress
    let registrar: Registrar
    let queue = AuthorizationQueue()
    let tokens = Locked(TokenCache())
    let scopes = Locked(ScopeMemory())
    let refreshTokens: RefreshTokens
    let wantsRefreshTokens: Bool
    /// Seconds by which the server's clock is ahead. Source: MobileFirst's web SDK.
    let clockOffset: Locked<TimeInterval>

    init(
        session: SecuritySession, address: ServerAddress, settings: ClientSettings, storage: any RegistrationStorage,
        keys: any ClientKeys
    ) {
        self.session = session
        self.address = address
        let clockOffset = Locked<TimeInterval>(0)
        self.clockOffset = clockOffset
        let account = "\(address.base) \(settings.application.id ?? "")"
        refreshTokens = RefreshTokens(account: account, storage: storage)
        wantsRefreshTokens = settings.wantsRefreshTokens
        let engine = session.engine(whenSucceeded: Self.synchronize(clockOffset, session.now))
        registrar = Registrar(
            settings: settings, account: account, storage: storage, keys: keys
        ) { [session] method, path, data in
            let url = try address.endpoint(path)
            return try await engine.run { answers in
                let request = RegistrationRequest(
                    signedRegistrationData: data, challengeResponse: answers.isEmpty ? nil : answers)
                return try await session.send(json: request, method, url)
            }
        }
    }

    /// Keeps the offset when a success says the server's time.
    private static func synchronize(
        _ offset: Locked<TimeInterval>, _ now: @escaping @Sendable () -> Date
    ) -> @Sendable (String, JSONValue) -> Void {
        { check, success in
            guard check == ReservedCheck.clockSynchronization, let time = success["serverTimeStamp"]?.wholeNumber
            else { return }
            offset.withLock { $0 = time / 1000 - now().timeIntervalSince1970 }
        }
    }

    var engine: ChallengeEngine { session.engine(whenSucceeded: Self.synchronize(clockOffset, session.now)) }

    /// The server's time, as far as it is known.
    var serverTime: Date { session.now().addingTimeInterval(clockOffset.current) }

    /// Does something as the registered client; where the server does not know it, once more as a new one. Source:
    /// MobileFirst's web SDK.
    func asClient<Value: Sendable>(
        _ body: @Sendable (RegisteredClient) async throws -> Value
    ) async throws -> Value {
        let client = try await registered()
        do {
            return try await body(client)
        } catch is UnknownClient {
            await forget(client)
        }
        let another = try await registered()
        do {
            return try await body(another)
        } catch let unknown as UnknownClient {
            await forget(another)
            throw unknown.asError
        }
    }

    private func registered() async throws -> RegisteredClient {
        do {
            let client = try await registrar.registered()
            session.heartbeat.begin(for: session)
            return client
        } catch let unknown as UnknownClient {
            throw unknown.asError
        }
    }

    /// Tokens of the previous client are useless to the next one.
    func forget(_ client: RegisteredClient) async {
        await registrar.forget(client.id)
        tokens.withLock { $0.clear() }
        refreshTokens.clear()
    }
}

extension UnknownClient {
    /// What an app hears where a new registration does not help either.
    var asError: WLError {
        response.map { WLError(refusal: $0) }
            ?? WLError(.applicationNotRegistered, "The client's key is gone; the next request registers anew.")
    }
}

extension SecuritySession {
    func send(json value: some Encodable, _ method: String, _ url: URL, timeout: TimeInterval = 30) async throws
        -> HTTPClientResponse
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try await send(
            method, url, headers: ["Content-Type": "application/json; charset=UTF-8"],
            body: try encoder.encode(value), timeout: timeout)
    }

    func send(form fields: [(name: String, value: String?)], _ url: URL) async throws -> HTTPClientResponse {
        try await send(
            "POST", url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Data(String.form(fields).utf8))
    }
}
