import ClientHTTP
import Foundation

extension Auth {
    /// Calls the listener on the main thread: soon, with the present state, and then whenever another user or none is
    /// signed in. It is kept until it is removed. Source: Firebase API reference for Swift, `Auth`.
    public func addStateDidChangeListener(
        _ listener: @escaping @MainActor @Sendable (Auth, User?) -> Void
    ) -> any NSObjectProtocol {
        observeOnMain(.user, listener)
    }

    /// After this returns on the main thread, the listener is not called again.
    public func removeStateDidChangeListener(_ listenerHandle: any NSObjectProtocol) { remove(listenerHandle) }

    /// Like ``addStateDidChangeListener(_:)``, and as well whenever the user has another ID token.
    public func addIDTokenDidChangeListener(
        _ listener: @escaping @MainActor @Sendable (Auth, User?) -> Void
    ) -> any NSObjectProtocol {
        observeOnMain(.token, listener)
    }

    /// After this returns on the main thread, the listener is not called again.
    public func removeIDTokenDidChangeListener(_ listenerHandle: any NSObjectProtocol) { remove(listenerHandle) }

    /// The signed-in user, now and after each change. Needs no main thread.
    public var authStateChanges: AsyncStream<User?> { stream(of: .user) }

    /// The signed-in user, now, after each change, and whenever it has another ID token. Needs no main thread.
    public var idTokenChanges: AsyncStream<User?> { stream(of: .token) }

    private func observeOnMain(
        _ interest: AuthObservers.Interest, _ listener: @escaping @MainActor @Sendable (Auth, User?) -> Void
    ) -> any NSObjectProtocol {
        observe(interest) { handle, auth, user in
            DispatchQueue.main.async {
                guard !handle.isRemoved else { return }
                MainActor.assumeIsolated { listener(auth, user) }
            }
        }
    }

    private func stream(of interest: AuthObservers.Interest) -> AsyncStream<User?> {
        AsyncStream { continuation in
            let handle = observe(interest) { _, _, user in continuation.yield(user) }
            continuation.onTermination = { [weak self] _ in self?.remove(handle) }
        }
    }

    private func observe(
        _ interest: AuthObservers.Interest, tell: @escaping @Sendable (ListenerHandle, Auth, User?) -> Void
    ) -> ListenerHandle {
        state.withLock { $0.observers.add(interest, of: self, user: $0.currentUser, tell: tell) }
    }

    private func remove(_ handle: any NSObjectProtocol) {
        state.withLock { $0.observers.remove(handle) }
    }
}
