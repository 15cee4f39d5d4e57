import ClientHTTP

/// Lets one refresh at a time run: a server takes a refresh token once. A caller that wants what another is fetching
/// gets the same result.
final class RefreshQueue: Sendable {
    typealias Outcome = Result<RefreshedToken, Failure>

    private struct State: Sendable {
        var underWay: [AccessTokenWish.Key: Task<Outcome, Never>] = [:]
        var last: Task<Void, Never>?
    }

    private let state = Locked(State())

    func run(_ key: AccessTokenWish.Key, _ refresh: @escaping @Sendable () async -> Outcome) async -> Outcome {
        let task = state.withLock { state in
            if let task = state.underWay[key] { return task }
            let previous = state.last
            let task = Task {
                await previous?.value
                let outcome = await refresh()
                self.state.withLock { $0.underWay[key] = nil }
                return outcome
            }
            state.underWay[key] = task
            state.last = Task { _ = await task.value }
            return task
        }
        return await task.value
    }
}

/// What a refresh brought.
struct RefreshedToken: Sendable {
    let account: StoredAccount
    let token: StoredAccessToken
}
