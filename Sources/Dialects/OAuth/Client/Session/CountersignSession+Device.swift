import ClientHTTP
import Foundation
import OAuthWire
import SignedTokens

/// What a user does on another device to sign this one in (RFC 8628, section 3.3).
public struct DevicePrompt: Sendable, Equatable {
    /// To be typed there.
    public let userCode: String
    /// Where the user types the code, on any device with a browser (RFC 8628, section 3.2).
    public let verificationURI: String
    /// The same with the code in it, for a QR code. The user still compares the code.
    public let verificationURIComplete: String
    /// When the code ends, by this machine's clock.
    public let expiresAt: Date
}

extension CountersignSession {
    /// Signs a user in who has a browser on another device (RFC 8628). Asks the server every five seconds, or as often as it says, until
    /// the user has decided or the code ends (ten minutes on a Countersign server).
    /// - Parameters:
    ///   - request: of it `acrValues` alone reaches the server.
    ///   - show: tells the user what to do there; the waiting begins when it returns.
    /// - Returns: the user; nil where `openid` is not among the scopes.
    /// - Throws: ``ClientFailure``: `cancelled` where the user said no, `timedOut` where the code ended, `unsupported` where the server signs no
    ///   devices in.
    @discardableResult
    public func signInOnOtherDevice(
        _ request: SignInRequest = SignInRequest(), show: @Sendable (DevicePrompt) async -> Void
    ) async throws -> SignedInUser? {
        let metadata = try await metadata()
        guard let endpoint = metadata.deviceAuthorizationEndpoint else {
            throw ClientFailure(.unsupported, "The server signs no devices in.")
        }
        let key = application.bindsTokens ? PossessionKey() : nil
        // A server that knows it demands it; others pass it over.
        let verifier = CodeVerifier(text: surroundings.handle())
        var fields = [
            (name: "client_id", value: application.clientID), ("scope", application.scopes.joined(separator: " ")),
            ("code_challenge", verifier.challenge), ("code_challenge_method", "S256"),
        ]
        fields += application.resources.map { ("resource", $0) }
        if !request.acrValues.isEmpty { fields.append(("acr_values", request.acrValues.joined(separator: " "))) }
        let begun = try await endpoints.answer(DeviceAuthorizationResponse.self, fields, to: endpoint, key: key)
        let end = surroundings.now() + Double(begun.expiresIn)
        await show(
            DevicePrompt(
                userCode: begun.userCode, verificationURI: begun.verificationURI,
                verificationURIComplete: begun.verificationURIComplete, expiresAt: end))
        var question = [
            (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", begun.deviceCode), ("client_id", application.clientID),
            ("code_verifier", verifier.text),
        ]
        if application.resources.count > 1 { question.append(("resource", application.resources[0])) }
        var interval = Double(max(1, begun.interval))
        while surroundings.now() < end {
            try await surroundings.sleep(interval)
            do {
                let tokens = try await endpoints.answer(
                    TokenResponse.self, question, to: metadata.tokenEndpoint, key: key)
                return try await keep(tokens, key, .init(accessToken: tokens.accessToken))
            } catch let failure as ClientFailure {
                switch failure.code {
                case .refused("authorization_pending"): break
                case .refused("slow_down"): interval += 5
                case .refused("expired_token"):
                    throw ClientFailure(.timedOut, "The sign-in was not finished in time.", underlying: failure)
                // A server that is away for a moment is asked later and later (RFC 8628, section 3.5).
                case .unreachable: interval = min(interval * 2, 60)
                default: throw failure
                }
            }
        }
        throw ClientFailure(.timedOut, "The sign-in was not finished in time.")
    }
}
