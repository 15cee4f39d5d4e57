import CountersignCore
import Foundation
import JWTKit
import Synchronization

/// The tokens by which Apple's push service knows us ("Establishing a token-based connection to APNs"): ES256, the id of
/// the key in the header, the team and the time of making in the body.
///
/// One is used for forty minutes: Apple refuses those that are older than an hour, and a second one within twenty
/// minutes.
final class ProviderTokens: Sendable {
    /// Seconds that a token is used.
    static let lifetime: TimeInterval = 2400

    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int64

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private struct Made: Sendable {
        let credentials: PushProviders.APNsCredentials
        let token: String
        let at: Date
    }

    private let last = Mutex<Made?>(nil)

    /// The token to use now.
    /// - Parameter refused: one that Apple called expired: then another is made, unless a concurrent request has done
    ///   so.
    func token(
        for credentials: PushProviders.APNsCredentials, at now: Date, except refused: String? = nil
    ) async throws -> String {
        if let made = last.withLock({ $0 }), made.credentials.keyID == credentials.keyID,
            made.credentials.teamID == credentials.teamID, made.credentials.privateKey == credentials.privateKey,
            made.token != refused, abs(now.timeIntervalSince(made.at)) < Self.lifetime
        {
            return made.token
        }
        let keys = JWTKeyCollection()
        let key = try ES256PrivateKey(pem: credentials.privateKey.reveal())
        await keys.add(ecdsa: key, kid: JWKIdentifier(string: credentials.keyID))
        let token = try await keys.sign(
            Claims(iss: credentials.teamID, iat: now.seconds), kid: JWKIdentifier(string: credentials.keyID))
        // Two at once make two; the one that is kept is used from then on.
        return last.withLock { last in
            if let made = last, made.credentials == credentials, made.at == now, made.token != refused {
                return made.token
            }
            last = Made(credentials: credentials, token: token, at: now)
            return token
        }
    }
}
