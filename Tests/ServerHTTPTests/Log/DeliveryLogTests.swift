import CountersignCore
import Foundation
import ServerHTTP
import Testing

@testable import CountersignServer

/// What the log says of messages and hooks.
@Suite struct DeliveryLogTests {
    @Test func `Attempts and pauses are numbers in a line of JSON`() {
        let log = WrittenLog()
        let message = OutboxMessage(
            id: "m1", channel: .email, recipient: "ada@example.com", createdAt: Date(timeIntervalSince1970: 0),
            attempts: 2, nextAttemptAt: Date(timeIntervalSince1970: 60), sealedContent: Data())
        let note = DeliveryService.note(in: log.logger, ChannelHealth())
        for _ in 1...3 { note(.postponed(message, reason: "smtp-timeout", seconds: 8.2)) }
        note(.failed(message, reason: "smtp-550", isGivenUp: false))
        HookService.note(in: log.logger)(.postponed(hook: "h1", reason: "timeout", seconds: 8.2))

        let metadata = log.lines.map { $0.components(separatedBy: "\"metadata\":").last ?? "" }
        let postponed =
            #"{"againInSeconds":9,"attempt":2,"channel":"email","message":"m1","reason":"smtp-timeout"}}"# + "\n"
        #expect(
            metadata == [
                postponed, postponed, postponed,
                #"{"attemptsInVain":3,"channel":"email","reason":"smtp-timeout"}}"# + "\n",
                #"{"attempt":2,"channel":"email","message":"m1","reason":"smtp-550"}}"# + "\n",
                #"{"againInSeconds":9,"hook":"h1","reason":"timeout"}}"# + "\n",
            ])
        #expect(!log.lines.joined().contains("ada@"))
    }

    @Test func `Refused messages and events are thirty lines a minute, and the next says how many were left out`() {
        let (log, time) = (WrittenLog(), MovedTime())
        let message = OutboxMessage(
            id: "m1", channel: .email, recipient: "ada@example.com", createdAt: Date(timeIntervalSince1970: 0),
            attempts: 1, nextAttemptAt: Date(timeIntervalSince1970: 60), sealedContent: Data())
        let messages = DeliveryService.note(in: log.logger, ChannelHealth(), now: { time.now })
        let hooks = HookService.note(in: log.logger, now: { time.now })
        func happen(_ count: Int) {
            for _ in 0..<count {
                messages(.failed(message, reason: "smtp-550", isGivenUp: false))
                hooks(.givenUp(hook: "h1", event: "e1", reason: "400"))
            }
        }
        happen(45)
        #expect(log.lines.count == 60)
        time.pass(.seconds(60))
        happen(1)
        #expect(log.lines.count == 62)
        #expect(log.lines.suffix(2).allSatisfy { $0.contains(#""leftOut":15"#) }, "\(log.lines.suffix(2))")
    }

    private struct Away: Error {}

    @Test func `A database that is away is warned of once a minute however many look for it`() {
        let log = WrittenLog()
        let (messages, hooks) = (
            DeliveryService.note(in: log.logger, ChannelHealth()), HookService.note(in: log.logger)
        )
        for _ in 1...4 {
            messages(.trouble(Away()))
            hooks(.trouble(Away()))
        }
        #expect(log.lines.count == 2, "\(log.lines)")

        let (pace, start) = (WarningPace(), ContinuousClock.now)
        #expect(pace.isDue(at: start))
        #expect(!pace.isDue(at: start + .seconds(59)))
        #expect(pace.isDue(at: start + .seconds(60)))
        #expect(!pace.isDue(at: start + .seconds(61)))
    }
}
