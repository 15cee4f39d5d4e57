import CountersignCore
import Testing
import WebPages

@testable import AccountServer

/// What happened to an account, in words.
@Suite("Sentences of the account's activity")
struct ActivityWordTests {
    @Test func `Every event of an account that its user is shown has a sentence of its own`() throws {
        let messages = Messages.ofServer
        let shown = ActivityPages.sentences.keys.filter { ActivityKind($0) != nil }
        #expect(shown.count == ActivityPages.sentences.count, "A sentence that is never shown.")
        for kind in ActivityKind.allCases {
            for event in kind.kinds {
                let sentence = ActivityPages.sentences[event]
                #expect(sentence.map(messages.has) == true, "\(event.rawValue)")
            }
        }
    }
}
