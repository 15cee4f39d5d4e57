/// Why the keychain did not do what was asked. ``osStatus`` is the code that Apple's functions answer with
/// (Apple, "Security framework result codes").
public enum KeychainError: Error, Sendable, Hashable {
    /// Nothing matches; also what an item reads as that can never be opened again.
    case itemNotFound
    case duplicateItem
    /// The call cannot mean anything; the text says what to change.
    case parameter(String)
    case noSuchAttribute(String)
    case noSuchClass(String)
    /// The person refused.
    case cancelled
    /// What was shown is wrong. `triesLeft` counts until the next longer wait, where that is known.
    case authenticationFailed(triesLeft: Int?)
    /// Too many wrong answers: no answer is accepted before `seconds` have passed.
    case lockedOut(seconds: Int)
    /// A prompt would be needed, and the caller forbade it or no prompt is possible.
    case interactionNotAllowed
    /// The item's accessibility needs an unlocked vault (device).
    case locked
    /// The item needs a passcode and none is set.
    case passcodeNotSet
    /// The item needs a factor that this machine does not have.
    case factorUnavailable(String)
    /// No keychain: the process has not configured one, or it cannot be reached.
    case notAvailable(String)
    /// The vault's file is damaged or was tampered with.
    case corrupted(String)
    /// A system call failed.
    case io(operation: String, errno: Int32)
    case unsupported(String)
    /// Any other code of the system's.
    case status(Int32)
}

extension KeychainError {
    /// The `OSStatus` that the C functions answer with.
    public var osStatus: Int32 {
        switch self {
        case .itemNotFound: -25300
        case .duplicateItem: -25299
        case .parameter: -50
        case .noSuchAttribute: -25303
        case .noSuchClass: -25306
        case .cancelled: -128
        case .authenticationFailed, .lockedOut, .passcodeNotSet, .factorUnavailable: -25293
        case .interactionNotAllowed, .locked: -25308
        case .notAvailable: -25291
        case .corrupted: -26275
        case .io(_, errno: 28): -34  // ENOSPC, on both systems
        case .io: -36
        case .unsupported: -4
        case .status(let status): status
        }
    }
}
