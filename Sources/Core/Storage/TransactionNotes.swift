import Foundation

/// What a transaction did, as far as others are told of it. Applications are told of sessions that ended in the transaction itself; those who wait,
/// the statistics and the notes of uses hear of it after the commit.
struct TransactionNotes {
    /// Sessions that were ended, in whatever way, or left their browser; and what ended of one that goes on.
    private(set) var endings: [SessionEnding] = []

    /// Applications that got something of a user's session, or more of it.
    private(set) var used: [UseNotes.Key] = []

    /// Applications that were removed.
    private(set) var removedApplications: [ClientID] = []

    /// What was written into the log.
    private(set) var events: [AuditEvent] = []

    /// What was removed, by itself or with its user.
    private var removedFactors: Set<FactorID> = []

    /// Channels that got a message.
    private var sentBy: Set<OutboxMessage.Channel> = []

    /// Devices that got a push.
    private var askedDevices: Set<FactorID> = []

    /// Attempts that were decided about on a device, by their digests.
    private var decidedAttempts: [Data] = []

    /// The topics of those who wait for what was written. Those in front of which a person waits come first: devices that were asked or removed, and
    /// pages.
    var topics: [String] {
        removedFactors.union(askedDevices).map(\.topic) + decidedAttempts.map(FlowHandle.topic) + sentBy.map(\.topic)
    }

    /// A session ended, or what an application had of it.
    mutating func ended(_ session: SessionEnding) { endings.append(session) }

    mutating func ended(_ sessions: [SessionEnding]) { endings += sessions }

    mutating func inserted(_ grant: Grant) { used.append(UseNotes.Key(of: grant)) }

    mutating func updated(_ grant: Grant) {
        if grant.revokedAt == nil { used.append(UseNotes.Key(of: grant)) }
    }

    mutating func removed(application: ClientID) {
        used.removeAll { $0.application == application }
        removedApplications.append(application)
    }

    mutating func removed(factor: FactorID) { removedFactors.insert(factor) }

    mutating func removed(factors: [FactorID]) { removedFactors.formUnion(factors) }

    mutating func inserted(_ message: OutboxMessage) {
        sentBy.insert(message.channel)
        if message.channel == .push { askedDevices.insert(FactorID(rawValue: message.recipient)) }
    }

    mutating func appended(_ event: AuditEvent) { events.append(event) }

    mutating func decided(attempt: Data) { decidedAttempts.append(attempt) }
}

extension UseNotes.Key {
    fileprivate init(of grant: Grant) { self.init(application: grant.clientID, dialect: grant.dialect) }
}
