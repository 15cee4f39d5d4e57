import Foundation
import OneTimePassword

/// Time-based codes (RFC 6238; Guardian.swift, `TOTP`).
public protocol TOTP: Sendable {
    /// The code to show, leading zeros kept.
    ///
    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - formatter: writes the number otherwise; leading zeros are then its business.
    func stringCode(time: TimeInterval, formatter: NumberFormatter?) -> String
    /// The code as a number, without its leading zeros: for display take ``stringCode(time:formatter:)``.
    func code(time: TimeInterval) -> Int
}

extension TOTP {
    /// The code to show at a time in seconds since 1970, leading zeros kept.
    public func stringCode(time: TimeInterval) -> String { stringCode(time: time, formatter: nil) }

    /// The code of this moment.
    public func stringCode(formatter: NumberFormatter? = nil) -> String {
        stringCode(time: Date().timeIntervalSince1970, formatter: formatter)
    }

    /// The code of this moment as a number, without its leading zeros.
    @discardableResult
    public func code() -> Int { code(time: Date().timeIntervalSince1970) }
}

/// Counter-based codes (RFC 4226).
public protocol HOTP: Sendable {
    /// The code to show, leading zeros kept. A counter below zero counts as zero.
    func stringCode(counter: Int, formatter: NumberFormatter?) -> String
    /// The code as a number, without its leading zeros. A counter below zero counts as zero.
    func code(counter: Int) -> Int
}

extension HOTP {
    /// The code to show, leading zeros kept. A counter below zero counts as zero.
    public func stringCode(counter: Int) -> String { stringCode(counter: counter, formatter: nil) }
}

/// The hash under the codes.
public enum HMACAlgorithm: String, Codable, Sendable, CaseIterable {
    /// HMAC-SHA-1 (RFC 4226): what this server's enrolments use.
    case sha1
    /// HMAC-SHA-256 (RFC 6238, section 1.2).
    case sha256
    /// HMAC-SHA-512 (RFC 6238, section 1.2).
    case sha512

    /// In any of the spellings in use: servers write `SHA1` too, on which the original fails.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let algorithm = Self(name: name) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "unknown algorithm"))
        }
        self = algorithm
    }

    init?(name: String) {
        switch OTPAlgorithm(name: name) {
        case .sha1: self = .sha1
        case .sha256: self = .sha256
        case .sha512: self = .sha512
        case nil: return nil
        }
    }

    fileprivate var algorithm: OTPAlgorithm {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

struct TimeBasedGenerator: TOTP {
    private let generator: OneTimePassword.TOTP

    init(_ parameters: OTPParameters) throws(GuardianError) {
        generator = try making(parameters) { (secret) throws(OTPParameterError) in
            try OneTimePassword.TOTP(
                secret: secret, algorithm: parameters.algorithm.algorithm, digits: parameters.digits,
                period: parameters.period)
        }
    }

    func stringCode(time: TimeInterval, formatter: NumberFormatter?) -> String {
        generator.code(at: Date(timeIntervalSince1970: time)).text(formatter)
    }

    func code(time: TimeInterval) -> Int { Int(generator.code(at: Date(timeIntervalSince1970: time)).value) }
}

struct CounterBasedGenerator: HOTP {
    private let generator: OneTimePassword.HOTP

    init(_ parameters: OTPParameters) throws(GuardianError) {
        generator = try making(parameters) { (secret) throws(OTPParameterError) in
            try OneTimePassword.HOTP(
                secret: secret, algorithm: parameters.algorithm.algorithm, digits: parameters.digits)
        }
    }

    func stringCode(counter: Int, formatter: NumberFormatter?) -> String {
        generator.code(counter: UInt64(max(0, counter))).text(formatter)
    }

    func code(counter: Int) -> Int { Int(generator.code(counter: UInt64(max(0, counter))).value) }
}

private func making<Generator>(
    _ parameters: OTPParameters, _ make: ([UInt8]) throws(OTPParameterError) -> Generator
) throws(GuardianError) -> Generator {
    let secret: [UInt8]
    do {
        secret = try Base32.decode(parameters.base32Secret)
        guard !secret.isEmpty else { throw OTPParameterError.emptySecret }
    } catch {
        throw .invalidBase32(error)
    }
    do {
        return try make(secret)
    } catch {
        throw .invalidOTPParameters(error)
    }
}

extension OneTimeCode {
    fileprivate func text(_ formatter: NumberFormatter?) -> String {
        formatter?.string(from: NSNumber(value: value)) ?? stringCode
    }
}
