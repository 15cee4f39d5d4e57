import Foundation
import GuardianWire

/// What codes are made of (Guardian.swift, `OTPParameters`). The secret is one.
public struct OTPParameters: Codable, Sendable, Equatable {
    /// Base32.
    public let base32Secret: String
    /// The hash under the codes.
    public let algorithm: HMACAlgorithm
    /// How many digits a code has. ``totp(parameters:)`` takes 6 to 10.
    public let digits: Int
    /// Seconds.
    public let period: Int

    enum CodingKeys: String, CodingKey {
        case base32Secret = "secret"
        case algorithm, digits, period
    }

    /// Nil stands for SHA-1, six digits, 30 seconds.
    public init(
        base32Secret: String, algorithm: HMACAlgorithm? = nil, digits: Int? = nil, period: Int? = nil
    ) {
        self.base32Secret = base32Secret
        self.algorithm = algorithm ?? .sha1
        self.digits = digits ?? 6
        self.period = period ?? 30
    }

    /// As a server gives them.
    init(_ wire: TOTPParameters) throws {
        guard let algorithm = HMACAlgorithm(name: wire.algorithm) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "unknown algorithm of codes"))
        }
        self.init(
            base32Secret: wire.secret, algorithm: algorithm, digits: wire.digits, period: wire.period)
    }
}
