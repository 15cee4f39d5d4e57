import Foundation
import KeychainTypes

/// Keeps the counts of wrong answers in a file of their own: an attempt is written and synced before the answer is
/// judged, and taken back when it was right. Processes share the file, under its lock.
///
/// A process that may write the file may also remove it. A missing or damaged one therefore counts as several wrong
/// answers, so that this is no faster than guessing; and the vault, once open, can tell whether the file was replaced
/// (``attempt(_:limit:_:)``).
struct AttemptLedger: Sendable {
    enum Kind: Int, Sendable, CaseIterable {
        case passcode = 0
        case applicationPassword = 1
    }

    /// How a missing or foreign file counts: a wait of 4 s.
    static let failuresOfMissingFile: UInt32 = 5

    let directory: VaultDirectory
    let vaultID: [UInt8]
    let clock: VaultClock
    let log: @Sendable (String) -> Void

    struct Sheet: Sendable, Hashable {
        var counts: [AttemptCount]
        /// How often the counts were set to zero, and the vault's tag of that number.
        var resets: UInt64
        var resetTag: [UInt8]
    }

    var now: AttemptCount.Moment {
        let milliseconds = clock.wall().timeIntervalSince1970 * 1000
        return AttemptCount.Moment(
            wall: Int64(exactly: milliseconds.rounded()) ?? 0, sinceBoot: clock.sinceBoot(), boot: clock.boot())
    }

    // MARK: Counting

    /// - Throws: ``KeychainError/lockedOut(seconds:)`` while waiting is due. Costs nothing.
    func check(_ kind: Kind) throws(KeychainError) {
        let seconds = try state(kind).secondsToWait
        guard seconds == 0 else { throw .lockedOut(seconds: seconds) }
    }

    func state(_ kind: Kind) throws(KeychainError) -> (failures: Int, secondsToWait: Int) {
        try withFile { file throws(KeychainError) in
            let now = now
            var sheet = try read(file, now)
            if let anchored = sheet.counts[kind.rawValue].anchored(at: now) {
                sheet.counts[kind.rawValue] = anchored
                try write(sheet, file)
            }
            let count = sheet.counts[kind.rawValue]
            return (Int(count.failures), count.secondsToWait(at: now))
        }
    }

    enum Outcome<Value> {
        case right(Value)
        /// The count with this answer.
        case wrong(AttemptCount)
        /// There were as many wrong answers before as are allowed in all; this one was not judged.
        case exhausted
    }

    /// Counts an attempt as failed, durably; judges it; and takes it back when it was right, or could not be judged.
    ///
    /// The file is held all the while: answers are judged one by one, from whichever process they come. Were it let go,
    /// right answers of several processes at once would count as wrong ones of each other.
    ///
    /// - Parameter limit: How many wrong answers there may be in all.
    /// - Throws: ``KeychainError/lockedOut(seconds:)`` while waiting is due.
    func attempt<R>(
        _ kind: Kind, limit: Int?, _ judge: () throws(KeychainError) -> (value: R, keys: OpenKeys)?
    ) throws(KeychainError) -> Outcome<R> {
        try withFile { file throws(KeychainError) in
            let now = now
            var sheet = try read(file, now)
            let before = sheet.counts[kind.rawValue]
            if let limit, before.failures >= limit { return .exhausted }
            let seconds = before.secondsToWait(at: now)
            guard seconds == 0 else { throw .lockedOut(seconds: seconds) }
            let count = before.failed(at: now)
            sheet.counts[kind.rawValue] = count
            try write(sheet, file)
            let right: (value: R, keys: OpenKeys)?
            do throws(KeychainError) {
                right = try judge()
            } catch {
                // No memory for Argon2id, a chip that does not answer: the caller has learned nothing about the answer.
                sheet.counts[kind.rawValue] = before
                try write(sheet, file)
                throw error
            }
            guard let right else { return .wrong(count) }
            if !Sodium.areEqual(sheet.resetTag, resetTag(sheet.resets, right.keys)) {
                log("the count of wrong answers in \(directory.path)/\(VaultDirectory.File.attempts) was replaced")
            }
            sheet.counts[kind.rawValue] = AttemptCount(failures: 0, last: now)
            sheet.resets &+= 1
            sheet.resetTag = resetTag(sheet.resets, right.keys)
            try write(sheet, file)
            return .right(right.value)
        }
    }

