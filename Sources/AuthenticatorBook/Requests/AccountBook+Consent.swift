import Foundation
import Guardian

/// What a request asks its user to agree to, where that is more than to sign in (RFC 9396).
///
/// All texts come from the application: make them harmless where they are shown.
public struct RequestedConsent: Sendable, Equatable, Codable {
    /// The service that is to be used in the user's name.
    public let audience: String
    public let scope: [String]
    /// What the user compares with the other screen.
    public let bindingMessage: String?
    /// RFC 9396: a payment, a transfer; whatever the application and the service agreed on.
    public let authorizationDetails: [Json]

    init(_ details: ConsentRequestedDetails) {
        audience = details.audience
        scope = details.scope
        bindingMessage = details.bindingMessage
        authorizationDetails = details.authorizationDetails
    }
}

extension AccountBook {
    /// Fetches what a request asks to agree to. The device's key proves that the device asks, so it asks for the passcode
    /// where it does that for answers.
    ///
    /// - Returns: nil where the request is about a sign-in alone.
    public func consent(for request: SignInRequest) async throws(DeviceFailure) -> RequestedConsent? {
        guard let id = request.notification.transactionLinkingId else { return nil }
        guard let device = request.account.device else {
            throw DeviceFailure(.refused, "\(request.account.label) answers no requests.")
        }
        do {
            let key = try DeviceSigningKey(
                tag: Self.keyTag(request.account.id),
                reason: "Show what \(request.account.label) is asked to agree to")
            let consent = try await Guardian.consent(consentUrl: device.server).fetch(
                consentId: id, transactionToken: request.notification.transactionToken, signingKey: key
            ).start()
            return RequestedConsent(consent.requestedDetails)
        } catch {
            throw DeviceFailure(error)
        }
    }
}
