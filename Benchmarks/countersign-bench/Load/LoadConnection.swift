import Foundation
import NIOCore

/// What one connection has seen.
struct Tally: Sendable {
    /// Nanoseconds that each operation took.
    var durations: [UInt64] = []
    var requests = 0
    /// When the last operation was done.
    var end = NIODeadline.uptimeNanoseconds(0)
}

/// Begins a load; new operations are begun until the deadline.
struct Begin: Sendable {
    let deadline: NIODeadline
}

/// One connection that is kept open: asks, reads the answer, asks again. It reads just as much HTTP/1.1 as our servers
/// speak, so that most of the machine is left to the server.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var script: any Script
    private let result: EventLoopPromise<Tally>
    private var tally = Tally()
    private var deadline = NIODeadline.uptimeNanoseconds(0)
    private var start = NIODeadline.uptimeNanoseconds(0)
    private var input = ByteBuffer()
    private var isDone = false

    init(_ script: any Script, result: EventLoopPromise<Tally>) {
        self.script = script
        self.result = result
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let begin = event as? Begin else { return context.fireUserInboundEventTriggered(event) }
        deadline = begin.deadline
        tally.durations.reserveCapacity(4096)
        next(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if input.readableBytes == 0 { input = part } else { input.writeBuffer(&part) }
        do {
            guard let answer = try AnswerParser.take(from: &input) else { return }
            if let request = try script.answered(answer) { return send(request, context) }
        } catch {
            return fail(error, context)
        }
        if let request = script.awaited(on: context.eventLoop) {
            // The handler lives on this event loop alone.
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            return request.whenComplete { result in
                let (connection, context) = bound.value
                switch result {
                case .success(let request): connection.send(request, context)
                case .failure(let error): connection.fail(error, context)
                }
            }
        }
        let now = NIODeadline.now()
        tally.durations.append((now - start).nanoseconds.magnitude)
        tally.end = now
        guard script.pause > .zero else { return next(context) }
        // The handler lives on this event loop alone.
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: script.pause) { bound.value.0.next(bound.value.1) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isDone { fail(ConnectionLost(), context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context) }

    private func next(_ context: ChannelHandlerContext) {
        start = .now()
        do {
            guard start < deadline, let request = try script.begin() else {
                isDone = true
                result.succeed(tally)
                context.close(promise: nil)
                return
            }
            send(request, context)
        } catch {
            fail(error, context)
        }
    }

    private func send(_ request: ByteBuffer, _ context: ChannelHandlerContext) {
        tally.requests += 1
        context.writeAndFlush(wrapOutboundOut(request), promise: nil)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        guard !isDone else { return }
        isDone = true
        result.fail(error)
        context.close(promise: nil)
    }
}

struct ConnectionLost: Error, CustomStringConvertible {
    let description = "The server closed a connection in the middle of a load."
}

/// Takes answers with a `Content-Length`, or with nothing, from what was read.
enum AnswerParser {
    /// Nil where the answer is not complete yet.
    static func take(from input: inout ByteBuffer) throws -> Answer? {
        let found: (head: Int, status: Int, length: Int, location: String?)? = try input.withUnsafeReadableBytes {
            bytes in
            guard let head = headEnd(bytes) else { return nil }
            guard head > 12, let status = number(bytes[9..<12]),
                // No body and no length (RFC 9110, section 15.3.5).
                let length = status == 204 ? 0 : contentLength(bytes[..<head])
            else {
                throw UnexpectedAnswer(status: 0, body: String(decoding: bytes.prefix(head), as: UTF8.self))
            }
            return (head, status, length, status == 303 ? location(bytes[..<head]) : nil)
        }
        guard let found, input.readableBytes >= found.head + found.length else { return nil }
        let head = input.readSlice(length: found.head) ?? ByteBuffer()
        return Answer(
            status: found.status, body: input.readSlice(length: found.length) ?? ByteBuffer(), location: found.location,
            head: head)
    }

    private static func headEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4) where bytes[index] == 13 && bytes[index + 2] == 13 {
            if bytes[index + 1] == 10, bytes[index + 3] == 10 { return index + 4 }
        }
        return nil
    }

    private static let contentLengthName = Array("content-length:".utf8)

    private static func contentLength(_ head: Slice<UnsafeRawBufferPointer>) -> Int? {
        for line in head.split(separator: 10) where line.count > contentLengthName.count {
            if zip(line, contentLengthName).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) {
                return number(line.dropFirst(contentLengthName.count))
            }
        }
        return nil
    }

    private static let locationName = Array("location:".utf8)

    private static func location(_ head: Slice<UnsafeRawBufferPointer>) -> String? {
        for line in head.split(separator: 10) where line.count > locationName.count {
            if zip(line, locationName).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) {
                return String(decoding: line.dropFirst(locationName.count), as: UTF8.self)
                    .trimmingCharacters(in: .whitespaces.union(.newlines))
            }
        }
        return nil
    }

    /// The digits, with white space around them.
    private static func number(_ bytes: some Sequence<UInt8>) -> Int? {
        var value: Int?
        for byte in bytes where byte != 32 && byte != 13 {
            guard (48...57).contains(byte) else { return nil }
            value = (value ?? 0) * 10 + Int(byte - 48)
        }
        return value
    }
}
