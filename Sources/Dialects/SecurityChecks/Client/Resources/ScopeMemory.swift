import Foundation
import SecurityChecksWire

/// Which scope a resource asked for when it was asked before, so that the next request has its token at once. The least
/// used is forgotten. Source: MobileFirst's web SDK.
struct ScopeMemory {
    static let limit = 100
    private var scopes: [String: (scope: Scope, used: Int)] = [:]
    private var uses = 0

    static func key(_ method: String, _ url: URL) -> String {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        parts?.query = nil
        parts?.fragment = nil
        return "\(parts?.string ?? url.absoluteString)_\(method)"
    }

    mutating func scope(for key: String) -> Scope? {
        uses += 1
        scopes[key]?.used = uses
        return scopes[key]?.scope
    }

    mutating func remember(_ scope: Scope, for key: String) {
        uses += 1
        if scopes.count >= Self.limit, scopes[key] == nil,
            let oldest = scopes.min(by: { $0.value.used < $1.value.used })
        {
            scopes[oldest.key] = nil
        }
        scopes[key] = (scope, uses)
    }

    mutating func forget(_ key: String) { scopes[key] = nil }
}
