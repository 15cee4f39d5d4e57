/// What a TPM says about itself, and about its limit on guessing. Read it before prompting for a PIN.
///
/// The limit is one for the whole TPM (Part 1, clause 19.8, "Dictionary Attack Protection"): wrong values for the keys
/// of *all* programs, the disk's among them, count together. A right value takes nothing back; only time does, or the
/// TPM's administrator. This module never changes the limit.
public struct TPMStatus: Sendable, Hashable {
    /// How much the TPM's count of wrong values is worth.
    public enum GuessingLimit: Sendable, Hashable {
        /// Only time, or who knows the lockout authorization, takes a wrong value back.
        case effective
        /// The lockout authorization is not set: every user who may open the device can reset the count and continue
        /// guessing. A PIN is then worth what it costs to stretch it. This is so on most Linux machines.
        case resettable
        /// The TPM is set up so that wrong values are never, or only for a moment, counted.
        case off
    }

    /// The vendor's identifier of at most four letters, for instance `INTC`, `IFX`, `STM` or `IBM` (swtpm).
    public let manufacturer: String
    /// The vendor's description, as far as there is one.
    public let model: String
    /// The version of the TPM's firmware, as the vendor counts.
    public let firmwareVersion: String
    /// Whether right values are refused as well, until time has passed.
    public let isLockedOut: Bool
    /// How many wrong values count at present. An unclean power-off adds one on many TPMs.
    public let failuresCounted: Int
    /// The number at which the TPM locks.
    public let maximumFailures: Int
    /// After how many seconds one wrong value is forgotten, and one more try is possible in a lockout.
    public let secondsPerForgottenFailure: Int
    /// After how many seconds the lockout authorization may be tried again once it was wrong.
    public let lockoutAuthorizationRecovery: Int
    /// Whether the lockout authorization has a value.
    public let lockoutAuthorizationSet: Bool
    /// Whether the owner hierarchy has a password. Then keys need ``TPMParent/persistent``.
    public let ownerAuthorizationSet: Bool

    /// How many wrong values the TPM still takes before it locks.
    public var triesLeft: Int { isLockedOut ? 0 : max(0, maximumFailures - failuresCounted) }

    public var guessingLimit: GuessingLimit {
        if secondsPerForgottenFailure == 0 { return .off }
        return lockoutAuthorizationSet ? .effective : .resettable
    }
}

extension TPMStatus {
    /// TPM_PT (Part 2, clause 6.13).
    enum Property {
        static let fixed: ClosedRange<UInt32> = 0x100...0x10C
        static let family: UInt32 = 0x100
        static let manufacturer: UInt32 = 0x105
        static let vendorStrings: ClosedRange<UInt32> = 0x106...0x109
        static let firmwareHigh: UInt32 = 0x10B
        static let firmwareLow: UInt32 = 0x10C
        static let variable: ClosedRange<UInt32> = 0x200...0x211
        static let permanent: UInt32 = 0x200
        static let lockoutCounter: UInt32 = 0x20E
        static let maximumFailures: UInt32 = 0x20F
        static let lockoutInterval: UInt32 = 0x210
        static let lockoutRecovery: UInt32 = 0x211
    }

    init(_ conversation: Conversation) throws(TPMError) {
        self = try Self.reading(
            fixed: try conversation.properties(Property.fixed),
            variable: try conversation.properties(Property.variable))
    }

    static func reading(fixed: [UInt32: UInt32], variable: [UInt32: UInt32]) throws(TPMError) -> TPMStatus {
        // "2.0" with a zero at the end.
        guard fixed[Property.family] == 0x322E_3000 else { throw .unavailable("it is no TPM 2.0.") }
        func value(_ property: UInt32) throws(TPMError) -> Int {
            guard let value = variable[property] else {
                throw .malformedResponse("the property 0x\(String(property, radix: 16)) is missing")
            }
            return Int(value)
        }
        // TPMA_PERMANENT (Part 2, clause 8.6).
        let permanent = try value(Property.permanent)
        let high = fixed[Property.firmwareHigh] ?? 0
        let low = fixed[Property.firmwareLow] ?? 0
        return TPMStatus(
            manufacturer: text([fixed[Property.manufacturer] ?? 0]),
            model: text(Property.vendorStrings.map { fixed[$0] ?? 0 }),
            firmwareVersion: "\(high >> 16).\(high & 0xFFFF).\(low >> 16).\(low & 0xFFFF)",
            isLockedOut: permanent & 1 << 9 != 0,
            failuresCounted: try value(Property.lockoutCounter),
            maximumFailures: try value(Property.maximumFailures),
            secondsPerForgottenFailure: try value(Property.lockoutInterval),
            lockoutAuthorizationRecovery: try value(Property.lockoutRecovery),
            lockoutAuthorizationSet: permanent & 1 << 2 != 0,
            ownerAuthorizationSet: permanent & 1 << 0 != 0)
    }

    /// Printable ASCII only: the text goes to people's terminals.
    private static func text(_ values: [UInt32]) -> String {
        let bytes = values.flatMap { value in WireWriter.bytes { $0.put(value) } }
        return String(decoding: bytes.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
            .split(separator: " ").joined(separator: " ")
    }
}
