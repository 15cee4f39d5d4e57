import Foundation
import Testing

@testable import CountersignCore

@Suite("What others are told of a transaction")
struct TransactionNotesTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func message(by channel: OutboxMessage.Channel, to recipient: String) -> OutboxMessage {
        OutboxMessage(
            id: recipient, channel: channel, recipient: recipient, createdAt: now, nextAttemptAt: now,
            sealedContent: Data())
    }

    private func grant(of application: String, revokedAt: Date? = nil) -> Grant {
        Grant(
            id: GrantID(rawValue: "grant"), sessionID: SessionID(rawValue: "session"), userID: UserID(rawValue: "ada"),
            clientID: ClientID(rawValue: application), dialect: .oauth, createdAt: now, expiresAt: now + 100,
            revokedAt: revokedAt, refresh: RefreshTokenState(currentDigest: Data()))
    }

    @Test
    func `Devices and pages, in front of which people wait, are woken before deliveries`() {
        var notes = TransactionNotes()
        notes.inserted(message(by: .email, to: "ada@example.com"))
        notes.inserted(message(by: .push, to: "asked"))
        notes.decided(attempt: Data([1]))
        notes.removed(factor: FactorID(rawValue: "removed"))
        let topics = notes.topics
        #expect(Set(topics.prefix(2)) == ["device/asked", "device/removed"])
        #expect(topics.dropFirst(2).first == FlowHandle.topic(Data([1])))
        #expect(Set(topics.dropFirst(3)) == ["outbox/email", "outbox/push"])
    }

    @Test
    func `A grant that ends is no use of its application, and an application that is removed was not used`() {
        var notes = TransactionNotes()
        for application in ["removed", "opened"] { notes.inserted(grant(of: application)) }
        notes.updated(grant(of: "ended", revokedAt: now))
        notes.updated(grant(of: "refreshed"))
        notes.removed(application: ClientID(rawValue: "removed"))
        #expect(notes.used.map(\.application.rawValue) == ["opened", "refreshed"])
        #expect(notes.removedApplications.map(\.rawValue) == ["removed"])
    }
}
