import Foundation
import GuardianWire

/// The request in a push (Guardian.swift, `AuthenticationNotification`).
struct AuthenticationNotification: Notification {
    let domain: String
    let enrollmentId: String
    let transactionToken: String
    let transactionLinkingId: String?
    let challenge: String
    let source: (any Source)?
    let location: (any Location)?
    let startedAt: Date
    let numberLength: Int?

    /// Nil where the category is another, or a member is missing that a request must have.
    init?(userInfo: [AnyHashable: Any]) {
        guard let aps = Self.members(userInfo["aps"]), aps["category"] as? String == PushPayload.category,
            let mfa = Self.members(userInfo["mfa"]), let enrollmentId = mfa["dai"] as? String,
            let transactionToken = mfa["txtkn"] as? String, let challenge = mfa["c"] as? String,
            let domain = mfa["sh"] as? String, let text = mfa["d"] as? String,
            let startedAt = GuardianTimestamp.date(from: text)
        else { return nil }
        self.enrollmentId = enrollmentId
        self.transactionToken = transactionToken
        self.challenge = challenge
        self.domain = domain
        self.startedAt = startedAt
        transactionLinkingId = mfa["txlnkid"] as? String
        source = PushSource(Self.members(mfa["s"]))
        location = PushLocation(Self.members(mfa["l"]))
        numberLength = Self.number(mfa["nl"]).flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    fileprivate static func members(_ value: Any?) -> [String: Any]? {
        if let members = value as? [String: Any] { return members }
        guard let members = value as? [AnyHashable: Any] else { return nil }
        return Dictionary(
            members.compactMap { key, value in (key as? String).map { ($0, value) } },
            uniquingKeysWith: { first, _ in first })
    }

    fileprivate static func number(_ value: Any?) -> Double? {
        (value as? Double) ?? (value as? Int).map(Double.init) ?? (value as? NSNumber)?.doubleValue
    }
}

private struct PushSource: Source {
    struct Program: Browser, OS {
        let name: String
        let version: String?

        init?(_ value: Any?) {
            guard let members = AuthenticationNotification.members(value), let name = members["n"] as? String else {
                return nil
            }
            self.name = name
            version = members["v"] as? String
        }
    }

    let os: (any OS)?
    let browser: (any Browser)?

    init?(_ members: [String: Any]?) {
        let (os, browser) = (Program(members?["os"]), Program(members?["b"]))
        guard os != nil || browser != nil else { return nil }
        self.os = os
        self.browser = browser
    }
}

private struct PushLocation: Location {
    let name: String?
    let latitude: Double?
    let longitude: Double?

    init?(_ members: [String: Any]?) {
        guard let members else { return nil }
        name = members["n"] as? String
        // Both as texts or both as numbers.
        if let latitude = members["lat"] as? String, let longitude = members["long"] as? String {
            (self.latitude, self.longitude) = (Double(latitude), Double(longitude))
        } else if !(members["lat"] is String), !(members["long"] is String) {
            latitude = AuthenticationNotification.number(members["lat"])
            longitude = AuthenticationNotification.number(members["long"])
        } else {
            (latitude, longitude) = (nil, nil)
        }
    }
}
