import CountersignCore
import Foundation
import SecurityChecks
import SecurityChecksWire

/// Statements that clients sign (RFC 7515; RFC 7523).
extension SecurityChecks {
    /// What an assertion has shown: which client it is.
    struct Assertion: Sendable {
        let client: ClientRegistration
        let id: String?
    }

    enum AssertionFault: Error {
        case malformed
        case unknownClient
        /// Another key, another client, too old, from the future.
        case foreign
    }

    /// Seconds that a client's clock may be off, beside the minute for which an assertion is good.
    private static let leeway: TimeInterval = 120
    /// Milliseconds, or seconds where a client sends them: no clock is in 1973.
    private static func instant(_ number: Int64) -> Date {
        Date(timeIntervalSince1970: number > 100_000_000_000 ? Double(number) / 1000 : Double(number))
    }

    /// Verifies an assertion by the key of the client that it names.
    func verify(assertion text: String) async throws -> Assertion {
        guard let statement = try? ClientKey.Statement(compact: text), let id = statement.claimedClient else {
            throw AssertionFault.malformed
        }
        guard let (client, settings) = try await realm.clients.signer(id, in: options.checks) else {
            throw AssertionFault.unknownClient
        }
        let claims: TokenClaims
        do {
            claims = try client.key.claims(of: statement, accepting: settings.weakForms)
        } catch {
            throw AssertionFault.foreign
        }
        let now = realm.clock.now
        guard claims.string("sub") == id.rawValue, let exp = claims.integer("exp"), let iat = claims.integer("iat")
        else { throw AssertionFault.foreign }
        let (end, beginning) = (Self.instant(exp), Self.instant(iat))
        guard end > now - Self.leeway, beginning < now + Self.leeway,
            end.timeIntervalSince(beginning) <= Double(ProtocolLimits.assertionSeconds) + Self.leeway
        else { throw AssertionFault.foreign }
        if let audience = claims["aud"], audience != .null {
            guard audience.stringValue?.hasSuffix(ClientAssertion.tokenAudience) == true else {
                throw AssertionFault.foreign
            }
        }
        return Assertion(client: client, id: claims.string("jti"))
    }

    /// The client that sends a form with an assertion, at the framework's own endpoints.
    func client(of request: SignedRequest) async throws -> ClientRegistration {
        guard let text = request.clientAssertion else {
            throw SecurityChecksError.invalidRequest("client_assertion is missing.")
        }
        do {
            return try await verify(assertion: text).client
        } catch AssertionFault.malformed {
            throw SecurityChecksError.invalidRequest("client_assertion is no JWS.")
        } catch is AssertionFault {
            throw SecurityChecksError.unknownClient
        }
    }
}
