import CountersignCore
import Foundation
import Testing

@Suite struct ListPlaceTests {
    /// `--after -x` would be an option and no value.
    @Test func `No place begins with a hyphen, whatever its key is`() throws {
        let keys = (0..<2000).map { "client-\($0)" } + ["-", "~", "\u{FF}", "ünal", "東京"]
        for key in keys {
            let text = ListPlace(key, in: "clients:list").text
            #expect(!text.hasPrefix("-"), "\(key): \(text)")
            #expect(ListPlace(parsing: text, in: "clients:list")?.key == key, "\(key): \(text)")
        }
    }

    @Test func `A place of another list, a part of one, and one that was changed are none`() {
        let text = ListPlace("ada", in: "users:list").text
        #expect(ListPlace(parsing: text, in: "users:search") == nil)
        for count in 0..<text.count {
            #expect(ListPlace(parsing: String(text.prefix(count)), in: "users:list") == nil, "\(count)")
        }
        for wrong in ["A" + text, text + "A", text.uppercased(), "zzz", "ada", String(repeating: "x", count: 3000)] {
            #expect(ListPlace(parsing: wrong, in: "users:list") == nil, "\(wrong)")
        }
    }

    @Test func `The end of a list is a place of it, and no row of whatever key`() throws {
        let end = ListPlace(nil, in: "users:list").text
        let read = try #require(ListPlace(parsing: end, in: "users:list"))
        #expect(read.key == nil)
        #expect(!end.hasPrefix("-"))
        #expect(ListPlace(parsing: end, in: "groups:list") == nil)
        let row = ListPlace("end", in: "users:list").text
        #expect(row != end)
        #expect(ListPlace(parsing: row, in: "users:list")?.key == "end")
    }
}
