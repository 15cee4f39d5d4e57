import Testing

@testable import ServerHTTP

@Suite struct MultipartFormTests {
    private static let type = "multipart/form-data; boundary=b"

    /// A part with that head and content, as it stands in a body with the boundary `b`.
    private static func part(_ head: String, _ content: String = "x") -> String {
        "--b\r\n\(head)\r\n\r\n\(content)\r\n"
    }
    private static func field(_ name: String, _ more: String = "") -> String {
        "Content-Disposition: form-data; name=\"\(name)\"\(more)"
    }

    private func read(_ body: String, as type: String = Self.type) throws -> MultipartForm {
        try MultipartForm(Array(body.utf8), contentType: type)
    }

    @Test func `Fields and a file are read as browsers send them`() throws {
        let body =
            Self.part(Self.field("mode"), "look") + Self.part(Self.field("empty"), "")
            + Self.part(Self.field("lines"), "a\r\n--\r\n--c\r\n")
            + Self.part(
                Self.field("file", "; filename=\"Größe; x=%22y%22\\z.jsonl\"")
                    + "\r\nContent-Type: application/octet-stream",
                "{}\r\n\u{0}") + "--b--\r\n"
        let form = try read(body)
        #expect(form.fields == ["mode": "look", "empty": "", "lines": "a\r\n--\r\n--c\r\n"])
        #expect(form.files == ["file": .init(name: "Größe; x=%22y%22\\z.jsonl", bytes: Array("{}\r\n\u{0}".utf8))])
    }

    @Test func `A field for which no file was chosen brings none, and a file may be empty or without a name`() throws {
        #expect(try read(Self.part(Self.field("file", "; filename=\"\""), "") + "--b--\r\n").files.isEmpty)
        #expect(try read(Self.part(Self.field("file", "; filename=\"a\""), "") + "--b--").files["file"]?.bytes == [])
        #expect(try read(Self.part(Self.field("file", "; filename=\"\"")) + "--b--").files["file"]?.name == "")
    }

    @Test func `A file's bytes need not be text`() throws {
        let head = "--b\r\n\(Self.field("file", "; filename=\"a\""))\r\n\r\n"
        let bytes: [UInt8] = [0xFF, 0x00, 0x0D, 0x0A, 0x2D, 0x2D, 0x61, 0x0D]
        let form = try MultipartForm(Array(head.utf8) + bytes + Array("\r\n--b--\r\n".utf8), contentType: Self.type)
        #expect(form.files["file"]?.bytes == bytes)
        #expect(throws: RequestBodyFault.invalidUTF8) {
            let head = "--b\r\n\(Self.field("lines"))\r\n\r\n"
            _ = try MultipartForm(Array(head.utf8) + bytes + Array("\r\n--b--\r\n".utf8), contentType: Self.type)
        }
    }

    @Test(arguments: [
        "multipart/form-data; boundary=b", "Multipart/Form-Data;boundary=b", "multipart/form-data ; boundary=\"b\"",
    ])
    func `The boundary is read in each spelling`(type: String) throws {
        #expect(MultipartForm.isMeant(by: type))
        #expect(try read(Self.part(Self.field("a")) + "--b--\r\n", as: type).fields == ["a": "x"])
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data;", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=b; boundary=c", "multipart/form-data; boundary=b; charset=utf-16",
        "multipart/form-data; boundary=\"b", "multipart/form-data; boundary=\"b\"c",
        "multipart/form-data; boundary=\"b \"",
        "multipart/form-data; boundary=\"b\r\n\"", "multipart/form-data; boundary=ü", "multipart/mixed; boundary=b",
        "multipart/form-data; boundary=\(String(repeating: "b", count: 71))", "multipart/form-data, boundary=b", "",
    ])
    func `A type that does not say its boundary once is not taken`(type: String) {
        #expect(throws: RequestBodyFault.wrongContentType(String(type.prefix(100)))) {
            try read(Self.part(Self.field("a")) + "--b--\r\n", as: type)
        }
    }

    private static let malformed: [(String, String)] = [
        ("nothing", ""), ("no boundary", "x"), ("something before the first", "x\r\n" + part(field("a")) + "--b--"),
        ("something after the last", part(field("a")) + "--b--\r\nx"),
        ("another boundary", "--c\r\n\(field("a"))\r\n\r\nx\r\n--c--"),
        ("a boundary that goes on", part(field("a")) + "--bc--"),
        ("a line break of one sign", "--b\n\(field("a"))\n\nx\n--b--"),
        ("no end", part(field("a"))), ("an end that is cut off", part(field("a")) + "--b-"),
        ("a head without end", "--b\r\n\(field("a"))\r\n"), ("no head", "--b\r\n\r\nx\r\n--b--"),
        ("a part without name", part("Content-Disposition: form-data") + "--b--"),
        ("an empty name", part(field("")) + "--b--"),
        ("another disposition", part("Content-Disposition: attachment; name=\"a\"") + "--b--"),
        ("a name twice in a head", part("Content-Disposition: form-data; name=\"a\"; name=\"b\"") + "--b--"),
        ("a head that says it twice", part("\(field("a"))\r\n\(field("b"))") + "--b--"),
        ("a line that goes on", part("Content-Disposition: form-data;\r\n name=\"a\"") + "--b--"),
        ("a line without colon", part("\(field("a"))\r\nx") + "--b--"),
        ("NUL in a head", part(field("a\u{0}")) + "--b--"),
        ("a bare line break in a head", part(field("a\nb")) + "--b--"),
        ("a quote that does not end", part("Content-Disposition: form-data; name=\"a") + "--b--"),
        ("something after a quote", part("Content-Disposition: form-data; name=\"a\"b") + "--b--"),
        ("a name in another spelling", part(field("a", "; filename*=UTF-8''x")) + "--b--"),
        ("parts in a part", part("\(field("a"))\r\nContent-Type: multipart/mixed; boundary=c") + "--b--"),
        ("another charset", part("\(field("a"))\r\nContent-Type: text/plain; charset=utf-16") + "--b--"),
        ("an encoding", part("\(field("a"))\r\nContent-Transfer-Encoding: base64") + "--b--"),
        ("a huge head", part("\(field("a"))\r\nX: \(String(repeating: "x", count: 5000))") + "--b--"),
        ("a long name", part(field(String(repeating: "a", count: 257))) + "--b--"),
        ("too many parts", (0...MultipartForm.mostParts).map { part(field("a\($0)")) }.joined() + "--b--"),
    ]

    @Test(arguments: malformed)
    func `What is no form of a browser is a fault`(what: String, body: String) throws {
        let fault = #expect(throws: RequestBodyFault.self, "\(what)") { try read(body) }
        guard case .malformed? = fault else {
            Issue.record("\(what): \(String(describing: fault))")
            return
        }
    }

    @Test func `A name that is there twice is a fault, whether of fields or of files`() {
        let (field, file) = (Self.part(Self.field("a")), Self.part(Self.field("a", "; filename=\"f\"")))
        for body in [field + field, field + file, file + file] {
            #expect(throws: RequestBodyFault.duplicateMember(path: "a")) { try read(body + "--b--") }
        }
    }

    @Test func `A form that is cut off anywhere is a fault`() throws {
        let body = Array((Self.part(Self.field("a")) + Self.part(Self.field("f", "; filename=\"f\"")) + "--b--").utf8)
        _ = try MultipartForm(body, contentType: Self.type)
        for length in 0..<body.count {
            #expect(throws: RequestBodyFault.self) {
                try MultipartForm(Array(body[..<length]), contentType: Self.type)
            }
        }
    }
}
