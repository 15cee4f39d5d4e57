import Foundation
import JSON
import KeychainServices
import KeychainTypes
import PasskeyAuthenticator

/// Passkeys in the keychain of this process: an authenticator of WebAuthn for programs that have no browser, and the client in
/// front of it.
///
/// Each passkey is a P-256 key, in the chip that the keychain has or else in its file, and an item that says whose it is. The key
/// signs only for origins of its domain. Signatures are not counted: a folder that is restored from a backup would go back in its count,
/// and servers take that for a copied key (decision 260).
///
/// On Linux configure the keychain first: `KeychainVault.configure`.
public struct PasskeyBook: Sendable {
    enum Service {
        static let passkey = "countersign.authenticator.passkey"
    }

    /// The most passkeys that a book has.
    public static let limit = 2000

    let keychain = Keychain()
    let lock: BookLock
    private let isOpenedByUser: Bool

    /// - Parameters:
    ///   - lockFile: a file that processes with the same keychain lock while they change a passkey.
    ///   - isOpenedByUser: whether this process has just opened the keychain with the user's passcode, for this one ceremony. That is
    ///     the user's verification where a key does not ask by itself.
    public init(lockFile: String? = nil, isOpenedByUser: Bool) {
        lock = BookLock(path: lockFile)
        self.isOpenedByUser = isOpenedByUser
    }

    // MARK: Looking

    /// All passkeys, by domain and label. Never prompts.
    public func passkeys() async throws(PasskeyBookError) -> [Passkey] {
        let ids = try await kept { () throws(KeychainError) in
            try await keychain.accounts(service: Service.passkey)
        }
        var passkeys: [Passkey] = []
        for id in ids { passkeys.append(try await passkey(id)) }
        return passkeys.sorted { ($0.rpID, $0.label.lowercased(), $0.id) < ($1.rpID, $1.label.lowercased(), $1.id) }
    }

    private func passkey(_ id: Passkey.ID) async throws(PasskeyBookError) -> Passkey {
        let bytes = try await kept { () throws(KeychainError) in
            try await keychain.read(account: id, service: Service.passkey)
        }
        guard let passkey = try? JSONDecoder().decode(Passkey.self, from: bytes.withBytes { Data($0) }) else {
            throw .damaged(id)
        }
        return passkey
    }

    // MARK: Making one

    /// Makes a passkey, and what the server has to be told of it. Never prompts.
    ///
    /// The passkey is kept before this returns. Remove it where the server does not take it.
    /// - Parameters:
    ///   - name: instead of the server's name for itself.
    ///   - asksEachTime: whether each signature asks for the passcode. Where no prompt is possible such a key cannot be used.
    ///   - inHardware: whether the key is made in the keychain's chip.
    public func make(
        for request: CreationRequest, at origin: CallingOrigin, name: String? = nil, asksEachTime: Bool,
        inHardware: Bool, now: Date = Date()
    ) async throws(PasskeyBookError) -> (passkey: Passkey, response: JSONValue) {
        let name = try Self.checked(name ?? request.rpName.flatMap { $0.isEmpty ? nil : $0 } ?? request.rpID)
        guard origin.belongs(to: request.rpID) else {
            throw .options(.foreignRelyingParty(id: request.rpID, origin: origin.text))
        }
        guard request.algorithms.contains(PasskeySource.algorithm) else { throw .options(.noCommonAlgorithm) }
        if request.requiresUserVerification, !isOpenedByUser { throw .userNotVerified }
        let known = try await passkeys()
        if let same = known.first(where: { $0.rpID == request.rpID && request.excluded.contains($0.credentialID) }) {
            throw .alreadyThere(same)
        }
        guard known.count < Self.limit else {
            throw .keychain(.parameter("a book has at most \(Self.limit) passkeys"))
        }
        let id = AccountBook.newID()
        let access: AccessControl
        do throws(KeychainError) {
            access =
                asksEachTime
                ? .presentUserSigning : try AccessControl(.whenPasscodeSetThisDeviceOnly, [.privateKeyUsage])
        } catch {
            throw .keychain(error)
        }
        let key = try await kept { () throws(KeychainError) in
            try await keychain.makeKey(.p256, tag: Self.keyTag(id), access: access, inHardware: inHardware)
        }
        do {
            #if canImport(Security)
                // Apple's keychain lets no key with this accessibility leave the device.
                let isBackupEligible = false
            #else
                let isBackupEligible = !key.isHardwareBound
            #endif
            let passkey = Passkey(
                id: id, rpID: request.rpID, name: name, userName: String(request.userName.prefix(200)),
                credentialID: Self.newCredentialID(), userHandle: request.userHandle,
                publicKey: Array(key.publicKey), isInHardware: key.isHardwareBound,
                isBackupEligible: isBackupEligible, asksEachTime: asksEachTime, addedAt: now, lastUsedAt: nil)
            guard let source = passkey.source else { throw PasskeyBookError.damaged(id) }
            let response = try source.registration(
                for: request, origin: origin, state: state(of: passkey, isVerified: isOpenedByUser))
            let bytes = try encoded(passkey)
            try await kept { () throws(KeychainError) in
                try await keychain.store(
                    bytes, account: id, service: Service.passkey, access: AccountBook.access(asking: false))
            }
            return (passkey, response)
        } catch {
            try? await keychain.removeKey(tag: Self.keyTag(id))
            switch error {
            case let error as PasskeyBookError: throw error
            case let error as AuthenticatorRefusal: throw .options(error)
            default: throw .damaged(id)
            }
        }
    }

