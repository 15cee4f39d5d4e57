import Foundation

/// An attempt that was counted before its answer is judged, until it is settled.
///
/// It counts in full while it is open, so that a crowd of guesses sent at once gets no more looks than the limit has.
/// What settles it ends it: a wrong answer stays counted, a right one sets the counter back. The answer leaves only
/// after that is durable. So a charge that is never settled – the store went away, the server was killed – has an
/// undisclosed outcome, and it stops counting once its lease is over. That needs no second write
/// (`docs/decisions/0109`).
public struct OpenCharge: Sendable, Equatable, Codable {
    /// Random; names the charge in every counter that it is in.
    public let id: String
    /// When the attempt was counted.
    public let at: Date
    /// The wait that the charge began, as though its answer were wrong.
    public var blocksUntil: Date?

    /// A charge that is open from that instant.
    public init(id: String, at: Date, blocksUntil: Date? = nil) {
        self.id = id
        self.at = at
        self.blocksUntil = blocksUntil
    }

    /// Seconds after which a charge that was not settled counts no more. Longer than hashing and storing may take, even
    /// where both have long queues; an answer that took longer is charged again before its verdict is disclosed.
    public static let lease: TimeInterval = 90

    /// Also where it is of the future: then a clock was set back.
    func hasLapsed(at now: Date) -> Bool { at + Self.lease <= now || at > now + Self.lease }
}

/// How a charge ends.
package enum ChargeEnd: Sendable {
    /// It stays counted.
    case kept
    /// It is given back, with the wait that it began.
    case returned
}

extension AttemptCounter {
    /// Ends a charge; false where it is not open here.
    mutating func end(_ id: String, _ end: ChargeEnd) -> Bool {
        guard let place = open.firstIndex(where: { $0.id == id }) else { return false }
        let charge = open.remove(at: place)
        if case .returned = end {
            count = max(0, count - 1)
            // No earlier wait was in force, or this attempt would not have been admitted.
            if let began = charge.blocksUntil, began.microseconds == blockedUntil?.microseconds { blockedUntil = nil }
        }
        return true
    }

    /// Gives back what has not been settled in time.
    package mutating func dropLapsed(at now: Date) {
        for charge in open where charge.hasLapsed(at: now) { _ = end(charge.id, .returned) }
    }

    /// Counts one attempt, which stays open where it is named.
    package mutating func add(_ charge: String?, at now: Date, blocksUntil: Date? = nil) {
        count += 1
        blockedUntil = blocksUntil
        if let charge { open.append(OpenCharge(id: charge, at: now, blocksUntil: blocksUntil)) }
    }
}

/// In the form of columns: instants are microseconds since 1970.
extension OpenCharge: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var (id, at): (String?, Date?)
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "id": id = try json.string()
            case "at": at = Date(microseconds: try json.integer())
            case "blocksUntil": blocksUntil = json.isNull() ? nil : Date(microseconds: try json.integer())
            default: try json.skip()
            }
        }
        self.id = try json.required(id, "id")
        self.at = try json.required(at, "at")
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        json.name("at")
        json.write(at.microseconds)
        if let blocksUntil {
            json.name("blocksUntil")
            json.write(blocksUntil.microseconds)
        }
        try json.write("id", id)
        json.endObject()
    }
}
