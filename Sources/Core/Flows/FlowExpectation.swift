import Foundation

/// What the holder of a handle believes it to be: whose it is, what it is for, and what has been proven with it. A handle
/// of another kind is as unknown as a made-up one.
///
/// Nothing is admitted by default: an empty set of owners, purposes or stages admits no attempt. Three kinds of handles
/// cross from one protocol to another, and each has a name here: ``mailedLink(for:)``, ``enrolmentTicket`` and
/// ``pushTransaction``.
public struct FlowExpectation: Sendable {
    /// What the attempt may be for.
    public let purposes: Set<FlowPurpose>
    /// How far the attempt has to have come.
    public let stages: Set<FlowStage>
    /// Other pairs of purposes and stages that are admitted too.
    private var alternatives: [(purposes: Set<FlowPurpose>, stages: Set<FlowStage>)] = []
    /// Which owner may have issued the handle. Nil for what crosses, which only the names below make.
    private let owners: Set<HandleOwner>?
    /// The user whose flow it has to be, where the caller knows one.
    public var userID: UserID?
    /// Whether a sign-in that is complete with this answer waits to be fetched with ``Answer/approval``, because the
    /// client that answers here does not get the session: a page in a browser, for the application that sent it there.
    public var isFetchedLater: Bool
    /// All that the request said, so that it is known when it comes again: the last one of an attempt is answered again for ten
    /// seconds, with the same outcome and no second effect.
    public var request: Secret<String>?
    /// What the session will be like, where the protocol says so with the answer; what an earlier answer of the same attempt
    /// said stays beside it.
    public var terms: GrantTerms?
    /// Whether the client asks for a second factor by itself: it has to be given then, and registering one is not enough. What
    /// one answer of an attempt asked for, later ones need not repeat.
    public var requiresSecondFactor = false
    /// Whether an answer is none where a device was chosen to be asked: what the client submits may be a question then whether the device has
    /// answered. Judging throws ``AttemptAwaitsDevice`` there, and counts nothing.
    public var isUnlessDeviceIsAwaited = false
    /// The consultant that is asked before a right answer counts, in an attempt that goes step by step.
    public var consultant: (any Consultant)?

    /// - Parameters:
    ///   - purposes: what the attempt may be for.
    ///   - stages: how far it has to have come.
    ///   - owners: which owner may have issued the handle.
    ///   - userID: the user whose attempt it has to be, where the caller knows one.
    ///   - isFetchedLater: see ``isFetchedLater``.
    public init(
        _ purposes: Set<FlowPurpose>, at stages: Set<FlowStage>, of owners: Set<HandleOwner>,
        user userID: UserID? = nil,
        isFetchedLater: Bool = false
    ) {
        self.init(purposes, stages, owners: owners, userID, isFetchedLater)
    }

    private init(
        _ purposes: Set<FlowPurpose>, _ stages: Set<FlowStage>, owners: Set<HandleOwner>?, _ userID: UserID? = nil,
        _ isFetchedLater: Bool = false
    ) {
        self.purposes = purposes
        self.stages = stages
        self.owners = owners
        self.userID = userID
        self.isFetchedLater = isFetchedLater
    }

    /// This, of a request that its client has named: one that says the same under the same name, from the same place, is known when it
    /// comes again (docs/decisions/0376). One without a name is not.
    public func named(_ name: String?, saying said: [JSONValue], by client: ClientContext) -> FlowExpectation {
        var expectation = self
        expectation.request = name.flatMap { name in
            let source: [JSONValue] = [
                .string(name), .string(client.clientID.rawValue), .string(client.source ?? ""),
            ]
            return (try? JSONValue.array(source + said).jsonText()).map { Secret(String(decoding: $0, as: UTF8.self)) }
        }
        return expectation
    }

    // MARK: What crosses

    /// A mailed link, whichever protocol had it mailed: for the page that links lead to.
    public static func mailedLink(for purposes: Set<FlowPurpose>) -> FlowExpectation {
        FlowExpectation(purposes, [.mailedLink], owners: nil)
    }

    /// A ticket that a device or an app enrols with, whichever protocol offered it: administrators invite in any
    /// protocol.
    public static var enrolmentTicket: FlowExpectation {
        FlowExpectation([.enrolFactor], [.enrolmentTicket], owners: nil)
    }

    /// A request to a device, in whatever protocol the sign-in began: devices answer in one.
    public static var pushTransaction: FlowExpectation {
        FlowExpectation([.approve], [.deviceRequest], owners: nil)
    }

    // MARK: Admitting

    /// Whether the attempt is of the right owner, purpose and user. How far it has come is for ``admits(stageOf:)``.
    func admits(_ record: FlowRecord, _ body: FlowBody) -> Bool {
        admissions.contains { $0.purposes.contains(body.purpose) } && (userID == nil || userID == record.userID)
            && (owners?.contains { $0.owns(body.clientID, in: body.dialect) } ?? true)
    }

    func admits(stageOf body: FlowBody) -> Bool {
        guard let stage = body.stage else { return false }
        return admissions.contains { $0.purposes.contains(body.purpose) && $0.stages.contains(stage) }
    }

    private var admissions: [(purposes: Set<FlowPurpose>, stages: Set<FlowStage>)] {
        [(purposes, stages)] + alternatives
    }

    /// This, or an attempt of the other's purposes at the other's stages; all else is this one's.
    public func or(_ other: FlowExpectation) -> FlowExpectation {
        var either = self
        either.alternatives += other.admissions
        return either
    }
}

/// Thrown where an attempt awaits a device and the answer is none then (``FlowExpectation/isUnlessDeviceIsAwaited``). Nothing was written.
public struct AttemptAwaitsDevice: Error {}

/// An attempt that its handle's holder may know of.
struct AdmittedFlow {
    var record: FlowRecord
    var body: FlowBody
    /// The outcome of the last request, where it has come again.
    var repeated: AnsweredRequest.Outcome?
}

extension StoreTransaction {
    /// The attempt that a handle names, where it is what is expected. The only way from a client's handle to a flow.
    ///
    /// A request that comes again is admitted at the step that it led to.
    func flow(
        of handle: FlowHandle, expecting expectation: FlowExpectation, at now: Date, sealer: Sealer
    ) throws -> AdmittedFlow? {
        // Rows of security checks have other bodies.
        guard let record = try flow(digest: handle.digest), FlowPurpose(rawValue: record.purpose) != nil else {
            return nil
        }
        let body = try FlowBody.open(record, with: sealer)
        guard expectation.admits(record, body) else { return nil }
        let repeated = try (body.journey?.memory ?? body.memory)?.outcome(
            of: expectation.request, at: now, attempts: record.attempts, sealer: sealer)
        guard repeated != nil || expectation.admits(stageOf: body) else { return nil }
        return AdmittedFlow(record: record, body: body, repeated: repeated)
    }
}