    // MARK: Using one

    /// The passkeys that may answer. Never prompts.
    public func passkeys(for request: AssertionRequest) async throws(PasskeyBookError) -> [Passkey] {
        try await passkeys().filter {
            $0.rpID == request.rpID && (request.allowed.isEmpty || request.allowed.contains($0.credentialID))
        }
    }

    /// Answers a sign-in. Asks for the passcode where the passkey does.
    ///
    /// - Parameters:
    ///   - selector: which one; nil where the server takes only one of them.
    ///   - now: kept as the time of the last use.
    public func answer(
        _ request: AssertionRequest, at origin: CallingOrigin, by selector: String? = nil, now: Date = Date()
    ) async throws(PasskeyBookError) -> (passkey: Passkey, response: JSONValue) {
        guard origin.belongs(to: request.rpID) else {
            throw .options(.foreignRelyingParty(id: request.rpID, origin: origin.text))
        }
        let candidates = try await passkeys(for: request)
        guard !candidates.isEmpty else { throw .noneFor(request.rpID) }
        var passkey = candidates[0]
        if let selector {
            passkey = try candidates.only(meant: selector)
        } else if candidates.count > 1 {
            throw .ambiguous(candidates)
        }
        let isVerified = passkey.asksEachTime || isOpenedByUser
        if request.requiresUserVerification, !isVerified { throw .userNotVerified }
        guard let source = passkey.source else { throw .damaged(passkey.id) }
        let assertion: PasskeySource.Assertion
        do throws(AuthenticatorRefusal) {
            assertion = try source.assertion(
                for: request, origin: origin, state: state(of: passkey, isVerified: isVerified))
        } catch {
            throw .options(error)
        }
        let context = AuthenticationContext(reason: "Sign in at \(passkey.rpID)")
        defer { context.invalidate() }
        let tag = Self.keyTag(passkey.id)
        let signature = try await kept { () throws(KeychainError) in
            try await keychain.sign(Data(assertion.signed), with: tag, .es256DER, context: context)
        }
        passkey.lastUsedAt = now
        let used = passkey
        try await change(passkey.id) { $0.lastUsedAt = used.lastUsedAt }
        return (used, assertion.response(signature: Array(signature)))
    }

    // MARK: Changing

    /// Gives a passkey another name. Never prompts.
    @discardableResult
    public func rename(_ id: Passkey.ID, to name: String) async throws(PasskeyBookError) -> Passkey {
        let name = try Self.checked(name)
        return try await change(id) { $0.name = name }
    }

    /// Removes a passkey and its key. Never prompts. The server still lists it.
    public func remove(_ id: Passkey.ID) async throws(PasskeyBookError) {
        let isThere = try await kept { () throws(KeychainError) in
            try await keychain.remove(account: id, services: [Service.passkey], keyTag: Self.keyTag(id))
        }
        if !isThere { throw .notFound(id) }
    }

    @discardableResult
    private func change(
        _ id: Passkey.ID, _ change: @Sendable (inout Passkey) -> Void
    ) async throws(PasskeyBookError) -> Passkey {
        try await lock.whileLocked { () throws(PasskeyBookError) in
            var passkey = try await passkey(id)
            change(&passkey)
            let bytes = try encoded(passkey)
            try await kept { () throws(KeychainError) in
                try await keychain.update(bytes, account: id, service: Service.passkey)
            }
            return passkey
        }
    }

    // MARK: Common steps

    private func state(of passkey: Passkey, isVerified: Bool) -> AuthenticatorState {
        AuthenticatorState(isUserVerified: isVerified, isBackupEligible: passkey.isBackupEligible)
    }

    private func encoded(_ passkey: Passkey) throws(PasskeyBookError) -> LockedBytes {
        guard let data = try? JSONEncoder().encode(passkey) else { throw .damaged(passkey.id) }
        return LockedBytes(data)
    }

    private func kept<T: Sendable>(
        _ body: () async throws(KeychainError) -> T
    ) async throws(PasskeyBookError) -> T {
        do throws(KeychainError) { return try await body() } catch { throw .keychain(error) }
    }

    private static func keyTag(_ id: Passkey.ID) -> String { "countersign.authenticator.passkey.\(id)" }

    private static func newCredentialID() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    private static func checked(_ name: String) throws(PasskeyBookError) -> String {
        guard (1...200).contains(name.utf8.count),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .badName }
        return name
    }
}
