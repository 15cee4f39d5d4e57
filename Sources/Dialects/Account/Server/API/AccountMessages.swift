import CountersignCore
import Foundation
import OneTimePassword
import ServerHTTP

// What the endpoints of `/account/v1` take and answer. The same types describe them in `/openapi.json`.

public struct AccountDone: Codable, Sendable {}
public struct AccountNothing: Codable, Sendable {
    public init() {}
}

public struct AccountProfile: Codable, Sendable {
    public struct Attribute: Codable, Sendable {
        public let name: String
        public let value: JSONValue?
        public let isEditable: Bool
    }

    public let id: String
    public let address: String?
    public let isAddressVerified: Bool
    public let displayName: String?
    public let locale: String?
    /// The address of a picture, as it was set: the server does not fetch it.
    public let picture: String?
    /// Whether the user may set one; removing it is always possible.
    public let isPictureEditable: Bool
    public let createdAt: Timestamp
    public let attributes: [Attribute]

    init(_ profile: OwnProfile) {
        let user = profile.user
        id = user.id.rawValue
        address = user.email?.canonical
        isAddressVerified = user.profile.emailVerified
        displayName = user.profile.displayName
        locale = user.profile.locale
        picture = user.profile.photoURL
        isPictureEditable = profile.takesPictures
        createdAt = Timestamp(user.createdAt)
        attributes = profile.attributes.map {
            Attribute(name: $0.name, value: $0.value, isEditable: $0.isEditable)
        }
    }
}

/// Members that are left out stay; an empty text clears.
public struct AccountProfileChange: Codable, Sendable {
    public var displayName: String?
    public var locale: String?
    public var picture: String?
    public var attributes: AccountAttributes?

    public init(
        displayName: String? = nil, locale: String? = nil, picture: String? = nil,
        attributes: [String: JSONValue]? = nil
    ) {
        self.picture = picture
        self.displayName = displayName
        self.locale = locale
        self.attributes = attributes.map(AccountAttributes.init)
    }

    var change: ProfileChange {
        var change = ProfileChange()
        if let displayName { change.displayName = .some(displayName.isEmpty ? nil : displayName) }
        if let locale { change.locale = .some(locale.isEmpty ? nil : locale) }
        if let picture { change.picture = .some(picture.isEmpty ? nil : picture) }
        for (name, value) in attributes?.members ?? [:] {
            change.attributes[name] = value == .string("") ? .some(.null) : value
        }
        return change
    }
}

/// Attributes by name. An empty text and null remove; null of one that there is not is no less unknown than a value.
public struct AccountAttributes: Codable, Sendable, SchemaDescribed {
    public var members: [String: JSONValue]

    public init(_ members: [String: JSONValue]) { self.members = members }

    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer().decode(JSONValue.self)
        guard case .object(let members) = value else {
            throw RequestBodyFault.wrongType(
                path: decoder.codingPath.map(\.stringValue).joined(separator: "."), expected: .object("attributes"),
                found: "")
        }
        self.members = members
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(JSONValue.object(members))
    }

    public static func schema(depth: Int) -> JSONValue {
        .object(["type": "object", "additionalProperties": .object([:])])
    }
}

public struct AccountAddressChange: Codable, Sendable {
    public var address: String

    public init(address: String) { self.address = address }
}

public struct AccountAttempt: Codable, Sendable {
    public let attempt: String
}

public struct AccountAddressProof: Codable, Sendable {
    public var attempt: String
    public var code: String

    public init(attempt: String, code: String) {
        self.attempt = attempt
        self.code = code
    }
}

public struct AccountFactor: Codable, Sendable {
    public let id: String
    /// `password`, `totp`, `push`, `passkey`, `recovery-code`, …
    public let kind: String
    public let name: String
    public let createdAt: Timestamp
    public let lastUsedAt: Timestamp?
    public let lastUsedFrom: String?
    public let userAgent: String?
    /// Of `email`: where its codes go.
    public let address: String?
    public let codesLeft: Int?
    public let isBackedUp: Bool?
    public let isSuspicious: Bool
    public let isSecondFactor: Bool
    public let isLastWayIn: Bool
    /// Since when it is reported lost.
    public let frozenAt: Timestamp?

