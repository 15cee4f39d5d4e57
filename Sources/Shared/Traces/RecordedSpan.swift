import Synchronization
import Tracing

/// One span while it lasts. At its end it goes into the queue, if its trace is recorded; what is said of it later is ignored.
///
/// Of an error only the type is kept: its text may name a user, an address or what a database was asked.
public final class RecordedSpan: Tracing.Span {
    /// What one span may have; more is dropped and counted.
    static let attributeLimit = 32
    static let eventLimit = 16
    static let linkLimit = 8

    public let context: ServiceContext
    /// Where what happens under the span stands.
    public let position: TracePosition
    private let queue: SpanQueue
    private let state: Mutex<FinishedSpan?>

    init(
        _ name: String, _ kind: SpanKind, _ context: ServiceContext, _ position: TracePosition, parent: TracePosition?,
        start: UInt64, queue: SpanQueue
    ) {
        (self.context, self.position, self.queue) = (context, position, queue)
        state = Mutex(
            position.isRecorded
                ? FinishedSpan(name: name, kind: kind, position: position, parent: parent, start: start, end: start)
                : nil)
    }

    private func change(_ change: (inout FinishedSpan) -> Void) {
        state.withLock { span in
            guard var present = span else { return }
            // Not two at once, so that what is changed is not copied.
            span = nil
            change(&present)
            span = present
        }
    }

    public var isRecording: Bool { state.withLock { $0 != nil } }

    public var operationName: String {
        get { state.withLock { $0?.name ?? "" } }
        set { change { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { state.withLock { $0?.attributes ?? [:] } }
        set { change { $0.attributes = newValue } }
    }

    public func setStatus(_ status: SpanStatus) { change { $0.status = status } }

    public func addEvent(_ event: SpanEvent) {
        change { span in
            if span.events.count < Self.eventLimit { span.events.append(event) } else { span.droppedEvents += 1 }
        }
    }

    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = String(describing: type(of: error))
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    public func addLink(_ link: SpanLink) {
        guard let position = link.context.tracePosition else { return }
        change { span in
            if span.links.count < Self.linkLimit { span.links.append((position, link.attributes)) }
        }
    }

    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard var span = state.withLock({ $0.take() }) else { return }
        span.end = max(span.start, instant().nanosecondsSinceEpoch)
        queue.add(span)
    }
}

/// What is exported of a span.
public struct FinishedSpan: Sendable {
    public internal(set) var name: String
    public let kind: SpanKind
    public let position: TracePosition
    /// The span that it is part of; nil for the first of a trace.
    public let parent: TracePosition?
    /// Nanoseconds since 1970.
    public let start: UInt64
    public internal(set) var end: UInt64
    public internal(set) var attributes: SpanAttributes = [:]
    public internal(set) var events: [SpanEvent] = []
    public internal(set) var droppedEvents = 0
    public internal(set) var links: [(TracePosition, SpanAttributes)] = []
    public internal(set) var status: SpanStatus?

    init(
        name: String, kind: SpanKind, position: TracePosition, parent: TracePosition?, start: UInt64, end: UInt64
    ) {
        (self.name, self.kind, self.position, self.parent) = (name, kind, position, parent)
        (self.start, self.end) = (start, end)
    }
}
