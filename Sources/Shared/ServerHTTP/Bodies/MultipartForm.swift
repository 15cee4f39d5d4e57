import HTTPTypes
import HummingbirdCore
import JSON

/// What a page's form with files sends: `multipart/form-data` (RFC 7578; HTML, section 4.10.21.8).
///
/// It takes what browsers send and nothing beside it: nothing before the first boundary or after the last, no parts in parts, no line of a
/// head that goes on in the next, no name twice. What two readers could understand differently is refused.
public struct MultipartForm: Sendable, Equatable {
    /// A file that a user chose.
    public struct File: Sendable, Equatable {
        /// What the user's system calls it. It means nothing here and is never a path.
        public let name: String
        public let bytes: [UInt8]
    }

    /// Parts that a form may have.
    static let mostParts = 64
    /// Bytes of a part's head: names of files have 255 on most systems.
    static let longestHead = 4096

    /// What fields say, by their names.
    public private(set) var fields: [String: String] = [:]
    /// The files by the names of their fields; a field for which none was chosen is not there.
    public private(set) var files: [String: File] = [:]

    /// Whether a body of this content type is such a form.
    public static func isMeant(by contentType: String?) -> Bool {
        contentType?.prefix(20).lowercased().hasPrefix("multipart/form-data") ?? false
    }

    /// What a form without files says.
    public init(fields: [String: String]) { self.fields = fields }

    /// - Throws: ``RequestBodyFault``.
    public init(_ bytes: [UInt8], contentType: String) throws(RequestBodyFault) {
        guard let boundary = Self.boundary(in: contentType) else {
            throw .wrongContentType(String(contentType.prefix(RequestBodyFault.longestExcerpt)))
        }
        var reader = PartReader(bytes, boundary: boundary)
        try reader.begin()
        var names: Set<String> = []
        while let part = try reader.next() {
            guard names.count < Self.mostParts else { throw reader.malformed("too many parts") }
            guard names.insert(part.head.name).inserted else { throw .duplicateMember(path: part.head.name) }
            if let file = part.head.fileName {
                // A browser sends a part without name and content where no file was chosen.
                if !file.isEmpty || !part.content.isEmpty {
                    files[part.head.name] = File(name: file, bytes: Array(part.content))
                }
                continue
            }
            guard let text = String(validating: part.content, as: UTF8.self) else { throw .invalidUTF8 }
            guard StackedMarks.areFew(in: text) else { throw reader.malformed("too many marks on one letter") }
            fields[part.head.name] = text
        }
    }

    /// What separates the parts: 1 to 70 of some characters (RFC 2046, section 5.1.1); nil where the type does not say it once.
    private static func boundary(in contentType: String) -> String? {
        guard let (type, parameters) = HeaderParameters.read(contentType), type == "multipart/form-data",
            parameters.keys.allSatisfy({ $0 == "boundary" }), let boundary = parameters["boundary"],
            (1...70).contains(boundary.utf8.count), boundary.utf8.last != UInt8(ascii: " "),
            boundary.utf8.allSatisfy(isOfBoundary)
        else { return nil }
        return boundary
    }

    private static func isOfBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}

extension Request {
    /// The body as a form with files.
    /// - Throws: ``RequestBodyFault``, `CancellationError`.
    public func multipartForm(limit: Int) async throws -> MultipartForm {
        let type = headers.value(of: .contentType) ?? ""
        guard MultipartForm.isMeant(by: type) else { throw RequestBodyFault.wrongContentType(type) }
        return try MultipartForm(try await bodyBytes(limit: limit), contentType: type)
    }
}

// MARK: Reading

/// What stands before the content of a part.
private struct PartHead {
    var name: String
    /// Nil where the part is no file.
    var fileName: String?

    /// Nil where a line is none, a line is there twice, or the part is nothing that a form sends.
    init?(_ lines: [String]) {
        var values: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), HeaderParameters.isToken(line[..<colon]),
                values.updateValue(
                    line[line.index(after: colon)...].trimmed, forKey: line[..<colon].lowercased()) == nil
            else { return nil }
        }
        guard let (kind, parameters) = HeaderParameters.read(values["content-disposition"] ?? ""), kind == "form-data",
            parameters.keys.allSatisfy({ $0 == "name" || $0 == "filename" }),
            let name = parameters["name"], (1...256).contains(name.utf8.count),
            ["7bit", "8bit", "binary"].contains(values["content-transfer-encoding"]?.lowercased() ?? "binary")
        else { return nil }
        if let type = values["content-type"] {
            guard let (type, parameters) = HeaderParameters.read(type), !type.hasPrefix("multipart/"),
                ["utf-8", "us-ascii"].contains(parameters["charset"]?.lowercased() ?? "utf-8")
            else { return nil }
        }
        self.name = name
        fileName = parameters["filename"]
    }
}

