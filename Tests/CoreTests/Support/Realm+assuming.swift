@testable import CountersignCore

extension Realm {
    /// Does something where what was seen holds; nil where it would be read.
    func assuming<Value>(_ seen: SeenApplication, _ body: () async throws -> Value) async throws -> Value? {
        try await assuming(seen, { _ in try await body() }, otherwise: { nil })
    }
}
