import Testing

@testable import CountersignServer

@Suite struct DataDirectoryErrorTests {
    @Test func `A path stands in a command as a word of a shell, with what would not show written by its number`() {
        for (path, word) in [("/a b", "'/a b'"), ("/a\u{1B}[2J", #"$'/a\033[2J'"#)] {
            #expect("\(DataDirectoryError.notThere(path))".hasSuffix("`countersign serve --data \(word)`."))
        }
    }
}
