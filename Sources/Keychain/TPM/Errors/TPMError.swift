/// Why the TPM did not do what was asked. No case carries an authorization value, a secret or a key.
public enum TPMError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The device or the socket cannot be opened, or went away in the middle of a command.
    case unavailable(String)
    /// The TPM did not answer in time. The command may have been carried out all the same.
    case timedOut(seconds: Double)
    /// The answer cannot be read: shorter or longer than it says, or not of the expected form.
    case malformedResponse(String)
    /// The answer is well formed but not the TPM's: its HMAC is wrong, or a key is not what was asked for. An attacker
    /// may be listening between this program and the chip.
    case untrustedResponse(String)
    /// The authorization value (the stretched PIN) is wrong, and the TPM has counted the attempt. `triesLeft` is what
    /// the TPM still allows before it locks; it is shared by everything on this machine that the TPM protects. Nil
    /// where wrong values are not counted, or the count could not be read.
    case wrongAuthorization(triesLeft: Int?)
    /// After too many wrong values the TPM refuses even the right one. `retryAfter` is the *longest* wait in seconds
    /// until one more try is possible; a TPM does not tell how much of it has passed.
    case lockedOut(retryAfter: Int?)
    /// The key was made by another TPM, or this one was cleared since, or the blob was damaged. The key is lost
    /// unless its own TPM comes back.
    case foreignKey
    /// The bytes are no key of this module's kinds.
    case invalidBlob(String)
    /// This TPM does not have the algorithm or the key size.
    case unsupportedKey(String)
    /// The TPM's owner hierarchy has a password, so no storage key can be derived from it.
    case ownerAuthorizationRequired
    /// There is no storage key at the persistent handle, or it is of a kind that this module cannot use.
    case unusableParent(String)
    /// No room for one more object or session: other programs fill the TPM. `/dev/tpmrm0` has no such limit.
    case outOfMemory(TPMResponseCode)
    /// The TPM kept asking for a retry.
    case busy(TPMResponseCode)
    /// What the caller gave cannot be right whatever the TPM: a digest or a secret of a wrong length, for instance.
    case invalidArgument(String)
    /// Any other refusal, with the command that was refused.
    case refused(TPMResponseCode, command: String)

    public var description: String {
        switch self {
        case .unavailable(let reason): "The TPM cannot be reached: \(reason)"
        case .timedOut(let seconds): "The TPM did not answer within \(seconds) s. Try again."
        case .malformedResponse(let what): "The TPM's answer cannot be read: \(what)."
        case .untrustedResponse(let what):
            "The TPM's answer is not authentic: \(what). Something between this program and the TPM changes what they "
                + "say; nothing was revealed."
        case .wrongAuthorization(let triesLeft?):
            "Wrong PIN. The TPM allows \(triesLeft) more before it locks."
        case .wrongAuthorization(nil): "Wrong PIN."
        case .lockedOut(let seconds?):
            "The TPM is locked after too many wrong PINs and refuses even the right one. One more try is possible "
                + "after at most \(seconds) s."
        case .lockedOut(nil):
            "The TPM is locked after too many wrong PINs and refuses even the right one. Wait and try again."
        case .foreignKey:
            "This key belongs to another TPM, or this TPM was cleared since it was made. Make a new key and enrol it."
        case .invalidBlob(let what): "This is not a TPM key that can be used here: \(what)."
        case .unsupportedKey(let what): "This TPM cannot make or use the key: \(what)."
        case .ownerAuthorizationRequired:
            "The TPM's owner hierarchy has a password. Ask the administrator for a persistent storage key (usually at "
                + "0x81000001) and use that as the parent."
        case .unusableParent(let what): "The TPM's storage key cannot be used: \(what)."
        case .outOfMemory(let code): "The TPM has no room left, \(code). Use /dev/tpmrm0, or close other programs."
        case .busy(let code): "The TPM stays busy, \(code). Try again later."
        case .invalidArgument(let what): what
        case .refused(let code, let command): "The TPM refused \(command): \(code)."
        }
    }
}
