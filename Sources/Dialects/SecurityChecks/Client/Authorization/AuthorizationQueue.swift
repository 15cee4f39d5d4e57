import Foundation
import SecurityChecksWire

/// One authorization at a time: callers for the same scope are served together, others in turn. Source: MobileFirst's web
/// SDK.
actor AuthorizationQueue {
    /// How many scopes may wait; one more is refused.
    static let limit = 64

    private var underWay: [Scope: Task<AccessToken, any Error>] = [:]
    private var last: Task<Void, Never>?
    private var loggingOut: Task<Void, any Error>?
    private var isLoggingIn = false

    /// The token that an authorization of this scope gives: the one that is under way, or one of its own.
    func token(
        for scope: Scope, _ authorize: @escaping @Sendable () async throws -> AccessToken
    ) async throws -> AccessToken {
        if let running = underWay[scope] { return try await running.valueUnlessCancelled() }
        guard underWay.count < Self.limit else {
            throw WLError(.authorizationFailure, "More than \(Self.limit) authorizations wait.")
        }
        let before = last
        let task = Task {
            await before?.value
            let result: Result<AccessToken, any Error>
            do { result = .success(try await authorize()) } catch { result = .failure(error) }
            // Before the callers get the result, so that a caller who asks again does not get an old failure.
            self.underWay[scope] = nil
            return try result.get()
        }
        underWay[scope] = task
        last = Task { _ = await task.result }
        return try await task.valueUnlessCancelled()
    }

    /// Logs in, beside authorizations: a handler may be waiting for just that.
    func login<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        guard !isLoggingIn else { throw WLError(.loginAlreadyInProcess, "Login already in process.") }
        isLoggingIn = true
        defer { isLoggingIn = false }
        if let loggingOut { _ = await loggingOut.result }
        return try await body()
    }

    /// Logs out when no authorization is under way; authorizations that come meanwhile wait.
    func logout(_ body: @escaping @Sendable () async throws -> Void) async throws {
        guard loggingOut == nil else { throw WLError(.logoutAlreadyInProcess, "Logout already in process.") }
        guard underWay.isEmpty, !isLoggingIn else {
            throw WLError(.authorizationFailure, "Cannot logout while authorization request is in progress.")
        }
        let before = last
        let task = Task {
            await before?.value
            let result: Result<Void, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            self.loggingOut = nil
            return try result.get()
        }
        loggingOut = task
        last = Task { _ = await task.result }
        try await task.valueUnlessCancelled()
    }
}
