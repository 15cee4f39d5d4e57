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
        guard let id = call.parameters["id"] else { throw GuardianError.unknownConsent }
        let path = request.uri.path
        switch try await realm.approvals.requestedAuthorization(
            id, for: FlowHandle(token), proof: Secret(proof), method: request.method.rawValue,
            urls: Set(options.baseURLs().map { $0 + path }))
        {
        case .granted(let authorization): return try .json(RichConsent(authorization))
        case .unknownRequest: throw GuardianError.endedRequest
        case .unknownAuthorization: throw GuardianError.unknownConsent
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

        init(_ authorization: RequestedAuthorization) {
            id = authorization.id
            created_at = GuardianTimestamp.string(from: authorization.createdAt)
            expires_at = GuardianTimestamp.string(from: authorization.expiresAt)
            requested_details = Details(
                audience: authorization.audience, scope: authorization.scopes,
                binding_message: authorization.bindingMessage,
                authorization_details: authorization.authorizationDetails.isEmpty
                    ? nil : authorization.authorizationDetails)
        }
    }
}

extension HTTPField.Name {
    /// A device's proof that it has its key, in the form of RFC 9449.
    static let mfaDPoP = known("MFA-DPoP")
}
