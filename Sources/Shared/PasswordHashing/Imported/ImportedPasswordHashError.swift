/// Why a hash cannot be imported.
public struct ImportedPasswordHashError: Error, Sendable, CustomStringConvertible {
    public struct Code: Sendable, Hashable {
        private enum Kind { case missing, outOfRange, tooCostly, unsupported }
        private let kind: Kind

        /// The algorithm needs a parameter that is not there.
        public static let missing = Code(kind: .missing)
        /// A parameter lies outside of its range.
        public static let outOfRange = Code(kind: .outOfRange)
        /// Each parameter is fine; all together, one comparison would take too much time or memory.
        public static let tooCostly = Code(kind: .tooCostly)
        /// The algorithm cannot be verified on this platform.
        public static let unsupported = Code(kind: .unsupported)
    }

    public let code: Code
    /// The parameter at fault, by the protocol's name: `rounds`, `argon2Parameters.iterations`, `passwordHash`;
    /// `hashAlgorithm` where it is the algorithm itself.
    public let parameter: String
    /// For the operator; it holds no bytes of hash, salt or key.
    public let description: String

    init(_ code: Code, _ parameter: String, _ description: String) {
        self.code = code
        self.parameter = parameter
        self.description = description
    }

    static func missing(_ parameter: String, of algorithm: ImportedPasswordHash.Algorithm) -> Self {
        Self(.missing, parameter, "\(algorithm.rawValue) needs \(parameter)")
    }
}
