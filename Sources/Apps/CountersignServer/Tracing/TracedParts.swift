import CountersignCore
import Traces
import Tracing

/// The parts of a realm that take time, with a span around each use. They stand around the real ones where traces are exported, and are
/// not there where they are not.
///
/// Names and attributes are the program's own words: no span has an address, an id of a user or what a client sent.
extension SpanTracer {
    /// A span within a request that is recorded. Without one there is none: what the server does by itself every few seconds is no
    /// trace.
    func within<T>(
        _ name: String, _ kind: SpanKind, _ attributes: SpanAttributes = [:],
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
    ) async rethrows -> T {
        guard let context = ServiceContext.current, context.tracePosition?.isRecorded == true else {
            return try await body()
        }
        return try await around(name, kind, attributes, in: context, body)
    }

    /// A span that begins a trace, where there is none.
    func around<T>(
        _ name: String, _ kind: SpanKind, _ attributes: SpanAttributes = [:], in context: ServiceContext? = nil,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
    ) async rethrows -> T {
        let span = startSpan(name, context: context ?? .current ?? .topLevel, ofKind: kind)
        defer { span.end() }
        if span.isRecording { span.attributes = attributes }
        do {
            return try await ServiceContext.$current.withValue(span.context) { try await body() }
        } catch {
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}

/// A store with a span for each transaction.
struct TracedStore: Store {
    let base: any Store
    let tracer: SpanTracer
    /// `sqlite` or `postgresql` (OpenTelemetry, `db.system.name`).
    let system: String

    private func traced<T>(_ operation: String, _ body: () async throws -> T) async rethrows -> T {
        try await tracer.within(
            "store \(operation)", .client,
            ["db.system.name": .string(system), "db.operation.name": .string(operation)], body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await traced("read") { try await base.read(body) }
    }

    func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await traced("write") { try await base.write(isolation, durability, expecting: rows, body) }
    }

    func changeMark() async throws -> Int64? { try await base.changeMark() }
}

/// A hasher with a span for each hash, from asking for it until it is there: waiting for a thread included.
struct TracedHasher: PasswordHasher {
    let base: any PasswordHasher
    let tracer: SpanTracer

    func hash(_ password: Secret<String>) async throws -> String {
        try await tracer.within("password hash", .internal) { try await base.hash(password) }
    }

    func verify(_ password: Secret<String>, against hash: String) async throws -> Bool {
        try await tracer.within("password verify", .internal) { try await base.verify(password, against: hash) }
    }

    func needsRehash(_ hash: String) -> Bool { base.needsRehash(hash) }
    var decoy: String { base.decoy }
}

/// A sender with a span for each message: a trace of its own, as messages are sent after the request that caused them.
struct TracedSender: MessageSender {
    let base: any MessageSender
    let tracer: SpanTracer

    var channel: OutboxMessage.Channel { base.channel }
    var retries: RetryPolicy { base.retries }
    var concurrency: Int { base.concurrency }
    func isReady() async throws -> Bool { try await base.isReady() }
    func shutDown() async { await base.shutDown() }

    func send(_ message: OpenedMessage) async -> DeliveryResult {
        let span = tracer.startSpan("send \(channel.rawValue)", ofKind: .client)
        defer { span.end() }
        let result = await ServiceContext.$current.withValue(span.context) { await base.send(message) }
        guard span.isRecording else { return result }
        span.attributes["messaging.message.attempt"] = message.message.attempts
        switch result {
        case .delivered, .leftToRecipient: break
        case .postponed(let reason, _), .refused(let reason):
            span.attributes["error.type"] = reason
            span.setStatus(SpanStatus(code: .error))
        }
        return result
    }
}

/// A caller of hooks with a span for each call: a trace of its own, which the service can continue.
struct TracedHookCaller: HookCaller {
    let base: any HookCaller
    let tracer: SpanTracer

    func post(_ call: HookCall) async -> HookReply {
        let span = tracer.startSpan("call hook", ofKind: .client)
        defer { span.end() }
        let reply = await ServiceContext.$current.withValue(span.context) { await base.post(call) }
        guard span.isRecording else { return reply }
        if case .answered(let status, _) = reply { span.attributes["http.response.status_code"] = status }
        if !reply.isDelivered {
            span.attributes["error.type"] = reply.text
            span.setStatus(SpanStatus(code: .error))
        }
        return reply
    }
}

/// A caller of extensions with a span for each call, which the service can continue.
struct TracedExtensionCaller: ExtensionCaller {
    let base: any ExtensionCaller
    let tracer: SpanTracer

    var publicURL: String { base.publicURL }

    func post(_ call: ExtensionCall) async -> ExtensionReply {
        await tracer.within("call extension", .client) { await base.post(call) }
    }
}
