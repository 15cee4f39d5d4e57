import CryptoExtras
import Foundation

/// RSA keys that were opened before, by their numbers: what a verification computes of the modulus first takes as long as the
/// verification itself, and is kept with the key.
///
/// They are public, and the same numbers are always the same key, so that nothing has to be taken out. `Mutex` is of a later iOS than
/// this module's least.
final class OpenedRSAKeys: @unchecked Sendable {
    static let shared = OpenedRSAKeys()
    /// Keys that are kept, a few kilobytes each. Where there are more, all are forgotten.
    static let capacity = 512

    private struct Numbers: Hashable {
        let modulus: [UInt8]
        let exponent: [UInt8]
    }

    private let lock = NSLock()
    private var keys: [Numbers: _RSA.Signing.PublicKey] = [:]

    /// - Throws: where the numbers are no key.
    func key(modulus: [UInt8], exponent: [UInt8]) throws -> _RSA.Signing.PublicKey {
        let numbers = Numbers(modulus: modulus, exponent: exponent)
        if let known = lock.withLock({ keys[numbers] }) { return known }
        let key = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
        lock.withLock {
            if keys.count >= Self.capacity { keys = [:] }
            keys[numbers] = key
        }
        return key
    }

    /// Keys that are kept.
    var count: Int { lock.withLock { keys.count } }
}
