import Foundation
import StoreSQL

/// What the reads of one connection found, for its next reads: as long as nothing is committed.
///
/// A token that an API asks about again and again, its application, the settings: between writes, SQLite would give each read the
/// same rows. It tells within a transaction whether anything was committed since the last one, by this process or another, and what is
/// kept goes by that alone. So a transaction finds here what it would read, and nothing has to be invalidated (docs/decisions/0511).
///
/// Where writes come between reads, nothing is kept and nothing is looked for.
///
/// The connection that writes keeps answers of a few statements (``SQLStatement/isStanding``), and only while a group of writes is open:
/// no other connection commits meanwhile, and what a write of the group may change is forgotten before it does (docs/decisions/0565).
struct KeptRows {
    /// Bytes that are kept, about; when there would be more, it begins anew.
    static let capacity = 512 << 10
    /// Bytes of one answer that is kept, about.
    static let largestAnswer = 32 << 10
    /// Answers that are kept of one statement.
    static let answersOfStatement = 16

    private enum Phase {
        /// No transaction that reads is open.
        case outside
        /// What the transaction sees is not known yet.
        case unknown
        /// It sees what the last one saw.
        case unchanged
        case changed
    }

    private struct Answer {
        let parameters: [SQLValue]
        let rows: [SQLRow]
        let size: Int
    }

    private var phase = Phase.outside
    /// SQLite's number for what the last transaction saw.
    private var version: UInt32?
    /// Whether that was what the one before it saw.
    private var isQuiet = false
    /// By the statements' numbers.
    private var answers: [[Answer]] = []
    private var size = 0
    /// How many writes of the open group have begun; nil where no group is open.
    private var writes: Int?
    /// How often something was about to change that standing statements read.
    private(set) var changes = 0

    /// A transaction begins.
    /// - Returns: whether it is worth asking at once what it sees. Otherwise its first query is early enough.
    mutating func begin() -> Bool {
        phase = .unknown
        return isQuiet
    }

    /// Whether it is not known yet what the open transaction sees.
    var awaitsVersion: Bool { phase == .unknown }

    /// What the transaction sees.
    /// - Parameter version: another one after each commit; nil where SQLite does not tell.
    mutating func see(_ version: UInt32?) {
        isQuiet = version != nil && version == self.version
        self.version = version
        phase = isQuiet ? .unchanged : .changed
        if !isQuiet { forget() }
    }

    /// The transaction ends.
    mutating func end() { phase = .outside }

    /// Whether answers are looked for, and kept.
    var isInUse: Bool { phase == .unchanged }

    /// Whether answers of this statement are looked for, and kept. The first write of a group keeps none, as it may be the only one.
    func isInUse(for statement: SQLStatement) -> Bool {
        isInUse || statement.isStanding && (writes ?? 0) > 1
    }

    /// A transaction begins in which a group of writes runs.
    mutating func beginGroup() {
        writes = 0
        forget()
    }

    /// The body of a write begins, or runs once more.
    mutating func beginWrite() { writes = writes.map { $0 + 1 } }

    /// The group is committed, or undone.
    mutating func endGroup() {
        writes = nil
        forget()
    }

    /// What standing statements read is about to change, or to be as it was before.
    mutating func change() {
        guard writes != nil else { return }
        changes &+= 1
        forget()
    }

    /// The rows that the statement with that number gave; nil where they are not kept.
    func rows(_ number: Int, _ parameters: [SQLValue]) -> [SQLRow]? {
        guard number < answers.count else { return nil }
        return answers[number].first { SQLValue.areSame($0.parameters, parameters) }?.rows
    }

    mutating func keep(_ rows: [SQLRow], _ number: Int, _ parameters: [SQLValue]) {
        let added = Self.size(of: parameters) + rows.reduce(0) { $0 + Self.size(of: $1.values) }
        if size + added > Self.capacity { forget() }
        if number >= answers.count { answers += Array(repeating: [], count: number + 1 - answers.count) }
        if answers[number].count >= Self.answersOfStatement { size -= answers[number].removeFirst().size }
        answers[number].append(Answer(parameters: parameters, rows: rows, size: added))
        size += added
    }

    /// Bytes that values take, about.
    static func size(of values: [SQLValue]) -> Int {
        values.reduce(64) { size, value in
            switch value {
            case .null, .integer: size + 32
            case .text(let text): size + 64 + text.utf8.count
            case .blob(let bytes): size + 64 + bytes.count
            }
        }
    }

    private mutating func forget() {
        guard size > 0 else { return }
        (answers, size) = ([], 0)
    }
}
