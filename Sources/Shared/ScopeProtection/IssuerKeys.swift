import ClientHTTP
import Foundation
import JSON
import SignedTokens
import Synchronization

/// Where an issuer publishes its keys.
public enum IssuerKeyPlace: Sendable, Equatable {
    /// A JSON Web Key Set (RFC 7517, section 5).
    case jwks(URL)
    /// The document that the issuer publishes about itself (RFC 8414, section 3; OpenID Connect Discovery 1.0, section 4) names it.
    /// The document has to be about this issuer, to the letter.
    case metadata(issuer: String)
}

/// The public keys of an issuer, fetched when the first token comes, and again from time to time.
///
/// - Strangers can make up names of keys: an unknown one is looked up at most once in ``patience`` seconds.
/// - Keys that were good are used while the issuer is away; a new one is never taken without asking.
/// - Requests that need the same answer wait for one question.
final class IssuerKeys: Sendable {
    /// The issuer did not answer, or not with keys.
    struct Unreachable: Error {}

    private struct State {
        var keys: [String: SignatureKey] = [:]
        /// When the present keys were asked for, when any were, and when any were because of a name that was unknown.
        var fetchedAt: Date?
        var triedAt: Date?
        var lookedUpAt: Date?
        /// The address that the metadata named.
        var found: URL?
        var underWay: Task<Void, any Error>?
    }

    private let state = Mutex(State())
    private let place: IssuerKeyPlace
    private let http: HTTPClient
    private let now: Now
    private let refresh: TimeInterval
    private let patience: TimeInterval
    /// Seconds after a question that had no answer.
    private static let retry: TimeInterval = 10

    init(
        _ place: IssuerKeyPlace, http: HTTPClient, refresh: TimeInterval, patience: TimeInterval,
        now: @escaping Now
    ) {
        self.place = place
        self.http = http
        self.refresh = refresh
        self.patience = patience
        self.now = now
    }

    /// The key of that name; nil where the issuer has none.
    /// - Throws: where the issuer could not be asked about a name that is unknown.
    func key(_ name: String) async throws -> SignatureKey? {
        let (known, isDue) = state.withLock { state in
            let known = state.keys[name]
            return (known, self.isDue(state, isKnown: known != nil) || (known == nil && state.underWay != nil))
        }
        guard isDue else {
            if known == nil, state.withLock({ $0.fetchedAt != $0.triedAt }) { throw Unreachable() }
            return known
        }
        do {
            try await fetchOnce(isLookUp: known == nil)
        } catch {
            guard let known else { throw error }
            return known
        }
        return state.withLock { $0.keys[name] }
    }

    /// Whether the keys are to be fetched before one is used.
    private func isDue(_ state: State, isKnown: Bool) -> Bool {
        guard state.fetchedAt != nil else { return true }
        let now = now()
        func isOlder(_ time: Date?, than seconds: TimeInterval) -> Bool {
            guard let time else { return true }
            // A clock that was set back makes everything old.
            return !(0..<seconds).contains(now.timeIntervalSince(time))
        }
        let hasFailed = state.fetchedAt != state.triedAt
        if hasFailed, !isOlder(state.triedAt, than: min(Self.retry, patience)) { return false }
        return isKnown ? isOlder(state.fetchedAt, than: refresh) : isOlder(state.lookedUpAt, than: patience)
    }

    private func fetchOnce(isLookUp: Bool) async throws {
        let task = state.withLock { state in
            if let underWay = state.underWay { return underWay }
            let time = now()
            // The first question is for any key, so it is none about a name.
            if isLookUp, state.fetchedAt != nil { state.lookedUpAt = time }
            state.triedAt = time
            let task = Task { [self] in
                let outcome: Result<[String: SignatureKey], any Error>
                do { outcome = .success(try await fetched()) } catch { outcome = .failure(error) }
                self.state.withLock { state in
                    state.underWay = nil
                    guard case .success(let keys) = outcome else { return state.found = nil }
                    (state.keys, state.fetchedAt) = (keys, time)
                }
                _ = try outcome.get()
            }
            state.underWay = task
            return task
        }
        try await task.value
    }

    private func fetched() async throws -> [String: SignatureKey] {
        guard let keys = SignatureKey.keys(ofJWKS: try await object(at: try await address())) else {
            throw Unreachable()
        }
        return keys
    }

    private func address() async throws -> URL {
        switch place {
        case .jwks(let url): return url
        case .metadata(let issuer):
            if let found = state.withLock({ $0.found }) { return found }
            let found = try await discovered(issuer)
            state.withLock { $0.found = found }
            return found
        }
    }

    private func discovered(_ issuer: String) async throws -> URL {
        for url in IssuerMetadata.places(of: issuer) {
            guard let members = try? await object(at: url) else { continue }
            // A document about another issuer is no answer (RFC 8414, section 3.3).
            guard members["issuer"]?.stringValue == issuer,
                let text = members["jwks_uri"]?.stringValue, let found = URL(string: text)
            else { throw Unreachable() }
            return found
        }
        throw Unreachable()
    }

    private func object(at url: URL) async throws -> JSONValue {
        let response = try await http.get(url, headers: ["Accept": "application/json"])
        guard response.status == 200, let value = try? JSONParser.parse(Array(response.body)), case .object = value
        else { throw Unreachable() }
        return value
    }
}

enum IssuerMetadata {
    /// Where an issuer's document may be: before the path of its address (RFC 8414, section 3.1), or after it (OpenID Connect
    /// Discovery 1.0, section 4.1).
    static func places(of issuer: String) -> [URL] {
        guard var parts = URLComponents(string: issuer), parts.query == nil, parts.fragment == nil else { return [] }
        var path = parts.path
        while path.hasSuffix("/") { path.removeLast() }
        return ["/.well-known/oauth-authorization-server\(path)", "\(path)/.well-known/openid-configuration"]
            .compactMap {
                parts.path = $0
                return parts.url
            }
    }
}
