import Foundation

/// A request to a user's devices, as the attempt that waits for it keeps it.
struct Approval: Codable, Sendable, Equatable {
    var id: String
    var askedAt: Date
    var expiresAt: Date
    var number: String?
    var devices: [FactorID]
    var decision: ApprovalDecision?
    /// What a yes to a backchannel sign-in hangs on; nil where a server of an earlier version wrote it.
    var basis: GrantBasis?

    func state(at now: Date) -> ApprovalState {
        if let decision { return .decided(id: id, decision) }
        return expiresAt > now ? .pending(id: id, number: number, expiresAt: expiresAt) : .expired(id: id)
    }
}

/// What a device decided, or a code instead of one.
public struct ApprovalDecision: Codable, Sendable, Equatable {
    /// Whether the attempt may go on.
    public var isAllowed: Bool
    /// The device.
    public var by: FactorID
    /// When it was decided.
    public var at: Date
    /// Why not, in the words of the one who refused.
    public var reason: String?
    /// What was given: a device's signature, or a code that stands in for it.
    public var kind: FactorKind

    /// A decision, by default of a device.
    public init(isAllowed: Bool, by: FactorID, at: Date, reason: String? = nil, kind: FactorKind = .push) {
        self.kind = kind
        self.isAllowed = isAllowed
        self.by = by
        self.at = at
        self.reason = reason
    }
}

/// Where a request to a user's devices stands.
public enum ApprovalState: Sendable, Equatable {
    /// - Parameter number: what the screen that asks has to show, where the device needs it.
    case pending(id: String, number: String?, expiresAt: Date)
    /// Over without an answer: its time is, its devices are removed, or another request took its place.
    case expired(id: String)
    /// A device has decided.
    case decided(id: String, ApprovalDecision)

    /// The id of the request, for clients that poll; no secret.
    public var id: String {
        switch self {
        case .pending(let id, _, _), .expired(let id), .decided(let id, _): id
        }
    }
}

/// What the person with the device is shown of the sign-in that waits.
public struct ApprovalDetails: Sendable, Equatable {
    /// The browser that signs in; nil where it is unknown.
    public var browser: NamedVersion?
    /// The operating system that it runs on; nil where it is unknown.
    public var system: NamedVersion?
    /// Where it is; nil where that is unknown.
    public var location: Location?
    /// Names what else has to be agreed to: a rich consent.
    public var linkingID: String?

    /// A program, by name and version.
    public struct NamedVersion: Sendable, Equatable {
        /// The name, for people.
        public var name: String
        /// The version; nil where it is unknown.
        public var version: String?

        /// A program of this name.
        public init(name: String, version: String? = nil) {
            self.name = name
            self.version = version
        }
    }

    /// A place, as far as the server was told one.
    public struct Location: Sendable, Equatable {
        /// What people call it.
        public var name: String?
        /// Degrees north, as decimal text.
        public var latitude: String?
        /// Degrees east, as decimal text.
        public var longitude: String?

        /// A place; without arguments, nothing is known of it.
        public init(name: String? = nil, latitude: String? = nil, longitude: String? = nil) {
            self.name = name
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// What is known of the sign-in; without arguments, nothing.
    public init(
        browser: NamedVersion? = nil, system: NamedVersion? = nil, location: Location? = nil, linkingID: String? = nil
    ) {
        self.browser = browser
        self.system = system
        self.location = location
        self.linkingID = linkingID
    }
}

/// A request as it reaches one device, by push or because the device asked.
public struct DeviceRequest: Sendable {
    /// The device that is asked.
    public let device: FactorID
    /// By which the device answers this request, once.
    public let handle: FlowHandle
    /// What the signed answer has to repeat.
    public let challenge: String
    /// When the request was made.
    public let startedAt: Date
    /// What the person with the device is shown.
    public let details: ApprovalDetails
    /// Digits that the person has to type; nil where none are asked for.
    public let numberLength: Int?

    static let template = "approve-sign-in"

