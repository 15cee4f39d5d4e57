import ClientHTTP
import Crypto
import Foundation
import JSON

/// What a session takes from the machine: the network, time, and random numbers. Tests give others.
package struct Surroundings: Sendable {
    package var http: HTTPClient
    package var now: @Sendable () -> Date
    /// That many random bytes.
    package var random: @Sendable (Int) -> [UInt8]
    package var sleep: @Sendable (TimeInterval) async throws -> Void

    package init(
        http: HTTPClient = HTTPClient(timeout: 30, maximumResponseBytes: 1 << 18),
        now: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable (Int) -> [UInt8] = { count in
            SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
        },
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { seconds in
            try await Task.sleep(nanoseconds: UInt64(max(0, seconds) * 1_000_000_000))
        }
    ) {
        self.http = http
        self.now = now
        self.random = random
        self.sleep = sleep
    }

    /// 32 random bytes as text: states, nonces, verifiers, ids of proofs.
    func handle() -> String { random(32).base64URL }
}
