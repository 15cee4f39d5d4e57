import ClientHTTP
import Foundation
import NativeAuthWire

/// An application's way to its server and its cache.
final class NativeAuthClient: Sendable {
    let settings: ClientSettings
    let environment: ClientEnvironment
    let cache: AccountCache
    let refreshes = RefreshQueue()
    /// What the authority says of itself, once it was asked.
    let metadata = Locked<ProviderMetadata?>(nil)

    init(settings: ClientSettings, environment: ClientEnvironment) {
        self.settings = settings
        self.environment = environment
        cache = AccountCache(settings, environment.storage)
    }

    /// Asks an endpoint. Anything but a success is thrown.
    func post<Answer: Decodable & Sendable>(
        _ request: some FormRequest, to endpoint: Endpoint, as type: Answer.Type = Answer.self, _ correlationID: UUID
    ) async throws(Setback) -> Answer {
        guard let url = settings.url(endpoint.path) else {
            throw .unreachable(HTTPClientError.unsupportedURL("The authority's URL is not valid."), correlationID)
        }
        Log.write(.verbose, correlationID, "POST \(word: endpoint.path)")
        return try await post(request, to: url, correlationID)
    }

    func post<Answer: Decodable & Sendable>(
        _ request: some FormRequest, to url: URL, _ correlationID: UUID
    ) async throws(Setback) -> Answer {
        var request = request
        request.clientID = settings.clientID
        let response = try await send("POST", url, form: request.formFields(), correlationID)
        return try read(response, correlationID)
    }

    func get<Answer: Decodable & Sendable>(_ url: URL, _ correlationID: UUID) async throws(Setback) -> Answer {
        try read(try await send("GET", url, form: nil, correlationID), correlationID)
    }

    /// Sends a request, and once more where that may help. Source: MSAL for iOS.
    private func send(
        _ method: String, _ url: URL, form: [(name: String, value: String)]?, _ correlationID: UUID
    ) async throws(Setback) -> HTTPClientResponse {
        let http = HTTPClient(transport: environment.transport)
        let headers = await RequestHeaders.fields(for: url, correlationID, settings.interceptor, environment)
        var attempt = 0
        while true {
            attempt += 1
            do {
                let response =
                    if let form {
                        try await http.post(form: form, to: url, headers: headers)
                    } else {
                        try await http.send(method, url, headers: headers)
                    }
                guard attempt == 1, (500...599).contains(response.status) else { return response }
                Log.write(.warning, correlationID, "The server answered \(response.status); asked again.")
            } catch let error as HTTPClientError where attempt == 1 && (error.isTimedOut || error.isUnreachable) {
                Log.write(.warning, correlationID, "No answer came; asked again.")
            } catch {
                Log.write(.error, correlationID, "No answer came.")
                throw .unreachable(error, correlationID)
            }
            do {
                try await environment.pause(Self.retryInterval)
            } catch {
                throw .unreachable(error, correlationID)
            }
        }
    }

    /// Seconds before a request is sent again.
    static let retryInterval: TimeInterval = 0.5

    private func read<Answer: Decodable>(
        _ response: HTTPClientResponse, _ correlationID: UUID
    ) throws(Setback) -> Answer {
        let said = response.header(HeaderName.clientRequestID).flatMap { UUID(uuidString: $0) } ?? correlationID
        let decoder = JSONDecoder()
        switch response.status {
        case 200:
            // A redirect counts whatever else the answer has.
            if let redirect = try? decoder.decode(RedirectResponse.self, from: response.body),
                redirect.challengeType == .redirect
            {
                Log.write(.warning, said, "The server wants a browser: \(pii: redirect.redirectReason)")
                throw .redirect(reason: redirect.redirectReason, said)
            }
            if let answer = try? decoder.decode(Answer.self, from: response.body) { return answer }
        case 400, 401:
            if let body = try? decoder.decode(ErrorBody.self, from: response.body) {
                Log.write(
                    .info, said,
                    "The server refused: \(word: body.error.rawValue) \(word: body.suberror?.rawValue ?? "")")
                throw .refused(body, status: response.status, said)
            }
        default: break
        }
        Log.write(.error, said, "The answer, status \(response.status), is none of this protocol.")
        throw .unexpected(status: response.status, said)
    }
}
