import CountersignCore
import Foundation
import OneTimePassword

/// One PIN for all users, as the sample `PinCodeAttempts` has it: `{"pin":"1234"}`.
public struct PINSecurityCheck: ImmediateSecurityCheck {
    /// How many wrong PINs one client may give.
    public var limits: AttemptLimits
    let pin: Secret<String>
    /// Whether the reply to a wrong answer contains the right one. For demonstrations.
    let showsHint: Bool

    /// A check of one PIN for all.
    /// - Parameter showsHint: whether the reply to a wrong PIN contains the right one. For demonstrations only.
    public init(pin: Secret<String>, limits: AttemptLimits = AttemptLimits(), showsHint: Bool = false) {
        self.pin = pin
        self.limits = limits
        self.showsHint = showsHint
    }

    /// Reads `pinCode` of at least four characters, `showsHint`, and the limits.
    public init(_ configuration: inout SecurityCheckConfiguration) {
        let pin = configuration.string("pinCode", default: nil)
        if pin.count < 4 { configuration.addError("pinCode needs to be at least 4 characters") }
        if !pin.allSatisfy({ $0.isASCII && $0.isNumber }) {
            configuration.addWarning("PIN code contains non-numeric characters")
        }
        self.init(
            pin: Secret(pin), limits: configuration.limits(),
            showsHint: configuration.boolean("showsHint", default: false))
    }

    public func verdict(on credentials: JSONValue, in context: SecurityCheckContext) -> CredentialsVerdict {
        PINAnswer.verdict(credentials, pin: pin.reveal(), wrong: "Pin code is not valid.", showsHint: showsHint)
    }
}

/// A PIN as clients send it.
enum PINAnswer {
    static func verdict(
        _ credentials: JSONValue, pin: String, wrong: String, missing: String? = "Pin code was not provided",
        showsHint: Bool, isKept: Bool = false
    ) -> CredentialsVerdict {
        guard let given = credentials["pin"]?.credentialText else { return .wrong(missing, isKept: isKept) }
        guard ConstantTime.equal(Array(given.utf8), Array(pin.utf8)), !pin.isEmpty else {
            return .wrong(showsHint ? "\(wrong) Hint: \(pin)" : wrong, isKept: isKept)
        }
        return .right
    }
}
