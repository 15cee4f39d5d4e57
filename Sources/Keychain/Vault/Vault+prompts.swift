import Foundation
import KeychainTypes
import Synchronization

/// What a prompt is for, as the vault sees it.
extension Vault {
    /// Asks the provider.
    static func ask(
        _ kind: PresenceRequest.Kind, _ configuration: VaultConfiguration, _ context: AuthenticationContext?,
        _ prompts: PromptThread, triesLeftAfterWrongAnswer triesLeft: Int? = nil
    ) throws(KeychainError) -> LockedBytes {
        try context?.checkValid()
        let provider = configuration.presence
        if provider.asksPerson && context?.interactionAllowed == false { throw .interactionNotAllowed }
        let request = PresenceRequest(
            kind: kind, reason: context?.shownReason, application: configuration.application,
            triesLeftAfterWrongAnswer: triesLeft)
        let log = configuration.log
        return try prompts.ask(context: context, log: log) {
            do throws(PresenceError) {
                return .success(try provider.credential(for: request))
            } catch {
                switch error {
                case .cancelled, .timedOut: return .failure(.cancelled)
                case .unavailable(let why):
                    if triesLeft == nil { log("no prompt is possible: \(why)") }
                    return .failure(.interactionNotAllowed)
                }
            }
        }
    }

    func ask(
        _ kind: PresenceRequest.Kind, _ context: AuthenticationContext?, triesLeftAfterWrongAnswer: Int? = nil
    ) throws(KeychainError) -> LockedBytes {
        try Self.ask(
            kind, configuration, context, prompts, triesLeftAfterWrongAnswer: triesLeftAfterWrongAnswer)
    }

    /// How often one prompt asks again after wrong answers, the first time included.
    static let answersPerPrompt = 3

    /// Asks until an answer is right, at most three times: each is counted before it is judged.
    ///
    /// - Parameter judge: The result of a right answer, nil for a wrong one. One that a chip found wrong is
    ///   ``KeychainError/authenticationFailed(triesLeft:)``, with what the chip still allows.
    func askCounting<R>(
        _ kind: PresenceRequest.Kind, _ counter: AttemptLedger.Kind, _ context: AuthenticationContext?,
        supplied: LockedBytes? = nil, onWrong: (LockedBytes) -> Void = { _ in },
        judge: (LockedBytes) throws(KeychainError) -> (value: R, keys: OpenKeys)?
    ) throws(KeychainError) -> R {
        var triesLeft: Int?
        var supplied = supplied
        for _ in 0..<Self.answersPerPrompt {
            let answer: LockedBytes
            if let given = supplied {
                answer = given
                supplied = nil
                try ledger.check(counter)
            } else {
                do throws(KeychainError) {
                    try ledger.check(counter)
                    answer = try ask(kind, context, triesLeftAfterWrongAnswer: triesLeft)
                } catch {
                    // There is no other answer, or none is accepted now: what was shown is wrong.
                    switch error {
                    case .interactionNotAllowed where triesLeft != nil, .lockedOut where triesLeft != nil:
                        throw .authenticationFailed(triesLeft: triesLeft)
                    default: throw error
                    }
                }
            }
            let limit = counter == .passcode ? configuration.wipesAfterWrongPasscodes : nil
            let count: AttemptCount
            var leftOfChip: Int?
            let outcome = try ledger.attempt(counter, limit: limit) {
                () throws(KeychainError) -> (value: R, keys: OpenKeys)? in
                do throws(KeychainError) {
                    return try judge(answer)
                } catch {
                    guard case .authenticationFailed(let left) = error else { throw error }
                    leftOfChip = left
                    return nil
                }
            }
            switch outcome {
            case .right(let value): return value
            case .wrong(let wrong): count = wrong
            case .exhausted: try wipe()
            }
            onWrong(answer)
            if let limit, count.failures >= limit { try wipe() }
            let left = min(count.triesLeft, limit.map { $0 - Int(count.failures) } ?? .max, leftOfChip ?? .max)
            triesLeft = left
            // A chip that has locked itself would not accept another answer.
            if leftOfChip == 0 || !configuration.presence.asksPerson { break }
        }
        throw .authenticationFailed(triesLeft: triesLeft)
    }

