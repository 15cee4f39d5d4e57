import CountersignCore
import Foundation

/// Sends codes to the services that send them (Microsoft Graph, "onOtpSend" custom authentication extension), or by mail where a service fails and its
/// extension says so.
public final class OTPSender: MessageSender {
    public let channel = OutboxMessage.Channel.otp
    public let retries = RetryPolicy.oneTimeCode
    public let concurrency = 16

    private let realm: Realm
    private let mail: (any MessageSender)?

    /// - Parameter mail: what sends mails, where a server for them is set up. It is its maker's to shut down.
    public init(realm: Realm, mail: (any MessageSender)?) {
        self.realm = realm
        self.mail = mail
    }

    public func isReady() async throws -> Bool { true }

    public func shutDown() async {}

    public func send(_ message: OpenedMessage) async -> DeliveryResult {
        guard let occasion = message.content.occasion, let code = message.content.values["code"] else {
            return .refused(reason: "unreadable")
        }
        do {
            guard let listener = try await realm.customExtensions.listener(for: .otpSend, of: occasion.application)
            else {
                // It was removed since: then codes go by mail, as they did before.
                return await mail?.send(message) ?? .refused(reason: ExtensionFailure.Code.notFound.name)
            }
            do {
                let name = try await realm.applications.application(occasion.application)?.registration.displayName
                try await realm.customExtensions.send(
                    code: Secret(code), to: message.message.recipient, for: occasion.requestType, by: listener,
                    ExtensionOccasion(
                        application: occasion.application, applicationName: name,
                        correlationID: occasion.correlationID, source: occasion.source, locale: message.content.locale))
                return .delivered
            } catch let failure as ExtensionFailure {
                if listener.fallsBack, let mail { return await mail.send(message) }
                return failure.isTransient
                    ? .postponed(reason: failure.code.name) : .refused(reason: failure.code.name)
            }
        } catch is StoreError {
            return .postponed(reason: "store")
        } catch is SealingError {
            return .postponed(reason: "master-key-missing")
        } catch {
            return .postponed(reason: "cancelled")
        }
    }
}
