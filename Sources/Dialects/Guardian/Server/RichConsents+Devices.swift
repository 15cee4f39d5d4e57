import CountersignCore
import Foundation
import GuardianWire
import HTTPTypes
import Hummingbird
import ServerHTTP

extension Guardian {
    /// `GET rich-consents/{id}`: what a device is asked to agree to, for the device itself
    /// (Guardian.swift, `ConsentAPIClient`).
    func richConsent(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard let token = call.credentials("MFA-DPoP"), let proof = request.headers[.mfaDPoP], !proof.isEmpty else {
            throw GuardianError.missingProof
        }
        guard let id = call.parameters["id"], !id.utf8.contains(0) else { throw GuardianError.unknownConsent }
        let path = request.uri.path
        switch try await realm.approvals.consent(
            id, for: FlowHandle(token), proof: Secret(proof), method: request.method.rawValue,
            urls: Set(options.baseURLs().map { $0 + path }))
        {
        case .granted(let consent): return try .json(RichConsent(consent))
        case .unknownRequest: throw GuardianError.endedRequest
        case .unknownConsent: throw GuardianError.unknownConsent
        case .refusedProof: throw GuardianError.wrongProof
        }
    }

    /// Times as texts: Guardian.swift reads nothing else.
    private struct RichConsent: Encodable {
        struct Details: Encodable {
            let audience: String
            let scope: [String]
            let binding_message: String?
            let authorization_details: [JSONValue]?
        }

        let id: String
        let created_at: String
        let expires_at: String
        let requested_details: Details

        init(_ consent: Consent) {
            id = consent.id
            created_at = GuardianTimestamp.string(from: consent.createdAt)
            expires_at = GuardianTimestamp.string(from: consent.expiresAt)
            requested_details = Details(
                audience: consent.audience, scope: consent.scopes, binding_message: consent.bindingMessage,
                authorization_details: consent.authorizationDetails.isEmpty ? nil : consent.authorizationDetails)
        }
    }
}

extension HTTPField.Name {
    /// A device's proof that it has its key, in the form of RFC 9449.
    static let mfaDPoP = Self("MFA-DPoP")!
}
