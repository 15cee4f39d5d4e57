import CountersignCore
import HTTPTypes
import HummingbirdCore
import NIOCore

/// The forms in which a body is taken.
public struct RequestBodyFormats: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `application/json`, or no content type and what looks like JSON.
    public static let json = RequestBodyFormats(rawValue: 1)
    /// `application/x-www-form-urlencoded`.
    public static let form = RequestBodyFormats(rawValue: 2)
}

extension Request {
    /// Bytes that a body may have where a route does not say otherwise: 64 KiB.
    public static var defaultBodyLimit: Int { 65_536 }

    /// The body as a value of that type, read by ``LenientJSON``. No body is an empty object.
    /// - Throws: ``RequestBodyFault``, `CancellationError`.
    public func decodeBody<T: Decodable>(
        as type: T.Type, accepting formats: RequestBodyFormats = .json, limit: Int = Request.defaultBodyLimit
    ) async throws -> T {
        try LenientJSON.decode(type, from: try await bodyObject(accepting: formats, limit: limit))
    }

    /// The body as an object. No body is an empty one.
    /// - Parameter repeatable: fields of a form that may be there several times, which is then an array of strings.
    /// - Throws: ``RequestBodyFault``, `CancellationError`.
    public func bodyObject(
        accepting formats: RequestBodyFormats = .json, limit: Int = Request.defaultBodyLimit,
        repeatable: Set<String> = []
    ) async throws -> JSONValue {
        let value = try await bodyValue(accepting: formats, limit: limit, repeatable: repeatable)
        guard case .object = value else { throw RequestBodyFault.notAnObject(found: value.excerpt()) }
        return value
    }

    /// The body, whatever it is: for routes that take lists. No body is an empty object.
    /// - Parameter repeatable: fields of a form that may be there several times, which is then an array of strings.
    /// - Throws: ``RequestBodyFault``, `CancellationError`.
    public func bodyValue(
        accepting formats: RequestBodyFormats = .json, limit: Int = Request.defaultBodyLimit,
        repeatable: Set<String> = []
    ) async throws -> JSONValue {
        let bytes = try await bodyBytes(limit: limit)
        if bytes.isEmpty { return .object([:]) }
        return switch try Self.format(of: headers.value(of: .contentType), bytes: bytes, accepting: formats) {
        case .form: try LenientJSON.parseForm(bytes, repeatable: repeatable)
        default: try LenientJSON.parse(bytes)
        }
    }