    /// The outbox's form. A push service's limit of 4 KiB has to hold all of it, so what a stranger chose is cut.
    var content: OutboxContent {
        var values = [
            "handle": handle.token.reveal(), "challenge": challenge, "startedAt": String(startedAt.microseconds),
        ]
        func put(_ name: String, _ text: String?) {
            guard let text, !text.isEmpty else { return }
            values[name] = PlainText(text, longest: 100).text
        }
        put("browser", details.browser?.name)
        put("browserVersion", details.browser?.version)
        put("system", details.system?.name)
        put("systemVersion", details.system?.version)
        put("place", details.location?.name)
        put("latitude", details.location?.latitude)
        put("longitude", details.location?.longitude)
        put("linkingID", details.linkingID)
        put("numberLength", numberLength.map(String.init))
        return OutboxContent(template: Self.template, values: values)
    }

    init(
        device: FactorID, handle: FlowHandle, challenge: String, startedAt: Date, details: ApprovalDetails,
        numberLength: Int?
    ) {
        self.device = device
        self.handle = handle
        self.challenge = challenge
        self.startedAt = startedAt
        self.details = details
        self.numberLength = numberLength
    }

    /// What a message of the outbox asks of a device; nil where it asks nothing.
    public init?(_ opened: OpenedMessage) {
        let values = opened.content.values
        guard opened.message.channel == .push, opened.content.template == Self.template,
            let handle = values["handle"], let challenge = values["challenge"],
            let startedAt = values["startedAt"].flatMap(Int64.init)
        else { return nil }
        device = FactorID(rawValue: opened.message.recipient)
        self.handle = FlowHandle(handle)
        self.challenge = challenge
        self.startedAt = Date(microseconds: startedAt)
        numberLength = values["numberLength"].flatMap(Int.init)
        let hasPlace = values["place"] != nil || values["latitude"] != nil
        details = ApprovalDetails(
            browser: values["browser"].map { .init(name: $0, version: values["browserVersion"]) },
            system: values["system"].map { .init(name: $0, version: values["systemVersion"]) },
            location: hasPlace
                ? .init(name: values["place"], latitude: values["latitude"], longitude: values["longitude"]) : nil,
            linkingID: values["linkingID"])
    }
}

extension Approval: StoredJSON {
    init(from json: inout JSONReader) throws {
        var id: String?
        var askedAt: Date?
        var expiresAt: Date?
        var devices: [FactorID]?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "id": id = try json.read()
            case "askedAt": askedAt = try json.read()
            case "expiresAt": expiresAt = try json.read()
            case "number": number = try json.readOptional()
            case "devices": devices = try json.read()
            case "decision": decision = try json.readOptional()
            case "basis": basis = try json.readOptional()
            default: try json.skip()
            }
        }
        self.id = try json.required(id, "id")
        self.askedAt = try json.required(askedAt, "askedAt")
        self.expiresAt = try json.required(expiresAt, "expiresAt")
        self.devices = try json.required(devices, "devices")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("askedAt", askedAt)
        try json.write("basis", optional: basis)
        try json.write("decision", optional: decision)
        try json.write("devices", devices)
        try json.write("expiresAt", expiresAt)
        try json.write("id", id)
        try json.write("number", optional: number)
        json.endObject()
    }
}

extension ApprovalDecision: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var isAllowed: Bool?
        var by: FactorID?
        var at: Date?
        var kind: FactorKind?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "isAllowed": isAllowed = try json.read()
            case "by": by = try json.read()
            case "at": at = try json.read()
            case "reason": reason = try json.readOptional()
            case "kind": kind = try json.read()
            default: try json.skip()
            }
        }
        self.isAllowed = try json.required(isAllowed, "isAllowed")
        self.by = try json.required(by, "by")
        self.at = try json.required(at, "at")
        self.kind = try json.required(kind, "kind")
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("at", at)
        try json.write("by", by)
        try json.write("isAllowed", isAllowed)
        try json.write("kind", kind)
        try json.write("reason", optional: reason)
        json.endObject()
    }
}
