import Testing

@testable import SecretVault

@Suite("What a prompt shows cannot be forged") struct TextTests {
    @Test(arguments: [
        ("pay the rent", "pay the rent"),
        ("a\u{1B}[2Jb", "a[2Jb"),
        ("one\r\nPasscode: ", "one Passcode:"),
        ("a\u{202E}gnp\u{2066}.exe\u{200F}", "agnp.exe"),
        ("zero\u{200B}width\u{FEFF}", "zerowidth"),
        ("tags\u{E0041}", "tags"),
        ("line\u{2028}separator\u{85}next", "line separator next"),
        ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ("C1 \u{9B}31m", "C1 31m"),
        ("   ", ""),
    ])
    func `Steering characters are taken out`(text: String, shown: String) {
        #expect(PresenceText.harmless(text, limit: 100) == shown)
    }

    @Test func `Long reasons are cut`() {
        #expect(PresenceText.harmless(String(repeating: "x", count: 10_000), limit: 200).count == 201)
    }

    @Test func `The applications name is made harmless too`() {
        let text = PresenceText(
            PresenceRequest(kind: .unlock, reason: nil, application: "a\u{1B}]0;b\u{07}\n"), minimumLength: 6)
        #expect(text.lines == ["Open the keychain of \"a]0;b\"."])
    }

    @Test(arguments: [(5, "5 more tries"), (1, "One more try"), (0, "has to be waited out")])
    func `Tries that are left are told`(tries: Int, words: String) throws {
        let text = PresenceText(
            PresenceRequest(kind: .unlock, reason: nil, application: "a", triesLeftAfterWrongAnswer: tries),
            minimumLength: 6)
        #expect(try #require(text.complaint).contains(words))
    }

    @Test func `Characters are counted not bytes`() {
        let text = PresenceText(PresenceRequest(kind: .newPasscode, reason: nil, application: "a"), minimumLength: 4)
        func isEnough(_ passcode: String) -> Bool { Array(passcode.utf8).withUnsafeBytes(text.isLongEnough) }
        #expect(!isEnough("ééé"))
        #expect(isEnough("éééé"))
        #expect(!isEnough(""))
    }
}

@Suite("What typing does to a passcode") struct PasscodeEditorTests {
    /// Types into eight bytes of memory.
    private func type(_ bytes: [UInt8]) -> (text: String, last: PasscodeEditor.Event, isTooLong: Bool, rest: [UInt8]) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        defer { memory.deallocate() }
        var editor = PasscodeEditor(keys: .init(), memory: memory)
        var last = PasscodeEditor.Event.nothing
        for byte in bytes { last = editor.take(byte) }
        return (
            String(decoding: memory[..<editor.count], as: UTF8.self), last, editor.isTooLong,
            Array(memory[editor.count...])
        )
    }

    @Test(
        arguments: [
            (Array("abc\r".utf8), "abc", .entered),
            (Array("abc\n".utf8), "abc", .entered),
            (Array("ab\u{7F}c\r".utf8), "ac", .entered),
            (Array("ab\u{08}\u{08}\u{08}c\r".utf8), "c", .entered),
            (Array("aé\u{7F}b\r".utf8), "ab", .entered),
            (Array("abc\u{15}d\r".utf8), "d", .entered),
            (Array("a\u{1B}[Ab\r".utf8), "ab", .entered),
            (Array("a\u{1B}[1;5Cb\r".utf8), "ab", .entered),
            (Array("a\u{1B}OPb\r".utf8), "ab", .entered),
            (Array("\u{1B}[200~pasted\u{1B}[201~\r".utf8), "pasted", .entered),
            (Array("a\tb\u{01}\r".utf8), "ab", .entered),
            ([0x61, 0x00, 0x62, 0x0D], "ab", .entered),
            (Array("a\u{04}".utf8), "a", .entered),
            (Array("\u{04}".utf8), "", .cancelled),
            (Array("abc\u{03}".utf8), "abc", .cancelled),
            (Array("abc\u{1C}".utf8), "abc", .cancelled),
            (Array("abc\u{1A}".utf8), "abc", .suspended),
            (Array("a\u{1B}[\u{03}".utf8), "a", .cancelled),
        ] as [([UInt8], String, PasscodeEditor.Event)])
    func `Keys do what they do elsewhere`(bytes: [UInt8], text: String, event: PasscodeEditor.Event) {
        let typed = type(bytes)
        #expect(typed.text == text)
        #expect(typed.last == event)
        #expect(typed.rest.allSatisfy { $0 == 0 }, "what is taken back is wiped")
    }

    @Test func `A line that is too long is not cut`() {
        #expect(!type(Array("12345678".utf8)).isTooLong)
        #expect(type(Array("123456789".utf8)).isTooLong)
        #expect(type(Array("123456789\u{7F}".utf8)).isTooLong)
        #expect(!type(Array("123456789\u{15}1".utf8)).isTooLong)
    }
}
