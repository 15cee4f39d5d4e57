import Foundation

/// What the server refused with, or what is wrong before anything is sent (Guardian.swift, `GuardianError`).
///
/// ``code`` says which: the server's `errorCode` (`invalid_token`, `enrollment_not_found`, `transaction_expired`, …), or one
/// that begins with `a0.guardian.internal.`.
public struct GuardianError: Error, Decodable, CustomStringConvertible, LocalizedError {
    /// The server's `errorCode`, or this module's own code, which begins with `a0.guardian.internal.`. Compare this,
    /// not the texts.
    public let code: String
    /// For people who read logs.
    public let description: String
    /// What else the server said: every member of its answer that is a text, a number or a Boolean.
    public let info: [String: any Sendable]
    /// The underlying error, if any: a keychain's `NSError` with its status, for example.
    public let cause: (any Error)?

    public var errorDescription: String? { description }

    init(code: String, description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        info = [:]
        self.cause = cause
    }

    /// A refusal out of its JSON, which must have a textual `errorCode`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: AnyKey.self)
        code = try members.decode(String.self, forKey: "errorCode")
        description = (try? members.decodeIfPresent(String.self, forKey: "description")) ?? code
        var info: [String: any Sendable] = [:]
        for key in members.allKeys where key != "errorCode" && key != "description" {
            if let value = try? members.decode(Bool.self, forKey: key) {
                info[key.stringValue] = value
            } else if let value = try? members.decode(Int.self, forKey: key) {
                info[key.stringValue] = value
            } else if let value = try? members.decode(Double.self, forKey: key) {
                info[key.stringValue] = value
            } else if let value = try? members.decode(String.self, forKey: key) {
                info[key.stringValue] = value
            }
        }
        self.info = info
        cause = nil
    }

    private struct AnyKey: CodingKey, Equatable, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init(stringLiteral value: String) { stringValue = value }
        init?(intValue: Int) { nil }
    }
}

extension GuardianError {
    private static func inside(_ name: String, _ description: String, _ cause: (any Error)? = nil) -> Self {
        Self(code: "a0.guardian.internal.\(name)", description: description, cause: cause)
    }

    static let invalidEnrollmentURI = inside(
        "invalid.enrollment_uri", "This is no QR code of an enrolment: otpauth://totp/…?enrollment_tx_id=…")
    static let invalidJWK = inside("invalid_jwk", "The verification key is neither RSA nor P-256.")
    static let invalidAction = inside(
        "invalid.notification_action_identifier", "The action is neither the category's allow nor its reject.")
    static let noPublicKey = inside("no.public_key", "The key's public half cannot be had.")

    static func invalidBase32(_ cause: any Error) -> Self {
        inside("invalid.base32_secret", "The secret is no Base32.", cause)
    }

    static func invalidKey(_ description: String, _ cause: (any Error)? = nil) -> Self {
        inside("invalid.assymmetric_key", description, cause)
    }

    static func failedCreation(_ cause: (any Error)?) -> Self {
        inside("failed.creation_assymmetric_key", "The key could not be made.", cause)
    }

    static func failedStore(_ description: String, _ cause: (any Error)? = nil) -> Self {
        inside("failed.store_assymmetric_key", description, cause)
    }

    static func noPrivateKey(_ description: String, _ cause: (any Error)? = nil) -> Self {
        inside("no.private_key", description, cause)
    }

    static func cannotSign(_ cause: (any Error)?) -> Self {
        inside("cannot.sign_challenge", "The key did not sign.", cause)
    }

    static func failedProof(_ cause: any Error) -> Self {
        inside("failed.creation_dpop_proof", "The proof of possession could not be made.", cause)
    }

    // Ours; the original has no such cases, or crashes.

    static func invalidOTPParameters(_ cause: any Error) -> Self {
        inside("invalid.otp_parameters", "\(cause)", cause)
    }

    static func invalidBaseURL(_ description: String) -> Self { inside("invalid.base_url", description) }
    static func invalidIdentifier(_ description: String) -> Self { inside("invalid.identifier", description) }

    static let missingNumber = inside(
        "missing.number", "The request asks for the number on the screen: allow(notification:number:).")
    static let invalidNumber = inside(
        "invalid.number", "The number has to have as many digits as the request says.")

    static func unsupported(_ what: String) -> Self { inside("unsupported", "\(what) is not supported here.") }
}
