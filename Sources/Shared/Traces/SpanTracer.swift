import Tracing

/// Makes spans: what the server did for a request, and how long it took. Those that are recorded go into a ``SpanQueue`` at their end.
///
/// Whether a trace is recorded is decided at its first span: by the flag of `traceparent` where a caller began it, else by share
/// (W3C Trace Context, section 3.2.2.5.1). A span that is not recorded costs its ids, and its trace is told to others all the same.
///
/// **How the files of this folder meet.** ``TraceParent`` is what goes over the wire, ``TracePosition`` the same in a task's context;
/// ``RecordedSpan`` takes down what happens, ``FinishedSpan`` is what remains of it in the ``SpanQueue``, ``TraceDocument`` spells a
/// batch in OTLP's JSON.
public struct SpanTracer: Tracer {
    public let queue: SpanQueue
    private let share: Double
    private let random: @Sendable () -> UInt64

    /// - Parameters:
    ///   - share: of the traces that begin here, those that are recorded: 0 to 1.
    ///   - random: 64 fresh random bits.
    public init(queue: SpanQueue, share: Double = 1, random: @escaping @Sendable () -> UInt64) {
        (self.queue, self.share, self.random) = (queue, share, random)
    }

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context.tracePosition
        let position = TracePosition(
            trace: parent?.trace ?? .init(high: drawn(), low: drawn()), span: drawn(),
            isRecorded: parent?.isRecorded ?? (share >= 1 || Double(random() >> 11) < share * Double(1 << 53)),
            isRemote: false)
        context.tracePosition = position
        return RecordedSpan(
            operationName, kind, context, position, parent: parent,
            start: position.isRecorded ? instant().nanosecondsSinceEpoch : 0, queue: queue)
    }

    /// Ids of zeros are invalid.
    private func drawn() -> UInt64 { max(1, random()) }

    // MARK: Headers of others

    private static let header = "traceparent"

    public func extract<Message, Extract>(
        _ message: Message, into context: inout ServiceContext, using extractor: Extract
    ) where Extract: Extractor, Extract.Carrier == Message {
        guard let parent = extractor.extract(key: Self.header, from: message).flatMap({ TraceParent($0) }) else {
            return
        }
        context.tracePosition = TracePosition(parent)
    }

    public func inject<Message, Inject>(
        _ context: ServiceContext, into message: inout Message, using injector: Inject
    ) where Inject: Injector, Inject.Carrier == Message {
        guard let position = context.tracePosition else { return }
        injector.inject(position.parent.header, forKey: Self.header, into: &message)
    }

    /// The export has its own pace.
    public func forceFlush() {}
}
