import Foundation

/// An application that is a public client: it has an id and no secret.
///
/// Of the original's two halves only native authentication is here, so apps make an
/// ``MSALNativeAuthPublicClientApplication``. Sign-in by a browser is not part of this module.
public class MSALPublicClientApplication: NSObject, @unchecked Sendable {
    // Proof: the one stored property is a constant of a Sendable type, and the one subclass is final and has only
    // constants too.
    let settings: ClientSettings

    init(settings: ClientSettings) { self.settings = settings }

    /// What the application was made with. Changes to it have no effect any more.
    public var configuration: MSALPublicClientApplicationConfig { settings.configuration }
}
