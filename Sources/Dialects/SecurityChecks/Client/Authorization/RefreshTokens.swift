import ClientHTTP
import Foundation
import SecurityChecksWire

/// What access tokens are renewed with, by their scopes, from one run of the program to the next. Only where the app and
/// the server both say so. Source: MobileFirst's web SDK.
final class RefreshTokens: Sendable {
    private struct StoredTokens: Codable {
        /// Those of another registration are useless.
        var client: String
        var tokens: [String: String] = [:]
    }

    /// Scopes that are kept; one more takes the place of another.
    static let limit = 100

    private let account: String
    private let storage: any RegistrationStorage
    /// Nil until the first use.
    private let kept = Locked<StoredTokens?>(nil)

    /// - Parameter account: the registration's.
    init(account: String, storage: any RegistrationStorage) {
        self.account = account + " refresh"
        self.storage = storage
    }

    func token(for scope: Scope, of client: RegisteredClient) -> String? {
        kept.withLock { kept in load(&kept, client.id).tokens[scope.text] }
    }

    /// - Parameter token: nil forgets the one there was.
    func keep(_ token: String?, for scope: Scope, of client: RegisteredClient) {
        kept.withLock { kept in
            var all = load(&kept, client.id)
            if all.tokens[scope.text] == token { return }
            if token != nil, all.tokens.count >= Self.limit, all.tokens[scope.text] == nil,
                let other = all.tokens.keys.min()
            {
                all.tokens[other] = nil
            }
            all.tokens[scope.text] = token
            kept = all
            do {
                try storage.save(JSONEncoder().encode(all), for: account)
            } catch {
                notice("A refresh token could not be stored: \(error)")
            }
        }
    }

    func clear() {
        kept.withLock { kept in
            kept = nil
            do {
                if try storage.data(for: account) != nil { try storage.remove(account) }
            } catch {
                notice("The refresh tokens could not be removed: \(error)")
            }
        }
    }

    private func load(_ kept: inout StoredTokens?, _ client: String) -> StoredTokens {
        if let known = kept, known.client == client { return known }
        let stored = (try? storage.data(for: account)).flatMap { $0 }
            .flatMap { try? JSONDecoder().decode(StoredTokens.self, from: $0) }
        let all = stored.flatMap { $0.client == client ? $0 : nil } ?? StoredTokens(client: client)
        kept = all
        return all
    }
}
