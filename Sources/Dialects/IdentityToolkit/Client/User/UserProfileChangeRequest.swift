import ClientHTTP
import Foundation
import IdentityToolkitWire

/// A change of the user's name and picture. What was set is changed, and what was set to nil is removed; the rest
/// stays.
public final class UserProfileChangeRequest: NSObject, Sendable {
    private struct Change: Sendable {
        var displayName: String??
        var photoURL: URL??
        var wasCommitted = false
    }

    private let user: User
    private let change = Locked(Change())

    init(user: User) { self.user = user }

    /// The new name, at first the present one; nil removes it. The server takes up to 256 characters.
    public var displayName: String? {
        get { change.current.displayName ?? user.displayName }
        set { change.withLock { $0.displayName = .some(newValue) } }
    }

    /// The new picture's URL, at first the present one; nil removes it. The server takes up to 2,048 bytes.
    public var photoURL: URL? {
        get { change.current.photoURL ?? user.photoURL }
        set { change.withLock { $0.photoURL = .some(newValue) } }
    }

    /// Sends the change: what was set, and nothing else. A request can be committed once; later commits throw `invalidArgument`. Throws
    /// `userTokenExpired` and its like where the session is over.
    public func commitChanges() async throws {
        let change = change.withLock { change in
            defer { change.wasCommitted = true }
            return change
        }
        guard !change.wasCommitted else {
            throw AuthErrorCode.refused(.invalidArgument, because: "The change was committed before.")
        }
        var request = UpdateAccountRequest()
        var removed: [String] = []
        if let displayName = change.displayName {
            request.displayName = displayName
            if displayName == nil { removed.append("DISPLAY_NAME") }
        }
        if let photoURL = change.photoURL {
            request.photoUrl = photoURL?.absoluteString
            if photoURL == nil { removed.append("PHOTO_URL") }
        }
        request.deleteAttribute = removed.isEmpty ? nil : removed
        guard change.displayName != nil || change.photoURL != nil else { return }
        try await user.update(request)
    }

    /// As ``commitChanges()``; see ``AuthVoidCompletion``.
    public func commitChanges(completion: AuthVoidCompletion? = nil) {
        complete(completion) { try await self.commitChanges() }
    }
}