    init(_ factor: OwnFactor) {
        id = factor.id.rawValue
        kind = factor.record.kind.rawValue
        name = factor.record.name
        createdAt = Timestamp(factor.record.createdAt)
        lastUsedAt = factor.lastUsedAt.map(Timestamp.init)
        lastUsedFrom = factor.lastSource
        userAgent = factor.userAgent
        address = factor.address?.canonical
        codesLeft = factor.codesLeft
        isBackedUp = factor.isBackedUp
        isSuspicious = factor.isSuspicious
        isSecondFactor = factor.isSecondFactor
        isLastWayIn = factor.isLastWayIn
        frozenAt = factor.record.frozenAt.map(Timestamp.init)
    }
}

public struct AccountFactors: Codable, Sendable {
    public let factors: [AccountFactor]
}

public struct AccountFactorBeginning: Codable, Sendable {
    public var kind: String
    /// What the kind's own protocol asks for.
    public var options: JSONValue?

    public init(kind: String, options: JSONValue? = nil) {
        self.kind = kind
        self.options = options
    }
}

public struct AccountOffer: Codable, Sendable {
    public let attempt: String
    public let expiresAt: Timestamp
    /// Of an authenticator app: Base32.
    public let secret: String?
    public let algorithm: String?
    public let digits: Int?
    public let period: Int?
    /// Of a credential: what the client is to make.
    public let publicKey: JSONValue?
    /// Of a device: the id that it will have.
    public let device: String?
    /// What an app on a phone takes, as text or as a QR code: of an authenticator app `otpauth:`, of a device what enrols it.
    public let link: String?

    init(_ offer: OwnOffer, link: String?) {
        self.link = link
        attempt = offer.handle.token.reveal()
        switch offer {
        case .codes(let offer):
            expiresAt = Timestamp(offer.expiresAt)
            secret = Base32.encode(offer.secret.reveal())
            (algorithm, digits, period) = (offer.algorithm.rawValue, offer.digits, offer.period)
            (publicKey, device) = (nil, nil)
        case .response(let offer):
            expiresAt = Timestamp(offer.expiresAt)
            publicKey = offer.challenge
            (secret, algorithm, digits, period, device) = (nil, nil, nil, nil, nil)
        case .device(let ticket):
            expiresAt = Timestamp(ticket.expiresAt)
            device = ticket.factorID.rawValue
            (secret, algorithm, digits, period, publicKey) = (nil, nil, nil, nil, nil)
        }
    }
}

public struct AccountFactorProof: Codable, Sendable {
    public var kind: String
    public var attempt: String
    public var name: String?
    /// Of an authenticator app.
    public var code: String?
    /// Of a credential.
    public var response: JSONValue?

    public init(
        kind: String, attempt: String, name: String? = nil, code: String? = nil, response: JSONValue? = nil
    ) {
        self.kind = kind
        self.attempt = attempt
        self.name = name
        self.code = code
        self.response = response
    }
}

public struct AccountAdded: Codable, Sendable {
    public let id: String
}

public struct AccountFactorChange: Codable, Sendable {
    public var name: String?
    /// True reports it lost, false takes the report back.
    public var isFrozen: Bool?

    public init(name: String? = nil, isFrozen: Bool? = nil) {
        self.name = name
        self.isFrozen = isFrozen
    }
}

public struct AccountRemoval: Codable, Sendable {
    /// `nothing` or `noSecondFactorLeft`.
    public let consequence: String
}

public struct AccountRecoveryCodes: Codable, Sendable {
    public let codes: [String]
}

public struct AccountPassword: Codable, Sendable {
    public var password: String

    public init(password: String) { self.password = password }
}

public struct AccountDevice: Codable, Sendable {
    public struct Session: Codable, Sendable {
        public let id: String
        public let isCurrent: Bool
        public let createdAt: Timestamp
        public let lastSeenAt: Timestamp
        public let provenWith: [String]
        public let applications: [Application]
    }

    public struct Application: Codable, Sendable {
        public let id: String
        public let name: String?
        public let scopes: [String]
        public let since: Timestamp
        public let lastUsedAt: Timestamp
    }

