import Testing
import WebPages

@testable import AdminServer
@testable import ConsoleServer

/// What readers of the log look for.
@Suite("Groups of events in the console")
struct LogGroupTests {
    @Test func `Every event that has a sentence can be looked for, and every group`() throws {
        let events = Messages.ofServer.keys.filter {
            $0.hasPrefix("event") && $0.dropFirst(5).first?.isUppercase == true
        }
        #expect(Set(EventKinds.all.map { WordFamily.key("event", $0) }) == Set(events))
        for kind in LogPages.groups.flatMap(\.value) { try EventKinds.require(kind) }
    }

    @Test(arguments: [
        ("nope", "Kinds begin with admin-token, "), ("sign-in.suceeded", "Did you mean sign-in.succeeded?"),
        ("signin", "Did you mean sign-in?"), ("sign", "Did you mean sign-in?"), ("", "Kinds begin with"),
        ("sign-in.", "Did you mean sign-in?"), ("Sign-In", "Did you mean sign-in?"),
    ])
    func `A kind that there is not is refused with those that there are`(kind: String, words: String) {
        let error = #expect(throws: AdministrationError.self) { try EventKinds.require(kind) }
        #expect(error?.code == .invalid && error?.message.contains(words) == true, "\(String(describing: error))")
    }

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
