/// The `otpauth://` URI in which a server hands a secret to an authenticator, mostly as a QR code.
///
/// There is no RFC for it; the format is the "Key URI Format" of Google Authenticator, which all authenticators read.
/// A value of this type is always good: its numbers are in range, its names can be printed, and parsing what
/// ``uriString`` gives results in an equal value.
///
/// Printing, dumping or logging a value shows neither the secret nor the values of extra parameters, which may be
/// tickets. Only ``uriString`` does.
public struct OTPAuthURI: Sendable, Equatable {
    /// What makes the codes change.
    public enum Kind: Sendable, Equatable {
        /// Time: a new code every `period` seconds, 1 or more. See ``TOTP``.
        case totp(period: Int)
        /// A button: `counter` is the first counter to use. See ``HOTP``.
        case hotp(counter: UInt64)
    }

    /// A parameter of the query that this library gives no meaning to.
    public struct Parameter: Sendable, Equatable {
        /// The name in the query, percent-decoded. Not one that the URI itself writes for its kind, such as `secret`,
        /// in any case.
        public let name: String
        /// The value in the query, percent-decoded, without control characters. May be a secret, such as a ticket.
        public let value: String

        /// A parameter with its name and value as they are, not percent-encoded; ``OTPAuthURI`` checks them when it is
        /// made.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What makes the codes change, and how.
    public let kind: Kind
    /// Who issued the secret, as shown to the user; `nil` if unknown, never empty.
    public let issuer: String?
    /// Whose secret it is, at the issuer; may be empty.
    public let accountName: String
    /// The shared secret as bytes, not as Base32; never empty.
    public let secret: [UInt8]
    /// The hash under the HMAC.
    public let algorithm: OTPAlgorithm
    /// How many digits a code has, 6 to 10.
    public let digits: Int
    /// Further parameters in their order, repeated names included. Other protocols enrol through the same URI.
    public let extraParameters: [Parameter]

    /// Puts a URI together.
    ///
    /// White space around the issuer and the account name is dropped, and an empty issuer is none.
    ///
    /// - Throws: ``OTPParameterError`` if the secret is empty, a number is out of range, a name or a value contains a
    ///   control character, or an extra parameter has the name of one that the URI writes itself.
    public init(
        kind: Kind,
        issuer: String? = nil,
        accountName: String,
        secret: [UInt8],
        algorithm: OTPAlgorithm = .sha1,
        digits: Int = 6,
        extraParameters: [Parameter] = []
    ) throws(OTPParameterError) {
        guard !secret.isEmpty else { throw .emptySecret }
        guard OneTimeCode.allowedDigits.contains(digits) else { throw .digitsOutOfRange(digits) }
        if case .totp(let period) = kind, period < 1 { throw .periodOutOfRange(period) }

        let issuer = issuer.map(Self.trimmed) ?? ""
        let accountName = Self.trimmed(accountName)
        if Self.hasControlCharacter(issuer) { throw .controlCharacter(in: "issuer") }
        if Self.hasControlCharacter(accountName) { throw .controlCharacter(in: "account name") }
        for parameter in extraParameters {
            if kind.reservedNames.contains(parameter.name.lowercased()) { throw .reservedParameter(parameter.name) }
            if Self.hasControlCharacter(parameter.name) || Self.hasControlCharacter(parameter.value) {
                throw .controlCharacter(in: "extra parameters")
            }
        }

        self.kind = kind
        self.issuer = issuer.isEmpty ? nil : issuer
        self.accountName = accountName
        self.secret = secret
        self.algorithm = algorithm
        self.digits = digits
        self.extraParameters = extraParameters
    }

    static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard
            let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    private static func hasControlCharacter(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension OTPAuthURI.Kind {
    /// The parameters that the URI writes itself. `counter` means nothing to a TOTP and `period` nothing to an HOTP,
    /// and some servers send both: the meaningless one is an extra parameter.
    var reservedNames: Set<String> {
        let common: Set = ["secret", "issuer", "algorithm", "digits"]
        return switch self {
        case .totp: common.union(["period"])
        case .hotp: common.union(["counter"])
        }
    }
}

extension OTPAuthURI: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let extras = extraParameters.map(\.name.debugDescription).joined(separator: ", ")
        return "OTPAuthURI(\(kind), issuer: \(issuer?.debugDescription ?? "nil"), "
            + "accountName: \(accountName.debugDescription), \(algorithm.rawValue), \(digits) digits, "
            + "secret: <secret>, extraParameters: [\(extras)])"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "kind": kind, "issuer": issuer as Any, "accountName": accountName, "algorithm": algorithm,
                "digits": digits, "extraParameters": extraParameters.map(\.name),
            ],
            displayStyle: .struct)
    }
}
