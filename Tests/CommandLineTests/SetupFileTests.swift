import AdminServer
import CountersignCore
import Dispatch
import Foundation
import JSON
import Synchronization
import Testing

@testable import countersign

/// The file of `apply`: what is wrong is told with its line, all at once.
@Suite struct SetupFileTests {
    private func faults(_ yaml: String) -> [String] {
        do {
            _ = try Setup(yaml: yaml)
            return []
        } catch {
            return error.faults.map { "\($0.line): \($0.text)" }
        }
    }

    @Test(arguments: [
        ("", "1: the file is empty"),
        ("- a", "1: a set-up has sections such as `applications:`"),
        ("groups: []", "1: `version: 1` is missing"),
        ("version: 2", "1: this program reads version 1 of the form"),
        ("version: 1\napplication: []", "2: there is no \"application\" here; did you mean applications?"),
        ("version: 1\ngroups: {group: a}", "2: groups is a list: each entry begins with a hyphen"),
        ("version: 1\nsettings: [a]", "2: settings are names with values, such as `passwords.minimumLength: 12`"),
        ("version: 1\ngroups:\n  - staff", "3: an entry has members, such as `group: …`"),
        ("version: 1\ngroups:\n  - summary: x", "3: `group` is missing, or no text"),
        ("version: 1\napplications:\n  - id: 7", "3: `id` is missing, or no text"),
        (
            "version: 1\napplications:\n  - id: a\n    redirectURI: x",
            "4: there is no \"redirectURI\" here; did you mean redirectURIs?"
        ),
        ("version: 1\napplications:\n  - id: a\n    isFirstParty: 1", "4: isFirstParty is true or false"),
        ("version: 1\napplications:\n  - id: a\n    displayName: 12", "4: displayName is a text: put it in quotes"),
        ("version: 1\napplications:\n  - id: a\n    scopes: openid", "4: scopes is a list"),
        (
            "version: 1\napplications:\n  - id: a\n    scopes:\n      - openid\n      - 3",
            "6: scopes[1] is a text: put it in quotes"
        ),
        ("version: 1\napplications:\n  - id: a\n    defaultMaxAge: soon", "4: defaultMaxAge is a number"),
        (
            "version: 1\napplications:\n  - id: a\n    attributes:\n      - name: city\n        type: string",
            "5: attributes[0].isRequired is missing"
        ),
        (
            "version: 1\napplications:\n  - id: a\n    versions:\n      - version: \"1\"\n        mandatoryScop: x",
            "6: there is no \"mandatoryScop\" here; did you mean mandatoryScope?"
        ),
        (
            "version: 1\napplications:\n  - id: a\n    secret: hunter2",
            "4: a secret does not stand in the file: write `{file: PATH}`, `{environment: NAME}`, or `generate`"
        ),
        (
            "version: 1\napplications:\n  - id: a\n    hasSecret: true",
            "4: there is no \"hasSecret\" here"
        ),
        (
            "version: 1\nresources:\n  - uri: https://a.example\n    expecting: x",
            "4: there is no \"expecting\" here"
        ),
        ("version: 1\ngroups:\n  - group: a\n  - group: a", "4: the group a is in line 3 already"),
        ("version: 1\nsettings:\n  a.b: 1\n  a:\n    b: 2", "5: the setting a.b is in line 3 already"),
        ("version: 1\ngroups:\n  - group: [a\n    summary: b\n", "4: this is no YAML: did not find expected"),
        ("version: 1\n\tgroups: []", "2: this is no YAML: found a tab character"),
    ])
    func `A fault is told with its line`(yaml: String, fault: String) {
        #expect(faults(yaml).count == 1, "\(faults(yaml))")
        #expect(faults(yaml).first?.hasPrefix(fault) == true, "\(faults(yaml))")
    }

    @Test func `All faults are told at once in the order of the file`() {
        let found = faults(
            "version: 1\ngruops: []\napplications:\n  - id: a\n    secret: x\n    kund: web\n  - scopes: 1\nresources: 7\n"
        )
        #expect(found.map { $0.prefix { $0 != ":" } } == ["2", "5", "6", "7", "8"], "\(found)")
        #expect(!found.joined().contains("x\""))
    }

    @Test func `A member that is there twice is a fault`() {
        #expect(faults("version: 1\ngroups:\n  - group: a\n    group: b\n").first?.contains("twice: group") == true)
    }

