/// The storage key under which keys are made, spelled as "ASN.1 Specification for TPM 2.0 Key Files" spells it.
public struct TPMParent: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: UInt32

    /// Nil for a value that is neither the owner hierarchy nor a persistent handle (0x81000000 to 0x81FFFFFF).
    public init?(rawValue: UInt32) {
        guard rawValue == Handle.owner.rawValue || Handle(rawValue).isPersistent else { return nil }
        self.rawValue = rawValue
    }

    private init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// A P-256 storage key that the TPM derives from its owner seed whenever it is needed. Nothing is stored in the
    /// TPM, and the same key comes back until the TPM is cleared.
    public static let ownerPrimary = TPMParent(Handle.owner.rawValue)

    /// The storage key that an administrator has put where TCG's provisioning guidance wants it. Needed where the
    /// owner hierarchy has a password; works if it is of P-256 and has none itself.
    public static let persistent = TPMParent(0x8100_0001)
}