    /// Destroys the vault after too many wrong passcodes.
    private func wipe() throws(KeychainError) -> Never {
        configuration.log("\(directory.path): too many wrong passcodes; the vault was destroyed as configured")
        try exclusively { () throws(KeychainError) in
            for name in [
                VaultDirectory.File.vault, VaultDirectory.File.backup, VaultDirectory.File.damaged,
                VaultDirectory.File.temporary, VaultDirectory.File.temporaryBackup, VaultDirectory.File.deviceKey,
            ] {
                try directory.remove(name)
            }
            try directory.sync()
        }
        state.withLock { $0.keys = nil }
        throw .authenticationFailed(triesLeft: 0)
    }

    /// Opens the slot of the file as it is now: asks for the passcode, or takes the device's key.
    ///
    /// - Returns: The keys, and the slot's own key where a passcode gave it.
    func openSlot(
        _ kind: PresenceRequest.Kind, _ context: AuthenticationContext?
    ) throws(KeychainError) -> (keys: OpenKeys, slotKey: SlotKey?) {
        try context?.checkValid()
        let header = try currentHeader()
        let slots = header.slots.map(\.id)
        if let slot = header.passcodeSlot {
            try checkKeystore(of: slot)
            return try askCounting(kind, .passcode, context) { passcode throws(KeychainError) in
                let key = try SlotKey.passcode(
                    passcode, of: slot, vaultID: vaultID, hardware: configuration.hardware)
                guard let classKeys = try key.openClassKeys(of: slot, vaultID: vaultID) else { return nil }
                let keys = try OpenKeys(classKeys, vaultID: vaultID, slots: slots)
                return ((keys, key), keys)
            }
        }
        guard let slot = header.deviceSlot else { throw .corrupted("the vault has no slot that this version opens") }
        guard let secret = try directory.readSecret(VaultDirectory.File.deviceKey) else {
            throw .notAvailable("\(directory.path)/device.key, which opens the vault, was taken away")
        }
        let key = SlotKey.device(secret, slotID: slot.id, vaultID: vaultID)
        guard let classKeys = try key.openClassKeys(of: slot, vaultID: vaultID) else {
            throw .corrupted("\(directory.path)/device.key is not this vault's")
        }
        return (try OpenKeys(classKeys, vaultID: vaultID, slots: slots), nil)
    }

    /// Checked before a prompt for a passcode that could not be used.
    private func checkKeystore(of slot: VaultHeader.Slot) throws(KeychainError) {
        guard let sealed = slot.hardware else { return }
        guard let hardware = configuration.hardware, Array(hardware.name.utf8) == sealed.keystore else {
            throw .factorUnavailable("the vault's key is sealed to a chip that this process has not configured")
        }
        let status = try hardware.status()
        if status.isLockedOut { throw .lockedOut(seconds: status.secondsUntilRetry ?? 1) }
    }

    /// The header to ask by: from memory while the file is the same, else as the file has it, not yet believed.
    private func currentHeader() throws(KeychainError) -> VaultHeader {
        let (file, header) = state.withLock { ($0.file.identity, $0.image.header) }
        if try directory.identity(of: VaultDirectory.File.vault) == file { return header }
        guard let read = try directory.readVault(VaultDirectory.File.vault) else { return header }
        do throws(KeychainError) {
            let image = try VaultImage(decoding: read.bytes, costs: configuration.keyDerivation.boundsForReading)
            return image.header.vaultID == vaultID ? image.header : header
        } catch {
            // No prompt for a passcode that costs too much to verify.
            if case .notAvailable = error { throw error }
            return header
        }
    }
}

extension AuthenticationContext {
    /// The reason without what could redraw a terminal or run over lines.
    var shownReason: String? {
        guard let reason else { return nil }
        let kept = reason.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
            default: true
            }
        }
        return String(String.UnicodeScalarView(kept).prefix(500))
    }
}
