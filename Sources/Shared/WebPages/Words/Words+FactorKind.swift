import CountersignCore

extension Words {
    /// The key of what pages call a means of proof.
    public static func key(of kind: FactorKind) -> String {
        switch kind {
        case .passkey: "kindPasskey"
        case .totp: "kindTOTP"
        case .push: "kindPush"
        case .password: "kindPassword"
        case .recoveryCode: "kindRecovery"
        case .email, FactorKind(rawValue: "mailed-code"): "kindMailedCode"
        case FactorKind(rawValue: "link"): "kindMailedLink"
        case FactorKind(rawValue: "approval"), FactorKind(rawValue: "device-statement"): "kindPush"
        default: "kindOther"
        }
    }
}
