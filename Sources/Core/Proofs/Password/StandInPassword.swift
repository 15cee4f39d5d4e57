import Foundation
import Synchronization

/// What is opened where an account has no password, or an address no account, so that its answer takes as long as another's: a hash
/// that no password has, sealed as that of a factor is.
final class StandInPassword: Sendable {
    private let sealed = Mutex<Data?>(nil)

    private static let address = SealedAddress.factor(FactorID(rawValue: String(repeating: "0", count: 28)))

    /// Does what opening and reading the payload of a factor does.
    func opened(by sealer: Sealer, _ hasher: any PasswordHasher) -> PasswordFactor.Payload {
        do {
            let kept = try sealed.withLock { sealed in
                if let sealed { return sealed }
                let fresh = try sealer.seal(
                    PasswordFactor.payload(hash: hasher.decoy), for: Self.address.context, under: sealer.keys.current)
                sealed = fresh
                return fresh
            }
            return try PasswordFactor.Payload(stored: sealer.open(kept, for: Self.address))
        } catch {
            return PasswordFactor.Payload(hash: hasher.decoy)
        }
    }
}

extension JudgingPermit {
    /// What is opened and judged against where there is no password.
    var standIn: PasswordFactor.Payload { realm.standInPassword.opened(by: realm.sealer, realm.hasher) }
}