    public let userAgent: String?
    public let address: String?
    public let isCurrent: Bool
    public let firstSeenAt: Timestamp
    public let lastSeenAt: Timestamp
    public let sessions: [Session]

    init(_ device: OwnDevice) {
        userAgent = device.userAgent
        address = device.address
        isCurrent = device.isCurrent
        firstSeenAt = Timestamp(device.firstSeenAt)
        lastSeenAt = Timestamp(device.lastSeenAt)
        sessions = device.sessions.map { presence in
            Session(
                id: presence.session.id.rawValue, isCurrent: presence.isCurrent,
                createdAt: Timestamp(presence.session.createdAt), lastSeenAt: Timestamp(presence.lastSeenAt),
                provenWith: presence.session.proofs.map(\.kind.rawValue),
                applications: presence.applications.map {
                    Application(
                        id: $0.id.rawValue, name: $0.name, scopes: $0.scopes, since: Timestamp($0.since),
                        lastUsedAt: Timestamp($0.lastUsedAt))
                })
        }
    }
}

public struct AccountDevices: Codable, Sendable {
    public let devices: [AccountDevice]
}

public struct AccountEnded: Codable, Sendable {
    public let ended: Int
}

public struct AccountApplication: Codable, Sendable {
    public let id: String
    public let name: String?
    public let scopes: [String]
    public let resources: [String]
    /// Whether a third party made it that no administrator approved: a page of it says so to its user. Nil for an application that is gone,
    /// and from a server of before.
    public let isUnchecked: Bool?
    /// The host that stands for such an application: of its document, or of where it has its answers sent.
    public let host: String?
    public let since: Timestamp
    public let lastUsedAt: Timestamp?

    init(_ application: OwnApplication) {
        isUnchecked = application.registration?.oauth.isUnchecked
        host = isUnchecked == true ? application.registration?.shownHost : nil
        id = application.id.rawValue
        name = application.name
        scopes = application.scopes
        resources = application.resources
        since = Timestamp(application.since)
        lastUsedAt = application.lastUsedAt.map(Timestamp.init)
    }
}

public struct AccountApplications: Codable, Sendable {
    public let applications: [AccountApplication]
}

public struct AccountActivity: Codable, Sendable {
    public struct Event: Codable, Sendable {
        public let id: String
        public let at: Timestamp
        /// `sign-in.succeeded`, …
        public let kind: String
        /// The filter that it is found by.
        public let group: String?
        public let application: String?
        public let address: String?
        /// Why it was refused.
        public let reason: String?
        /// Of the factor and the session that it is about.
        public let factor: String?
        public let session: String?
        public let isByAdministrator: Bool
    }

    public let events: [Event]
    /// The place of the page of newer events, for `before`.
    public let previous: String?
    /// The place of the page of older events, for `after`.
    public let next: String?

    init(_ page: ActivityPage) {
        (previous, next) = (page.previous, page.next)
        events = page.events.map { event in
            Event(
                id: event.id, at: Timestamp(event.at), kind: event.kind.rawValue,
                group: ActivityKind(event.kind)?.rawValue, application: event.clientID?.rawValue,
                address: event.source, reason: event.reason, factor: event.details["factor"]?.stringValue,
                session: event.details["session"]?.stringValue, isByAdministrator: event.isByAdministrator)
        }
    }
}

extension AuditEvent {
    /// Whether an administrator caused it: a user with a role, a machine's token, or the command line on the server.
    var isByAdministrator: Bool { details["by"] != nil || clientID == ClientContext.commandLine.clientID }
}

public struct AccountDisowned: Codable, Sendable {
    /// Ids.
    public let frozen: [String]
    public let endedSessions: Int
    public let resetMailed: Bool

    init(_ done: Disowned) {
        frozen = done.frozen.map(\.id.rawValue)
        endedSessions = done.endedSessions
        resetMailed = done.resetMailed
    }
}

public struct AccountDeletion: Codable, Sendable {
    /// The account's own, typed to make sure; the account's id where it has no address.
    public var address: String

    public init(address: String) { self.address = address }
}

public struct AccountDeletionNotice: Codable, Sendable {
    public let dueAt: Timestamp
    public let undoMailed: Bool
}
