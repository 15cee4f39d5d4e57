import Testing
import Traces

/// The header of W3C Trace Context, section 3.2.
@Suite struct TraceParentTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    @Test func `The example of the recommendation is read and written`() throws {
        let header = "00-\(Self.trace)-\(Self.span)-01"
        let parent = try #require(TraceParent(header))
        #expect(parent.traceID == Self.trace && parent.spanID == Self.span && parent.isSampled)
        #expect(parent.header == header)
    }

    @Test(arguments: [
        ("00-\(trace)-\(span)-00", false), ("00-\(trace)-\(span)-03", true), ("00-\(trace)-\(span)-fe", false),
        ("01-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-01-what-comes-later", true),
        ("fe-\(trace)-\(span)-01-", true),
    ])
    func `Flags and later versions are read`(header: String, isSampled: Bool) throws {
        #expect(try #require(TraceParent(header)).isSampled == isSampled)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1", "00-\(trace)-\(span)-01-",
        "00-\(trace)-\(span)-01-x", "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01", "0g-\(trace)-\(span)-01",
        "00-\(String(repeating: "0", count: 32))-\(span)-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01", "00-\(trace)-\(span)-0G",
        "00_\(trace)-\(span)-01", "00-\(trace)_\(span)-01", "00-\(trace.dropLast())-\(span)-01",
        "cc-\(trace)-\(span)-01x",
        "00-\(trace)-\(span)-01 ", " 00-\(trace)-\(span)-01",
        "cc-\(trace)-\(span)-01-" + String(repeating: "x", count: 600),
        "00-\(trace.dropLast(2))ü-\(span)-01", "00-\(trace)-\(span)-01, 00-\(trace)-\(span)-01",
    ])
    func `What the recommendation calls invalid is ignored`(header: String) {
        #expect(TraceParent(header) == nil)
    }
}
