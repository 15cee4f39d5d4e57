/// What must be shown before an item's secret is given out or its key signs: an accessibility and constraints.
///
/// The bits and the rules of combination are those of `SecAccessControlCreateWithFlags`.
public struct AccessControl: Sendable, Hashable {
    public struct Constraints: OptionSet, Sendable, Hashable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A biometric factor or the passcode.
        public static let userPresence = Self(rawValue: 1 << 0)
        /// Any enrolled biometry; survives a new enrolment.
        public static let biometryAny = Self(rawValue: 1 << 1)
        /// The biometry that is enrolled when the item is added; a changed enrolment makes the item unreadable for good.
        public static let biometryCurrentSet = Self(rawValue: 1 << 3)
        public static let devicePasscode = Self(rawValue: 1 << 4)
        /// A paired companion device.
        public static let companion = Self(rawValue: 1 << 5)
        /// One of the constraints is enough.
        public static let or = Self(rawValue: 1 << 14)
        /// All constraints are needed, which is also so when neither `or` nor `and` is given.
        public static let and = Self(rawValue: 1 << 15)
        /// The key signs and agrees, and its bytes are never given out.
        public static let privateKeyUsage = Self(rawValue: 1 << 30)
        /// A password of the application's own is a further input of the key.
        public static let applicationPassword = Self(rawValue: 1 << 31)

        /// The constraints that ask a person for something, without the words that combine them.
        public static let factors: Self = [
            .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion,
        ]
        static let known: Self = [factors, .or, .and, .privateKeyUsage, .applicationPassword]
    }

    public let accessibility: Accessibility
    public let constraints: Constraints

    /// - Throws: ``KeychainError/parameter(_:)`` for a combination that Apple's creation rules refuse: `or` with `and`,
    ///   both biometry flags, `userPresence` with another factor, an unknown bit.
    public init(_ accessibility: Accessibility, _ constraints: Constraints = []) throws(KeychainError) {
        guard constraints.subtracting(.known).isEmpty else {
            throw .parameter("the access control has flags that do not exist")
        }
        guard !constraints.isSuperset(of: [.or, .and]) else {
            throw .parameter("an access control takes 'or' or 'and', not both")
        }
        guard !constraints.isSuperset(of: [.biometryAny, .biometryCurrentSet]) else {
            throw .parameter("an access control takes one of the biometry flags, not both")
        }
        if constraints.contains(.userPresence) {
            guard constraints.subtracting([.userPresence, .applicationPassword, .privateKeyUsage]).isEmpty else {
                throw .parameter("'userPresence' goes only with 'applicationPassword' and 'privateKeyUsage'")
            }
        }
        self.accessibility = accessibility
        self.constraints = constraints
    }

    /// No constraint: readable whenever its accessibility allows.
    public init(unconstrained accessibility: Accessibility) {
        self.accessibility = accessibility
        self.constraints = []
    }

    /// Whether the user has to show a factor before the secret is returned.
    public var asksForFactor: Bool {
        !constraints.intersection([.factors, .applicationPassword]).isEmpty
    }
}
