import ClientHTTP
import Crypto
import Foundation
import GuardianWire
import JSON

/// ``ConsentAPI`` over HTTP; its proof is in the form of RFC 9449.
struct ConsentAPIClient: ConsentAPI {
    private let base: Result<URL, GuardianError>
    private let telemetry: Auth0TelemetryInfo?
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Date

    init(
        _ address: ServerAddress, _ telemetry: Auth0TelemetryInfo? = nil,
        transport: any HTTPTransport = URLSessionTransport.shared, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        base = address.consentBase
        self.telemetry = telemetry
        self.transport = transport
        self.now = now
    }

    private struct Proof: Encodable {
        let htu: String
        let htm: String
        let ath: String
        let jti: String
        let iat: Int64
    }

    func fetch(
        consentId: String, transactionToken: String, signingKey: any SigningKey
    ) -> Request<NoContent, Consent> {
        let now = now
        let url = base.flatMap { base in Result { () throws(GuardianError) in try base.endpoint(consentId) } }
        let plan = RequestPlan<NoContent>("GET", url, key: signingKey, telemetry: telemetry) { url in
            var headers = try HeaderText.bearer(transactionToken, scheme: "MFA-DPoP")
            let proof = Proof(
                htu: url.absoluteString, htm: "GET", ath: Self.digest(transactionToken), jti: UUID().uuidString,
                iat: JWT.seconds(now()))
            do {
                let key = try PublicKeyJWK(signingKey.verificationKey())
                headers["MFA-DPoP"] = try JWT.signed(proof, typ: "dpop+jwt", jwk: key, with: signingKey)
            } catch {
                throw GuardianError.failedProof(error)
            }
            return RequestPlan.Content(headers: headers)
        }
        return Request(plan, transport)
    }

    /// `ath` of RFC 9449: what the token is, without saying it.
    static func digest(_ token: String) -> String { Data(SHA256.hash(data: Data(token.utf8))).base64URL }
}
