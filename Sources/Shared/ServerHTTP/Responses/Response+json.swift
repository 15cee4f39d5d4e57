import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore

extension Response {
    /// A value as JSON, the same bytes for the same value: members in alphabetical order, slashes as they are.
    ///
    /// What a server of tokens answers is not to be kept by caches, so `Cache-Control` is `no-store` unless `headers`
    /// has another. A `Content-Type` in `headers` counts too.
    /// - Throws: `EncodingError`, which only a value with an infinite number or with an encoding of its own causes.
    public static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        .json(bytes: try bytes(of: value), status: status, headers: headers)
    }

    /// The same with a value that is JSON text already.
    public static func json(
        bytes: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var all = Self.jsonHeaders
        // With what is added on the way out.
        all.reserveCapacity(headers.count + 10)
        if !headers.isEmpty {
            for name in Set(headers.map(\.name)) { all[name] = nil }
            for field in headers { all.add(field.name, field.value) }
        }
        // `Response` adds it too, to a copy of the fields.
        if !all.contains(.contentLength) { all.add(.contentLength, String(bytes.count)) }
        return Response(status: status, headers: all, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static let jsonHeaders: HTTPFields = [
        .contentType: "application/json; charset=UTF-8", .cacheControl: "no-store",
    ]

    private static func bytes(of value: some Encodable) throws -> [UInt8] {
        if let value = value as? any JSONWritable {
            // With the array's head these are no more than 1,032 bytes, which the C library has at hand for each thread.
            var json = JSONWriter(capacity: 960)
            try value.write(to: &json)
            return json.bytes
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}

extension HTTPFields {
    /// `Retry-After` in whole seconds, at least one (RFC 9110, section 10.2.3).
    public static func retryAfter(_ seconds: Int) -> HTTPFields {
        [.retryAfter: String(Swift.max(1, seconds))]
    }
}
