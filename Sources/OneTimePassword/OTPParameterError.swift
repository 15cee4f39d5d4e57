/// A parameter with which no one-time password can be made. It never carries the secret.
public enum OTPParameterError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The secret has no bytes, so that anyone could compute the codes.
    case emptySecret
    /// The number of digits is outside ``OneTimeCode/allowedDigits``.
    case digitsOutOfRange(Int)
    /// The period of a time-based password is less than one second.
    case periodOutOfRange(Int)
    /// The issuer, the account name or a parameter of an ``OTPAuthURI`` holds a control character, with which a QR code
    /// from a stranger could write to the user's terminal.
    case controlCharacter(in: String)
    /// An extra parameter of an ``OTPAuthURI`` has a name that the URI writes itself.
    case reservedParameter(String)

    public var description: String {
        switch self {
        case .emptySecret:
            "the secret is empty"
        case .digitsOutOfRange(let digits):
            "a code of \(digits) digits is not possible: use \(OneTimeCode.allowedDigits.lowerBound) to "
                + "\(OneTimeCode.allowedDigits.upperBound)"
        case .periodOutOfRange(let period):
            "a period of \(period) seconds is not possible: use 1 or more"
        case .controlCharacter(let part):
            "the \(part) contains a control character"
        case .reservedParameter(let name):
            "the parameter \(name.debugDescription) has a property of its own and cannot be an extra one"
        }
    }
}
