extension String {
    /// Whether a request's target has a fragment, which no form of a target has (RFC 9112, section 3.2): clients keep it to themselves, and
    /// what reads the target would take it for a part of the path or of the query, or for none.
    var hasFragment: Bool {
        let mark = UInt8(ascii: "#")
        return utf8.withContiguousStorageIfAvailable { $0.contains(mark) } ?? utf8.contains(mark)
    }
}