    /// Starts a file for a new vault, or tags the present one by new keys.
    func adopt(_ keys: OpenKeys, resetting: Bool) throws(KeychainError) {
        try withFile { file throws(KeychainError) in
            let now = now
            var sheet = try read(file, now)
            if resetting {
                sheet = Sheet(
                    counts: Kind.allCases.map { _ in AttemptCount(failures: 0, last: now) }, resets: 0, resetTag: [])
            }
            sheet.resetTag = resetTag(sheet.resets, keys)
            try write(sheet, file)
        }
    }

    private func resetTag(_ resets: UInt64, _ keys: OpenKeys) -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(resets)
        return HMACSHA256.tag(key: keys.attempts, writer.bytes)
    }

    // MARK: The file

    private func withFile<R>(
        _ body: (VaultDirectory.Handle) throws(KeychainError) -> R
    ) throws(KeychainError) -> R {
        try directory.whileLocked(VaultDirectory.File.attempts) { () throws(KeychainError) in
            guard let (file, _) = try directory.openFile(VaultDirectory.File.attempts, O_RDWR) else {
                throw .io(operation: "open attempts", errno: ENOENT)
            }
            return try body(file)
        }
    }

    private static let magic = Array("GKA1".utf8)
    private static let size = 4 + 2 + 16 + Kind.allCases.count * (4 + 8 + 8 + 16) + 8 + 32 + 32

    private func read(
        _ file: VaultDirectory.Handle, _ now: AttemptCount.Moment
    ) throws(KeychainError) -> Sheet {
        var bytes = [UInt8](repeating: 0, count: Self.size + 1)
        let count = pread(file.descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw VaultDirectory.failure("read attempts") }
        if let sheet = try? decode(Array(bytes[..<count])) { return sheet }
        let penalty = AttemptCount(failures: Self.failuresOfMissingFile, last: now)
        let sheet = Sheet(
            counts: Kind.allCases.map { _ in penalty }, resets: 0, resetTag: Array(repeating: 0, count: 32))
        // Written at once, and what is too long cut: read again, it would count from that moment again and the wait
        // would never end.
        guard ftruncate(file.descriptor, 0) == 0 else { throw VaultDirectory.failure("write attempts") }
        try write(sheet, file)
        return sheet
    }

    private func write(_ sheet: Sheet, _ file: VaultDirectory.Handle) throws(KeychainError) {
        // One write of less than a sector, in place: it is there whole or not at all.
        guard VaultDirectory.writeAll(file.descriptor, encode(sheet)), fdatasync(file.descriptor) == 0 else {
            throw VaultDirectory.failure("write attempts")
        }
    }

    func encode(_ sheet: Sheet) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(Self.magic)
        writer.integer(UInt16(1))
        writer.raw(vaultID)
        for count in sheet.counts {
            writer.integer(count.failures)
            writer.integer(UInt64(bitPattern: count.last.wall))
            writer.integer(count.last.sinceBoot)
            writer.raw(count.last.boot)
        }
        writer.integer(sheet.resets)
        writer.raw(sheet.resetTag)
        writer.raw(checksum(writer.bytes))
        return writer.bytes
    }

    func decode(_ bytes: [UInt8]) throws(KeychainError) -> Sheet {
        guard bytes.count == Self.size, checksum(Array(bytes.dropLast(32))) == Array(bytes.suffix(32)) else {
            throw .corrupted("attempts")
        }
        var reader = ByteReader(bytes)
        guard try reader.raw(4, "attempts") == Self.magic, try reader.integer(UInt16.self, "attempts") == 1,
            try reader.raw(16, "attempts") == vaultID
        else { throw .corrupted("attempts") }
        var counts: [AttemptCount] = []
        for _ in Kind.allCases {
            let failures: UInt32 = try reader.integer("attempts")
            let wall = Int64(bitPattern: try reader.integer("attempts"))
            let sinceBoot: UInt64 = try reader.integer("attempts")
            let moment = AttemptCount.Moment(
                wall: wall, sinceBoot: sinceBoot, boot: try reader.raw(16, "attempts"))
            counts.append(AttemptCount(failures: failures, last: moment))
        }
        return Sheet(
            counts: counts, resets: try reader.integer("attempts"), resetTag: try reader.raw(32, "attempts"))
    }

    /// Against accidents, not against people: its key is not secret.
    private func checksum(_ bytes: [UInt8]) -> [UInt8] {
        HMACSHA256.tag(key: LockedBytes(vaultID), bytes)
    }
}
