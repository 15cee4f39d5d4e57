/// A kind of characters that a password can be asked to have.
public enum CharacterKind: String, Sendable, Codable, CaseIterable {
    /// Lower-case letters of any script.
    case lowercase
    /// Upper-case letters of any script.
    case uppercase
    /// Decimal digits of any script.
    case digit
    /// What is neither a letter nor a number, a space among them.
    case symbol

    /// Whether the text has one of the kind, in any script.
    func isIn(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch self {
            case .lowercase: scalar.properties.isLowercase
            case .uppercase: scalar.properties.isUppercase
            case .digit: scalar.properties.generalCategory == .decimalNumber
            case .symbol: !scalar.properties.isAlphabetic && scalar.properties.numericType == nil
            }
        }
    }
}