private struct PartReader {
    private let bytes: [UInt8]
    /// With the line break before it, which is the boundary's and not the content's.
    private let delimiter: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8], boundary: String) {
        self.bytes = bytes
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    func malformed(_ reason: String) -> RequestBodyFault { .malformed(reason: reason, offset: position) }

    mutating func begin() throws(RequestBodyFault) {
        guard take(delimiter.dropFirst(2)) else { throw malformed("it does not begin with its boundary") }
    }

    /// The next part; nil after the last.
    mutating func next() throws(RequestBodyFault) -> (head: PartHead, content: ArraySlice<UInt8>)? {
        if take("--".utf8) {
            _ = take("\r\n".utf8)
            guard position == bytes.count else { throw malformed("something follows the last boundary") }
            return nil
        }
        guard take("\r\n".utf8) else { throw malformed("a boundary is none") }
        guard let end = find(Array("\r\n\r\n".utf8), within: MultipartForm.longestHead) else {
            throw malformed("the head of a part does not end")
        }
        let head = try head(bytes[position..<end])
        position = end + 4
        guard let end = find(delimiter, within: bytes.count) else { throw malformed("the body is not whole") }
        defer { position = end + delimiter.count }
        return (head, bytes[position..<end])
    }

    private func head(_ bytes: ArraySlice<UInt8>) throws(RequestBodyFault) -> PartHead {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidUTF8 }
        // By scalars: a line break is one character to Swift.
        let lines = text.unicodeScalars.split(separator: "\r\n".unicodeScalars)
        guard lines.allSatisfy({ $0.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }),
            let head = PartHead(lines.map { String(String.UnicodeScalarView($0)) })
        else { throw malformed("the head of a part is none of a form") }
        return head
    }

    private mutating func take(_ text: some Collection<UInt8>) -> Bool {
        guard bytes[position...].starts(with: text) else { return false }
        position += text.count
        return true
    }

    /// Where the text is next, no more than so many bytes from here.
    private func find(_ text: [UInt8], within limit: Int) -> Int? {
        let last = min(bytes.count, position + limit + text.count) - text.count
        guard last >= position else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            (position...last).first { start in
                bytes[start] == text[0] && text.indices.allSatisfy { bytes[start + $0] == text[$0] }
            }
        }
    }
}

/// A value of a header field with parameters: `form-data; name="lines"` (RFC 9110, section 5.6.6).
private enum HeaderParameters {
    /// The value and the parameters' names in lower case. Quotes end at the next one: browsers write those of a name as `%22`. Nil where it is
    /// no such value, or says a parameter twice.
    static func read(_ text: String) -> (value: String, parameters: [String: String])? {
        var rest = text.utf8[...]
        let value = String(Substring(rest.prefix { $0 != semicolon })).trimmed.lowercased()
        rest = rest.drop { $0 != semicolon }
        var parameters: [String: String] = [:]
        while rest.popFirst() != nil {
            rest = rest.drop(while: isSpace)
            let name = taken(from: &rest) { $0 != equals && $0 != semicolon }
            guard isToken(name), rest.popFirst() == equals else { return nil }
            let content: Substring
            if rest.first == quote {
                rest.removeFirst()
                content = taken(from: &rest) { $0 != quote }
                guard rest.popFirst() == quote else { return nil }
            } else {
                content = taken(from: &rest) { $0 != semicolon && !isSpace($0) }
                guard isToken(content) else { return nil }
            }
            rest = rest.drop(while: isSpace)
            guard rest.first == nil || rest.first == semicolon,
                parameters.updateValue(String(content), forKey: name.lowercased()) == nil
            else { return nil }
        }
        return (value, parameters)
    }

    private static let semicolon = UInt8(ascii: ";")
    private static let equals = UInt8(ascii: "=")
    private static let quote = UInt8(ascii: "\"")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// The signs that come next, as long as each is one of those.
    private static func taken(
        from rest: inout Substring.UTF8View, while isTaken: (UInt8) -> Bool
    ) -> Substring {
        let text = rest.prefix(while: isTaken)
        rest = rest[text.endIndex...]
        return Substring(text)
    }

    /// RFC 9110, section 5.6.2.
    static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
