#if !canImport(Security)
    import Foundation
    import KeychainTypes

    /// What must be shown before an item is given out, as an object for `kSecAttrAccessControl`.
    public final class SecAccessControl: Sendable {
        let accessControl: AccessControl

        init(_ accessControl: AccessControl) { self.accessControl = accessControl }
    }

    /// The flags of ``SecAccessControlCreateWithFlags(_:_:_:_:)``, with Apple's bits (Apple, `SecAccessControlCreateFlags`).
    public struct SecAccessControlCreateFlags: OptionSet, Sendable {
        public let rawValue: CFOptionFlags
        public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

        private init(_ constraints: AccessControl.Constraints) { rawValue = constraints.rawValue }

        /// Biometry or the passcode, as the user chooses.
        public static let userPresence = Self(.userPresence)
        /// Any enrolled biometry; a later enrolment keeps the item readable.
        public static let biometryAny = Self(.biometryAny)
        /// The biometry that is enrolled when the item is added. After another enrolment the item can never be read
        /// again.
        public static let biometryCurrentSet = Self(.biometryCurrentSet)
        /// The passcode.
        public static let devicePasscode = Self(.devicePasscode)
        /// A paired companion device.
        public static let companion = Self(.companion)
        /// One of the factors named is enough. It excludes ``and``.
        public static let or = Self(.or)
        /// All factors named are needed, which is also so without it. It excludes ``or``.
        public static let and = Self(.and)
        /// The private key signs, and its bytes are never given out.
        public static let privateKeyUsage = Self(.privateKeyUsage)
        /// A password of the application's own is needed beside the other factors:
        /// ``LAContext/setCredential(_:type:)``.
        public static let applicationPassword = Self(.applicationPassword)

        /// The earlier name of ``biometryAny``.
        @available(*, deprecated, renamed: "biometryAny")
        public static var touchIDAny: Self { biometryAny }
        /// The earlier name of ``biometryCurrentSet``.
        @available(*, deprecated, renamed: "biometryCurrentSet")
        public static var touchIDCurrentSet: Self { biometryCurrentSet }
        /// The earlier name of ``companion``.
        @available(*, deprecated, renamed: "companion")
        public static var watch: Self { companion }
    }

    /// Makes an access control object.
    ///
    /// Creating one succeeds also where the factor is missing that it names; adding an item with it is then refused
    /// with `errSecAuthFailed`, as on a device without enrolled biometry.
    ///
    /// - Parameters:
    ///   - protection: one of the `kSecAttrAccessible…` constants.
    ///   - error: receives `errSecParam` for a protection that is none of them, and for flags that exclude each other:
    ///     `or` with `and`, both biometry flags, `userPresence` with another factor.
    /// - Returns: nil with an error.
    public func SecAccessControlCreateWithFlags(
        _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
        _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
    ) -> SecAccessControl? {
        do throws(KeychainError) {
            guard let raw = QueryValue(protection).string, let accessibility = Accessibility(rawValue: raw) else {
                throw .parameter("the protection of an access control is one of the kSecAttrAccessible constants")
            }
            return SecAccessControl(
                try AccessControl(accessibility, AccessControl.Constraints(rawValue: flags.rawValue)))
        } catch let fault {
            error.report(NSError(fault))
            return nil
        }
    }
#endif