    /// The bytes of the body, which can be read once.
    /// - Throws: ``RequestBodyFault/tooLarge(limit:)`` as soon as it is known, ``RequestBodyFault/malformed(reason:offset:)`` where
    ///   the body is cut off, or its chunks are none; ``RequestDeadlineError`` where it takes too long; `CancellationError`.
    public func bodyBytes(limit: Int = Request.defaultBodyLimit) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await readBody(limit: limit) { bytes.append(contentsOf: $0.readableBytesView) }
        return bytes
    }

    /// Reads a body to its end of which nothing is wanted: a client that is still sending it would not read the answer.
    /// - Throws: as ``bodyBytes(limit:)``.
    public func discardBody(limit: Int) async throws { try await readBody(limit: limit) { _ in } }

    @inline(__always)
    private func readBody(limit: Int, _ take: (ByteBuffer) -> Void) async throws {
        let announced = headers.value(of: .contentLength).flatMap { Int($0) }
        if let announced, announced > limit { throw RequestBodyFault.tooLarge(limit: limit) }
        var count = 0
        do {
            for try await buffer in body {
                count += buffer.readableBytes
                guard count <= limit else { throw RequestBodyFault.tooLarge(limit: limit) }
                take(buffer)
            }
        } catch let error
            where !(error is RequestBodyFault || error is CancellationError || error is RequestDeadlineError)
        {
            // What came is not what was meant, whatever ended it: the parser or the client.
            throw RequestBodyFault.malformed(reason: "the body is not whole", offset: count)
        }
        if let announced, count < announced {
            throw RequestBodyFault.malformed(reason: "the body is not whole", offset: count)
        }
    }

    /// The bytes of a form, in the one encoding that forms have here (RFC 6749, appendix B).
    /// - Throws: ``RequestBodyFault/wrongContentType(_:)`` where the content type names another type or another encoding; as
    ///   ``bodyBytes(limit:)``.
    public func formBytes(limit: Int = Request.defaultBodyLimit) async throws -> [UInt8] {
        let bytes = try await bodyBytes(limit: limit)
        _ = try Self.format(of: headers.value(of: .contentType), bytes: bytes, accepting: .form)
        return bytes
    }

    /// The codings of a body as far as they matter: HTTP undoes chunks, and knows no other (RFC 9112, section 6.1). No content coding is
    /// undone here, and what is compressed is not read as if it were not (RFC 9110, section 8.4).
    /// - Parameter isDiscarded: whether the body is thrown away, so that it may be in any content coding.
    /// - Throws: ``RequestBodyFault/encoded``; ``RequestBodyFault/unknownCoding``; ``RequestBodyFault/malformed(reason:offset:)`` where
    ///   chunks are not what is outside, once: where such a body ends is not known (RFC 9112, section 6.3).
    func requireKnownCoding(unless isDiscarded: @autoclosure () -> Bool = false) throws(RequestBodyFault) {
        guard let field = headers[.transferEncoding] else {
            if isEncoded, !isDiscarded() { throw .encoded }
            return
        }
        var codings = field.split(separator: ",").map { $0.trimmed.lowercased() }
        guard codings.popLast() == "chunked", !codings.contains("chunked") else {
            throw .malformed(reason: "the body does not end with its chunks", offset: 0)
        }
        guard codings.isEmpty else { throw .unknownCoding }
        if isEncoded, !isDiscarded() { throw .encoded }
    }

    /// Whether the request has a body, or may have one, in a content coding.
    private var isEncoded: Bool {
        guard let field = headers.value(of: .contentEncoding), ![.get, .head, .options].contains(method),
            headers.value(of: .contentLength) != "0"
        else { return false }
        return field.split(separator: ",").contains { !["", "identity"].contains($0.trimmed.lowercased()) }
    }

    /// The one format that the content type means.
    static func format(
        of contentType: String?, bytes: [UInt8], accepting formats: RequestBodyFormats
    ) throws(RequestBodyFault) -> RequestBodyFormats {
        guard let contentType, !contentType.isEmpty else {
            let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard formats.contains(.json), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
                throw .wrongContentType(nil)
            }
            return .json
        }
        // The usual spellings, which need no taking apart.
        if contentType == "application/json", formats.contains(.json) { return .json }
        if contentType == "application/x-www-form-urlencoded", formats.contains(.form) { return .form }
        let parts = contentType.lowercased().utf8.split(separator: UInt8(ascii: ";")).map {
            String(Substring($0)).trimmed
        }
        for parameter in parts.dropFirst() where parameter.hasPrefix("charset=") {
            let charset = String(
                decoding: parameter.utf8.dropFirst("charset=".utf8.count).filter { $0 != UInt8(ascii: "\"") },
                as: UTF8.self)
            // Of a form in Latin-1, ASCII is what it is in UTF-8: Apache's HttpClient says so of all its forms.
            guard
                ["utf-8", "utf8", "us-ascii"].contains(charset)
                    || charset == "iso-8859-1" && parts.first == "application/x-www-form-urlencoded"
                        && isASCIIForm(bytes)
            else { throw .wrongContentType(contentType) }
        }
        switch parts.first {
        case "application/json" where formats.contains(.json): return .json
        case "application/x-www-form-urlencoded" where formats.contains(.form): return .form
        default: throw .wrongContentType(contentType)
        }
    }

    /// Whether a form has ASCII alone, in escapes too.
    private static func isASCIIForm(_ bytes: [UInt8]) -> Bool {
        var isEscape = false
        for byte in bytes {
            guard byte < 0x80, !isEscape || (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else { return false }
            isEscape = byte == UInt8(ascii: "%")
        }
        return true
    }
}

extension StringProtocol {
    /// Without the white space of header fields (RFC 9110, section 5.6.3) at its ends.
    var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var (start, end) = (startIndex, endIndex)
        while start < end, isSpace(self[start]) { formIndex(after: &start) }
        while start < end {
            let last = index(before: end)
            guard isSpace(self[last]) else { break }
            end = last
        }
        return String(self[start..<end])
    }
}
