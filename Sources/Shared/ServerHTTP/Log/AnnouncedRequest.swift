import HTTPTypes
import Traces

/// What a request says of itself for logs: the id that its sender gave it, and the trace that it is part of.
struct AnnouncedRequest: Sendable {
    /// `X-Request-Id`, where it is one.
    private(set) var id: String?
    /// `traceparent`, where it is valid.
    private(set) var trace: TraceParent?

    /// Looks at each field once. A header that is there twice says nothing.
    init(_ headers: HTTPFields) {
        var (ids, parents) = (0, 0)
        for field in headers {
            switch field.name {
            case .xRequestID:
                ids += 1
                id = ids == 1 ? Self.id(field.value) : nil
            case .traceParent:
                parents += 1
                trace = parents == 1 ? TraceParent(field.value) : nil
            default: break
            }
        }
    }

    /// The id: 1 to 128 ASCII letters, digits and `-._~:/+=@`, which mean nothing in a log or a header. Any other is ignored and the
    /// request gets an id of ours, so that no cleaned id is taken for another request's.
    private static func id(_ text: String) -> String? {
        let isID =
            (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "-._~:/+=@".utf8.contains(byte)
            }
        return isID ? text : nil
    }
}

extension HTTPField.Name {
    /// What proxies and clients call a request, by custom.
    public static let xRequestID = known("X-Request-Id")
    /// The trace that a request is part of (W3C Trace Context, section 3.2).
    static let traceParent = known("traceparent")
}
