import Foundation
import NIOCore

/// What one connection asks: one operation after another, each of one or more requests.
protocol Script: Sendable {
    /// The first request of the next operation; nil where there is nothing left to do.
    mutating func begin() throws -> ByteBuffer?
    /// The next request of the operation under way; nil where that answer was its last.
    mutating func answered(_ answer: Answer) throws -> ByteBuffer?
    /// The next request of the operation under way, where it waits for something that comes by another way; asked when
    /// ``answered(_:)`` had none. Nil where the operation is over.
    mutating func awaited(on loop: any EventLoop) -> EventLoopFuture<ByteBuffer>?
    /// How long to wait between operations.
    var pause: TimeAmount { get }
}

extension Script {
    var pause: TimeAmount { .zero }
    mutating func awaited(on loop: any EventLoop) -> EventLoopFuture<ByteBuffer>? { nil }
}

/// An answer, as much as a load needs of it.
struct Answer {
    let status: Int
    let body: ByteBuffer
    /// Where a redirect leads; nil for answers of another status than 303.
    var location: String?
    /// As it came, status line and all.
    var head = ByteBuffer()

    /// The first of that name, which is in lower case.
    func header(_ name: String) -> String? {
        for line in String(buffer: head).split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { continue }
            return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    /// The text of a member of a JSON object. Ours have no escapes in what is asked for here.
    func text(_ member: String) throws -> String {
        let body = String(buffer: body)
        guard let start = body.range(of: "\"\(member)\":\"")?.upperBound,
            let end = body[start...].firstIndex(of: "\"")
        else { throw UnexpectedAnswer(status: status, body: body) }
        return String(body[start..<end])
    }

    /// - Throws: ``UnexpectedAnswer``, with what was answered instead.
    func expect(_ expected: Int, containing word: String? = nil) throws {
        let fits = status == expected && word.map { String(buffer: body).contains($0) } ?? true
        if !fits { throw UnexpectedAnswer(status: status, body: String(buffer: body)) }
    }
}

/// A load whose answers are not the right ones measures nothing.
struct UnexpectedAnswer: Error, CustomStringConvertible {
    let status: Int
    let body: String

    var description: String { "The server answered \(status): \(body.prefix(400))" }
}

/// Requests as text.
enum RequestText {
    /// - Parameter source: the client address that a proxy would report.
    static func get(_ path: String, source: String? = nil, bearer: String? = nil) -> ByteBuffer {
        ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: bench\r\n\(headers(source, bearer))\r\n")
    }

    static func post(
        _ path: String, _ body: String, type: String = "application/json", source: String, bearer: String? = nil
    ) -> ByteBuffer {
        ByteBuffer(
            string: "POST \(path) HTTP/1.1\r\nHost: bench\r\n\(headers(source, bearer))Content-Type: \(type)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private static func headers(_ source: String?, _ bearer: String?) -> String {
        (source.map { "X-Forwarded-For: \($0)\r\n" } ?? "") + (bearer.map { "Authorization: Bearer \($0)\r\n" } ?? "")
    }
}
