import CountersignCore
import Foundation

/// Says up to where the log is sealed, and whether it holds as far as maintenance has checked it.
public struct ShowAuditSeals: AdministrationOperation {
    public static let name = "audit:seals"
    public static let right = AdministrationRight.readLog

    /// Whether nothing but ``Answer/fault`` is asked for: the answer takes no look at the log.
    public var onlyFault: Bool?

    public init(onlyFault: Bool? = nil) {
        self.onlyFault = onlyFault
    }

    public struct Answer: Codable, Sendable {
        /// The time of the last event that is sealed; nil where none is.
        public let sealedThrough: Timestamp?
        /// The number of the newest seal, and what it says. Kept elsewhere, they tell later whether the log still leads there
        /// (`audit:verify`).
        public let seal: Int?
        public let digest: String?
        /// The time up to which everything was checked and holds.
        public let checkedThrough: Timestamp?
        /// When something was checked last, within ten minutes.
        public let checkedAt: Timestamp?
        /// When everything had been looked at once more, within ten minutes.
        public let wholeAt: Timestamp?
        /// The time of the oldest event that is not sealed yet.
        public let waitingSince: Timestamp?
        /// The first range that does not hold.
        public let fault: AuditFaultSummary?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        if onlyFault == true {
            return Answer(
                sealedThrough: nil, seal: nil, digest: nil, checkedThrough: nil, checkedAt: nil, wholeAt: nil,
                waitingSince: nil, fault: try await realm.auditSeals.fault().map(AuditFaultSummary.init))
        }
        let status = try await realm.auditSeals.status()
        return Answer(
            sealedThrough: status.sealedThrough.map(Timestamp.init), seal: status.seal, digest: status.digest,
            checkedThrough: status.checkedThrough.map(Timestamp.init), checkedAt: status.checkedAt.map(Timestamp.init),
            wholeAt: status.wholeAt.map(Timestamp.init), waitingSince: status.waitingSince.map(Timestamp.init),
            fault: status.fault.map(AuditFaultSummary.init))
    }
}

/// Checks a part of the sealed log: whether its events are those that were sealed, and follow one another.
public struct VerifyAuditLog: AdministrationOperation {
    public static let name = "audit:verify"
    public static let right = AdministrationRight.readLog

    /// Goes on after the seal of this number: ``Answer/next`` of the part before. From the beginning where it is left out.
    public var afterSeal: Int?
    /// A seal that was written down before, by its number and what it said: whether the log still leads there.
    public var seal: Int?
    public var digest: String?

    public init(afterSeal: Int? = nil, seal: Int? = nil, digest: String? = nil) {
        self.afterSeal = afterSeal
        self.seal = seal
        self.digest = digest
    }

    public struct Answer: Codable, Sendable {
        /// Seals that hold, and the events in them.
        public let seals: Int
        public let events: Int
        /// Events among them that came when their range had been sealed, and were taken up by a later seal.
        public let late: Int
        /// The times of the first and the last event of what holds; nil where the part has none.
        public let from: Timestamp?
        public let through: Timestamp?
        /// What to go on with as `afterSeal`; nil where the end was reached, or a range does not hold.
        public let next: Int?
        /// The first range that does not hold.
        public let fault: AuditFaultSummary?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        if let afterSeal, afterSeal < 0 {
            throw AdministrationError(.invalid, "afterSeal is the number of a seal.")
        }
        switch (seal, digest) {
        case (nil, nil): break
        case (let seal?, let digest?) where seal > 0 && Self.isDigest(digest):
            if let fault = try await realm.auditSeals.judge(head: seal, digest) {
                return Answer(
                    seals: 0, events: 0, late: 0, from: nil, through: nil, next: nil, fault: AuditFaultSummary(fault))
            }
        default:
            throw AdministrationError(
                .invalid, "A seal that was written down is its number and its digest of 64 hexadecimal digits.")
        }
        let part = try await realm.auditSeals.verify(after: afterSeal ?? 0)
        return Answer(
            seals: part.seals, events: part.events, late: part.late, from: part.from.map(Timestamp.init),
            through: part.through.map(Timestamp.init), next: part.next, fault: part.fault.map(AuditFaultSummary.init))
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}

/// Takes up that the administrator has looked at a range that does not hold: it is not told again, and the log says who it was.
public struct AcceptAuditFault: AdministrationOperation {
    public static let name = "audit:accept"
    public static let right = AdministrationRight.changeSettings

    /// The number of the seal, as `audit:seals` tells it.
    public var seal: Int

    public init(seal: Int) {
        self.seal = seal
    }

    public struct Answer: Codable, Sendable {}

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard try await realm.auditSeals.accept(seal, by: client) else {
            throw AdministrationError(.conflict, "Nothing is told of the seal of this number.")
        }
        return Answer()
    }
}

/// A range of the sealed log that does not hold.
public struct AuditFaultSummary: Codable, Sendable, Equatable {
    /// `changed`, `removed`, `inserted`, `altered-seal`, `broken-chain`, `unknown-key` or `cut-off`.
    public let kind: String
    /// The number of the seal.
    public let seal: Int
    /// The range lies after this time, up to and with that one; nil where it is not known.
    public let after: Timestamp?
    public let through: Timestamp?
    /// Ids of the events that it is about, ten at most. None where that cannot be told.
    public let events: [String]

    init(_ fault: AuditFault) {
        kind = fault.kind.rawValue
        seal = fault.seal
        after = fault.from.map(Timestamp.init)
        through = fault.to.map(Timestamp.init)
        events = fault.ids
    }
}
