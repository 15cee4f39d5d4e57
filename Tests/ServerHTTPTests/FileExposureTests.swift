import Testing

@testable import CountersignServer

@Suite struct FileExposureTests {
    @Test func `A path is one word to a shell whatever it is made of`() {
        #expect(FileExposure.quoted("/var/lib/countersign") == "/var/lib/countersign")
        #expect(FileExposure.quoted("") == "''")
        #expect(FileExposure.quoted("/a b") == "'/a b'")
        // To Swift a quotation mark with a mark upon it, or behind a sign that binds, is another character.
        for (path, quoted) in [
            ("it's", #"'it'\''s'"#), ("'\u{301}; id", "''\\''\u{301}; id'"),
            ("\u{D4E}'\u{D4E}", "'\u{D4E}'\\''\u{D4E}'"),
        ] {
            #expect(Array(FileExposure.quoted(path).utf8) == Array(quoted.utf8), "\(path)")
        }
    }
}
