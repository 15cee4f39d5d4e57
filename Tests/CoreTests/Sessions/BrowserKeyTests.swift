import Foundation
import Testing

@testable import CountersignCore

@Suite("Keys of browsers")
struct BrowserKeyTests {
    private let random = SystemRandom()

    @Test
    func `A key goes on with what its last three values began, and with nothing older`() throws {
        var keys = [BrowserKey(random: random)]
        for _ in 0..<4 { keys.append(BrowserKey(random: random, after: keys.last)) }
        let proofs = keys.map { $0.proof(for: "form", ["a", "b"]) }
        let last = try #require(keys.last)
        #expect(proofs.map { last.admits(proof: $0, for: "form", ["a", "b"]) } == [false, true, true, true, true])
        #expect(keys.map { last.admits(digest: $0.digest) } == [false, true, true, true, true])
        #expect(!last.admits(proof: proofs[4], for: "attempt", ["a", "b"]))
        #expect(!last.admits(proof: proofs[4], for: "form", ["ab", ""]))
        #expect(!last.admits(proof: "", for: "form", ["a", "b"]))
    }

    @Test
    func `A cookie's value is read back, and nothing else is a key`() throws {
        let key = BrowserKey(random: random, after: BrowserKey(random: random))
        let text = key.cookie.reveal()
        #expect(try #require(BrowserKey(cookie: text)).all.map { $0.reveal() } == key.all.map { $0.reveal() })
        let long = Array(repeating: key.present.reveal(), count: 5).joined(separator: ".")
        for other in ["", ".", text + ".", String(text.dropLast()), text + "A", long, "../../etc", text + ".\u{0}"] {
            #expect(BrowserKey(cookie: other) == nil, "\(other)")
        }
    }
}
