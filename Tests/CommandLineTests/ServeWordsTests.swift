import ArgumentParser
import CountersignServer
import Testing

@testable import countersign

/// Words that a start reads without the parser.
@Suite struct ServeWordsTests {
    @Test(arguments: [
        [] as [String], ["--data", "/var/lib/countersign", "--listen", "127.0.0.1:0", "--log-level=warning"],
        ["--config", "/etc/countersign.yaml", "--dev", "--no-dev-on-network"], ["--config=a b.yaml"],
        ["--public-url", "https://a.example?b=c", "--public-url=https://d.example", "--no-log-access"],
        ["--proxy-trusted", "127.0.0.1", "--proxy-trusted", "10.0.0.0/8,::1", "--tls-ended-by-proxy"],
    ])
    func `They say what the parser reads in them`(words: [String]) throws {
        let plain = try #require(ServeWords(words[...]))
        let parsed = try Serve.parse(words)
        #expect(plain.flags == parsed.flags)
        #expect(plain.file == parsed.config)
    }

    @Test func `Every option of a start is one of them`() throws {
        let named = Set(
            Countersign.helpMessage(for: Serve.self, columns: 1000).matches(of: /--[a-z-]+/).map { String($0.output) })
        let ofTheParser: Set = ["--check", "--json", "--help", "--version"]
        #expect(named.isSuperset(of: ["--config", "--data", "--no-dev", "--tracing-url"]))
        for option in named.subtracting(ofTheParser) {
            let words = [[option], [option, "1"]].first { ServeWords($0[...]) != nil }
            let plain = try #require(words.flatMap { ServeWords($0[...]) }, "\(option)")
            let parsed = try Serve.parse(words)
            #expect(plain.flags == parsed.flags && plain.file == parsed.config, "\(option)")
        }
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["--check"], ["--check", "--json"], ["help"], ["--data"], ["--data", "--dev"],
        ["--data="], ["--data", ""], ["--data", "-"], ["--data", "a", "--data", "b"], ["data", "a"],
        ["--no-data", "a"], ["--config", "a", "--config", "b"], ["--dev", "--no-dev"], ["--dev", "--dev"],
        ["--dev=true"], ["--dev", "more"], ["--", "--dev"], ["--datta", "a"],
    ])
    func `All others are for the parser`(words: [String]) {
        #expect(ServeWords(words[...]) == nil)
    }
}
