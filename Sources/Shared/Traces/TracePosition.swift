import Tracing

/// Where a task stands in a trace.
public struct TracePosition: Sendable, Hashable {
    /// 16 bytes, not all of them zero.
    public struct TraceID: Sendable, Hashable {
        public let high: UInt64
        public let low: UInt64

        public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

        /// 32 lower-case hexadecimal digits.
        public var hex: String { high.hex + low.hex }
    }

    public let trace: TraceID
    /// The span that is under way, or that of the caller; not zero.
    public let span: UInt64
    /// Whether the trace is recorded.
    public let isRecorded: Bool
    /// Whether the span is another program's.
    public let isRemote: Bool

    init(trace: TraceID, span: UInt64, isRecorded: Bool, isRemote: Bool) {
        (self.trace, self.span, self.isRecorded, self.isRemote) = (trace, span, isRecorded, isRemote)
    }

    /// A caller's.
    public init(_ parent: TraceParent) {
        func number(_ digits: some StringProtocol) -> UInt64 { UInt64(digits, radix: 16) ?? 0 }
        self.init(
            trace: TraceID(high: number(parent.traceID.prefix(16)), low: number(parent.traceID.suffix(16))),
            span: number(parent.spanID), isRecorded: parent.isSampled, isRemote: true)
    }

    /// That of the present task.
    public static var current: TracePosition? { ServiceContext.current?.tracePosition }

    /// What a request that is made from here says.
    public var parent: TraceParent {
        TraceParent(traceID: trace.hex, spanID: span.hex, isSampled: isRecorded)
    }
}

extension ServiceContext {
    private enum Key: ServiceContextKey {
        typealias Value = TracePosition
        static var nameOverride: String? { "trace" }
    }

    /// Where the task stands in a trace; nil where it is part of none.
    public var tracePosition: TracePosition? {
        get { self[Key.self] }
        set { self[Key.self] = newValue }
    }
}

extension UInt64 {
    /// 16 lower-case hexadecimal digits.
    var hex: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
