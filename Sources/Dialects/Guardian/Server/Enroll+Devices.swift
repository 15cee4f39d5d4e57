import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import OneTimePassword
import ServerHTTP

extension Guardian {
    /// `POST api/enroll`: a device registers its key with the ticket of a QR code or of an invitation
    /// (Guardian.swift, `APIClient.enroll`).
    func enroll(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard let ticket = call.ticket else { throw GuardianError.missingTicket }
        let object = try await request.bodyObject()
        let body = try LenientJSON.decode(EnrollRequest.self, from: object)
        guard let identifier = PlainText(body.identifier, bytes: 1...256)?.text else {
            throw GuardianError.invalidBody("identifier has to be a text of 1 to 256 bytes.")
        }
        guard let jwk = body.publicKey else { throw GuardianError.invalidBody("public_key is missing.") }
        // A key that was sent is a secret of its device no more, so the device has to make another one.
        if ["public_key", "publicKey"].compactMap({ object[$0] }).contains(where: DeviceKey.isPrivate) {
            throw GuardianError.invalidBody(
                "public_key has members of the private key. Make a new key, and send its public half.")
        }
        let key: DeviceKey
        do {
            key = try DeviceKey(jwk: jwk.value)
        } catch {
            throw GuardianError.invalidBody(error.rawValue)
        }
        let push = try PushAddress(body.pushCredentials)
        let verdict = try await realm.authenticator.answer(
            .device(
                DeviceRegistration(
                    identifier: identifier, name: Self.deviceName(body.name ?? ""), key: key, service: push.service,
                    pushToken: push.token)),
            to: .flow(ticket, .enrolmentTicket), by: call.client)
        switch verdict {
        case .accomplished(.deviceEnrolled(let enrolment)):
            return try .json(
                EnrollResponse(
                    id: enrolment.factor.id.rawValue, url: baseURL, issuer: options.tenant,
                    userID: Self.name(of: enrolment.user.id), token: enrolment.token.reveal(),
                    totp: enrolment.totpSecret.map { TOTPParameters(secret: Base32.encode($0.reveal())) },
                    recoveryCode: enrolment.recoveryCode?.reveal()), status: .created)
        case .refused(let refusal): throw GuardianError(ticket: refusal.reason)
        default: throw GuardianError.unknownTicket
        }
    }

    /// Names are cut, not refused: iOS sends the phone's name as it is.
    static func deviceName(_ name: String) -> String { PlainText(name, longest: 100).text }
}

/// How a device says that it is reached. A token in hexadecimal digits is kept in lower case; its length is the push
/// service's business.
struct PushAddress: Sendable {
    let service: String?
    let token: String?

    init(_ credentials: PushCredentials?) throws(GuardianError) {
        guard let credentials, credentials.token != nil || credentials.service != nil else {
            (service, token) = (nil, nil)
            return
        }
        guard let token = PlainText(credentials.token, bytes: 0...4096)?.text else {
            throw .invalidBody("push_credentials has to have service and token.")
        }
        switch credentials.service?.uppercased() {
        case "APNS":
            guard token.utf8.count <= 512, token.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
                throw .invalidBody("push_credentials.token of APNS has to be hexadecimal digits.")
            }
            (service, self.token) = ("APNS", token.isEmpty ? nil : token.lowercased())
        case "GCM": (service, self.token) = ("GCM", token.isEmpty ? nil : token)
        default: throw .invalidBody("push_credentials.service has to be APNS or GCM.")
        }
    }
}

extension PublicKeyJWK {
    var value: JSONValue {
        let members = [
            "kty": kty, "use": use, "alg": alg, "n": n, "e": e, "crv": crv, "x": x, "y": y,
        ]
        return .object(members.compactMapValues { $0.map { .string($0) } })
    }
}
