import Foundation
import KeychainServices
import OneTimePassword

extension AccountBook.Service {
    static let deviceToken = "countersign.authenticator.device-token"
}

extension AccountBook {
    /// The tag of a device's key.
    static func keyTag(_ id: Account.ID) -> String { "countersign.authenticator.\(id)" }
}
