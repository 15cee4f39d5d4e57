import CoreTestSupport
import Foundation
import ServerHTTP
import Testing

@testable import AdminServer
@testable import CountersignCore

/// What the log shows of changes. A stored document with a member that nobody has thought about fails here.
@Suite struct AuditedMembersTests {
    /// A kind of document, and where it lies in another one that decodes it by itself.
    private struct Document: Sendable {
        let name: String
        let type: any (Decodable & Sendable).Type
        let path: String
        let audited: AuditedMembers

        init(
            _ name: String, _ type: any (Decodable & Sendable).Type, at path: String = "", _ audited: AuditedMembers
        ) {
            (self.name, self.type, self.path, self.audited) = (name, type, path, audited)
        }
    }

    private static let documents = [
        Document("application", ApplicationRegistration.self, .application),
        // Which of the two it has, its maker says.
        Document("origin", SelfRegistration.self, at: "oauth.origin.registration", .application),
        Document("resource", Resource.self, .resource),
        Document("hook", EventHook.Registration.self, .hook),
        Document("extension", CustomExtension.self, .customExtension),
        Document("settings", RealmSettings.self, .settings),
    ]

    /// Members that are there as more than what their decoder asks for; each has a row above, or is read by a test below.
    private static let openMembers: Set<String> = ["oauth.origin"]

    /// The names of all values of a document, as the log has them.
    private static func names(_ schema: JSONValue, _ path: String, open: inout Set<String>) -> Set<String> {
        func inner(_ part: String) -> String { path.isEmpty ? part : "\(path).\(part)" }
        var names: Set<String> = []
        if case .object(let members)? = schema["properties"] {
            for (name, member) in members { names.formUnion(Self.names(member, inner(name), open: &open)) }
            if schema["additionalProperties"] == .bool(true) { open.insert(path) }
            return names
        }
        if let values = schema["additionalProperties"], case .object = values {
            return Self.names(values, inner("*"), open: &open)
        }
        if let elements = schema["items"] { return Self.names(elements, path, open: &open) }
        return [path]
    }

