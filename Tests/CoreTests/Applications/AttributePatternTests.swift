import Foundation
import Testing

@testable import CountersignCore

@Suite("Patterns of attributes")
struct AttributePatternTests {
    @Test(
        arguments: [
            // The example of the documents.
            ("^[1-9][0-9]*$", ["1", "10", "90210"], ["", "0", "01", "1a", " 1", "1\n"]),
            (".*@.*$", ["a@b", "@", "x\n@"], ["ab"]),
            ("a", ["a", "bab"], ["", "b"]),
            ("^a|b$", ["ax", "xb"], ["xa", "bx"]),
            ("^(a|b)+$", ["a", "abba"], ["", "abc"]),
            ("^(?:ab)?c$", ["c", "abc"], ["ac", "bc"]),
            ("^(|a)b$", ["b", "ab"], ["aab"]),
            ("^a{2}$", ["aa"], ["a", "aaa"]), ("^a{2,}$", ["aa", "aaaa"], ["a"]),
            ("^a{1,3}$", ["a", "aaa"], ["", "aaaa"]), ("^a{0}b$", ["b"], ["ab"]),
            ("^a+?b*?$", ["a", "aab"], ["b"]),
            ("^\\d{5}(-\\d{4})?$", ["12345", "12345-6789"], ["1234", "12345-", "1２345"]),
            ("^\\w+\\s\\S$", ["ab_1 x", "a\u{3000}é"], ["é x", "a  "]),
            ("^\\D\\W$", ["a-", "é!"], ["1-", "aa"]),
            ("^[a-fA-F0-9_.-]+$", ["Ab.0-_"], ["g", ""]),
            ("^[^0-9]+$", ["abc", "é\n"], ["a1", ""]),
            ("^[\\]\\\\^-]$", ["]", "\\", "^", "-"], ["a"]),
            ("^[\\d\\s]+$", ["1 2"], ["1a"]), ("^[]$", [], ["", "a"]), ("^[^]$", ["a", "\n"], [""]),
            ("^.$", ["é", "日", "👩"], ["\n", "ab", "\u{2028}"]),
            ("^\\u00e9\\x41$", ["éA"], ["eA"]), ("^\\$\\{\\}\\/$", ["${}/"], ["$"]), ("^}]$", ["}]"], [""]),
            ("()*", ["", "x"], []), ("^(a*)*$", ["", "aaa"], ["b"]), ("^(a|^)*b$", ["b", "aab"], ["a"]),
            ("((){500}){500}", ["", "x"], []), ("x*$", ["", "y"], []), ("a^b", [], ["ab"]), ("$^", [""], ["a"]),
        ] as [(String, [String], [String])])
    func `What matches, as in ECMAScript`(pattern: String, right: [String], wrong: [String]) throws {
        let pattern = try AttributePattern(pattern)
        for text in right { #expect(pattern.matches(text), "\(text)") }
        for text in wrong { #expect(!pattern.matches(text), "\(text)") }
    }

    @Test
    func `It says the same as Swift's own expressions, of random texts and patterns`() throws {
        let random = SeededRandom(seed: 7)
        let atoms = ["a", "b", ".", "[ab]", "[^a]", "(a|b)", "(?:ab)", "\\w", "(a|)"]
        let tails = ["", "", "*", "+", "?", "{2}", "{1,2}", "{0,1}"]
        func pick(_ list: [String]) -> String { list[random.number(below: list.count)] }
        for _ in 0..<400 {
            var text = pick(["^", ""])
            for _ in 0..<(1 + random.number(below: 4)) { text += pick(atoms) + pick(tails) }
            text += pick(["$", ""])
            let ours = try AttributePattern(text)
            let theirs = try Regex(text)
            for _ in 0..<20 {
                let value = (0..<random.number(below: 7)).map { _ in pick(["a", "b", "c"]) }.joined()
                #expect(ours.matches(value) == (value.firstMatch(of: theirs) != nil), "\(text) of \(value)")
            }
        }
    }

    @Test(
        arguments: [
            ("", "empty"), (String(repeating: "a", count: 257), "256 characters"), (".*@.**$", "nothing before it"),
            ("*a", "nothing before it"), ("(a", "no )"), ("a)", "no ("), ("[a", "no ]"), ("[b-a]", "range"),
            ("[a-\\d]", "range"), ("a{", "numbers to 500"), ("a{2,1}", "numbers to 500"), ("a{,2}", "numbers to 500"),
            ("a{501}", "numbers to 500"), ("a{99999999999999999999}", "numbers to 500"), ("{2}", "\\{"),
            ("(a{30}){30}", "500 steps"), ("((a?){25}){25}", "500 steps"), ("a\\", "ends with"), ("\\1", "\\1"),
            ("(a)\\k<n>", "\\k"), ("\\bword", "\\b"), ("\\p{L}", "\\p"), ("(?=a)", "(?"), ("(?<=a)", "(?"),
            ("(?<n>a)", "(?"), ("^*", "not repeated"), ("\\u12", "four"), ("\\ud800", "four"), ("\\é", "\\é"),
            (String(repeating: "(", count: 21) + String(repeating: ")", count: 21), "20 groups"),
        ])
    func `What is not taken, and why`(pattern: String, reason: String) {
        do {
            _ = try AttributePattern(pattern)
            Issue.record("taken")
        } catch {
            #expect(error.description.contains(reason), "\(error)")
        }
    }

    /// Each of these takes an engine that goes back more time than there is; here it is a second at the very most.
    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            "^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a?){100}a{100}$",
            "^(\\w+\\s?)*$", "((a*)*)*b", "(x+x+)+y",
        ])
    func `No pattern and no text take long`(pattern: String) throws {
        let pattern = try AttributePattern(pattern)
        #expect(!pattern.matches(String(repeating: "a", count: 1023) + "!"))
        _ = pattern.matches(String(repeating: "x", count: 1024))
    }

    @Test
    func `A pattern that cannot be read admits nothing; what has none admits all`() throws {
        var attribute = ApplicationRegistration.Attribute(name: "a", type: "string", isRequired: true)
        #expect(attribute.admits("x") && attribute.admits(.integer(1)))
        attribute.pattern = "^x$"
        #expect(attribute.admits("x") && !attribute.admits("y"))
        attribute.pattern = "("
        #expect(!attribute.admits("("))
    }

    @Test
    func `Attributes from before there were patterns have none`() throws {
        let old = try JSONDecoder().decode(
            ApplicationRegistration.Attribute.self, from: Data(#"{"name":"a","type":"string","isRequired":true}"#.utf8))
        #expect(old.pattern == nil)
        let new = ApplicationRegistration.Attribute(name: "a", type: "string", isRequired: true, pattern: "^a$")
        #expect(
            try JSONDecoder().decode(ApplicationRegistration.Attribute.self, from: JSONEncoder().encode(new)) == new)
    }
}
