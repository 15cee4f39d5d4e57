/// One element of DER off the front of some bytes, with a length of three bytes at most (X.690, 8.1), in the shortest form
/// (10.1).
///
/// - Returns: what is in the element; nil, with `rest` as far as it was read, where there is no such element.
func derElement<Bytes: Collection>(
    _ tag: UInt8, in rest: inout Bytes
) -> Bytes? where Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
    guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
        let size = Int(first & 0x7f)
        guard (1...3).contains(size), rest.count >= size else { return nil }
        length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(size)
        guard length >= (size == 1 ? 0x80 : 1 << (8 * (size - 1))) else { return nil }
    }
    guard rest.count >= length else { return nil }
    defer { rest = rest.dropFirst(length) }
    return rest.prefix(length)
}
