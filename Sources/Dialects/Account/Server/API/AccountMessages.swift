import CountersignCore
import Foundation
import OneTimePassword

// What the endpoints of `/account/v1` take and answer. The same types describe them in `/openapi.json`.

struct AccountDone: Codable, Sendable {}
struct AccountNothing: Codable, Sendable {}

struct AccountProfile: Codable, Sendable {
    struct Attribute: Codable, Sendable {
        let name: String
        let value: JSONValue?
        let isEditable: Bool
    }

    let id: String
    let address: String?
    let isAddressVerified: Bool
    let displayName: String?
    let locale: String?
    let createdAt: Timestamp
    let attributes: [Attribute]

    init(_ profile: OwnProfile) {
        let user = profile.user
        id = user.id.rawValue
        address = user.email?.canonical
        isAddressVerified = user.profile.emailVerified
        displayName = user.profile.displayName
        locale = user.profile.locale
        createdAt = Timestamp(user.createdAt)
        attributes = profile.attributes.map {
            Attribute(name: $0.name, value: $0.value, isEditable: $0.isEditable)
        }
    }
}

/// Members that are left out stay; an empty text clears.
struct AccountProfileChange: Codable, Sendable {
    var displayName: String?
    var locale: String?
    /// An empty text removes.
    var attributes: [String: JSONValue]?

    var change: ProfileChange {
        var change = ProfileChange()
        if let displayName { change.displayName = .some(displayName.isEmpty ? nil : displayName) }
        if let locale { change.locale = .some(locale.isEmpty ? nil : locale) }
        for (name, value) in attributes ?? [:] { change.attributes[name] = value == .string("") ? .some(.null) : value }
        return change
    }
}

struct AccountAddressChange: Codable, Sendable {
    var address: String
}

struct AccountAttempt: Codable, Sendable {
    let attempt: String
}

struct AccountAddressProof: Codable, Sendable {
    var attempt: String
    var code: String
}

struct AccountFactor: Codable, Sendable {
    let id: String
    /// `password`, `totp`, `push`, `passkey`, `recovery-code`, …
    let kind: String
    let name: String
    let createdAt: Timestamp
    let lastUsedAt: Timestamp?
    let lastUsedFrom: String?
    let userAgent: String?
    let codesLeft: Int?
    let isBackedUp: Bool?
    let isSuspicious: Bool
    let isSecondFactor: Bool
    let isLastWayIn: Bool
    /// Since when it is reported lost.
    let frozenAt: Timestamp?

    init(_ factor: OwnFactor) {
        id = factor.id.rawValue
        kind = factor.record.kind.rawValue
        name = factor.record.name
        createdAt = Timestamp(factor.record.createdAt)
        lastUsedAt = factor.record.lastUsedAt.map(Timestamp.init)
        lastUsedFrom = factor.lastSource
        userAgent = factor.userAgent
        codesLeft = factor.codesLeft
        isBackedUp = factor.isBackedUp
        isSuspicious = factor.isSuspicious
        isSecondFactor = factor.isSecondFactor
        isLastWayIn = factor.isLastWayIn
        frozenAt = factor.record.frozenAt.map(Timestamp.init)
    }
}

struct AccountFactors: Codable, Sendable {
    let factors: [AccountFactor]
}

struct AccountFactorBeginning: Codable, Sendable {
    var kind: String
    /// What the kind's own protocol asks for.
    var options: JSONValue?
}

struct AccountOffer: Codable, Sendable {
    let attempt: String
    let expiresAt: Timestamp
    /// Of an authenticator app: Base32.
    let secret: String?
    let algorithm: String?
    let digits: Int?
    let period: Int?
    /// Of a credential: what the client is to make.
    let publicKey: JSONValue?
    /// Of a device: the id that it will have.
    let device: String?

    init(_ offer: OwnOffer) {
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

struct AccountFactorProof: Codable, Sendable {
    var kind: String
    var attempt: String
    var name: String?
    /// Of an authenticator app.
    var code: String?
    /// Of a credential.
    var response: JSONValue?
}

struct AccountAdded: Codable, Sendable {
    let id: String
}

struct AccountFactorChange: Codable, Sendable {
    var name: String?
    /// True reports it lost, false takes the report back.
    var isFrozen: Bool?
}

struct AccountRemoval: Codable, Sendable {
    /// `nothing` or `noSecondFactorLeft`.
    let consequence: String
}

struct AccountRecoveryCodes: Codable, Sendable {
    let codes: [String]
}

struct AccountPassword: Codable, Sendable {
    var password: String
}

struct AccountDevice: Codable, Sendable {
    struct Session: Codable, Sendable {
        let id: String
        let isCurrent: Bool
        let createdAt: Timestamp
        let lastSeenAt: Timestamp
        let provenWith: [String]
        let applications: [Application]
    }

    struct Application: Codable, Sendable {
        let id: String
        let name: String?
        let scopes: [String]
        let since: Timestamp
        let lastUsedAt: Timestamp
    }

    let userAgent: String?
    let address: String?
    let isCurrent: Bool
    let firstSeenAt: Timestamp
    let lastSeenAt: Timestamp
    let sessions: [Session]

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

struct AccountDevices: Codable, Sendable {
    let devices: [AccountDevice]
}

struct AccountEnded: Codable, Sendable {
    let ended: Int
}

struct AccountApplication: Codable, Sendable {
    let id: String
    let name: String?
    let scopes: [String]
    let resources: [String]
    let since: Timestamp
    let lastUsedAt: Timestamp?

    init(_ application: OwnApplication) {
        id = application.id.rawValue
        name = application.name
        scopes = application.scopes
        resources = application.resources
        since = Timestamp(application.since)
        lastUsedAt = application.lastUsedAt.map(Timestamp.init)
    }
}

struct AccountApplications: Codable, Sendable {
    let applications: [AccountApplication]
}

struct AccountActivity: Codable, Sendable {
    struct Event: Codable, Sendable {
        let id: String
        let at: Timestamp
        /// `sign-in.succeeded`, …
        let kind: String
        /// The filter that it is found by.
        let group: String?
        let application: String?
        let address: String?
        /// Why it was refused.
        let reason: String?
        /// Of the factor and the session that it is about.
        let factor: String?
        let session: String?
        let isByAdministrator: Bool
    }

    let events: [Event]
    let next: String?

    init(_ page: ActivityPage) {
        next = page.next
        events = page.events.map { event in
            Event(
                id: event.id, at: Timestamp(event.at), kind: event.kind.rawValue,
                group: ActivityKind(event.kind)?.rawValue, application: event.clientID?.rawValue,
                address: event.source, reason: event.reason, factor: event.details["factor"]?.stringValue,
                session: event.details["session"]?.stringValue, isByAdministrator: event.details["by"] != nil)
        }
    }
}

struct AccountDisowned: Codable, Sendable {
    /// Ids.
    let frozen: [String]
    let endedSessions: Int
    let resetMailed: Bool

    init(_ done: Disowned) {
        frozen = done.frozen.map(\.id.rawValue)
        endedSessions = done.endedSessions
        resetMailed = done.resetMailed
    }
}

struct AccountDeletion: Codable, Sendable {
    /// The account's own, typed to make sure; the account's id where it has no address.
    var address: String
}

struct AccountDeletionNotice: Codable, Sendable {
    let dueAt: Timestamp
    let undoMailed: Bool
}
