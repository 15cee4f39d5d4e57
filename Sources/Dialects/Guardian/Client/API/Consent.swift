import Foundation

/// What a user is asked to agree to (Guardian.swift, `Consent`).
public struct Consent: Decodable, Sendable, Equatable {
    /// The consent's id: ``Notification/transactionLinkingId`` of the request that is about it.
    public let consentId: String
    /// What the application asks the user to authorize.
    public let requestedDetails: ConsentRequestedDetails
    /// A text, as the server wrote it; a number of seconds where it wrote one.
    public let createdAt: String
    /// When the request lapses, in the form of ``createdAt``. An answer after it is refused.
    public let expiresAt: String

    enum CodingKeys: String, CodingKey {
        case consentId = "id"
        case requestedDetails = "requested_details"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        consentId = try members.decode(String.self, forKey: .consentId)
        requestedDetails = try members.decode(ConsentRequestedDetails.self, forKey: .requestedDetails)
        func time(_ key: CodingKeys) throws -> String {
            if let seconds = try? members.decode(Int64.self, forKey: key) { return String(seconds) }
            return try members.decode(String.self, forKey: key)
        }
        createdAt = try time(.createdAt)
        expiresAt = try time(.expiresAt)
    }
}

/// What an application asks a user to authorize on a device (Guardian.swift, `ConsentRequestedDetails`).
public struct ConsentRequestedDetails: Decodable, Sendable, Equatable {
    /// The API that the access token would be for.
    public let audience: String
    /// Empty where there is none.
    public let scope: [String]
    /// What the user compares with the other screen.
    public let bindingMessage: String?
    /// RFC 9396; empty where there is none.
    public let authorizationDetails: [Json]

    enum CodingKeys: String, CodingKey {
        case audience, scope
        case bindingMessage = "binding_message"
        case authorizationDetails = "authorization_details"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        audience = try members.decode(String.self, forKey: .audience)
        scope = try members.decodeIfPresent([String].self, forKey: .scope) ?? []
        bindingMessage = try members.decodeIfPresent(String.self, forKey: .bindingMessage)
        authorizationDetails = try members.decodeIfPresent([Json].self, forKey: .authorizationDetails) ?? []
    }

    /// The details of one type. Those that do not read as `type` are left out.
    public func filterAuthorizationDetailsByType<Details: AuthorizationDetailsType>(
        _ type: Details.Type
    ) -> [Details] {
        authorizationDetails.filter { $0["type"]?.stringValue == Details.type }.compactMap { details in
            (try? JSONEncoder().encode(details)).flatMap { try? JSONDecoder().decode(Details.self, from: $0) }
        }
    }
}

/// Details of an app's own, distinguished by their member `type` (RFC 9396, section 2).
public protocol AuthorizationDetailsType: Codable {
    /// The value of `type` of the details that this type reads.
    static var type: String { get }
}
