import ClientHTTP
import Foundation
import GuardianWire

/// How a device shows that it is itself (Guardian.swift, `DeviceAPIClient`).
enum DeviceBearer: Sendable {
    /// What it got when it enrolled.
    case opaque(String)
    case selfSigned(SelfSignedToken)

    var key: (any SigningKey)? {
        if case .selfSigned(let token) = self { token.key } else { nil }
    }
}

/// ``DeviceAPI`` over HTTP.
struct DeviceAPIClient: DeviceAPI {
    private let api: APIClient
    private let id: String
    private let bearer: DeviceBearer

    init(_ api: APIClient, id: String, bearer: DeviceBearer) {
        self.api = api
        self.id = id
        self.bearer = bearer
    }

    func delete() -> Request<NoContent, NoContent> {
        let (api, bearer) = (api, bearer)
        return api.request("DELETE", url(), key: bearer.key) { _ in
            RequestPlan.Content(headers: try api.authorization(bearer))
        }
    }

    func update(
        localIdentifier identifier: String?, name: String?, notificationToken: String?
    ) -> Request<UpdatedDevice, UpdatedDevice> {
        let (api, bearer) = (api, bearer)
        return api.request("PATCH", url(), key: bearer.key) { _ in
            RequestPlan.Content(
                headers: try api.authorization(bearer),
                body: UpdatedDevice(
                    DeviceAccount(
                        identifier: identifier, name: name,
                        pushCredentials: notificationToken.map { PushCredentials(service: "APNS", token: $0) })))
        }
    }

    func notifications(waitingUpTo seconds: Int) -> Request<NoContent, PendingNotifications> {
        let (api, bearer) = (api, bearer)
        let wait = min(max(seconds, 0), PollingPolicy.longestWait)
        let url = url("notifications").flatMap { url in
            URL(string: "\(url.absoluteString)?wait=\(wait)").map { .success($0) }
                ?? .failure(GuardianError.invalidBaseURL("The URL cannot be read."))
        }
        return api.request("GET", url, timeout: TimeInterval(wait) + 15, key: bearer.key) { _ in
            RequestPlan.Content(headers: try api.authorization(bearer))
        }
    }

    private func url(_ more: String? = nil) -> Result<URL, GuardianError> {
        let id = id
        return api.endpoint { base throws(GuardianError) in
            let account = try base.endpoint("api", "device-accounts", id)
            return if let more { try account.endpoint(more) } else { account }
        }
    }
}

/// The token that a device signs for itself (Guardian.swift 1.1.0, `DeviceAPIClient`). One is used again for half of its
/// two hours: a key that asks for its user is not asked at each poll.
final class SelfSignedToken: Sendable {
    private struct Claims: Encodable {
        let sub: String
        let iss: String
        let aud: String
        let iat: Int64
        let exp: Int64
    }

    static let lifetime: TimeInterval = 7200

    private let enrollmentId: String
    private let userId: String
    let key: any SigningKey
    private let last = Locked<(text: String, audience: String, madeAt: Date)?>(nil)

    init(enrollmentId: String, userId: String, key: any SigningKey) {
        self.enrollmentId = enrollmentId
        self.userId = userId
        self.key = key
    }

    func text(for audience: String, at date: Date) throws -> String {
        if let last = last.current, last.audience == audience,
            (0..<Self.lifetime / 2).contains(date.timeIntervalSince(last.madeAt))
        {
            return last.text
        }
        let issuedAt = JWT.seconds(date)
        let text = try JWT.signed(
            Claims(
                sub: userId, iss: enrollmentId, aud: audience, iat: issuedAt, exp: issuedAt + Int64(Self.lifetime)),
            with: key)
        last.withLock { $0 = (text, audience, date) }
        return text
    }
}
