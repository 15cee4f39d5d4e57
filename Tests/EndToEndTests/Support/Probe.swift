import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a `GET` was answered, and when.
struct Probe {
    let status: Int
    let retryAfter: Int?
    let json: [String: Any]
    let after: Duration

    init(_ server: URL, _ path: String) async throws {
        guard let target = URL(string: path, relativeTo: server) else { throw ServerDidNotStart(said: path) }
        let begin = ContinuousClock.now
        let answer = try await Requests.send(URLRequest(url: target))
        after = ContinuousClock.now - begin
        status = answer.status
        retryAfter = answer.retryAfter
        json = (try? JSONSerialization.jsonObject(with: answer.body)) as? [String: Any] ?? [:]
    }
}

/// Waits until something is so, for ten minutes at most.
func eventually(_ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(600)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NotInTime() }
        try await Task.sleep(for: .milliseconds(50))
    }
}

struct NotInTime: Error {}
