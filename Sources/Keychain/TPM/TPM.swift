import Foundation

/// A TPM 2.0: makes signing keys that never leave the chip and seals secrets to it, each protected by a PIN that the
/// chip itself checks and whose wrong tries it counts.
///
/// ```swift
/// let tpm = TPM(transport: TPMConnection())
/// let status = try tpm.status()  // Say how many tries are left before asking for the PIN.
/// let key = try tpm.makeSigningKey(.p256, authorization: stretchedPIN)
/// let signature = try tpm.sign(SHA256.hash(data: message), with: key, authorization: stretchedPIN)
/// ```
///
/// Authorization values are bytes, at most 32, that the caller has made from the PIN with a slow function: where
/// ``TPMStatus/guessingLimit`` is not effective, that function is all that slows a guesser down. They never cross the
/// bus in clear, nor do sealed secrets. Copies of them in this module are overwritten after use.
///
/// What it does not do: it changes neither the limit on guessing nor any password of a hierarchy, and it stores
/// nothing in the TPM.
///
/// All functions block until the chip has answered, from milliseconds to minutes for an RSA key, so call them on a
/// thread of their own, not on the cooperative pool. Calls from several threads are carried out one after the other.
public struct TPM: Sendable {
    private let channel: Locked<CommandChannel>
    /// The storage key under which new keys are made.
    public let parent: TPMParent

    /// - Parameter parent: ``TPMParent/ownerPrimary`` unless the owner hierarchy has a password.
    public init(transport: any TPMTransport, parent: TPMParent = .ownerPrimary) {
        self.init(transport: transport, parent: parent, retry: RetryPolicy())
    }

    init(transport: any TPMTransport, parent: TPMParent = .ownerPrimary, retry: RetryPolicy) {
        channel = Locked(CommandChannel(transport: transport, retry: retry))
        self.parent = parent
    }

    /// What the TPM says about itself and its limit on guessing. Asks for no authorization and counts as no attempt.
    ///
    /// - Throws: ``TPMError/unavailable(_:)`` where there is no TPM 2.0, and the errors of transport.
    public func status() throws(TPMError) -> TPMStatus {
        try perform { (conversation) throws(TPMError) in try TPMStatus(conversation) }
    }

    /// Random bytes of the TPM's generator, encrypted on their way. Mix them with others rather than rely on them.
    ///
    /// - Parameter count: 1 to 1024.
    public func random(_ count: Int) throws(TPMError) -> [UInt8] {
        guard (1...1024).contains(count) else { throw .invalidArgument("The TPM gives 1 to 1024 random bytes.") }
        return try perform { (conversation) throws(TPMError) in
            let storageKey = try conversation.parent(parent)
            var session = try conversation.startSession(saltedTo: storageKey)
            var bytes: [UInt8] = []
            while bytes.count < count {
                let wanted = min(32, count - bytes.count)
                let response = try conversation.execute(
                    Command(
                        code: .getRandom, parameters: WireWriter.bytes { $0.put(UInt16(wanted)) },
                        answersWithSecret: true), in: &session)
                // Verified by now, so that more or fewer bytes are the chip's own fault.
                guard let some = response.secret, (1...wanted).contains(some.count), response.parameters.isEmpty else {
                    throw .malformedResponse("GetRandom: not the bytes that were asked for")
                }
                bytes += some.pointer
            }
            return bytes
        }
    }

    // MARK: Inside

    /// Runs one operation alone, and leaves nothing of it in the TPM.
    func perform<Result: ~Copyable>(
        _ body: (Conversation) throws(TPMError) -> Result
    ) throws(TPMError) -> Result {
        try channel.withLock { (channel) throws(TPMError) -> Result in
            let conversation: Conversation
            do throws(TPMError) {
                conversation = try Conversation(channel)
            } catch {
                channel.transport.close()
                throw error
            }
            defer { conversation.close() }
            return try body(conversation)
        }
    }

    /// Runs an operation with an existing object: loads it and hands over the session that speaks for it.
    func perform<Result: ~Copyable>(
        with object: TPMObject, authorization: UnsafeRawBufferPointer,
        _ body: (Conversation, Conversation.LoadedObject, inout SaltedSession, SensitiveBytes) throws(TPMError) ->
            Result
    ) throws(TPMError) -> Result {
        let authorization = try Self.authorizationValue(authorization)
        return try perform { (conversation) throws(TPMError) -> Result in
            let storageKey = try conversation.parent(object.parent)
            // Before anything is derived from the PIN: is this the TPM that made the key?
            if let name = object.parentName, name != storageKey.publicArea.name { throw .foreignKey }
            var session = try conversation.startSession(saltedTo: storageKey)
            do throws(TPMError) {
                let loaded = try conversation.load(object, under: storageKey, in: &session)
                return try body(conversation, loaded, &session, authorization)
            } catch .refused(let code, let command) {
                throw Self.outcome(of: code, command, conversation)
            }
        }
    }

    /// Copies the value into memory that is wiped.
    ///
    /// The TPM takes zeros off the end of a value (Part 1, clause 19.6.5, note 2). They need no such care here, since
    /// HMAC itself fills a key of less than 64 bytes up with zeros; but a value of nothing else would be the empty one.
    static func authorizationValue(_ bytes: UnsafeRawBufferPointer) throws(TPMError) -> SensitiveBytes {
        guard bytes.count <= TPMLimits.longestAuthorization else {
            throw .invalidArgument("An authorization value has at most \(TPMLimits.longestAuthorization) bytes.")
        }
        guard bytes.isEmpty || bytes.contains(where: { $0 != 0 }) else {
            throw .invalidArgument("An authorization value of zeros is as good as none. Use another.")
        }
        return SensitiveBytes(joining: [bytes])
    }

    /// What a refusal means to who gave an authorization value, with what the TPM says about the next try.
    static func outcome(
        of code: TPMResponseCode, _ command: String, _ conversation: Conversation
    ) -> TPMError {
        switch code.base {
        case TPMResponseCode.authorizationFailed:
            .wrongAuthorization(triesLeft: (try? TPMStatus(conversation))?.triesLeft)
        case TPMResponseCode.badAuthorization: .wrongAuthorization(triesLeft: nil)
        case TPMResponseCode.lockout:
            .lockedOut(retryAfter: (try? TPMStatus(conversation))?.secondsPerForgottenFailure)
        default: .refused(code, command: command)
        }
    }
}
