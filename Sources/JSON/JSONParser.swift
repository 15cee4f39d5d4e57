/// Reads JSON text (RFC 8259) that a stranger sent, as a tree.
///
/// Strict about the grammar and bounded in depth. It refuses what other parsers disagree about: members of the same name in
/// one object, numbers that no `Double` holds, halves of surrogate pairs; and texts that would take long to compare, which have more than
/// ``StackedMarks/most`` marks on one letter. A byte order mark at the beginning is passed over (section 8.1). The time it takes grows
/// with the length of the text alone.
public enum JSONParser {
    /// The one value that the bytes hold.
    /// - Parameter depthLimit: the greatest number of arrays and objects inside each other.
    public static func parse(_ bytes: [UInt8], depthLimit: Int = 32) throws(JSONFault) -> JSONValue {
        var reader = try JSONReader(bytes, depthLimit: depthLimit, boundsMarks: true)
        let value = try reader.value()
        try reader.end()
        return value
    }
}
