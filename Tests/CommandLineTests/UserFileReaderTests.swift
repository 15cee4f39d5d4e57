import AdminServer
import Foundation
import Testing

@testable import countersign

@Suite struct UserFileReaderTests {
    private typealias Piece = UserFileReader.Piece

    struct File: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let pieces: [(line: Int, content: UserFileReader.Piece.Content)]

        init(_ name: String, _ text: String, _ pieces: [(Int, UserFileReader.Piece.Content)]) {
            self.init(name, Array(text.utf8), pieces)
        }

        init(_ name: String, _ bytes: [UInt8], _ pieces: [(Int, UserFileReader.Piece.Content)]) {
            self.name = name
            self.bytes = bytes
            self.pieces = pieces.map { (line: $0.0, content: $0.1) }
        }

        var testDescription: String { name }
    }

    private static let files: [File] = [
        File("nothing", "", []),
        File("white space", " \n\n\t\r\n", []),
        File("lines", "{\"a\":1}\n{\"b\":2}\n", [(1, .user("{\"a\":1}")), (2, .user("{\"b\":2}"))]),
        File("lines of Windows, with gaps", "\n{}\r\n\r\n{}\r\n", [(2, .user("{}")), (4, .user("{}"))]),
        File("a mark of byte order", [0xEF, 0xBB, 0xBF] + Array("{}\n".utf8), [(1, .user("{}"))]),
        File("half a mark of byte order", [0xEF, 0xBB], [(1, .fault("it is not UTF-8"))]),
        File("a last line without end", "{}\n{\"a\"", [(1, .user("{}")), (2, .tornUser("{\"a\""))]),
        File("one line without end", "{\"users", [(1, .tornUser("{\"users"))]),
        File(
            "no UTF-8", Array("{}\n".utf8) + [0x22, 0xC3, 0x28, 0x0A] + Array("{}\n".utf8),
            [
                (1, .user("{}")), (2, .fault("it is not UTF-8")), (3, .user("{}")),
            ]),
        File(
            "a line as long as may be", String(repeating: "x", count: 64) + "\n",
            [
                (1, .user(String(repeating: "x", count: 64)))
            ]),
        File(
            "a line that is too long", String(repeating: "x", count: 65) + "\n{}\n",
            [
                (1, .fault("it has more than 64 bytes")), (2, .user("{}")),
            ]),
        File("what is no list of users", "{\"usersX\":1}\n", [(1, .user("{\"usersX\":1}"))]),
        File(
            "a list", "{\"users\": [\n{\n  \"a\": \"}\\\"]\"\n},\n{\"b\":[{}]}]}\n",
            [
                (2, .user("{\n  \"a\": \"}\\\"]\"\n}")), (5, .user("{\"b\":[{}]}")),
            ]),
        File(
            "a list with an escaped backslash", #"{"users":[{"a":"\\"},{}]}"#,
            [
                (1, .user(#"{"a":"\\"}"#)), (1, .user("{}")),
            ]),
        File("an empty list", "\n{ \"users\" : [ ] }", []),
        File("a bare list", "[{}\n,{}]", [(1, .user("{}")), (2, .user("{}"))]),
        File(
            "a user of the list that is too long", "[{\"a\":\"" + String(repeating: "x", count: 64) + "\"},\n{}]",
            [
                (1, .fault("it has more than 64 bytes")), (2, .user("{}")),
            ]),
        File(
            "a list that ends in a user", "{\"users\":[{},\n{\"a\"",
            [
                (1, .user("{}")), (2, .fault("the file ends in the middle of this user")),
            ]),
        File(
            "a list without end", "[{},",
            [(1, .user("{}")), (1, .fault("the file ends before the list of users does"))]),
        File(
            "a list without the end of its object", "{\"users\":[{}]\n",
            [
                (1, .user("{}")), (2, .fault("the file ends before the object with the list of users does")),
            ]),
        File(
            "a list without comma", "[{} {}]",
            [
                (1, .user("{}")), (1, .fault("a comma or the end of the list is missing after a user")),
            ]),
        File(
            "a list with a comma too many", "[{},]",
            [
                (1, .user("{}")), (1, .fault("the list of users contains something that is no object")),
            ]),
        File("a list of numbers", "[1]", [(1, .fault("the list of users contains something that is no object"))]),
        File(
            "something behind a list", "{\"users\":[{}],\"kind\":1}",
            [
                (1, .user("{}")), (1, .fault("something follows the list of users")),
            ]),
    ]

    @Test(arguments: files)
    func `A file is taken apart however it comes`(file: File) {
        for size in [1, 2, 3, 7, 1 << 20] {
            var reader = UserFileReader(limit: 64)
            var pieces: [UserFileReader.Piece] = []
            for start in stride(from: 0, to: file.bytes.count, by: size) {
                pieces += reader.read(file.bytes[start..<min(start + size, file.bytes.count)])
            }
            pieces += reader.finish()
            let expected = file.pieces.map { UserFileReader.Piece(line: $0.line, content: $0.content) }
            #expect(pieces == expected, "read \(size) bytes at a time")
        }
    }

    @Test func `No bytes are kept of what is done or too long`() {
        var reader = UserFileReader(limit: 64)
        for _ in 0..<1000 { #expect(reader.read(Array("{}\n".utf8)).count == 1) }
        for _ in 0..<1000 { #expect(reader.read([UInt8](repeating: 0x78, count: 1000)).isEmpty) }
        #expect(reader.read([0x0A]) == [.init(line: 1001, content: .fault("it has more than 64 bytes"))])
    }

    @Test(
        arguments: [
            (0.0, 0, nil, "0 done"), (10.0, 2500, nil, "2500 done  250/s"),
            (10.0, 2500, 0.25, "25%  2500 done  250/s  30 s left"),
            (100.0, 10, 0.5, "50%  10 done  0/s  1 min 40 s left"),
            (9000.0, 9, 0.5, "50%  9 done  0/s  2 h 30 min left"),
            (1.0, 7, 1.0, "100%  7 done  7/s  0 s left"), (1.0, 7, 1.5, "100%  7 done  7/s  0 s left"),
            (1.0, 7, 0.0, "0%  7 done  7/s"),
        ] as [(Double, Int, Double?, String)])
    func `Progress is told`(elapsed: Double, count: Int, fraction: Double?, text: String) {
        let reading = ProgressMeter.Reading(count: count, fraction: fraction, elapsed: elapsed)
        #expect(ProgressMeter.text("done", reading, bar: false) == text)
    }

    @Test func `A bar is drawn on a terminal`() {
        let reading = ProgressMeter.Reading(count: 1, fraction: 0.25, elapsed: 0)
        #expect(ProgressMeter.text("done", reading, bar: true) == "[#####---------------]  25%  1 done")
    }

    @Test func `Two lines of a rehearsal that need the same are found`() {
        var seen = IdentifierIndex()
        func line(_ id: String, _ email: String, _ number: String = "") -> String {
            #"{"localId":"\#(id)","email":"\#(email)","phoneNumber":"\#(number)"}"#
        }
        #expect(seen.obstacle(line("a", "a@example.org", "+15555550100"), at: "line 1") == nil)
        #expect(seen.obstacle(line("b", "b@example.org"), at: "line 2") == nil)
        #expect(seen.obstacle(line("c", "A@EXAMPLE.org"), at: "line 3") == "line 1 has the same email")
        #expect(
            seen.obstacle(line("d", "d@example.org", "+1 555 555 0100"), at: "line 4")
                == "line 1 has the same phoneNumber")
        #expect(seen.obstacle(line("b", "x@example.org"), at: "line 5") == "line 2 has the same localId")
        #expect(seen.obstacle(line("b", "b@example.org"), at: "line 6") == nil, "The same line once more does no harm.")
        #expect(seen.obstacle("no JSON", at: "line 7") == nil)
    }
}
