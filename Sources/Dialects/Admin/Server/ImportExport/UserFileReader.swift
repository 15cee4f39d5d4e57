/// Takes a file of users apart, piece by piece as it is read: one user at a time is in memory.
///
/// Two forms are understood: a user on each line, and the list that `firebase auth:export` writes
/// (`{"users":[…]}`, or the list alone), in which a user may go over many lines. Which it is shows at the beginning.
package struct UserFileReader {
    /// One user, or what is wrong in the place of one.
    package struct Piece: Equatable, Sendable {
        package enum Content: Equatable, Sendable {
            case user(String)
            /// The last line, which has no end: it is whole if it can be read.
            case tornUser(String)
            case fault(String)
        }

        /// Where it begins, from 1.
        package let line: Int
        package let content: Content

        package init(line: Int, content: Content) {
            self.line = line
            self.content = content
        }
    }

    private enum Place {
        /// Nothing but white space so far, or the beginning of `{"users":[`.
        case beginning
        case lines
        /// In the list, before a user or after one.
        case between(mayEnd: Bool, needsComma: Bool)
        case user(depth: Int, isInString: Bool, isEscaped: Bool)
        /// Behind the list.
        case afterList(needsBrace: Bool)
        /// Nothing that follows can be understood.
        case lost
    }

    private let limit: Int
    private var place = Place.beginning
    private var head: [UInt8] = []
    private var isInObject = false
    private var current: [UInt8] = []
    private var isTooLong = false
    /// Of the byte that comes next.
    private var line = 1
    /// Where `current` begins.
    private var start = 1
    private var pieces: [Piece] = []

    /// - Parameter limit: bytes that a user may have.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The users that are complete with these bytes.
    package mutating func read(_ bytes: some Sequence<UInt8>) -> [Piece] {
        for byte in bytes { take(byte) }
        defer { pieces = [] }
        return pieces
    }

    /// What is left when there are no more bytes.
    package mutating func finish() -> [Piece] {
        if case .beginning = place { beginLines() }
        switch place {
        case .beginning, .lost: break
        case .lines: endLine(isTorn: true)
        case .between: note("the file ends before the list of users does", at: line)
        case .user: note("the file ends in the middle of this user", at: start)
        case .afterList(let needsBrace):
            if needsBrace { note("the file ends before the object with the list of users does", at: line) }
        }
        defer { pieces = [] }
        return pieces
    }

    private mutating func take(_ byte: UInt8) {
        switch place {
        case .beginning: takeAtBeginning(byte)
        case .lines: takeInLines(byte)
        case .between(let mayEnd, let needsComma): takeBetween(byte, mayEnd: mayEnd, needsComma: needsComma)
        case .user(let depth, let isInString, let isEscaped):
            takeInUser(byte, depth: depth, isInString: isInString, isEscaped: isEscaped)
        case .afterList(let needsBrace): takeAfterList(byte, needsBrace: needsBrace)
        case .lost: break
        }
        if byte == UInt8(ascii: "\n") && !isAtBeginning { line += 1 }
    }

    /// Whether the users are in a list, where one line may have them all.
    package var isList: Bool {
        switch place {
        case .beginning, .lines: false
        case .between, .user, .afterList, .lost: true
        }
    }

    private var isAtBeginning: Bool { if case .beginning = place { true } else { false } }

    // MARK: The beginning

    private static let opening = Array(#"{"users":["#.utf8)
    /// The most bytes, white space included, that are searched for the opening.
    private static let longestHead = 4096

    private mutating func takeAtBeginning(_ byte: UInt8) {
        head.append(byte)
        var bare = head[...]
        if bare.starts(with: [0xEF, 0xBB, 0xBF]) { bare = bare.dropFirst(3) }
        if bare.count < 3, [0xEF, 0xBB, 0xBF].starts(with: bare) { return }
        let seen = bare.filter { !Self.isSpace($0) }
        if seen == [UInt8(ascii: "[")] || seen == Self.opening {
            isInObject = seen.count > 1
            line += head.count { $0 == UInt8(ascii: "\n") }
            // The caller counts the byte itself.
            if byte == UInt8(ascii: "\n") { line -= 1 }
            head = []
            place = .between(mayEnd: true, needsComma: false)
        } else if !Self.opening.starts(with: seen) || head.count >= Self.longestHead {
            beginLines()
            // As above.
            if byte == UInt8(ascii: "\n") { line -= 1 }
        }
    }

    /// It is a file of lines: what was read is read again as such.
    private mutating func beginLines() {
        let bytes = head
        head = []
        place = .lines
        for byte in bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...] { take(byte) }
    }

    // MARK: Lines

    private mutating func takeInLines(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") {
            endLine(isTorn: false)
        } else {
            append(byte)
        }
    }

    private mutating func endLine(isTorn: Bool) {
        defer { clear() }
        if isTooLong {
            note("it has more than \(limit) bytes", at: line)
            return
        }
        if current.last == UInt8(ascii: "\r") { current.removeLast() }
        if current.allSatisfy(Self.isSpace) { return }
        emit(at: line, isTorn: isTorn)
    }

    // MARK: The list

    private mutating func takeBetween(_ byte: UInt8, mayEnd: Bool, needsComma: Bool) {
        switch byte {
        case _ where Self.isSpace(byte): break
        case UInt8(ascii: "{") where !needsComma:
            clear()
            start = line
            append(byte)
            place = .user(depth: 1, isInString: false, isEscaped: false)
        case UInt8(ascii: ",") where needsComma: place = .between(mayEnd: false, needsComma: false)
        case UInt8(ascii: "]") where mayEnd: place = .afterList(needsBrace: isInObject)
        default:
            note(
                needsComma
                    ? "a comma or the end of the list is missing after a user"
                    : "the list of users contains something that is no object", at: line)
            place = .lost
        }
    }

    private mutating func takeInUser(_ byte: UInt8, depth: Int, isInString: Bool, isEscaped: Bool) {
        append(byte)
        if isInString {
            let ends = byte == UInt8(ascii: "\"") && !isEscaped
            place = .user(
                depth: depth, isInString: !ends, isEscaped: byte == UInt8(ascii: "\\") && !isEscaped)
            return
        }
        switch byte {
        case UInt8(ascii: "\""): place = .user(depth: depth, isInString: true, isEscaped: false)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            place = .user(depth: depth + 1, isInString: false, isEscaped: false)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth == 1 else {
                place = .user(depth: depth - 1, isInString: false, isEscaped: false)
                return
            }
            if isTooLong { note("it has more than \(limit) bytes", at: start) } else { emit(at: start, isTorn: false) }
            clear()
            place = .between(mayEnd: true, needsComma: true)
        default: break
        }
    }

    private mutating func takeAfterList(_ byte: UInt8, needsBrace: Bool) {
        switch byte {
        case _ where Self.isSpace(byte): break
        case UInt8(ascii: "}") where needsBrace: place = .afterList(needsBrace: false)
        default:
            note("something follows the list of users", at: line)
            place = .lost
        }
    }

    // MARK: Common steps

    private mutating func append(_ byte: UInt8) {
        guard current.count < limit else {
            isTooLong = true
            return
        }
        current.append(byte)
    }

    private mutating func clear() {
        current.removeAll(keepingCapacity: true)
        isTooLong = false
    }

    private mutating func emit(at line: Int, isTorn: Bool) {
        guard let text = String(validating: current, as: UTF8.self) else {
            note("it is not UTF-8", at: line)
            return
        }
        pieces.append(Piece(line: line, content: isTorn ? .tornUser(text) : .user(text)))
    }

    private mutating func note(_ fault: String, at line: Int) {
        pieces.append(Piece(line: line, content: .fault(fault)))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
