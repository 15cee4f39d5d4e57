import Foundation

/// The ``MultiFactorInfo/factorID`` of a TOTP authenticator. Source: Firebase API reference for Swift,
/// `MultiFactorInfo`.
public let TOTPMultiFactorID = "totp"

/// The ``MultiFactorInfo/factorID`` of a phone.
public let PhoneMultiFactorID = "phone"

/// A second factor that the user has. Two are equal where their ids are. Source: Firebase API reference for Swift,
/// `MultiFactorInfo`.
open class MultiFactorInfo: NSObject, @unchecked Sendable {
    // Proof: everything stored, here and in the module's subclasses, is immutable and Sendable, and only the module
    // can call the initializer that a subclass needs.

    /// The server's id of the factor.
    public let uid: String
    /// What the user called it when it was enrolled; nil where it has no name.
    public let displayName: String?
    /// When it was enrolled; the time of the answer where the server does not say.
    public let enrollmentDate: Date
    /// ``TOTPMultiFactorID`` or ``PhoneMultiFactorID``.
    public let factorID: String

    init(_ factor: Profile.Factor, factorID: String) {
        uid = factor.uid
        displayName = factor.displayName
        enrollmentDate = factor.enrollmentDate
        self.factorID = factorID
    }

    open override func isEqual(_ object: Any?) -> Bool { (object as? MultiFactorInfo)?.uid == uid }

    open override var hash: Int { uid.hashValue }

    static func of(_ factor: Profile.Factor) -> MultiFactorInfo {
        if let number = factor.phoneNumber { return PhoneMultiFactorInfo(factor, phoneNumber: number) }
        return MultiFactorInfo(factor, factorID: TOTPMultiFactorID)
    }
}

/// A phone as a second factor. This module shows and removes it; it cannot answer for it.
public final class PhoneMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
    // Proof: see MultiFactorInfo; what is added is immutable and Sendable.

    /// In sign-in hints, masked.
    public let phoneNumber: String

    init(_ factor: Profile.Factor, phoneNumber: String) {
        self.phoneNumber = phoneNumber
        super.init(factor, factorID: PhoneMultiFactorID)
    }
}
