import Foundation
import KeychainTypes

#if !canImport(Security)
    import SecretVault
#endif

/// Secrets and signing keys that only a present user can use: the same calls on Apple's systems, over Keychain Services,
/// and elsewhere, over the vault that `KeychainVault.configure` opened.
///
/// A call that may prompt waits on a thread of the keychain's own, one call at a time; calls that never prompt have
/// another thread, and return meanwhile. What is stored names its access control: there is no default. Cancelling the
/// task of a call that waits ends it with `KeychainError.cancelled`; a prompt that is open is withdrawn where the
/// prompt can be.
///
/// ```swift
/// let keychain = Keychain()
/// try await keychain.store(token, account: "ada", service: "com.example.app", access: .presentUser)
/// let token = try await keychain.read(account: "ada", service: "com.example.app")
/// ```
public struct Keychain: Sendable {
    private static let asking = SerialThread(name: "keychain-asking")
    static let silent = SerialThread(name: "keychain")

    /// The keychain of this application. All values are the same one; on Linux `KeychainVault.configure` has to come
    /// first.
    public init() {}

    /// Stores a secret. Does not prompt for a factor; an application password has to be in the context.
    ///
    /// - Parameters:
    ///   - account: Whose secret it is; with `service` what makes it unique.
    ///   - service: What it is for.
    ///   - access: What must be shown to read it: `AccessControl.presentUser`, `AccessControl.highSecurity`, or any other.
    /// - Throws: `duplicateItem` where there is one: ``update(_:account:service:context:)`` changes it.
    ///   `factorUnavailable` or `passcodeNotSet` where `access` names what this machine does not have.
    public func store(
        _ secret: LockedBytes, account: String, service: String, access: AccessControl,
        context: AuthenticationContext? = nil
    ) async throws(KeychainError) {
        try await run(context) { (context) throws(KeychainError) in
            try KeychainBackend.store(secret, PasswordName(account, service), access, context)
        }
    }

    /// The secret, in memory that is wiped when the last reference goes. Asks for what its access control says.
    ///
    /// - Throws: `itemNotFound`, also where the item can never be opened again because the enrolled factor changed: ask
    ///   for the secret again. `cancelled`, `authenticationFailed`, `lockedOut`, `interactionNotAllowed` and `locked`
    ///   say that it is there and why it was not given.
    public func read(
        account: String, service: String, context: AuthenticationContext? = nil
    ) async throws(KeychainError) -> LockedBytes {
        try await run(context) { (context) throws(KeychainError) in
            try KeychainBackend.read(PasswordName(account, service), context)
        }
    }

    /// Replaces a secret and keeps its access control. Asks for what it says.
    ///
    /// - Throws: `itemNotFound` where there is none to replace.
    public func update(
        _ secret: LockedBytes, account: String, service: String, context: AuthenticationContext? = nil
    ) async throws(KeychainError) {
        try await run(context) { (context) throws(KeychainError) in
            try KeychainBackend.update(secret, PasswordName(account, service), context)
        }
    }

    /// Deletes a secret. Never prompts.
    ///
    /// - Throws: `itemNotFound`.
    public func remove(account: String, service: String) async throws(KeychainError) {
        try await run { () throws(KeychainError) in try KeychainBackend.remove(PasswordName(account, service)) }
    }

    /// Whether there is such a secret. Never prompts; a protected one counts.
    ///
    /// - Throws: `notAvailable` on Linux before `KeychainVault.configure`.
    public func contains(account: String, service: String) async throws(KeychainError) -> Bool {
        try await run { () throws(KeychainError) in try KeychainBackend.contains(PasswordName(account, service)) }
    }

    /// Whose secrets there are for a service, sorted. Never prompts; on Apple's systems accounts of protected items are
    /// left out, because looking at them prompts there.
    public func accounts(service: String) async throws(KeychainError) -> [String] {
        try await run { () throws(KeychainError) in try KeychainBackend.accounts(service: service).sorted() }
    }

