import JSON

/// Reads the fields of `application/x-www-form-urlencoded` one after another, as URL queries and HTML forms write them (URL Standard, section
/// 5.1; RFC 6749, appendix B).
///
/// What the format leaves open, those who read it decide:
///
/// | who reads | a field that is there twice | an escape that is none, no UTF-8 | a zero byte | a field without a value |
/// | --- | --- | --- | --- | --- |
/// | ``LenientJSON/parseForm(_:repeatable:)``, of bodies | refused, but for those that may | refused | stays: the endpoint names it | "" |
/// | `QueryParameters`, of requests that browsers bring to OAuth's endpoints | all are kept, and one refused by name | refused | refused by name | left out, but there |
/// | `Request.queryItems`, of all other queries | the first counts | as it was written | stays | "" |
public struct FormReader: Sendable {
    /// A name and its value, decoded. A field without a `=` has the value "".
    public struct Field: Sendable, Equatable {
        /// What stands before the first `=`, or the whole field.
        public let name: String
        /// What stands after it.
        public let value: String
    }

    /// What becomes of a name or a value with an escape that is none, or whose bytes are not UTF-8.
    public enum Malformed: Sendable {
        /// Nothing of the text is taken.
        case refused
        /// It stays as it was written, but for plus signs.
        case asWritten
    }

    private let bytes: [UInt8]
    private let malformed: Malformed
    private var start = 0

    /// A reader of a query without its question mark, or of a body.
    public init(_ bytes: [UInt8], malformed: Malformed = .refused) {
        (self.bytes, self.malformed) = (bytes, malformed)
    }

    /// The next field; nil at the end.
    /// - Throws: ``RequestBodyFault/malformed(reason:offset:)`` with the offset of the field, ``RequestBodyFault/invalidUTF8``; nothing where
    ///   what is malformed stays as it was written.
    public mutating func next() throws(RequestBodyFault) -> Field? {
        while start < bytes.count {
            let offset = start
            let end = bytes[offset...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
            let pair = bytes[offset..<end]
            start = end + 1
            if pair.isEmpty { continue }
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = try text(pair[..<equals], at: offset)
            return Field(name: name, value: try text(pair[equals...].dropFirst(), at: offset))
        }
        return nil
    }

    private func text(_ encoded: ArraySlice<UInt8>, at offset: Int) throws(RequestBodyFault) -> String {
        switch malformed {
        case .refused: return try FormText.decoded(encoded, at: offset)
        case .asWritten:
            if let text = try? FormText.decoded(encoded, at: offset) { return text }
            let (plus, space) = (UInt8(ascii: "+"), UInt8(ascii: " "))
            let text = String(decoding: encoded.map { $0 == plus ? space : $0 }, as: UTF8.self)
            // What would take long to compare says nothing.
            return StackedMarks.areFew(in: text) ? text : ""
        }
    }
}
