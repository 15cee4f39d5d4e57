import Testing

@testable import WebPages

@Suite("The catalogue of messages")
struct MessagesTests {
    @Test func `The files are one catalogue, and a key stands in one of them`() throws {
        let first = Array(#"{"a": {"en": "x", "de": "y", "ja": "z"}}"#.utf8)
        let second = Array(#"{"b": {"en": "x", "de": "y", "ja": "z"}}"#.utf8)
        #expect(try Messages([first, second]).keys == ["a", "b"])
        #expect(throws: Messages.Faults.self) { try Messages([first, second, first]) }
    }

    @Test
    func `The catalogue of the server is complete in every language`() throws {
        let messages = try Messages(Messages.sources)
        #expect(messages.keys.count > 50)
        #expect(messages.keys.contains("signInTitle"))
    }

    @Test func `A language that is read alone says what the whole catalogue says, to twenty that ask first`()
        async throws
    {
        let (whole, unread) = (try Messages(Messages.sources), Messages.unread())
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<20 {
                tasks.addTask {
                    let language = PageLanguage.allCases[number % PageLanguage.allCases.count]
                    let (here, there) = (
                        Words(messages: unread, language: language), Words(messages: whole, language: language)
                    )
                    for key in whole.keys where here(key).html != there(key).html {
                        Issue.record("\(key) in \(language)")
                    }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(unread.keys == whole.keys)
    }

    @Test(arguments: [
        (#"{"a": {"en": "x", "de": "y"}}"#, "a lacks ja"), (#"{"a": {"en": "x", "de": "", "ja": "z"}}"#, "a lacks de"),
        (#"{"a": {"en": "{x}", "de": "{y}", "ja": "{x}"}}"#, "a has places for different values in its languages"),
        (#"{"a": {"en": "{x", "de": "y", "ja": "z"}}"#, "a in en: the place “x” is neither a value nor a plural"),
        (#"{"a": {"en": "x", "de": "y", "ja": "z", "fr": "w"}}"#, "a is in “fr”, which is no language of pages"),
    ])
    func `A catalogue with a gap makes none`(json: String, fault: String) {
        #expect(throws: Messages.Faults(faults: [fault])) { try Messages(Array(json.utf8)) }
    }

    @Test(arguments: [(0, "0 minutes"), (1, "1 minute"), (2, "2 minutes"), (21, "21 minutes")])
    func `A plural is chosen by its number`(number: Int, expected: String) throws {
        let format = try MessageFormat("{n, plural, one {# minute} other {# minutes}}")
        #expect(format.text(["n": .number(number)]).plain == expected)
        #expect(format.names == ["n"])
    }

    @Test(arguments: [
        ("consoleLatencySummary", "1 request in", "1 Anfrage in"), ("consoleRefusedUntil", "1 attempt;", "1 Versuch;"),
        ("consoleRefusedForGood", "1 attempt;", "1 Versuch;"), ("dataLogDays", "1 day;", "1 Tag "),
        ("deleteText", "1 day;", "1 Tag "),
    ])
    func `What is counted once is told as one`(key: String, english: String, german: String) {
        let one: [String: Words.Value] = ["count": .number(1), "days": .number(1)]
        #expect(Words(messages: .ofServer, language: .english).plain(key, one).contains(english))
        #expect(Words(messages: .ofServer, language: .german).plain(key, one).contains(german))
    }

    @Test
    func `A value that a person chose keeps its direction to itself, and is escaped`() throws {
        let text = try MessageFormat("You & {name}").text(["name": .text(PageText(chosen: "<b>"))])
        #expect(text.html == "You &amp; <bdi>&lt;b&gt;</bdi>")
        #expect(text.plain == "You & <b>")
    }

    @Test(arguments: ["}", "{}", "{a, select, other {x}}", "{a, plural, one {x}}", "{a, plural, other {x}", "{a"])
    func `A message that cannot be read is none`(text: String) {
        #expect(throws: MessageFormat.Fault.self) { try MessageFormat(text) }
    }

    @Test
    func `An operator's words take the place of ours, where there is such a message with such places`() throws {
        let messages = Messages.ofServer
        let own = try messages.overridden(Array(#"{"signInTitle": "Come in"}"#.utf8), in: .english)
        #expect(Words(messages: own, language: .english).plain("signInTitle") == "Come in")
        #expect(
            Words(messages: own, language: .german).plain("signInTitle")
                == Words(messages: messages, language: .german).plain("signInTitle"))
        for json in [#"{"noSuchKey": "x"}"#, #"{"signInTitle": "Hello {name}"}"#, #"{"signInTitle": "{"}"#] {
            #expect(throws: Messages.Faults.self) { try messages.overridden(Array(json.utf8), in: .english) }
        }
    }
}
