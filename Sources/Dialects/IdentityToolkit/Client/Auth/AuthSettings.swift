import ClientHTTP
import Foundation

/// Switches of an ``Auth``.
public final class AuthSettings: NSObject, Sendable {
    private let disabled = Locked(false)

    /// Kept for the sake of the API: nothing here verifies the app.
    public var appVerificationDisabledForTesting: Bool {
        get { disabled.current }
        set { disabled.withLock { $0 = newValue } }
    }
}
