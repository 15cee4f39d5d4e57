import ClientHTTP
import Foundation
import JSON
import OAuthWire
import SignedTokens

/// The endpoints that a public client calls, with proofs of its key where it has one. Remembers the newest nonce of each server.
final class ServerEndpoints: Sendable {
    let surroundings: Surroundings
    private let nonces = Locked<[String: String]>([:])
    private static let mostNonces = 32

    init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    /// Posts a form, with a proof where there is a key; once more where the server asks for its nonce (RFC 9449, section 8).
    func post(
        _ fields: [(name: String, value: String)], to url: URL, key: PossessionKey?
    ) async throws -> HTTPClientResponse {
        for attempt in 0..<2 {
            var headers = ["Accept": "application/json"]
            if let key { headers["DPoP"] = try proof(key, "POST", url) }
            let response = try await surroundings.http.reaching { [headers] in
                try await $0.post(form: fields, to: url, headers: headers)
            }
            keepNonce(of: response, from: url)
            let asksNonce = response.status == 400 && Self.error(response)?.error == "use_dpop_nonce"
            if attempt == 0, key != nil, asksNonce { continue }
            return response
        }
        throw ClientFailure(.refused("use_dpop_nonce"), "The server asks for one nonce after the other.")
    }

    /// The same, for an answer in JSON.
    /// - Throws: ``ClientFailure``, with the server's `error`.
    func answer<Answer: Decodable>(
        _ type: Answer.Type, _ fields: [(name: String, value: String)], to url: URL, key: PossessionKey?
    ) async throws -> Answer {
        let response = try await post(fields, to: url, key: key)
        guard response.status == 200 || response.status == 201 else { throw Self.refusal(response) }
        guard let answer = try? JSONDecoder().decode(type, from: response.body) else {
            throw ClientFailure.untrusted("The server's answer is not what its specification says.")
        }
        return answer
    }

    static func error(_ response: HTTPClientResponse) -> ErrorResponse? {
        guard let members = try? JSONParser.parse(Array(response.body)), let error = members["error"]?.stringValue
        else {
            return nil
        }
        return ErrorResponse(error: error, errorDescription: members["error_description"]?.stringValue ?? "")
    }

    static func refusal(_ response: HTTPClientResponse) -> ClientFailure {
        if let error = error(response) { return .refused(error.error, error.errorDescription) }
        return ClientFailure(
            response.status >= 500 ? .unreachable : .refused("\(response.status)"),
            "The server answered \(response.status).")
    }

    // MARK: Proofs

    func proof(
        _ key: PossessionKey, _ method: String, _ url: URL, accessToken: String? = nil, nonce: String? = nil
    ) throws -> String {
        try key.proof(
            method, url, accessToken: accessToken, nonce: nonce ?? nonces.current[Self.origin(url)],
            id: surroundings.handle(), at: surroundings.now())
    }

    func keepNonce(of response: HTTPClientResponse, from url: URL) {
        guard let nonce = response.header("DPoP-Nonce"), nonce.utf8.count <= 1024 else { return }
        nonces.withLock { nonces in
            if nonces.count >= Self.mostNonces { nonces = [:] }
            nonces[Self.origin(url)] = nonce
        }
    }

    private static func origin(_ url: URL) -> String {
        "\(url.scheme ?? "")://\(url.host ?? ""):\(url.port ?? 0)"
    }
}
