import CountersignCore

/// A secret that has to go over the wire: a password on its way in, a generated one on its way out. It encodes as the
/// text itself and prints as `<secret>`.
public struct SecretText: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    public let secret: Secret<String>

    public init(_ text: String) {
        secret = Secret(text)
    }

    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(secret.reveal())
    }

    public var description: String { secret.description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretText {
    /// A generated password: letters and digits, about six bits each.
    static func password(for policy: PasswordPolicy, random: any RandomSource) -> SecretText {
        let needed = max(policy.minimumLength, policy.minimumLengthAlone ?? 0)
        return SecretText(random.string(max(20, needed), of: .alphanumeric))
    }
}