    @Test func `Each member of a stored document is shown, told by a digest, concealed or left out on purpose`() {
        var listed: [String: (AuditedMembers, Set<String>)] = [:]
        for document in Self.documents {
            var open: Set<String> = []
            let names = Self.names(JSONSchema(of: document.type).value, document.path, open: &open)
            #expect(names.count >= 4, "\(document.name): \(names)")
            for name in names.sorted() {
                #expect(
                    document.audited.treatment(of: name) != nil,
                    "\(document.name) has a member \(name) that no list in AuditedMembers names: is it secret?")
            }
            let unseen = open.subtracting(Self.openMembers).filter {
                [nil, .shown].contains(document.audited.treatment(of: $0))
            }
            #expect(unseen == [], "\(document.name): what these have cannot be seen")
            let key = document.path.isEmpty ? document.name : "application"
            listed[key] = (document.audited, (listed[key]?.1 ?? []).union(names))
        }
        // What was renamed or removed leaves no name behind.
        for (name, (audited, present)) in listed {
            for own in audited.names where !["oauth.origin.uri"].contains(own) {
                #expect(
                    present.contains { $0 == own || $0.hasPrefix(own + ".") }, "\(name) has no member \(own) any more")
            }
        }
    }

    @Test func `The schema of a type shows members that no list names`() {
        struct Grown: Codable, Sendable {
            var url: String
            var apiKey: String?
            var inner: Inner?
            struct Inner: Codable, Sendable { var token: String }
        }
        var open: Set<String> = []
        let names = Self.names(JSONSchema(of: Grown.self).value, "", open: &open)
        #expect(names == ["url", "apiKey", "inner.token"])
        #expect(Set(names.filter { AuditedMembers.hook.treatment(of: $0) == nil }) == ["apiKey", "inner.token"])
    }

    @Test func `What no list names appears as changed, and what is listed as it is listed`() throws {
        struct Grown: Codable {
            var name: String
            var key: String
            var formerly: String?
            var password: String?
            var list: [Element]
            var texts: [String: String]
            struct Element: Codable {
                var id: String
                var secret: String
            }
        }
        let audited = AuditedMembers(
            shown: ["name", "list.id", "texts.*"], digested: ["key"], omitted: ["formerly"])
        let before = Grown(name: "a", key: "public", formerly: "x", password: nil, list: [], texts: [:])
        let after = Grown(
            name: "b", key: "other", formerly: "y", password: "hunter2-hunter2",
            list: [.init(id: "one", secret: "s3cret")], texts: ["de": "Lesen"])
        let difference = try AuditDifference(from: before, to: after, audited)
        #expect(difference.before["name"] == "a" && difference.after["name"] == "b")
        #expect(difference.after["password"] == "changed" && difference.before["password"] == nil)
        #expect(difference.after["list"] == .array([.object(["id": "one", "secret": "changed"])]))
        #expect(difference.after["texts.de"] == "Lesen")
        #expect(difference.after["formerly"] == nil)
        let key = try #require(difference.after["key"]?.stringValue)
        #expect(key.contains("SHA-256") && difference.before["key"] != difference.after["key"])
        let text = String(decoding: try JSONValue.object(difference.details).jsonText(), as: UTF8.self)
        for secret in ["hunter2", "s3cret", "public", "other"] { #expect(!text.contains(secret), "\(text)") }
        #expect(try AuditDifference(from: after, to: after, audited).details.isEmpty)
    }

    /// Paths and queries of the addresses of services are secrets as often as not.
    @Test func `The log says where a service is, and no more of its address`() async throws {
        let test = try await TestRealm.make()
        let hook = try await test.realm.eventHooks.add(
            EventHook.Registration(url: "https://hooks.example.com:8443/in/s3cret?code=s3cret", events: [.users]),
            by: test.client
        ).get().hook
        var change = EventHooks.Change()
        change.url = "https://hooks.example.com/s3cret-too"
        _ = try await test.realm.eventHooks.change(hook.id, change, by: test.client).get()
        _ = try await test.realm.customExtensions.add(
            CustomExtensions.Registration(
                event: .tokenIssuanceStart, targetURL: "https://api.example.com/claims/s3cret"), by: test.client)
        let events = try await test.realm.auditLog.events(limit: 10)
        let urls = events.compactMap { $0.details["url"]?.stringValue }
        #expect(
            Set(urls) == [
                "https://hooks.example.com:8443", "https://hooks.example.com", "https://api.example.com",
            ])
        // Events of before had all of it.
        let whole = JSONValue.string("https://ada:s3cret@hooks.example.com/s3cret")
        let before = AuditEvent(
            id: "1", at: test.now, kind: .hookChanged, userID: nil, context: test.client,
            details: ["url": whole, "before": .object(["url": whole, "name": "a"]), "after": .object(["name": "b"])])
        for entry in (events + [before]).map(AuditEntry.init) {
            let text = String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)
            #expect(!text.contains("s3cret"), "\(text)")
        }
        let shown = AuditEntry(before).details
        #expect(shown["url"] == "https://hooks.example.com")
        #expect(
            shown["before"] == .object(["url": "changed", "name": "a"]) && shown["after"] == .object(["name": "b"]))
    }

    @Test func `Another order of a set is no change, and of a list it is one`() throws {
        struct Kinds: Codable {
            var set: [String]
            var list: [String]
        }
        let audited = AuditedMembers(shown: ["set", "list"], sets: ["set"])
        let before = Kinds(set: ["b", "a"], list: ["b", "a"])
        let other = try AuditDifference(
            from: before, to: Kinds(set: ["a", "b"], list: ["a", "b"]), audited)
        #expect(Set(other.after.keys) == ["list"] && other.after["list"] == .array(["a", "b"]))
        let grown = try AuditDifference(from: before, to: Kinds(set: ["c", "b", "a"], list: ["b", "a"]), audited)
        #expect(grown.before == ["set": .array(["a", "b"])] && grown.after == ["set": .array(["a", "b", "c"])])
        for document in Self.documents {
            #expect(document.audited.sets.isSubset(of: document.audited.names), "\(document.name)")
        }
        // A set is encoded in whatever order it has in this process.
        for _ in 0..<20 {
            var (first, second) = (RealmSettings(), RealmSettings())
            first.passwords.required = Set(CharacterKind.allCases)
            for kind in CharacterKind.allCases.reversed() { second.passwords.required.insert(kind) }
            #expect(try AuditDifference(from: first, to: second, .settings).details.isEmpty)
        }
    }

    @Test func `A name within a member that is not shown is not shown either`() {
        let audited = AuditedMembers(shown: ["a", "b.c", "d.*.e"], digested: ["f"], concealed: ["g.h"], omitted: ["i"])
        for (name, treatment) in [
            ("a", .shown), ("a.b", nil), ("b", nil), ("b.c", .shown), ("b.d", nil), ("d.x.e", .shown), ("d.x.f", nil),
            ("f.x.y", .digest), ("g", nil), ("g.h.i", .concealed), ("i.x", .omitted), ("", nil), (".", nil),
        ] as [(String, AuditedMembers.Treatment?)] {
            #expect(audited.treatment(of: name) == treatment, "\(name)")
        }
    }
}
