import HTTPTypes
import Hummingbird
import ServerHTTP

extension ClientDeparture {
    /// The answer to a page's script that asks whether what the page waits for has happened (wait.js): `{"next": "/…"}` as soon as it has,
    /// `{}` where it has not after a while, and nothing where the wait was cut short. After that the script asks again later.
    /// - Parameters:
    ///   - next: where the page goes then.
    ///   - wait: false where it has not happened.
    public func answer(
        next: String, once wait: @escaping @Sendable () async throws -> Bool
    ) async throws -> Response {
        guard let hasHappened = try await awaiting(wait) else {
            return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        }
        return try .json(hasHappened ? ["next": next] : [String: String]())
    }
}
