import CountersignCore
import Foundation
import GuardianWire
import OneTimePassword

extension Guardian {
    /// What the app of a device reads to take a ticket, for pages that show it; nil where the ticket is not for devices.
    public func deviceLink(_ ticket: DeviceTicket) -> String? {
        ticket.kinds.contains(.push) ? enrollmentURI(ticket) : nil
    }

    /// What the QR code of a ticket says. Where only an app that makes codes can be enrolled, it is the form that all such
    /// apps read, without what only devices need (auth0-guardian.js, `enrollment_uri_helper.js`).
    func enrollmentURI(_ ticket: DeviceTicket) -> String {
        if !ticket.kinds.contains(.push), let text = codesURI(ticket) { return text }
        return EnrollmentURI(
            issuer: options.tenant, account: ticket.user.email?.canonical, transactionID: ticket.handle.token.reveal(),
            id: ticket.factorID.rawValue, baseURL: baseURL,
            secret: ticket.totpSecret.map { Base32.encode($0.reveal()) }
        ).text
    }

    /// For apps that only make codes; nil where codes are switched off.
    func codesURI(_ ticket: DeviceTicket) -> String? {
        guard let secret = ticket.totpSecret else { return nil }
        return try? OTPAuthURI(
            kind: .totp(period: 30), issuer: options.tenant,
            accountName: ticket.user.email?.canonical ?? Self.name(of: ticket.user.id), secret: secret.reveal()
        ).uriString
    }
}
