import Foundation
import SecurityChecksWire

/// Access tokens that can still be used, by the scope that they were asked for with.
struct TokenCache {
    static let limit = 100
    private var tokens: [Scope: AccessToken] = [:]

    func token(for scope: Scope, at now: Date) -> AccessToken? {
        tokens[scope].flatMap { $0.expiresAt > now ? $0 : nil }
    }

    mutating func keep(_ token: AccessToken, for scope: Scope, at now: Date) {
        tokens = tokens.filter { $0.value.expiresAt > now }
        if tokens.count >= Self.limit, let first = tokens.min(by: { $0.value.expiresAt < $1.value.expiresAt }) {
            tokens[first.key] = nil
        }
        tokens[scope] = token
    }

    /// Also where it is kept for another scope.
    mutating func drop(_ token: AccessToken) {
        tokens = tokens.filter { $0.value.value != token.value }
    }

    mutating func clear() { tokens = [:] }
}
