import Foundation
import GuardianWire

/// What a device enrols with: a ticket, and where.
///
/// It comes as the text of a QR code (`otpauth://totp/…?enrollment_tx_id=…&base_url=…`), as the address of an invitation
/// (`https://…/guardian/enroll?ticket=…`), or as a bare ticket (Auth0 Management API v2, `POST /guardian/enrollments/ticket`).
public struct EnrollmentLink: Sendable, Equatable {
    /// A secret until it is used.
    public let ticket: String
    public let server: URL
    /// Who it is for, as the link says.
    public let issuer: String?
    public let name: String?

    /// - Throws: ``EnrollmentLinkError``.
    public init(ticket: String, server: String) throws(EnrollmentLinkError) {
        try self.init(ticket: ticket, server: server, issuer: nil, name: nil)
    }

    /// What a text says; nil where it is no enrolment of a device: a plain account's link, or something else.
    ///
    /// - Parameter server: counts more than the one that the text names.
    /// - Throws: ``EnrollmentLinkError``.
    public init?(_ text: String, server: String? = nil) throws(EnrollmentLinkError) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if let uri = EnrollmentURI(text) {
            guard let server = server ?? uri.baseURL else { throw .noServer }
            try self.init(ticket: uri.transactionID, server: server, issuer: uri.issuer, name: uri.account)
            return
        }
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
            let ticket = parts.queryItems?.first(where: { $0.name == "ticket" })?.value
        else { return nil }
        var base = parts
        (base.query, base.fragment) = (nil, nil)
        let suffix = "/guardian/enroll"
        guard base.path.hasSuffix(suffix) else { throw .notATicketPage }
        base.path.removeLast(suffix.count)
        try self.init(ticket: ticket, server: server ?? base.string ?? "", issuer: nil, name: nil)
    }

    private init(ticket: String, server: String, issuer: String?, name: String?) throws(EnrollmentLinkError) {
        guard (1...1024).contains(ticket.utf8.count),
            ticket.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0.value != 0x7F && $0 != "\"" })
        else { throw .badTicket }
        guard let url = URL(string: server), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            url.host?.isEmpty == false, url.query == nil, url.fragment == nil, url.user == nil
        else { throw .badServer(server) }
        self.ticket = ticket
        self.server = url
        self.issuer = Self.harmless(issuer)
        self.name = Self.harmless(name)
    }

    /// Nil where nothing is left.
    private static func harmless(_ text: String?) -> String? {
        guard let text else { return nil }
        let kept = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let name = String(String.UnicodeScalarView(kept)).trimmingCharacters(in: .whitespaces).prefix(200)
        return name.isEmpty ? nil : String(name)
    }
}

public enum EnrollmentLinkError: Error, Sendable, Equatable, CustomStringConvertible {
    case noServer
    case badServer(String)
    case badTicket
    case notATicketPage

    public var description: String {
        switch self {
        case .noServer: "The link does not say which server it is for: name it with --server."
        case .badServer(let text): "\"\(text)\" is no server's URL. Write one such as https://login.example.com."
        case .badTicket: "The ticket is empty, or is none."
        case .notATicketPage: "The address is no invitation's: it ends in /guardian/enroll?ticket=…"
        }
    }
}
