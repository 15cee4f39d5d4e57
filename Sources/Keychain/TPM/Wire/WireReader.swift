/// Reads TPM structures and never further than the bytes that are there.
struct WireReader {
    /// What is wrong with the bytes; the caller adds what they are.
    struct Fault: Error {
        let what: String
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) throws(Fault) -> [UInt8] {
        guard count >= 0, count <= rest.count else {
            throw Fault(what: "\(rest.count) bytes where \(count) are announced")
        }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func uint8() throws(Fault) -> UInt8 { try bytes(1)[0] }

    mutating func uint16() throws(Fault) -> UInt16 {
        try bytes(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    mutating func uint32() throws(Fault) -> UInt32 {
        try bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A TPM2B of at most `limit` bytes.
    mutating func sized(atMost limit: Int = 4096) throws(Fault) -> [UInt8] {
        let count = Int(try uint16())
        guard count <= limit else { throw Fault(what: "a field of \(count) bytes where \(limit) are the most") }
        return try bytes(count)
    }

    /// Everything that is left.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    func finish() throws(Fault) {
        guard rest.isEmpty else { throw Fault(what: "\(rest.count) bytes too many") }
    }
}
