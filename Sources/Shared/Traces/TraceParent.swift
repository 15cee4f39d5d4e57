/// Where a request stands in a trace that others began: the header `traceparent` (W3C Trace Context, section 3.2).
public struct TraceParent: Sendable, Hashable {
    /// 16 bytes as 32 lower-case hexadecimal digits, not all of them zero.
    public let traceID: String
    /// The caller's span: 8 bytes as 16 lower-case hexadecimal digits, not all of them zero.
    public let spanID: String
    /// Whether the caller may have recorded it. The other flags have no meaning yet.
    public let isSampled: Bool

    /// - Parameters: ids that are right already: random ones, or those of another ``TraceParent``.
    public init(traceID: String, spanID: String, isSampled: Bool) {
        (self.traceID, self.spanID, self.isSampled) = (traceID, spanID, isSampled)
    }

    /// Reads what a header says. Nil for everything that the recommendation calls invalid, which is then ignored: version
    /// `ff`, ids of zeros, upper-case digits, another length. Of a later version the first four fields are read, if a hyphen
    /// separates what follows them (section 4.3).
    public init?(_ header: String) {
        let bytes = Array(header.utf8)
        guard bytes.count >= 55, bytes.count <= 512 else { return nil }
        let hyphen = UInt8(ascii: "-")
        guard bytes[2] == hyphen, bytes[35] == hyphen, bytes[52] == hyphen,
            let version = Self.hex(bytes[0..<2]), version != "ff",
            bytes.count == 55 || version != "00" && bytes[55] == hyphen,
            let trace = Self.hex(bytes[3..<35]), trace.contains(where: { $0 != "0" }),
            let span = Self.hex(bytes[36..<52]), span.contains(where: { $0 != "0" }),
            let flags = Self.hex(bytes[53..<55]).flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        self.init(traceID: trace, spanID: span, isSampled: flags & 1 == 1)
    }

    /// What a request that this server makes says, in version 00.
    public var header: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    private static func hex(_ bytes: ArraySlice<UInt8>) -> String? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
        guard bytes.allSatisfy({ digits.contains($0) || letters.contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
