import Testing
import WebPages

@testable import ConsoleServer

/// What readers of the log look for.
@Suite("Groups of events in the console")
struct LogGroupTests {
    @Test func `Every event that has a sentence is in a group`() throws {
        let messages = Messages.ofServer
        let events = messages.keys.filter { $0.hasPrefix("event") && $0.dropFirst(5).first?.isUppercase == true }
        #expect(events.count > 80)
        let kinds = LogPages.groups.flatMap(\.value).map { WordFamily.key("event", $0) }
        for event in events {
            let isThere = kinds.contains {
                event.hasPrefix($0) && event.dropFirst($0.count).first?.isUppercase != false
            }
            #expect(isThere, "\(event)")
        }
        for group in LogPages.groups {
            #expect(messages.has(WordFamily.key("logGroup", group.key)))
            #expect(group.value.contains(group.key), "A link names the kind itself.")
        }
    }
}
