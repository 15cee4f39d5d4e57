import Foundation

/// ``Authentication`` by a device's key.
struct AuthenticationClient: Authentication {
    private let api: APIClient
    private let device: any AuthenticationDevice

    init(_ api: APIClient, _ device: any AuthenticationDevice) {
        self.api = api
        self.device = device
    }

    private struct Claims: Encodable {
        let sub: String
        let iss: String
        let aud: String
        let iat: Int64
        let exp: Int64
        let auth0_guardian_method = "push"
        let auth0_guardian_accepted: Bool
        let auth0_guardian_reason: String?
        let countersign_number: String?
    }

    /// The validity of an answer, in seconds.
    private static let lifetime: Int64 = 30

    func allow(notification: any Notification) -> Request<Transaction, NoContent> {
        guard notification.numberLength == nil else { return failing(GuardianError.missingNumber) }
        return answer(notification, accepts: true)
    }

    func allow(notification: any Notification, number: String) -> Request<Transaction, NoContent> {
        let digits = number.filter { !$0.isWhitespace }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            notification.numberLength.map({ $0 == digits.count }) ?? true
        else { return failing(GuardianError.invalidNumber) }
        return answer(notification, accepts: true, number: digits)
    }

    func reject(notification: any Notification, withReason reason: String?) -> Request<Transaction, NoContent> {
        answer(notification, accepts: false, reason: reason)
    }

    func handleAction(
        withIdentifier identifier: String, notification: any Notification
    ) -> Request<Transaction, NoContent> {
        let category = AuthenticationCategory.default
        return switch identifier {
        case category.allow.identifier: allow(notification: notification)
        case category.reject.identifier: reject(notification: notification, withReason: nil)
        default: failing(GuardianError.invalidAction)
        }
    }

    private func failing(_ error: GuardianError) -> Request<Transaction, NoContent> {
        api.resolve(transaction: "none") { _ in throw error }
    }

    private func answer(
        _ notification: any Notification, accepts: Bool, reason: String? = nil, number: String? = nil
    ) -> Request<Transaction, NoContent> {
        let device = device
        return api.resolve(transaction: notification.transactionToken, key: device.signingKey) { context in
            let issuedAt = JWT.seconds(context.now)
            return try JWT.signed(
                Claims(
                    sub: notification.challenge, iss: device.localIdentifier, aud: context.audience, iat: issuedAt,
                    exp: issuedAt + Self.lifetime, auth0_guardian_accepted: accepts, auth0_guardian_reason: reason,
                    countersign_number: number), with: device.signingKey)
        }
    }
}
