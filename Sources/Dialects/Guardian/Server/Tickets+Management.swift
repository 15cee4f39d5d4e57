import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import ServerHTTP

/// The Management API's tickets (Auth0, "Create Custom Enrollment Tickets").
extension Guardian {
    private struct TicketRequest: Decodable, Sendable {
        let user_id: String?
        let email: String?
        let send_mail: Bool?
        let email_locale: String?
        let factor: String?
        let allow_multiple_enrollments: Bool?
    }

    private struct TicketAnswer: Encodable {
        let ticket_id: String
        let ticket_url: String
    }

    /// The page that takes a ticket, below the public address.
    static let ticketPage = "guardian/enroll?ticket="

    /// `POST guardian/enrollments/ticket`: an invitation, for one device or app within five days.
    func createTicket(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let body = try await request.decodeBody(as: TicketRequest.self)
        guard let userID = body.user_id.flatMap(Self.userID) else {
            throw GuardianError.invalidBody("user_id has to be auth0|<id>.")
        }
        var invitation = Invitation()
        switch body.factor {
        case nil: break
        case "push-notification": invitation.kinds = [.push]
        case "otp": invitation.kinds = [.totp]
        case .some(let factor):
            throw GuardianError(400, "feature_disabled", "This server has no factor \(factor.prefix(40)).")
        }
        invitation.allowsMore = body.allow_multiple_enrollments ?? true
        if body.send_mail ?? false {
            invitation.mail = Invitation.Mail(
                to: try body.email.map(Self.address), locale: try body.email_locale.map(Self.locale),
                page: Self.ticketPage)
        }
        switch try await realm.enrolments.inviteDevice(for: userID, invitation, by: call.client) {
        case .offered(let ticket):
            let id = ticket.handle.token.reveal()
            return try .json(
                TicketAnswer(ticket_id: id, ticket_url: "\(baseURL)/\(Self.ticketPage)\(id)"), status: .created)
        case .refused(let refusal): throw GuardianError(refusal)
        case .unknown(let reason) where reason == .sourceLimited:
            throw GuardianError(429, "too_many_requests", "Too many mails to this address within an hour.")
        case .unknown(let reason): throw GuardianError(ticket: reason)
        }
    }

    private static func address(_ text: String) throws -> EmailAddress {
        guard let address = EmailAddress(text) else {
            throw GuardianError.invalidBody("email has to be an e-mail address.")
        }
        return address
    }

    /// BCP 47, as far as its characters go.
    private static func locale(_ text: String) throws -> String {
        guard (2...35).contains(text.utf8.count),
            text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        else { throw GuardianError.invalidBody("email_locale has to be a language tag, as de or pt-BR.") }
        return text.replacingOccurrences(of: "_", with: "-")
    }
}
