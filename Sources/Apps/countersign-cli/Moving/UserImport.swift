import AdminServer
import CountersignCore
import Foundation

/// Brings a file of users to a realm, a batch at a time.
///
/// Each batch is one operation that either happened or did not, and users who are there already are left alone: so a run
/// that was cut off anywhere is made good by running it again.
struct UserImport {
    struct Settings: Sendable {
        var hash: PasswordHashSettings?
        var overwrites = false
        var dropsIdentities = false
        var isRehearsal = false
        /// Users who begin before this line are passed over.
        var firstLine = 1
    }

    /// What came of it.
    struct Summary: Encodable, Sendable, Equatable {
        struct Refused: Encodable, Sendable, Equatable {
            let line: Int
            let reason: String
        }

        /// With a rehearsal, how many would be.
        var imported = 0
        var replaced = 0
        var alreadyThere = 0
        /// How many rows were refused.
        var refused = 0
        /// The first ``UserImport/keptRows`` of them.
        var refusedRows: [Refused] = []
        /// Users before the line to begin with.
        var skipped = 0
        var isDryRun = false
        var seconds = 0.0

        var rows: Int { imported + replaced + alreadyThere + refused }
    }

    /// Refused rows that are kept for the summary. All of them are told as they are met.
    static let keptRows = 1000
    static let batchLines = 100
    static let batchBytes = 512 * 1024
    private static let chunk = 64 * 1024

    let administration: any Administration
    let settings: Settings
    private var reader = UserFileReader(limit: ImportUsers.longestLine)
    private var batch: [(line: Int, text: String, isTorn: Bool)] = []
    private var bytes = 0
    private var seen = SeenIdentifiers()
    private(set) var summary = Summary()
    private var meter: ProgressMeter
    private let tellsRefusals: Bool
    private var read = 0
    private let size: Int?

    /// - Parameters:
    ///   - size: bytes of the file, where that is known.
    ///   - isSilent: neither progress nor refusals are told.
    init(_ administration: any Administration, _ settings: Settings, size: Int?, isSilent: Bool) {
        self.administration = administration
        self.settings = settings
        self.size = size
        tellsRefusals = !isSilent
        meter = ProgressMeter(settings.isRehearsal ? "looked at" : "done", isSilent: isSilent)
        summary.isDryRun = settings.isRehearsal
    }

    /// Reads the file to its end.
    mutating func run(_ file: FileHandle) async throws -> Summary {
        while let data = try file.read(upToCount: Self.chunk), !data.isEmpty {
            try await take(reader.read(data))
            read += data.count
        }
        try await take(reader.finish())
        try await send()
        meter.clear()
        summary.seconds = (meter.elapsed * 1000).rounded() / 1000
        return summary
    }

    private mutating func take(_ pieces: [UserFileReader.Piece]) async throws {
        for piece in pieces {
            if piece.line < settings.firstLine {
                summary.skipped += 1
                continue
            }
            switch piece.content {
            case .fault(let reason): refuse(piece.line, reason)
            case .user(let text): try await add(piece.line, text, isTorn: false)
            case .tornUser(let text): try await add(piece.line, text, isTorn: true)
            }
        }
    }

    private mutating func add(_ line: Int, _ text: String, isTorn: Bool) async throws {
        if settings.isRehearsal, let reason = seen.obstacle(text, at: line) {
            refuse(line, reason)
            return
        }
        batch.append((line, text, isTorn))
        bytes += text.utf8.count
        if batch.count >= Self.batchLines || bytes >= Self.batchBytes { try await send() }
    }

    private mutating func send() async throws {
        guard let first = batch.first else { return }
        let answer: ImportUsers.Answer
        do {
            answer = try await perform(
                ImportUsers(
                    lines: batch.map { SecretText($0.text) }, hash: settings.hash, overwrite: settings.overwrites,
                    dropIdentities: settings.dropsIdentities, dryRun: settings.isRehearsal))
        } catch {
            meter.clear()
            guard summary.rows > 0, let failure = CommandFailure(error) else { throw error }
            throw CommandFailure(
                failure.status,
                "\(failure.message) Up to line \(first.line) all is done: run the same command again, or go on with "
                    + "--resume-from \(first.line).")
        }
        summary.imported += answer.imported
        summary.replaced += answer.replaced
        summary.alreadyThere += answer.alreadyThere
        for refused in answer.refused where batch.indices.contains(refused.index) {
            let (line, _, isTorn) = batch[refused.index]
            let isCut = isTorn && refused.reason.hasPrefix("it is no JSON")
            refuse(line, isCut ? "the file ends in the middle of this line" : refused.reason)
        }
        batch.removeAll(keepingCapacity: true)
        bytes = 0
        meter.show(summary.rows, fraction: size.map { $0 > 0 ? Double(read) / Double($0) : 1 })
    }

    /// A server that has too much to do is asked again: it has done nothing, or what it has done is already there.
    private func perform(_ operation: ImportUsers) async throws -> ImportUsers.Answer {
        var wait = Duration.milliseconds(250)
        while true {
            do {
                return try await administration.perform(operation)
            } catch let error as AdministrationError where error.code == .overloaded && wait < .seconds(16) {
                try await Task.sleep(for: wait)
                wait *= 2
            }
        }
    }

    private mutating func refuse(_ line: Int, _ reason: String) {
        summary.refused += 1
        if summary.refusedRows.count < Self.keptRows {
            summary.refusedRows.append(Summary.Refused(line: line, reason: reason))
        }
        guard tellsRefusals else { return }
        meter.clear()
        Terminal.say("line \(line): \(reason.printable)")
    }
}

/// Who was met in a file, as hashes: for a rehearsal, which writes nothing that a later line could meet. Some 40 bytes
/// for each id, address and number.
struct SeenIdentifiers {
    private struct First {
        let line: Int
        let content: Int
    }

    private var first: [Int: First] = [:]

    /// Why the line stands in the way of an earlier one; nil where it does not. The same line once more does not.
    mutating func obstacle(_ text: String, at line: Int) -> String? {
        let content = text.hashValue
        for identifier in ImportUsers.identifiers(on: SecretText(text)) {
            let key = identifier.hashValue
            guard let earlier = first[key] else {
                first[key] = First(line: line, content: content)
                continue
            }
            if earlier.content == content { continue }
            return "line \(earlier.line) has the same \(identifier.member)"
        }
        return nil
    }
}

extension UserIdentifier {
    fileprivate var member: String {
        switch self {
        case .id: "localId"
        case .email: "email"
        case .phoneNumber: "phoneNumber"
        }
    }
}
