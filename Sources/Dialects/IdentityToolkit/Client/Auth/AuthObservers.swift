import ClientHTTP
import Foundation

/// The observers of changes of the user, with what each got last.
///
/// A plain value inside ``Auth``'s lock: telling happens in the order of the changes because it only hands on (to the
/// main queue or a stream) and never runs an app's code itself.
struct AuthObservers: Sendable {
    enum Interest: Sendable {
        /// Another user or none.
        case user
        /// As well, another ID token of the same user.
        case token
    }

    typealias Tell = @Sendable (ListenerHandle, Auth, User?) -> Void

    private struct Observer: Sendable {
        let handle: ListenerHandle
        let interest: Interest
        var lastUID: String?
        let tell: Tell
    }

    private var observers: [Observer] = []

    /// Tells the observer of the present state at once.
    mutating func add(_ interest: Interest, of auth: Auth, user: User?, tell: @escaping Tell) -> ListenerHandle {
        let handle = ListenerHandle()
        observers.append(Observer(handle: handle, interest: interest, lastUID: user?.uid, tell: tell))
        tell(handle, auth, user)
        return handle
    }

    mutating func remove(_ handle: any NSObjectProtocol) {
        (handle as? ListenerHandle)?.isRemoved = true
        observers.removeAll { $0.handle === handle }
    }

    /// Something about the user changed: who it is, or its token.
    mutating func tell(of auth: Auth, user: User?) {
        let uid = user?.uid
        for index in observers.indices {
            let isNews = observers[index].interest == .token || observers[index].lastUID != uid
            observers[index].lastUID = uid
            if isNews { observers[index].tell(observers[index].handle, auth, user) }
        }
    }
}

/// What an app gets for a listener, in order to remove it.
final class ListenerHandle: NSObject, Sendable {
    private let removed = Locked(false)

    /// What was handed on before the removal and has not run yet looks here.
    var isRemoved: Bool {
        get { removed.current }
        set { removed.withLock { $0 = newValue } }
    }
}
