import CountersignCore
import Foundation
import Testing

@testable import WebPages

@Suite("What a form came to")
struct PageOutcomeTests {
    private let now = Date(timeIntervalSince1970: 1_795_000_000)
    private let random = SystemRandom()

    @Test func `It is read in its browser, also after a sign-in, and in no other one`() throws {
        let key = BrowserKey(random: random)
        let outcome = PageOutcome(["ended": "1"], on: "/done", at: now)
        let sealed = try #require(try outcome.sealed(in: key, random))
        #expect(PageOutcome.open(sealed, in: key, at: now) == outcome)
        let renewed = BrowserKey(random: random, after: key)
        #expect(PageOutcome.open(sealed, in: renewed, at: now) == outcome)
        #expect(PageOutcome.open(sealed, in: BrowserKey(random: random), at: now) == nil)
        #expect(PageOutcome.open(String(sealed.dropLast(4)) + "AAA=", in: key, at: now) == nil)
        #expect(try outcome.sealed(in: key, random) != sealed)
    }

    @Test func `It is over after five minutes, and what waits for a proof after half an hour`() throws {
        let key = BrowserKey(random: random)
        let page = "/account/profile"
        for (outcome, seconds) in [
            (PageOutcome(notice: "profileSaved", on: page, at: now), 300.0), (PageOutcome([:], on: page, at: now), 300),
            (PageOutcome(notice: "accountConfirmedTyped", afterProofOn: page, typed: ["name": "Zoë"], at: now), 1800),
        ] {
            let sealed = try #require(try outcome.sealed(in: key, random))
            #expect(PageOutcome.open(sealed, in: key, at: now + (seconds - 1)) == outcome)
            #expect(PageOutcome.open(sealed, in: key, at: now + seconds) == nil)
        }
    }

    @Test func `What is longer than a cookie may be is not carried`() throws {
        let key = BrowserKey(random: random)
        for (count, isCarried) in [(1200, true), (2000, false)] {
            let typed = ["name": String(repeating: "x", count: count)]
            let sealed = try PageOutcome(notice: "accountConfirmedTyped", afterProofOn: "/x", typed: typed, at: now)
                .sealed(in: key, random)
            #expect((sealed != nil) == isCarried && (sealed?.utf8.count ?? 0) <= 2048)
        }
    }
}
