import JSON
import Tracing

/// A request of OTLP over HTTP, in JSON: `ExportTraceServiceRequest` by the JSON mapping of Protocol Buffers, but for ids, which are
/// hexadecimal (OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding"). Members are in lowerCamelCase, enumerations are numbers, integers
/// of 64 bits are strings.
public struct TraceDocument: Sendable {
    /// What says which program it is: `service.name` and others.
    public var resource: [(name: String, value: String)]
    /// The version of what made the spans.
    public var version: String
    public var spans: [FinishedSpan]

    /// Bytes that one text may have; more are cut off.
    static let longestText = 512

    public init(resource: [(name: String, value: String)], version: String, spans: [FinishedSpan]) {
        (self.resource, self.version, self.spans) = (resource, version, spans)
    }

    public var bytes: [UInt8] {
        var json = JSONWriter(capacity: 512 + 512 * spans.count)
        json.beginObject()
        json.name("resourceSpans")
        json.beginArray()
        json.beginObject()
        json.name("resource")
        json.beginObject()
        Self.write(resource.map { ($0.name, .string($0.value)) }, to: &json)
        json.endObject()
        json.name("scopeSpans")
        json.beginArray()
        json.beginObject()
        json.name("scope")
        json.beginObject()
        json.name("name")
        json.write("countersign")
        json.name("version")
        json.write(version)
        json.endObject()
        json.name("spans")
        json.beginArray()
        for span in spans { Self.write(span, to: &json) }
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ span: FinishedSpan, to json: inout JSONWriter) {
        json.beginObject()
        json.name("traceId")
        json.write(span.position.trace.hex)
        json.name("spanId")
        json.write(span.position.span.hex)
        if let parent = span.parent {
            json.name("parentSpanId")
            json.write(parent.span.hex)
        }
        json.name("flags")
        // The flags of W3C Trace Context; the ninth bit says that the tenth is known, which is whether the parent is another program's.
        json.write(Int64((span.position.isRecorded ? 1 : 0) | 0x100 | (span.parent?.isRemote == true ? 0x200 : 0)))
        json.name("name")
        json.write(bounded(span.name))
        json.name("kind")
        json.write(number(of: span.kind))
        json.name("startTimeUnixNano")
        json.write(String(span.start))
        json.name("endTimeUnixNano")
        json.write(String(span.end))
        write(span.attributes, to: &json)
        if !span.events.isEmpty {
            json.name("events")
            json.beginArray()
            for event in span.events {
                json.beginObject()
                json.name("timeUnixNano")
                json.write(String(event.nanosecondsSinceEpoch))
                json.name("name")
                json.write(bounded(event.name))
                write(event.attributes, to: &json)
                json.endObject()
            }
            json.endArray()
        }
        if span.droppedEvents > 0 {
            json.name("droppedEventsCount")
            json.write(Int64(span.droppedEvents))
        }
        if !span.links.isEmpty {
            json.name("links")
            json.beginArray()
            for (position, attributes) in span.links {
                json.beginObject()
                json.name("traceId")
                json.write(position.trace.hex)
                json.name("spanId")
                json.write(position.span.hex)
                write(attributes, to: &json)
                json.endObject()
            }
            json.endArray()
        }
        if let status = span.status {
            json.name("status")
            json.beginObject()
            json.name("code")
            json.write(Int64(status.code == .ok ? 1 : 2))
            if let message = status.message {
                json.name("message")
                json.write(bounded(message))
            }
            json.endObject()
        }
        json.endObject()
    }

    /// `SpanKind` of the schema, where 0 is "unspecified".
    private static func number(of kind: SpanKind) -> Int64 {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    // MARK: Attributes

    private static func write(_ attributes: SpanAttributes, to json: inout JSONWriter) {
        var list: [(String, SpanAttribute)] = []
        attributes.forEach { list.append(($0, $1)) }
        guard !list.isEmpty else { return }
        list.sort { $0.0 < $1.0 }
        write(Array(list.prefix(RecordedSpan.attributeLimit)), to: &json)
        if list.count > RecordedSpan.attributeLimit {
            json.name("droppedAttributesCount")
            json.write(Int64(list.count - RecordedSpan.attributeLimit))
        }
    }

    private static func write(_ list: [(String, SpanAttribute)], to json: inout JSONWriter) {
        json.name("attributes")
        json.beginArray()
        for (key, value) in list {
            json.beginObject()
            json.name("key")
            json.write(bounded(key))
            json.name("value")
            write(value, to: &json)
            json.endObject()
        }
        json.endArray()
    }

    /// `AnyValue`: an object with one member, which says the type.
    private static func write(_ value: SpanAttribute, to json: inout JSONWriter) {
        json.beginObject()
        switch value {
        case .int32(let number): integer(Int64(number), &json)
        case .int64(let number): integer(number, &json)
        case .double(let number): double(number, &json)
        case .bool(let flag):
            json.name("boolValue")
            json.write(flag)
        case .string(let text): string(text, &json)
        case .stringConvertible(let value): string("\(value)", &json)
        case .int32Array(let numbers): array(numbers.map { .int64(Int64($0)) }, &json)
        case .int64Array(let numbers): array(numbers.map { .int64($0) }, &json)
        case .doubleArray(let numbers): array(numbers.map { .double($0) }, &json)
        case .boolArray(let flags): array(flags.map { .bool($0) }, &json)
        case .stringArray(let texts): array(texts.map { .string($0) }, &json)
        case .stringConvertibleArray(let values): array(values.map { .string("\($0)") }, &json)
        default: break
        }
        json.endObject()
    }

    private static func string(_ text: String, _ json: inout JSONWriter) {
        json.name("stringValue")
        json.write(bounded(text))
    }

    private static func integer(_ number: Int64, _ json: inout JSONWriter) {
        json.name("intValue")
        json.write(String(number))
    }

    /// JSON has no form for infinities; the mapping writes them as strings.
    private static func double(_ number: Double, _ json: inout JSONWriter) {
        json.name("doubleValue")
        if number.isNaN {
            json.write("NaN")
        } else if number.isInfinite {
            json.write(number > 0 ? "Infinity" : "-Infinity")
        } else {
            try? json.write(number)
        }
    }

    private static func array(_ values: [SpanAttribute], _ json: inout JSONWriter) {
        json.name("arrayValue")
        json.beginObject()
        json.name("values")
        json.beginArray()
        for value in values.prefix(RecordedSpan.attributeLimit) { write(value, to: &json) }
        json.endArray()
        json.endObject()
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        return String(decoding: text.utf8.prefix(longestText), as: UTF8.self)
    }
}
