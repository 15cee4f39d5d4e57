/// Reads fields of fixed and of announced lengths from left to right; nil where the bytes end too early.
struct BigEndianReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func uint16() -> UInt16? { bytes(2).map { $0.reduce(0) { $0 << 8 | UInt16($1) } } }

    mutating func uint32() -> UInt32? { bytes(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } } }

    /// Bytes with their number in front, in 16 bits: `TPM2B_…`, and credential ids in authenticator data.
    mutating func sized() -> ArraySlice<UInt8>? { uint16().flatMap { bytes(Int($0)) } }
}
