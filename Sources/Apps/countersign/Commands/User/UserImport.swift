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
        /// Refused rows after which it stops, as the file or its settings are likely to be wrong; 0 goes on to the end.
        var faultLimit = 100
    }

    /// What came of it.
    struct Summary: Encodable, Sendable, Equatable {
        struct Refused: Encodable, Sendable, Equatable {
            let line: Int
            /// The address or the id, in a file with a list of users.
            let user: String?
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
        /// Whether so many were refused that the rest of the file was not read.
        var isStopped = false
        var seconds = 0.0

        var rows: Int { imported + replaced + alreadyThere + refused }
        /// Whether the file has nothing that could be a user.
        var isEmpty: Bool { rows == 0 && skipped == 0 }
    }

    /// Refused rows that are kept for the summary. All of them are reported as they occur.
    static let keptRows = 1000
    static let batchLines = 100
    static let batchBytes = 512 * 1024
    private static let chunk = 64 * 1024

    /// A user of the file, and where.
    private struct Row {
        let line: Int
        let number: Int
        let text: String
        let isTorn: Bool
    }

    let administration: any Administration
    let settings: Settings
    private var reader = UserFileReader(limit: ImportUsers.longestLine)
    private var batch: [Row] = []
    /// Names this import, so that the log has one event of it.
    private let id = SystemRandom().bytes(16).hex
    /// Users met so far, those that cannot be read among them.
    private var number = 0
    private var bytes = 0
    private var seen = IdentifierIndex()
    private(set) var summary = Summary()
    private var meter: ProgressMeter
    private let tellsRefusals: Bool
    private var read = 0
    private let size: Int?

    /// - Parameters:
    ///   - size: bytes of the file, where that is known.
    ///   - isSilent: neither progress nor refusals are reported.
    init(_ administration: any Administration, _ settings: Settings, size: Int?, isSilent: Bool) {
        self.administration = administration
        self.settings = settings
        self.size = size
        tellsRefusals = !isSilent
        meter = ProgressMeter(settings.isRehearsal ? "looked at" : "done", isSilent: isSilent)
        summary.isDryRun = settings.isRehearsal
    }

    /// Reads the file to its end, or until too many rows are refused.
    mutating func run(_ file: FileHandle) async throws -> Summary {
        try await begin()
        while !hasEnough, let data = try file.read(upToCount: Self.chunk), !data.isEmpty {
            try await take(reader.read(data))
            read += data.count
        }
        if !hasEnough { try await take(reader.finish()) }
        try await send()
        try await finish()
        meter.clear()
        summary.isStopped = hasEnough
        summary.seconds = (meter.elapsed * 1000).rounded() / 1000
        return summary
    }

    /// Has wrong settings for hashes refused before the file is read: it may have no line that they are for. The server judges, as a command on
    /// another platform, or of another version, may know other algorithms.
    private func begin() async throws {
        guard settings.hash != nil else { return }
        _ = try await perform(ImportUsers(lines: [], hash: settings.hash, dryRun: true))
    }

    private mutating func take(_ pieces: [UserFileReader.Piece]) async throws {
        for piece in pieces {
            if hasEnough { return }
            number += 1
            if piece.line < settings.firstLine {
                summary.skipped += 1
                continue
            }
            switch piece.content {
            case .fault(let reason):
                refuse(piece.line, reason, at: "line \(piece.line)\(reader.isList ? ", at user number \(number)" : "")")
            case .user(let text):
                try await add(Row(line: piece.line, number: number, text: text, isTorn: false))
            case .tornUser(let text):
                try await add(Row(line: piece.line, number: number, text: text, isTorn: true))
            }
        }
    }

    private var hasEnough: Bool { settings.faultLimit > 0 && summary.refused >= settings.faultLimit }

    private mutating func add(_ row: Row) async throws {
        let place = reader.isList ? "user number \(row.number)" : "line \(row.line)"
        if settings.isRehearsal, let reason = seen.obstacle(row.text, at: place) {
            refuse(row, reason)
            return
        }
        batch.append(row)
        bytes += row.text.utf8.count
        if batch.count >= Self.batchLines || bytes >= Self.batchBytes { try await send() }
    }

    private mutating func send() async throws {
        guard let first = batch.first else { return }
        let answer: ImportUsers.Answer
        do {
            answer = try await perform(
                ImportUsers(
                    lines: batch.map { SecretText($0.text) }, hash: settings.hash, overwrite: settings.overwrites,
                    dropIdentities: settings.dropsIdentities, dryRun: settings.isRehearsal, run: id))
        } catch {
            meter.clear()
            // The log says what was done; where that fails too, it does later.
            try? await finish()
            guard summary.rows > 0, let failure = CommandFailure(error) else { throw error }
            // One line may have many users: where they begin no line tells.
            let hint = first.line == 1 ? "." : ", or go on with --resume-from \(first.line)."
            let done = first.line == 1 ? "What comes before it is done" : "Up to line \(first.line) all is done"
            throw CommandFailure(failure.status, "\(failure.message) \(done): run the same command again\(hint)")
        }
        summary.imported += answer.imported
        summary.replaced += answer.replaced
        summary.alreadyThere += answer.alreadyThere
        for refused in answer.refused where batch.indices.contains(refused.index) {
            let row = batch[refused.index]
            let isCut = row.isTorn && refused.reason.hasPrefix("it is no JSON")
            refuse(row, isCut ? "the file ends in the middle of this line" : refused.reason)
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

    /// Has the log say what this import did.
    private func finish() async throws {
        guard !settings.isRehearsal, summary.imported + summary.replaced > 0 else { return }
        _ = try await perform(ImportUsers(lines: [], run: id, isLast: true))
    }

    /// A line says where a user is, unless one has them all.
    private mutating func refuse(_ row: Row, _ reason: String) {
        guard reader.isList else { return refuse(row.line, reason, at: "line \(row.line)") }
        let name = ImportUsers.name(on: SecretText(row.text))
        let user = "user \(name ?? "number \(row.number)")"
        refuse(row.line, reason, at: row.line == 1 ? user : "\(user), line \(row.line)", user: name)
    }

    private mutating func refuse(_ line: Int, _ reason: String, at place: String, user: String? = nil) {
        let isTold = tellsRefusals && !hasEnough
        summary.refused += 1
        if summary.refusedRows.count < Self.keptRows {
            summary.refusedRows.append(Summary.Refused(line: line, user: user, reason: reason))
        }
        guard isTold else { return }
        meter.clear()
        Terminal.say("\(place): \(reason)".printable)
    }
}
