#if !canImport(Security)
    import Foundation

    // The status codes (Apple, "Security framework result codes").

    /// The call succeeded: another name of ``errSecSuccess``.
    public let noErr: OSStatus = 0
    /// The call succeeded.
    public let errSecSuccess: OSStatus = 0
    /// This keychain does not have the class, operation or algorithm.
    public let errSecUnimplemented: OSStatus = -4
    /// The disk is full.
    public let errSecDiskFull: OSStatus = -34
    /// The vault's file could not be read or written.
    public let errSecIO: OSStatus = -36
    /// The query cannot mean anything: a key, a value or their combination is not valid.
    public let errSecParam: OSStatus = -50
    /// There is no memory left.
    public let errSecAllocate: OSStatus = -108
    /// The user refused at the prompt.
    public let errSecUserCanceled: OSStatus = -128
    /// An internal component failed.
    public let errSecInternalComponent: OSStatus = -2070
    /// The process has not configured a keychain (`KeychainVault.configure`), or the keychain cannot be reached.
    public let errSecNotAvailable: OSStatus = -25291
    /// What was shown is wrong, too many wrong answers were given, or the item needs a factor that this machine does
    /// not have.
    public let errSecAuthFailed: OSStatus = -25293
    /// An item with the same primary key exists.
    public let errSecDuplicateItem: OSStatus = -25299
    /// No item matches, or the one that does can never be opened again.
    public let errSecItemNotFound: OSStatus = -25300
    /// The class has no such attribute.
    public let errSecNoSuchAttr: OSStatus = -25303
    /// There is no such class of items.
    public let errSecNoSuchClass: OSStatus = -25306
    /// A prompt would be needed and is not allowed or not possible, or the keychain is locked.
    public let errSecInteractionNotAllowed: OSStatus = -25308
    /// The vault's file is damaged, or was tampered with.
    public let errSecDecode: OSStatus = -26275
    /// An internal error.
    public let errSecInternal: OSStatus = -26276
    /// The signature is not valid.
    public let errSecVerifyFailed: OSStatus = -67808
    /// The access group is not this application's.
    public let errSecMissingEntitlement: OSStatus = -34018

    /// A sentence about `status`, in English; the words are this library's, not Apple's. An unknown code gives its number.
    ///
    /// - Parameter reserved: pass nil.
    public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
        let text: String =
            switch status {
            case errSecSuccess: "done"
            case errSecUnimplemented: "this keychain does not have that class, operation or algorithm"
            case errSecDiskFull: "the disk is full"
            case errSecIO: "the vault's file could not be read or written"
            case errSecParam: "the query cannot mean anything: a key, a value or their combination is not valid"
            case errSecAllocate: "no memory left"
            case errSecUserCanceled: "the person refused"
            case errSecInternalComponent: "an internal component failed"
            case errSecNotAvailable:
                "no keychain: this process has not configured one (KeychainVault.configure), or it cannot be reached"
            case errSecAuthFailed:
                "the authentication failed, or the item needs a factor that this machine does not have"
            case errSecDuplicateItem: "an item with the same primary key exists"
            case errSecItemNotFound: "no such item, or one that can never be opened again"
            case errSecNoSuchAttr: "the class has no such attribute"
            case errSecNoSuchClass: "there is no such class of items"
            case errSecInteractionNotAllowed:
                "a prompt would be needed, which is not allowed here, or the keychain is locked"
            case errSecDecode: "data could not be decoded"
            case errSecInternal: "an internal error"
            case errSecVerifyFailed: "the signature is not valid"
            case errSecMissingEntitlement: "the access group is not this application's"
            default: "OSStatus \(status)"
            }
        return text as CFString
    }

    extension NSError {
        /// How an error looks in the `CFError` of Apple's functions: its status, and a sentence.
        convenience init(status: OSStatus, _ description: String) {
            self.init(
                domain: NSOSStatusErrorDomain, code: Int(status), userInfo: [NSLocalizedDescriptionKey: description])
        }

        convenience init(_ error: KeychainError) {
            self.init(status: error.osStatus, "\(error)")
        }
    }

    extension Optional where Wrapped == UnsafeMutablePointer<Unmanaged<CFError>?> {
        /// Hands `error` to a caller who asked for it. The caller takes it over, as with every `Create` function.
        func report(_ error: NSError) {
            self?.pointee = Unmanaged.passRetained(error)
        }
    }
#endif
