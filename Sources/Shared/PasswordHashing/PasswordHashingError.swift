/// A failure of hashing itself; a wrong password is not one.
public struct PasswordHashingError: Error, Sendable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind { case passwordTooLong, invalidParameters, unavailable, closed }
        private let kind: Kind

        /// A password of more than ``Argon2idHasher/longestPassword`` bytes cannot be set.
        public static let passwordTooLong = Code(kind: .passwordTooLong)
        /// The parameters lie outside of their ranges.
        public static let invalidParameters = Code(kind: .invalidParameters)
        /// libsodium cannot work: usually because there is not enough memory.
        public static let unavailable = Code(kind: .unavailable)
        /// The hasher was shut down.
        public static let closed = Code(kind: .closed)
    }

    public let code: Code
    /// For the operator; it never holds a password.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
