import CountersignCore
import Foundation
import Testing

@testable import WebPages

/// What the server says in English, in the words of pages.
@Suite struct ServerSentencesTests {
    private func texts() throws -> [[String: String]] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let words = root.appendingPathComponent("Sources/Shared/WebPages/Words")
        return try FileManager.default.contentsOfDirectory(at: words, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("said-") }
            .flatMap { try JSONDecoder().decode([[String: String]].self, from: Data(contentsOf: $0)) }
    }

    private let values = ["{number1}": "12", "{number2}": "34", "{number3}": "56", "{number4}": "78"]
    /// What a place for a sentence is filled with.
    private let sentence = [
        PageLanguage.english: "A claim has no name.", .german: "Ein Claim hat keinen Namen.",
        .japanese: "名前のないクレームがあります。",
    ]

    private func filled(_ text: String, _ names: Set<String>, in language: PageLanguage = .english) -> String {
        names.reduce(text) { text, name in
            let value = name == "sentence" ? sentence[language] : values["{\(name)}"]
            return text.replacingOccurrences(of: "{\(name)}", with: value ?? "<\(name)>")
        }
    }

    @Test func `Each sentence is known again with its values, in every language, and as no other`() throws {
        let sentences = try #require(ServerSentences.ofServer)
        for text in try texts() {
            let says = try #require(text["says"])
            let names = try MessageFormat(says).names
            for language in PageLanguage.allCases {
                let expected = filled(text[language.rawValue] ?? says, names, in: language)
                #expect(sentences.text(filled(says, names), in: language)?.plain == expected)
            }
        }
    }

    @Test func `Values are escaped, and digits alone stand for numbers`() throws {
        let sentences = try #require(ServerSentences.ofServer)
        let text = sentences.text("There is a group <b>x</b> already.", in: .german)
        #expect(text?.html == "Es gibt schon eine Gruppe <bdi>&lt;b&gt;x&lt;/b&gt;</bdi>.")
        #expect(sentences.text("6 to 64", in: .german)?.plain == "6 bis 64")
        #expect(sentences.text("Ada to Grace", in: .german) == nil)
    }

    @Test(arguments: ["\u{200D}\u{200C}", "\u{FE0F}", "\u{301}x"])
    func `A value that joins what stands before it is a value as others are`(value: String) throws {
        let sentences = try #require(ServerSentences.ofServer)
        let text = sentences.text("\"\(value) y\" is no e-mail address.", in: .german)
        #expect(text?.html == "„\(PageText(chosen: "\(value) y").html)“ ist keine E-Mail-Adresse.")
    }

    @Test func `A value that is a sentence of ours itself is said in the language too`() throws {
        let sentences = try #require(ServerSentences.ofServer)
        let text = sentences.text(
            "audit.retentionDays cannot be many. It takes 1 to 36500 days.", in: .german)
        #expect(text?.plain == "audit.retentionDays kann nicht many sein. Möglich ist: 1 bis 36500 Tage.")
    }

    @Test func `A place for a sentence takes no other words`() throws {
        let sentences = try #require(ServerSentences.ofServer)
        #expect(
            sentences.text("x is there twice. (1003014 Name)", in: .german)?.plain
                == "x steht zweimal da. (1003014 Name)")
        #expect(sentences.text("Ada is here. (1003014 Name)", in: .german) == nil)
    }

    @Test func `A value of a value is said in the language too`() throws {
        let sentences = try #require(ServerSentences.ofServer)
        let fault = "signerKey must be between 1 and 64 bytes, not 0"
        let text = sentences.text("The settings for password hashes are wrong: \(fault).", in: .japanese)
        #expect(text?.plain == "パスワードハッシュの設定が正しくありません: signerKey は 1~64 バイト の範囲です (0 は使えません)")
    }

    @Test(arguments: RedirectURI.Fault.allCases, [PageLanguage.german, .japanese])
    func `Why an address cannot be registered is said in one language`(
        fault: RedirectURI.Fault, language: PageLanguage
    ) throws {
        let sentences = try #require(ServerSentences.ofServer)
        let text = try #require(sentences.text("\"x:\" cannot be registered: \(fault.rawValue).", in: language))
        #expect(!text.plain.contains(fault.rawValue), "\(text.plain)")
    }

    @Test func `What nothing is known of stays English, and says so on other pages`() throws {
        let messages = try Messages(Array("{}".utf8))
        #expect(
            Words(messages: messages, language: .japanese).saying("Nothing & all.").html
                == "<span lang=\"en\">Nothing &amp; all.</span>")
        #expect(Words(messages: messages, language: .english).saying("Nothing & all.").html == "Nothing &amp; all.")
        #expect(
            Words(messages: messages, language: .german).saying("No \u{202E}user.").html
                == "<span lang=\"en\">No \u{FFFD}user.</span>")
    }

    @Test func `A sentence that lacks a language is a fault`() {
        #expect(throws: Messages.Faults.self) { try ServerSentences(Array(#"[{"says": "a", "de": "b"}]"#.utf8)) }
        #expect(throws: Messages.Faults.self) {
            try ServerSentences(Array(#"[{"says": "a {x}", "de": "{y}", "ja": "{x}"}]"#.utf8))
        }
    }
}