    @Test func `An alias is what it stands for and a file that grows by aliases is refused`() throws {
        let setup = try Setup(yaml: "version: 1\ngroups:\n  - group: &name staff\n    summary: *name\n")
        #expect(setup.entries.first?.members["summary"] == "staff")
        var bomb = "version: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<8 {
            let list = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            bomb += "a\(level): &a\(level) [\(list)]\n"
        }
        #expect(faults(bomb).first?.contains("there are too many values") == true)
    }

    @Test func `Values that are nested without end are refused where they are`() {
        for opening in ["[", "{a: ", "- ", "? "] {
            let separator = opening.hasPrefix("-") || opening.hasPrefix("?") ? "\n  " : " "
            let endless = "version: 1\ngroups:" + separator + String(repeating: opening, count: 100_000)
            #expect(faults(endless) == ["\(separator == " " ? 2 : 3): values are nested too deeply"], "\(opening)")
        }
        let deep = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        #expect(faults("version: 1\ngroups: \(deep)\n") == ["2: values are nested too deeply"])
        let indented = (0..<300).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
        #expect(faults("version: 1\n" + indented) == ["18: values are nested too deeply"])
    }

    /// To Swift a quotation mark with a mark upon it, or behind a sign that binds, is another character.
    @Test func `A text is the same after it was written and read whatever is put upon its signs`() throws {
        let texts = [
            "\"\u{301}: x", "\u{D4E}\"\u{D4E}\n  - group: ops", "\\\u{301}\"", "a\r\nb", "'\u{301}", "#\u{301}",
            "{\u{301}x: y}",
            "é", "e\u{301}", "\u{37E}", "\u{212A}", "x\u{2028}y", "\u{200D}\"\u{FE0F}",
            "a\u{FFFE}b\u{FFFF}", "\u{7F}\u{80}\u{85}\u{9F}", "a\u{FEFF}\u{1FFFE}", "\u{E000}\u{FFFD}",
        ]
        let written = texts.enumerated().map { number, text in
            Setup.Entry(
                kind: .groups, name: "g\(number)", members: ["group": .string("g\(number)"), "summary": .string(text)])
        }
        let read = try Setup(yaml: Setup(entries: written).yaml)
        for (number, text) in texts.enumerated() {
            guard case .string(let summary)? = read.entry(.groups, "g\(number)")?.members["summary"] else {
                Issue.record("\(number) is not there.")
                continue
            }
            #expect(Array(summary.utf8) == Array(text.utf8), "\(text.debugDescription)")
        }
    }

    /// Of a token that only reads: the file changes nothing where it is applied (docs/decisions/0535).
    @Test func `What the server did not show is left out of the file and is no difference to what is there`() throws {
        func entries(_ pin: String, _ plan: String) -> [Setup.Entry] {
            let check: JSONValue = .object(["PinCodeAttempts": .object(["pinCode": .string(pin)])])
            let version: JSONValue = .object(["version": "1.0.0", "securityCheckConfigurations": check])
            let claim: JSONValue = .object(["id": "plan", "value": .string(plan)])
            return [
                Setup.Entry(
                    kind: .applications, name: "app",
                    members: ["id": "app", "displayName": "<secret> store", "versions": .array([version])]),
                Setup.Entry(
                    kind: .extensions, name: "claims https://a.example/",
                    members: ["event": "claims", "targetURL": "https://a.example/", "claims": .array([claim])]),
            ]
        }
        let shown = Setup(entries: entries("1234", "gold")).yaml
        #expect(shown.contains("pinCode") && shown.contains("gold") && !shown.contains("left out"))
        let yaml = Setup(entries: entries("<secret>", "<secret>")).yaml
        #expect(yaml.contains("    # versions is left out: ") && yaml.contains("    # claims is left out: "), "\(yaml)")
        #expect(!yaml.contains("\"<secret>\""), "\(yaml)")
        let value = try LocatedYAML(yaml).value
        #expect(value["applications"] == .array([.object(["id": "app", "displayName": "<secret> store"])]))
        #expect(
            value["extensions"] == .array([.object(["event": "claims", "targetURL": "https://a.example/"])]), "\(value)"
        )
    }

    @Test func `No two applications have their secret from one variable`() {
        let entries = ["a-b", "a_b", "a.b", "A B", "a_b_2"].map {
            Setup.Entry(kind: .applications, name: $0, members: ["id": .string($0)], hasSecret: true)
        }
        let found = Setup(entries: entries).yaml.matches(of: /environment: (SECRET_OF_\w+)/).map { String($0.1) }
        #expect(found.count == entries.count && Set(found).count == entries.count, "\(found)")
    }

    @Test func `A name that grows by aliases is given up`() {
        var bomb = "version: 1\na0: &a0 [x, x]\n"
        for level in 1..<18 { bomb += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        bomb += "? *a17\n: 1\n"
        #expect(throws: LocatedYAML.Fault.self) { try LocatedYAML(bomb, patience: .milliseconds(1)) }
    }

    @Test(arguments: [
        ("version: 1\ngroups:\n  - *staff\n", "3: this is no YAML: found undefined alias"),
        ("version: 1\n---\nversion: 1\n", "2: this is no YAML: but found another document"),
        ("version: 1\ngroups: &a\n  - *a\n", "3: this is no YAML: found undefined alias"),
        ("version: 1\ngroups: [{group: a, group: b}]\n", "2: this is there twice: group"),
        ("version: 1\n? [a, b]\n: c\n", "2: a name is text"),
        ("version: 1\n<<: {groups: []}\n", "2: there is no \"<<\" here"),
        ("version: 1\ngroups:\n  - group: \"a\\0b\"\n    summary: !!binary x\n    x: 1\n", "5: there is no \"x\" here"),
        ("version: 1\ngroups:\n  - {group: a, summary: {x: [1]}}\n", "3: summary is a text"),
        ("version: 1\nsettings: {a: {b: {}}, a: 1}\n", "2: this is there twice: a"),
        ("version: one\n", "1: this program reads version 1"),
    ])
    func `What no one writes by mistake has a line too`(yaml: String, fault: String) {
        #expect(faults(yaml).first?.hasPrefix(fault) == true, "\(faults(yaml))")
    }

    @Test func `A file that is too long is refused unread`() {
        let long = "version: 1\n" + String(repeating: "#", count: LocatedYAML.sizeLimit)
        #expect(faults(long) == ["1: the file has more than 4 MiB"])
    }

    @Test func `Texts are what they are and no guesses of YAML`() throws {
        let yaml = """
            a: no
            b: 1.0
            c: 007
            d: 12
            e: -3
            f: "12"
            g: 2026-11-23
            h: ~
            i: 1e3
            j: true
            k: 0x1F
            l: 0.5
            m: off
            n: '{"x": 1}'
            """
        let value = try LocatedYAML(yaml).value
        let expected: [String: JSONValue] = [
            "a": "no", "b": .number(1), "c": "007", "d": .integer(12), "e": .integer(-3), "f": "12", "g": "2026-11-23",
            "h": .null, "i": "1e3", "j": .bool(true), "k": "0x1F", "l": .number(0.5), "m": "off", "n": #"{"x": 1}"#,
        ]
        #expect(value == .object(expected))
    }

    @Test(arguments: [
        "plain", "yes", "No", "null", "~", "", " leading", "trailing ", "a: b", "- a", "# a", "a #b", "12", "0.5",
        "1e3", "true",
        "it's", "say \"hi\"", "back\\slash", "line\nfeed", "tab\t", "\u{85}\u{2028}\u{feff}", "ü 日本 🙂", "{a}", "[a]",
        "*a", "&a", "!a",
        "|", ">", "%a", "@a", "`a`", "https://a.example/x?y=1#z", "2026-11-23", "0x1F", "a,b", "\u{7}\u{1b}",
        "\u{202E}gpj.exe\u{2066}", "עברית",
    ])
    func `What is written is read back`(text: String) throws {
        let value = JSONValue.object([
            "text": .string(text), "list": .array([.string(text), .integer(1)]), text: "name",
            "nested": .array([
                .object(["a": .object([text: .string(text)]), "b": .array([])]), .array([.string(text)]),
            ]),
            "number": .number(1.5), "nothing": .object([:]),
        ])
        let lines = YAMLText.element(value, first: ["text"], indent: 0)
        let read = try LocatedYAML(lines.joined(separator: "\n"))
        #expect(read.value == .array([value]), "\(lines)")
        #expect(!lines.joined().unicodeScalars.contains { $0.properties.isBidiControl }, "\(lines)")
    }

    @Test func `A byte order mark before a file is no part of it`() throws {
        let marked = try LocatedYAML("\u{FEFF}version: 1\r\ngroups: []\r\n")
        #expect(marked.value == .object(["version": .integer(1), "groups": .array([])]) && marked.line == 1)
    }

    @Test func `A plan leaves alone what the file leaves out and removes by choice what comes later first`() throws {
        func entry(_ kind: Setup.Kind, _ name: String, _ members: [String: JSONValue] = [:]) -> Setup.Entry {
            Setup.Entry(kind: kind, name: name, members: members)
        }
        var present = Setup()
        present.entries = [
            entry(.groups, "old"), entry(.applications, "a", ["displayName": "A", "scopes": .array(["x"])]),
            entry(.applications, "b"), entry(.resources, "r"), entry(.settings, "s", ["value": .integer(1)]),
        ]
        var wanted = Setup()
        wanted.kinds = [.groups, .applications, .settings]
        wanted.entries = [
            entry(.settings, "s", ["value": .integer(2)]),
            entry(.applications, "a", ["displayName": "A", "isFirstParty": .bool(false)]),
            entry(.groups, "new", ["group": "new"]),
        ]
        let plan = SetupPlan(from: present, to: wanted, prunes: false, setsSecrets: false)
        #expect(plan.changes.map { "\($0.action) \($0.name)" } == ["add new", "change s"])
        let pruned = SetupPlan(from: present, to: wanted, prunes: true, setsSecrets: false)
        #expect(pruned.changes.map { "\($0.action) \($0.name)" } == ["add new", "change s", "remove b", "remove old"])
        #expect(plan.changes.last?.differences == [.init(name: "value", before: .integer(1), after: .integer(2))])
    }

    /// Answers as it was told, and refuses to add.
    private final class StubAdministration: Administration {
        let added = Mutex<[AddExtension]>([])
        private let answers: [String: String]

        init(_ answers: [String: String]) { self.answers = answers }

        func perform<Operation: AdministrationOperation>(_ operation: Operation) async throws -> Operation.Answer {
            if let addition = operation as? AddExtension { added.withLock { $0.append(addition) } }
            guard let answer = answers[Operation.name] else { throw AdministrationError(.conflict, "Changed.") }
            return try JSONDecoder().decode(Operation.Answer.self, from: Data(answer.utf8))
        }

        func close() async throws {}
    }

    @Test func `A change of an extension expects what it was compared with`() async throws {
        let made = """
            {"id":"e","listenerID":"l","event":"otp-send","targetURL":"https://a.example/","resourceID":"api://a.example/1",\
            "applications":[],"timeout":900,"retries":0,"onError":"refuse","claims":[],"tokens":["id"],\
            "createdAt":"2026-01-01T00:00:00.000Z"}
            """
        let administration = StubAdministration([
            ListGroups.name: #"{"groups":[]}"#, ListApplications.name: #"{"applications":[]}"#,
            ListResources.name: #"{"resources":[]}"#, ShowSettings.name: #"{"settings":[]}"#,
            ListExtensions.name: #"{"extensions":[\#(made)]}"#,
            ShowExtension.name: #"{"extension":\#(made),"revision":"r1"}"#,
        ])
        let wanted = try Setup(
            yaml: "version: 1\nextensions:\n  - {event: otp-send, targetURL: \"https://a.example/\", timeout: 500}\n")
        let present = try await Setup(of: administration)
        let plan = SetupPlan(from: present, to: wanted, prunes: false, setsSecrets: false)
        var work = SetupWork(administration: administration, secrets: [:], losesPasskeys: false)
        do {
            try await work.perform(plan.changes)
            Issue.record("Nothing was refused.")
        } catch let refusal as SetupWork.Refusal {
            #expect(refusal.isByOthers)
        }
        let added = administration.added.withLock { $0 }
        #expect(added.map(\.expecting) == ["r1"] && added.map(\.replaces) == ["e"] && added.first?.timeout == 500)
    }

    @Test(
        arguments: [
            ("web", nil, ["authorization_code", "refresh_token"], true), ("web", nil, ["client_credentials"], false),
            (nil, nil, ["authorization_code", "refresh_token"], true), ("service", nil, ["client_credentials"], true),
            ("web", "service", ["authorization_code", "refresh_token"], false),
        ] as [(String?, String?, [String], Bool)])
    func `An empty list of grants stands for those of the kind, and changes nothing where they are there`(
        _ kind: String?, _ wantedKind: String?, _ grants: [String], _ isSame: Bool
    ) {
        func set(_ kind: String?, _ grants: [String]) -> Setup {
            var members: [String: JSONValue] = ["grantTypes": .array(grants.map { .string($0) })]
            members["kind"] = kind.map { .string($0) }
            var setup = Setup()
            setup.entries = [Setup.Entry(kind: .applications, name: "a", members: members)]
            return setup
        }
        let plan = SetupPlan(
            from: set(kind, grants), to: set(wantedKind, []), prunes: false, setsSecrets: false)
        #expect(!plan.changes.flatMap(\.differences).contains { $0.name == "grantTypes" } == isSame)
    }
}
