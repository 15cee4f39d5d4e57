import Foundation

extension FactorKind {
    /// Nothing was proven: an account without address. No row, and nothing judges it.
    public static let anonymous = FactorKind(rawValue: "anonymous")
}

extension Proof {
    /// The beginning of a session of an account that was made without address.
    static func anonymous(at now: Date) -> Proof { Proof(kind: .anonymous, at: now) }

    var isAnonymous: Bool { kind == .anonymous }
}
