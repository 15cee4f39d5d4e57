import AdminServer

/// What a file of users has that a page takes in at once. However many lines it has, so many users and faults alone are in memory.
struct ImportedFile {
    /// Those that an import takes at most; where there are more, none is taken.
    private(set) var users: [(line: Int, text: String)] = []
    /// What cannot be read as a user, the first of them.
    private(set) var faults: [(line: Int, reason: String)] = []
    /// How many there are beside them.
    private(set) var furtherFaults = 0
    /// How many users there are.
    private(set) var count = 0

    /// Bytes that are taken apart at a time: a line has two at least.
    private static let part = 16 * 1024

    /// - Throws: ``AdministrationError`` where there are more users than an import takes.
    init(_ bytes: some Sequence<UInt8>) throws {
        var reader = UserFileReader(limit: ImportUsers.longestLine)
        var part: [UInt8] = []
        part.reserveCapacity(Self.part)
        for byte in bytes {
            part.append(byte)
            guard part.count == Self.part else { continue }
            take(reader.read(part))
            part.removeAll(keepingCapacity: true)
        }
        take(reader.read(part))
        take(reader.finish())
        guard count <= ImportUsers.mostLines else { throw ImportUsers.tooMany(count) }
    }

    private mutating func take(_ pieces: [UserFileReader.Piece]) {
        for piece in pieces {
            switch piece.content {
            // The last line needs no end: a form is whole.
            case .user(let text), .tornUser(let text):
                count += 1
                if count <= ImportUsers.mostLines { users.append((piece.line, text)) }
            case .fault(let reason):
                if faults.count < BulkResult.most { faults.append((piece.line, reason)) } else { furtherFaults += 1 }
            }
        }
    }
}
