import KeychainTypes

extension AccessControl {
    /// Biometry or the passcode, at each use; this device only, as long as a passcode is set. For what a thief of an
    /// unlocked device must not have.
    public static let presentUser = preset([.userPresence])

    /// The biometry that is enrolled now, and nothing else: no passcode instead of it, and a finger or face that is
    /// enrolled later closes the item for good (OWASP MASTG-TEST-0268 to 0271). Adding such an item without enrolled
    /// biometry is refused with `factorUnavailable`: nothing weaker is stored.
    public static let highSecurity = preset([.biometryCurrentSet])

    /// As ``presentUser``, for a key that signs and is never given out.
    public static let presentUserSigning = preset([.userPresence, .privateKeyUsage])

    /// As ``highSecurity``, for a key that signs and is never given out.
    public static let highSecuritySigning = preset([.biometryCurrentSet, .privateKeyUsage])

    private static func preset(_ constraints: Constraints) -> AccessControl {
        do {
            return try AccessControl(.whenPasscodeSetThisDeviceOnly, constraints)
        } catch {
            // Each of the four passes the rules of combination; a test makes them all.
            preconditionFailure("\(error)")
        }
    }
}
