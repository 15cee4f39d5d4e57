import Foundation

/// What an answer of Apple's push service means for a message.
///
/// The reasons are those of "Handling notification responses from APNs" in Apple's documentation. What is not in it may
/// pass, and is tried again a few times.
enum APNsVerdict: Sendable, Equatable {
    case delivered
    /// The device's token is of no use; since when, where Apple says so.
    case deadToken(reason: String, since: Date?)
    /// Ours is too old for Apple: make another and try again, once.
    case expiredProviderToken
    /// - Parameter isOperators: the operator has to correct the settings, or no push will arrive.
    case postponed(reason: String, after: TimeInterval?, isOperators: Bool)
    case refused(reason: String)

    /// The body of a refusal.
    private struct Body: Decodable {
        let reason: String?
        /// Milliseconds since 1970; with 410 alone.
        let timestamp: Int64?
    }

    /// - Parameter retryAfter: the header.
    init(status: Int, body: Data, retryAfter: String?) {
        if status == 200 {
            self = .delivered
            return
        }
        let said = try? JSONDecoder().decode(Body.self, from: body)
        // A stranger's text goes into logs.
        let word = said?.reason.map { String($0.filter { $0.isASCII && $0.isLetter }.prefix(64)) } ?? ""
        let reason = word.isEmpty ? "Status\(status)" : word
        let after = retryAfter.flatMap { Int($0) }.map { TimeInterval(min(max($0, 0), 86_400)) }
        switch (status, word) {
        case (410, _):
            self = .deadToken(
                reason: reason, since: said?.timestamp.map { Date(timeIntervalSince1970: Double($0) / 1000) })
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"):
            self = .deadToken(reason: reason, since: nil)
        case (403, "ExpiredProviderToken"):
            self = .expiredProviderToken
        // Apple asks to leave the token alone for twenty minutes; it is kept that long.
        case (429, _), (500, _), (502, _), (503, _), (504, _), (400, "IdleTimeout"):
            self = .postponed(reason: reason, after: after, isOperators: false)
        case (403, _), (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"):
            self = .postponed(reason: reason, after: after, isOperators: true)
        // Faults of this server: another try would be the same.
        case (400, "BadCollapseId"), (400, "BadExpirationDate"), (400, "BadMessageId"), (400, "BadPriority"),
            (400, "DuplicateHeaders"), (400, "InvalidPushType"), (400, "MissingDeviceToken"), (400, "PayloadEmpty"),
            (404, _), (405, _), (413, _):
            self = .refused(reason: reason)
        default:
            self = .postponed(reason: reason, after: after, isOperators: false)
        }
    }
}