    /// Makes a key pair whose private half is kept under a tag.
    ///
    /// - Parameters:
    ///   - tag: The key's name: one key has it.
    ///   - access: What must be shown at each signature. With `AccessControl.Constraints.privateKeyUsage` the private
    ///     half is never given out; on Apple's systems such a key is made in the Secure Enclave, which has P-256 alone.
    ///   - inHardware: Makes the key in a chip, which it never leaves: the Secure Enclave, or what
    ///     `KeychainVault.configure(hardware:)` named. `unsupported` where there is none, or where it has no such kind.
    /// - Throws: `duplicateItem` where a key has the tag. Whether one has it is known also where the key itself cannot be
    ///   used now, so that no key is ever lost behind a second one.
    @discardableResult
    public func makeKey(
        _ kind: KeyKind, tag: String, access: AccessControl, inHardware: Bool = false,
        context: AuthenticationContext? = nil
    ) async throws(KeychainError) -> KeyInfo {
        try await run(context) { (context) throws(KeychainError) in
            try KeychainBackend.makeKey(kind, tag: tag, access, inHardware: inHardware, context)
        }
    }

    /// What is known of a key without using it. Never prompts.
    ///
    /// - Throws: `itemNotFound` where no key has the tag; `locked` or `interactionNotAllowed` where that is unknown
    ///   now.
    public func key(tag: String) async throws(KeychainError) -> KeyInfo {
        try await run { () throws(KeychainError) in try KeychainBackend.key(tag: tag) }
    }

    /// Deletes a key. Never prompts.
    ///
    /// - Throws: `itemNotFound`.
    public func removeKey(tag: String) async throws(KeychainError) {
        try await run { () throws(KeychainError) in try KeychainBackend.removeKey(tag: tag) }
    }

    /// Signs a message with the key that has the tag. Asks for what the key's access control says.
    ///
    /// - Parameters:
    ///   - message: The message itself; it is hashed here.
    ///   - algorithm: One of the key's type; another is `parameter`.
    /// - Returns: The signature: of ECDSA in the form of X9.62 (DER) or of RFC 7518, section 3.4, as the algorithm says; of RSA as PKCS #1
    ///   has it.
    /// - Throws: `itemNotFound` where no key has the tag; `cancelled`, `authenticationFailed`, `lockedOut` or `interactionNotAllowed` of the
    ///   prompt.
    public func sign(
        _ message: Data, with tag: String, _ algorithm: SignatureAlgorithm, context: AuthenticationContext? = nil
    ) async throws(KeychainError) -> Data {
        try await run(context) { (context) throws(KeychainError) in
            try KeychainBackend.sign(message, with: tag, algorithm, context)
        }
    }

    /// Lets `body` prompt. Where the caller brings no context, the call has one of its own, so that a cancelled task
    /// can withdraw the prompt; nothing is kept after it.
    private func run<T: Sendable>(
        _ context: AuthenticationContext?,
        _ body: @escaping @Sendable (AuthenticationContext) throws(KeychainError) -> T
    ) async throws(KeychainError) -> T {
        if let context {
            return try await Self.asking.run { () throws(KeychainError) in try body(context) }
        }
        let own = AuthenticationContext()
        defer { own.invalidate() }
        do throws(KeychainError) {
            return try await Self.asking.run(interrupt: { own.invalidate() }) { () throws(KeychainError) in
                try body(own)
            }
        } catch {
            // An invalidated context fails as if the answer had been wrong; here the caller has withdrawn.
            throw Task.isCancelled ? .cancelled : error
        }
    }

    private func run<T: Sendable>(
        _ body: @escaping @Sendable () throws(KeychainError) -> T
    ) async throws(KeychainError) -> T {
        try await Self.silent.run(body)
    }
}

/// What tells one secret from another.
struct PasswordName: Sendable {
    let account: String
    let service: String

    init(_ account: String, _ service: String) {
        self.account = account
        self.service = service
    }
}
