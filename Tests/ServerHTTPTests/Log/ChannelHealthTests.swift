import CountersignCore
import Testing

@testable import CountersignServer

@Suite struct ChannelHealthTests {
    @Test func `An outage is warned of once a minute and its end is told once`() {
        let health = ChannelHealth()
        let start = ContinuousClock.now
        #expect(health.postponed(.email, at: start) == nil)
        #expect(health.postponed(.email, at: start) == nil)
        #expect(health.postponed(.email, at: start) == 3)
        #expect(health.postponed(.email, at: start + .seconds(59)) == nil)
        #expect(health.postponed(.email, at: start + .seconds(60)) == 5)
        #expect(health.delivered(.email))
        #expect(!health.delivered(.email))
    }

    @Test func `One patient recipient among others is no outage`() {
        let health = ChannelHealth()
        for _ in 0..<10 {
            #expect(health.postponed(.email, at: .now) == nil)
            #expect(health.postponed(.push, at: .now) == nil)
            #expect(!health.delivered(.email) && !health.delivered(.push))
        }
    }
}
