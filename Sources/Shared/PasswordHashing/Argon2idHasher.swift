import CountersignCore
import Foundation

/// Passwords by Argon2id (RFC 9106) from libsodium, on threads of its own and with a bounded queue.
///
/// A password is brought to Unicode's normal form C before it is hashed (as RFC 8265, section 4.2.2, asks), so that
/// "ä" typed on two keyboards is one character. Zero bytes inside it count.
///
/// Hashes are PHC strings. Argon2i hashes, and Argon2id ones with other costs, as other systems make them, are compared
/// too, and ``needsRehash(_:)`` says which of them to replace. Strings that ask for more than 1 GiB or 64 passes match
/// nothing.
///
/// The text of an ``ImportedPasswordHash`` is compared as well, on the same threads, and always to be replaced. Its
/// password was hashed elsewhere, as it was typed: it is tried so first, and in normal form C where that differs.
///
/// The threads end when the hasher is released, or with ``shutDown()``.
public final class Argon2idHasher: PasswordHasher {
    /// Bytes of UTF-8 that a password may have. A longer one matches nothing and cannot be set.
    public static let longestPassword = 4096

    public let decoy: String

    private let parameters: Argon2idParameters
    private let threads: HashingThreads
    private let willHash: @Sendable () -> Void

    /// - Throws: ``PasswordHashingError`` of code `invalidParameters`, or `unavailable` where there is not memory
    ///   enough for one hash, or the system starts no more threads.
    public convenience init(_ parameters: Argon2idParameters = Argon2idParameters()) throws {
        try self.init(parameters, random: SystemRandom(), willHash: {})
    }

    /// - Parameter willHash: called on the hashing thread before each hash: a test holds the threads with it.
    init(
        _ parameters: Argon2idParameters, random: any RandomSource, willHash: @escaping @Sendable () -> Void
    ) throws {
        if let fault = parameters.fault { throw PasswordHashingError(.invalidParameters, fault) }
        guard Sodium.isReady else { throw PasswordHashingError(.unavailable, "libsodium cannot be initialised") }
        // Asked for and given back: the first sign-in is too late to find out.
        guard let memory = malloc(parameters.memoryKiB * 1024) else {
            throw PasswordHashingError(.unavailable, "\(parameters.memoryKiB) KiB cannot be had for a password hash")
        }
        free(memory)
        decoy = Self.decoy(parameters, random: random)
        self.parameters = parameters
        self.willHash = willHash
        do {
            threads = try HashingThreads(
                count: parameters.threads, queueLimit: parameters.queueLimit,
                // A gigabyte of memory passed over in a second, until hashes of this machine tell.
                seconds: Double(parameters.memoryKiB * parameters.operations) / Double(1 << 20))
        } catch {
            throw PasswordHashingError(.unavailable, "no threads for password hashes: \(error)")
        }
    }

    /// The hash of an unknown password: salt and hash are random. To hash one would cost every start what a sign-in
    /// costs.
    private static func decoy(_ parameters: Argon2idParameters, random: any RandomSource) -> String {
        let parts = [16, 32].map { count in
            Data(random.bytes(count)).base64EncodedString().prefix { $0 != "=" }
        }
        return "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.operations),p=1$\(parts[0])$\(parts[1])"
    }

    deinit {
        threads.close()
    }

    /// - Throws: ``PasswordHashingOverload``; ``PasswordHashingError`` of code `passwordTooLong`, `unavailable` or
    ///   `closed`; `CancellationError` where the task was cancelled before its turn came.
    public func hash(_ password: Secret<String>) async throws -> String {
        guard Self.isShortEnough(password) else {
            throw PasswordHashingError(
                .passwordTooLong, "a password has at most \(Self.longestPassword) bytes of UTF-8")
        }
        return try await threads.run { [parameters, willHash] in
            willHash()
            var bytes = Self.bytes(of: password)
            defer { Sodium.wipe(&bytes) }
            guard
                let hash = Sodium.hash(bytes, operations: parameters.operations, memoryKiB: parameters.memoryKiB)
            else {
                throw PasswordHashingError(.unavailable, "no memory for a password hash")
            }
            return hash
        }
    }

    /// An unreadable hash matches nothing, and costs what the ``decoy`` costs, so that the time does not show it.
    /// - Throws: ``PasswordHashingOverload``; ``PasswordHashingError`` of code `closed`; `CancellationError` where the
    ///   task was cancelled before its turn came.
    public func verify(_ password: Secret<String>, against hash: String) async throws -> Bool {
        guard Self.isShortEnough(password) else { return false }
        if let imported = ImportedPasswordHash(text: hash) {
            return try await verify(password, against: imported)
        }
        let isReadable = PHCString(hash) != nil
        return try await threads.run { [decoy, willHash] in
            willHash()
            var bytes = Self.bytes(of: password)
            defer { Sodium.wipe(&bytes) }
            return Sodium.verify(bytes, against: isReadable ? hash : decoy) && isReadable
        }
    }

    /// A wrong password also costs what the decoy does, because what follows on a right one is a new hash. So a cheap
    /// hash (MD5) tells neither that the account exists nor how it is kept, and guessing at it is no faster.
    private func verify(_ password: Secret<String>, against imported: ImportedPasswordHash) async throws -> Bool {
        try await threads.run { [decoy, willHash] in
            willHash()
            var typed = Array(password.reveal().utf8)
            var normalised = Self.bytes(of: password)
            defer {
                Sodium.wipe(&typed)
                Sodium.wipe(&normalised)
            }
            if imported.matches(typed) { return true }
            if normalised != typed, imported.matches(normalised) { return true }
            willHash()
            _ = Sodium.verify(normalised, against: decoy)
            return false
        }
    }

    public func needsRehash(_ hash: String) -> Bool {
        guard let phc = PHCString(hash), phc.isArgon2id else { return true }
        let matches = Sodium.matchesCosts(
            hash, operations: parameters.operations, memoryKiB: parameters.memoryKiB)
        guard let matches else { return true }
        // libsodium only says that costs differ. A hash that cost more than ours do now is not made cheaper.
        return !matches && (phc.memoryKiB < parameters.memoryKiB || phc.operations < parameters.operations)
    }

    /// Hashes that are being computed or wait for it: what ``Argon2idParameters/queueLimit`` bounds.
    public var load: Int { threads.load }

    /// Refuses what comes from now on; what was admitted is still computed. Then the threads end.
    public func shutDown() {
        threads.close()
    }

    /// Looked at before the password is normalised, which takes time in proportion to its length.
    private static func isShortEnough(_ password: Secret<String>) -> Bool {
        password.reveal().utf8.count <= longestPassword
    }

    private static func bytes(of password: Secret<String>) -> [UInt8] {
        let typed = password.reveal()
        // ASCII is its own normal form, and what most passwords are.
        return Array((typed.utf8.allSatisfy { $0 < 0x80 } ? typed : typed.precomposedStringWithCanonicalMapping).utf8)
    }
}
