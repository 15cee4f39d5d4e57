import Foundation
import JSON

/// What a push carries: APNs' `userInfo` (Guardian.swift, `AuthenticationNotification`).
public struct PushPayload: Codable, Sendable, Equatable {
    public static let category = "com.auth0.notification.authentication"

    public struct APS: Codable, Sendable, Equatable {
        public struct Alert: Codable, Sendable, Equatable {
            public var title: String
            public var body: String
        }

        public var alert: Alert
        public var category: String
    }

    public struct Named: Codable, Sendable, Equatable {
        public var n: String
        public var v: String?
    }

    public struct Source: Codable, Sendable, Equatable {
        public var b: Named?
        public var os: Named?
    }

    public struct Location: Codable, Sendable, Equatable {
        public var n: String?
        public var lat: String?
        public var long: String?
    }

    /// One-letter names, as all of it has to fit into 4 KiB.
    public struct MFA: Codable, Sendable, Equatable {
        /// The device account.
        public var dai: String
        /// The bearer token of the answer.
        public var txtkn: String
        /// A rich consent.
        public var txlnkid: String?
        /// The challenge.
        public var c: String
        /// When it began, with milliseconds and a literal `Z`.
        public var d: String
        /// The server, as a host or a URL.
        public var sh: String
        public var s: Source?
        public var l: Location?
        /// Digits of the number that has to be typed; our extension.
        public var nl: Int?
    }

    public var aps: APS
    public var mfa: MFA

    public init(
        device: String, token: String, challenge: String, startedAt: Date, server: String, title: String, body: String,
        browser: (name: String, version: String?)? = nil, system: (name: String, version: String?)? = nil,
        place: (name: String?, latitude: String?, longitude: String?)? = nil, linkingID: String? = nil,
        numberLength: Int? = nil
    ) {
        aps = APS(alert: APS.Alert(title: title, body: body), category: Self.category)
        let browser = browser.map { Named(n: $0.name, v: $0.version) }
        let system = system.map { Named(n: $0.name, v: $0.version) }
        mfa = MFA(
            dai: device, txtkn: token, txlnkid: linkingID, c: challenge, d: GuardianTimestamp.string(from: startedAt),
            sh: server, s: browser == nil && system == nil ? nil : Source(b: browser, os: system),
            l: place.map { Location(n: $0.name, lat: $0.latitude, long: $0.longitude) }, nl: numberLength)
    }
}

extension PushPayload {
    /// Bytes that a push service takes (Apple, "Generating a remote notification").
    public static let byteLimit = 4096

    /// As it goes over the wire.
    public var encoded: Data { Data(text) }

    private var text: [UInt8] {
        var json = JSONWriter(capacity: 1024)
        write(to: &json)
        return json.bytes
    }

    /// The same within the limit: as much as has to go, what is optional before what is shown.
    public func fitting(_ limit: Int = byteLimit) -> PushPayload {
        var payload = self
        let steps: [(inout PushPayload) -> Void] = [
            { $0.mfa.l = nil },
            { $0.mfa.s = nil },
            { $0.aps.alert.body = Self.cut($0.aps.alert.body, to: 200) },
            { $0.aps.alert.title = Self.cut($0.aps.alert.title, to: 100) },
        ]
        for step in steps {
            // Nearly every one fits as it is: a device that waits for it need not wait for a second look.
            guard payload.text.count > limit else { return payload }
            step(&payload)
        }
        return payload
    }

    /// At most so many bytes, whole characters.
    private static func cut(_ text: String, to bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var text = text
        while text.utf8.count > bytes - "…".utf8.count { text.removeLast() }
        return text + "…"
    }
}

extension PushPayload: JSONWritable {
    /// The members in the order of their names.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.name("aps")
        json.beginObject()
        json.name("alert")
        json.beginObject()
        json.write("body", text: aps.alert.body)
        json.write("title", text: aps.alert.title)
        json.endObject()
        json.write("category", text: aps.category)
        json.endObject()
        json.name("mfa")
        json.beginObject()
        json.write("c", text: mfa.c)
        json.write("d", text: mfa.d)
        json.write("dai", text: mfa.dai)
        if let location = mfa.l {
            json.name("l")
            json.beginObject()
            json.write("lat", text: location.lat)
            json.write("long", text: location.long)
            json.write("n", text: location.n)
            json.endObject()
        }
        json.write("nl", number: mfa.nl)
        if let source = mfa.s {
            json.name("s")
            json.beginObject()
            source.b?.write("b", to: &json)
            source.os?.write("os", to: &json)
            json.endObject()
        }
        json.write("sh", text: mfa.sh)
        json.write("txlnkid", text: mfa.txlnkid)
        json.write("txtkn", text: mfa.txtkn)
        json.endObject()
        json.endObject()
    }
}

extension PushPayload.Named {
    fileprivate func write(_ name: StaticString, to json: inout JSONWriter) {
        json.name(name)
        json.beginObject()
        json.write("n", text: n)
        json.write("v", text: v)
        json.endObject()
    }
}

extension NotificationList: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.name("notifications")
        json.beginArray()
        for payload in notifications { payload.write(to: &json) }
        json.endArray()
        json.endObject()
    }
}

/// Times as both mobile SDKs read them: UTC with milliseconds and a literal `Z`.
public enum GuardianTimestamp {
    public static func string(from date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Takes any number of digits of a second, but not none, and an offset of zero in any form.
    public static func date(from text: String) -> Date? {
        var text = text
        for zero in ["+0000", "+00:00"] where text.hasSuffix(zero) { text = text.dropLast(zero.count) + "Z" }
        guard text.hasSuffix("Z"), let point = text.lastIndex(of: ".") else { return nil }
        let fraction = text[text.index(after: point)...].dropLast()
        guard !fraction.isEmpty, fraction.allSatisfy({ $0.isASCII && $0.isNumber }), let part = Double("0.\(fraction)"),
            let whole = plain(text[..<point].utf8) ?? (try? Date(text[..<point] + "Z", strategy: .iso8601))
        else { return nil }
        return whole + part
    }

    /// A time in the form that every server writes, `2026-01-31T08:49:37`, without the work of Foundation's reader; nil
    /// for any other, and before 1970, which that one is left to judge.
    private static func plain(_ text: Substring.UTF8View) -> Date? {
        let form = Array("0000-00-00T00:00:00".utf8)
        guard text.count == form.count else { return nil }
        var numbers = [0]
        for (byte, expected) in zip(text, form) {
            if expected == UInt8(ascii: "0") {
                guard byte.isASCIIDigit else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - UInt8(ascii: "0"))
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        let date = CalendarDate(year: numbers[0], month: numbers[1], day: numbers[2])
        let (hour, minute, second) = (numbers[3], numbers[4], numbers[5])
        guard date.year >= 1970, date.exists, hour < 24, minute < 60, second < 60 else { return nil }
        return Date(
            timeIntervalSince1970: TimeInterval(date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second))
    }
}
