import CountersignCore
import Testing
import WebPages

@testable import AccountServer
@testable import GuardianServer

/// Every catalogue has a line in `catalogues`.
@Suite("The words of pages")
struct PageWordsTests {
    static let catalogues: [any PageWords.Type] = [
        PasswordWords.self, MailedLinkWords.self, EnrolmentWords.self,
    ]

    /// The texts of a catalogue in that language, by their keys; of functions, which need a value, none.
    private func texts(of catalogue: any PageWords.Type, in language: PageLanguage) -> [String: [String]] {
        var texts: [String: [String]] = [:]
        for child in Mirror(reflecting: catalogue.of(language)).children {
            guard let key = child.label else { continue }
            switch child.value {
            case let text as String: texts[key] = [text]
            case let message as PageMessage: texts[key] = [message.title, message.text]
            default: break
            }
        }
        return texts
    }

    @Test(arguments: catalogues.indices, PageLanguage.allCases)
    func `No text is empty in any language`(index: Int, language: PageLanguage) {
        for (key, words) in texts(of: Self.catalogues[index], in: language) {
            #expect(words.allSatisfy { !$0.isEmpty }, "\(Self.catalogues[index]).\(key)")
        }
    }

    @Test(arguments: catalogues.indices, [PageLanguage.german, .japanese])
    func `Every text is translated`(index: Int, language: PageLanguage) {
        let english = texts(of: Self.catalogues[index], in: .english)
        for (key, words) in texts(of: Self.catalogues[index], in: language) {
            for (word, original) in zip(words, english[key] ?? []) {
                #expect(word != original, "\(Self.catalogues[index]).\(key)")
            }
        }
    }

    @Test(arguments: PageLanguage.allCases)
    func `A new password that was refused is told why in every language`(language: PageLanguage) {
        let words = PasswordWords.of(language)
        #expect(words.newPasswordLabel(15).contains("15"))
        #expect(words.fault(.tooShort(minimum: 15)).contains("15"))
        #expect(words.fault(.tooLong(maximum: 256)).contains("256"))
        #expect(words.fault(nil) == words.fault(.common))
        #expect(Set([words.fault(.containsAddress), words.fault(.recentlyUsed), words.fault(.common)]).count == 3)
    }
}
