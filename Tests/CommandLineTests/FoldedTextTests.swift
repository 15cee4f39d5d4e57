import Testing

@testable import countersign

/// Sentences on terminals.
@Suite struct FoldedTextTests {
    @Test func `Lines break between words, the further ones are indented, and none is wider than the terminal`() {
        let lines = FoldedText.lines(of: "FAIL NIST-2.1  One two three four five", indent: 5, columns: 20)
        #expect(lines == ["FAIL NIST-2.1  One", "     two three four", "     five"])
        #expect(FoldedText.lines(of: "      one two", indent: 6, columns: 10) == ["      one", "      two"])
    }

    @Test func `What is no terminal, or hardly one, gets one line, and a long word stays whole`() {
        #expect(FoldedText.lines(of: "one two", indent: 2, columns: nil) == ["one two"])
        #expect(FoldedText.lines(of: "one two", indent: 5, columns: 4) == ["one two"])
        #expect(
            FoldedText.lines(of: "a https://login.example.com/ b", indent: 1, columns: 8)
                == ["a", " https://login.example.com/", " b"])
    }
}
