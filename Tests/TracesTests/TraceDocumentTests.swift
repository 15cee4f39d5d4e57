import JSON
import Testing
import Tracing

@testable import Traces

/// The JSON mapping of the protocol: names, ids, numbers. `TraceExportTests` shows the same to a parser of others.
@Suite struct TraceDocumentTests {
    private func spans(_ make: (SpanTracer) -> Void) -> [FinishedSpan] {
        let queue = SpanQueue()
        make(SpanTracer(queue: queue, random: Counter().next))
        return queue.take()
    }

    @Test func `A span is what the mapping says to the letter`() throws {
        let spans = spans { tracer in
            let span = tracer.startSpan(
                "GET /x", context: .topLevel, ofKind: .server,
                at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 1_544_712_660_000_000_000))
            span.attributes["http.response.status_code"] = 200
            span.attributes["a.list"] = ["x", "y"]
            span.attributes["flag"] = true
            span.attributes["half"] = 0.5
            span.setStatus(SpanStatus(code: .error))
            span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 1_544_712_661_000_000_000))
        }
        let document = TraceDocument(resource: [("service.name", "countersign")], version: "1.2.3", spans: spans)
        #expect(
            String(decoding: document.bytes, as: UTF8.self) == """
                {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"countersign"}}]},\
                "scopeSpans":[{"scope":{"name":"countersign","version":"1.2.3"},"spans":[{\
                "traceId":"00000000000000010000000000000002","spanId":"0000000000000003","flags":257,"name":"GET /x","kind":2,\
                "startTimeUnixNano":"1544712660000000000","endTimeUnixNano":"1544712661000000000","attributes":[\
                {"key":"a.list","value":{"arrayValue":{"values":[{"stringValue":"x"},{"stringValue":"y"}]}}},\
                {"key":"flag","value":{"boolValue":true}},{"key":"half","value":{"doubleValue":0.5}},\
                {"key":"http.response.status_code","value":{"intValue":"200"}}],"status":{"code":2}}]}]}]}
                """)
    }

    @Test func `Texts and lists are bounded and hostile ones are texts`() throws {
        let long = String(repeating: "ü", count: 2000)
        let spans = spans { tracer in
            let span = tracer.startSpan(long, context: .topLevel)
            for number in 0..<100 { span.attributes["key-\(number)"] = "\"},{\n\u{0}\(long)" }
            span.attributes["infinite"] = Double.infinity
            span.end()
        }
        let bytes = TraceDocument(resource: [], version: "1", spans: spans).bytes
        #expect(bytes.count < 100_000)
        let parsed = try JSONParser.parse(bytes)
        guard case .array(let resources)? = parsed["resourceSpans"],
            case .array(let scopes)? = resources[0]["scopeSpans"],
            case .array(let written)? = scopes[0]["spans"], case .array(let attributes)? = written[0]["attributes"]
        else {
            Issue.record("no spans")
            return
        }
        #expect(attributes.count == RecordedSpan.attributeLimit)
        #expect(written[0]["droppedAttributesCount"] == .integer(Int64(101 - RecordedSpan.attributeLimit)))
        #expect(written[0]["name"]?.stringValue?.utf8.count ?? 0 <= TraceDocument.longestText + 3)
    }
}
