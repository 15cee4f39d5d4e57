import AdminServer
import AuthenticatorBook
import CountersignCore
import Foundation

/// A request as commands print it.
struct RequestSummary: Encodable {
    struct Asked: Encodable {
        let id: String
        let issuer: String?
        let name: String
    }

    let id: String
    let account: Asked
    let browser: String?
    let system: String?
    let place: String?
    let latitude: Double?
    let longitude: Double?
    let startedAt: Timestamp
    let expiresAt: Timestamp
    /// Digits of the number that has to be typed; nil where none is asked for.
    let numberLength: Int?
    /// Whether it asks to agree to more than a sign-in; `consent` shows to what.
    let asksForConsent: Bool

    init(_ request: SignInRequest) {
        id = request.id
        account = Asked(id: request.account.id, issuer: request.account.issuer, name: request.account.name)
        browser = request.browser
        system = request.system
        place = request.place
        latitude = request.latitude
        longitude = request.longitude
        startedAt = Timestamp(request.startedAt)
        expiresAt = Timestamp(request.expiresAt)
        numberLength = request.numberLength
        asksForConsent = request.asksForConsent
    }
}

extension SignInRequest {
    /// For people. Everything is made harmless: it comes from the client that signs in.
    func lines(now: Date, in zone: TimeZone = .current) -> [String] {
        var table = Table()
        table.add("  browser", [browser, system].compactMap(\.self).joined(separator: " on "))
        let degrees = latitude.flatMap { latitude in
            longitude.map { String(format: "(%.2f, %.2f)", latitude, $0) }
        }
        table.add("  place", [place, degrees].compactMap(\.self).joined(separator: " "))
        let clock = DateFormatter()
        clock.locale = Locale(identifier: "en_US_POSIX")
        clock.timeZone = zone
        clock.dateFormat = "yyyy-MM-dd HH:mm:ss"
        table.add("  time", "\(clock.string(from: startedAt)), \(Self.ago(now.timeIntervalSince(startedAt)))")
        if let numberLength { table.add("  number", "the screen shows one of \(numberLength) digits") }
        if asksForConsent { table.add("  consent", "it asks you to agree to something: read that first") }
        return ["Sign-in to \(account.label.printable) [\(id)]"] + table.lines
    }

    private static func ago(_ seconds: TimeInterval) -> String {
        switch seconds {
        case ..<2: "just now"
        case ..<120: "\(Int(seconds)) s ago"
        default: "\(Int(seconds / 60)) min ago"
        }
    }

    /// `4:59`, and `0:00` when it is over.
    func countdown(at now: Date) -> String {
        let left = max(0, Int(expiresAt.timeIntervalSince(now).rounded(.up)))
        return "\(left / 60):" + (left % 60 < 10 ? "0" : "") + "\(left % 60)"
    }
}

extension RequestedConsent {
    /// For people. Everything is made harmless: it comes from the application.
    var lines: [String] {
        var table = Table()
        if let bindingMessage { table.add("  message", bindingMessage) }
        if !audience.isEmpty { table.add("  for", audience) }
        if !scope.isEmpty { table.add("  scope", scope.joined(separator: " ")) }
        for detail in authorizationDetails {
            table.add("  details", (try? OutputOptions.text(of: detail, pretty: false)) ?? "-")
        }
        return ["You are asked to agree to"] + table.lines
    }
}
