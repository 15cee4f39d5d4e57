import AdminServer
import AuthenticatorBook
import CountersignCore
import Foundation
import OneTimePassword

/// An account as commands print it: everything but its secret.
struct AccountSummary: Encodable {
    let id: String
    let issuer: String?
    let name: String
    /// `totp`, `hotp`, or nil without codes.
    let codes: String?
    let algorithm: String?
    let digits: Int?
    let period: Int?
    let counter: UInt64?
    /// The server's name for the device that answers requests.
    let device: String?
    let server: String?
    /// Whether each code asks for the passcode.
    let asksEachTime: Bool
    /// Whether each answer to a request does; nil where no requests are answered.
    let answersAskEachTime: Bool?
    let addedAt: Timestamp

    init(_ account: Account) {
        id = account.id
        issuer = account.issuer
        name = account.name
        algorithm = account.codes?.algorithm.rawValue
        digits = account.codes?.digits
        switch account.codes?.kind {
        case .time(let period): (codes, self.period, counter) = ("totp", period, nil)
        case .counter(let next): (codes, period, counter) = ("hotp", nil, next)
        case nil: (codes, period, counter) = (nil, nil, nil)
        }
        device = account.device?.id
        server = account.device?.server.absoluteString
        asksEachTime = account.asksEachTime
        answersAskEachTime = account.device?.asksEachTime
        addedAt = Timestamp(account.addedAt)
    }

    /// For a column of a table.
    var kind: String {
        let words = [device.map { _ in "requests" }, codes.map { $0.uppercased() }]
        return words.compactMap(\.self).joined(separator: " + ")
    }
}

extension Account.Codes {
    var isCounted: Bool { if case .counter = kind { true } else { false } }
}
