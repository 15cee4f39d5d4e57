import ClientHTTP
import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import Guardian

/// Rich consents (Guardian.swift, `ConsentAPIClient`).
@Suite struct ConsentTests {
    private static let full = #"""
        {"id":"cns_abc123","created_at":"2025-05-08T08:42:00.000Z","expires_at":"2025-05-08T08:47:00.000Z",
         "requested_details":{"audience":"https://api","scope":["openid","my_scope"],"binding_message":"21-49-38",
           "authorization_details":[
             {"type":"payment_initiation","instructedAmount":{"currency":"EUR","amount":123.50}},
             {"type":"payment_initiation","instructedAmount":"wrong"}, {"type":"other"}, 7]}}
        """#

    struct Payment: AuthorizationDetailsType, Equatable {
        static let type = "payment_initiation"
        struct Amount: Codable, Equatable {
            let currency: String
            let amount: Double
        }
        let instructedAmount: Amount
    }

    private func client(_ server: StandIn, _ domain: String = "tenant.eu.auth0.com") -> ConsentAPIClient {
        ConsentAPIClient(ServerAddress(domain: domain, environment: [:]), transport: server, now: { Samples.now })
    }

    @Test func `The device proves that it asks`() async throws {
        for key in [try Samples.rsa.get(), try DataP256PrivateKey.new()] as [any SigningKey] {
            let server = StandIn(200, Self.full, type: "application/json")
            _ = try await client(server).fetch(
                consentId: "cns_abc123", transactionToken: "aValidTransactionToken", signingKey: key
            ).start()
            let sent = try #require(server.requests.first)
            let url = "https://tenant.eu.auth0.com/rich-consents/cns_abc123"
            #expect(sent.method == "GET" && sent.url.absoluteString == url && sent.body == nil)
            #expect(sent.headers["Authorization"] == "MFA-DPoP aValidTransactionToken")
            let proof = try #require(Token(sent.headers["MFA-DPoP"]))
            #expect(proof.header["typ"] == .string("dpop+jwt"))
            #expect(proof.claims["htu"] == .string(url) && proof.claims["htm"] == .string("GET"))
            // The vendor's own vector.
            #expect(proof.claims["ath"] == .string("CzMD9-OOC7tzMpYDBdgrSUtmhx8Jw9cZMSf4KXVRC5A"))
            #expect(proof.claims["iat"] == .number(1_795_215_220) && proof.claims["exp"] == nil)
            #expect(UUID(uuidString: proof.claims["jti"]?.stringValue ?? "") != nil)
            let jwk = try #require(proof.header["jwk"])
            if jwk["kty"] == .string("RSA") {
                let key = try _RSA.Signing.PublicKey(
                    n: #require(Token.data(jwk["n"]?.stringValue ?? "")),
                    e: #require(Token.data(jwk["e"]?.stringValue ?? "")))
                #expect(
                    key.isValidSignature(
                        .init(rawRepresentation: proof.signature), for: SHA256.hash(data: proof.input),
                        padding: .insecurePKCS1v1_5))
            } else {
                let point =
                    try #require(Token.data(jwk["x"]?.stringValue ?? ""))
                    + #require(Token.data(jwk["y"]?.stringValue ?? ""))
                let key = try P256.Signing.PublicKey(rawRepresentation: point)
                #expect(
                    key.isValidSignature(
                        try P256.Signing.ECDSASignature(rawRepresentation: proof.signature), for: proof.input))
            }
        }
    }

    @Test func `What is asked for is read, and typed by its kind`() async throws {
        let consent = try await client(StandIn(200, Self.full, type: "application/json")).fetch(
            consentId: "c", transactionToken: "t", signingKey: DataP256PrivateKey.new()
        ).start()
        #expect(consent.consentId == "cns_abc123" && consent.createdAt == "2025-05-08T08:42:00.000Z")
        let details = consent.requestedDetails
        #expect(details.audience == "https://api" && details.scope == ["openid", "my_scope"])
        #expect(details.bindingMessage == "21-49-38" && details.authorizationDetails.count == 4)
        #expect(
            details.filterAuthorizationDetailsByType(Payment.self)
                == [Payment(instructedAmount: .init(currency: "EUR", amount: 123.5))])
        let first = details.authorizationDetails[0]
        #expect(first["instructedAmount"]?["amount"]?.doubleValue == 123.5 && first[0] == nil && first["x"] == nil)
    }

    @Test func `Times as numbers and missing details are read too`() async throws {
        let body =
            #"{"id":"c","created_at":1746693720,"expires_at":1746694020,"requested_details":{"audience":"a","scope":null}}"#
        let consent = try await client(StandIn(200, body, type: "application/json")).fetch(
            consentId: "c", transactionToken: "t", signingKey: DataP256PrivateKey.new()
        ).start()
        #expect(consent.createdAt == "1746693720" && consent.requestedDetails.scope.isEmpty)
        #expect(consent.requestedDetails.bindingMessage == nil)
        let broken = #"{"id":"c","created_at":"x","expires_at":"y","requested_details":{}}"#
        let error = await failure {
            try await client(StandIn(200, broken, type: "application/json")).fetch(
                consentId: "c", transactionToken: "t", signingKey: DataP256PrivateKey.new()
            ).start()
        }
        #expect(error as? NetworkError == NetworkError(.invalidResponse, statusCode: 200))
    }

    @Test func `A refusal, a key that does not sign and an id that is none`() async throws {
        let refused = StandIn(
            403, #"{"errorCode":"invalid_dpop_assertion","statusCode":403}"#, type: "application/json")
        let key = try DataP256PrivateKey.new()
        func code(_ server: StandIn, _ id: String, _ key: any SigningKey) async -> String? {
            let error = await failure {
                try await client(server).fetch(consentId: id, transactionToken: "t", signingKey: key).start()
            }
            return (error as? GuardianError)?.code
        }
        #expect(await code(refused, "c", key) == "invalid_dpop_assertion")
        let server = StandIn()
        #expect(await code(server, "c", RefusingKey(key)) == "a0.guardian.internal.failed.creation_dpop_proof")
        #expect(await code(server, "..", key) == "a0.guardian.internal.invalid.identifier")
        #expect(await code(server, "", key) == "a0.guardian.internal.invalid.identifier")
        #expect(server.requests.isEmpty)
        _ = await code(server, "a/../b?c", key)
        #expect(
            server.requests.last?.url.absoluteString == "https://tenant.eu.auth0.com/rich-consents/a%2F..%2Fb%3Fc")
    }
}
