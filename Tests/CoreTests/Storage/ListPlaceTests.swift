import CountersignCore
import Foundation
import Testing

@Suite struct ListPlaceTests {
    /// `--after -x` would be an option and no value.
    @Test func `No place begins with a hyphen, whatever its key is`() throws {
        let keys = (0..<2000).map { "client-\($0)" } + ["-", "~", "\u{FF}", "ünal", "東京"]
        for key in keys {
            let text = ListPlace(after: key, in: "clients:list").text
            #expect(!text.hasPrefix("-"), "\(key): \(text)")
            #expect(ListPlace(text, in: "clients:list")?.key == key, "\(key): \(text)")
        }
    }

    @Test func `A place of another list, a part of one, and one that was changed are none`() {
        let text = ListPlace(after: "ada", in: "users:list").text
        #expect(ListPlace(text, in: "users:search") == nil)
        for count in 0..<text.count {
            #expect(ListPlace(String(text.prefix(count)), in: "users:list") == nil, "\(count)")
        }
        for wrong in ["A" + text, text + "A", text.uppercased(), "zzz", "ada", String(repeating: "x", count: 3000)] {
            #expect(ListPlace(wrong, in: "users:list") == nil, "\(wrong)")
        }
    }
}
