import Foundation

/// Which token a claim is asked for in.
public enum MSALClaimsRequestTarget: Int, Sendable {
    /// The ID token, which tells the app about its user.
    case idToken
    /// The access token, which an API reads.
    case accessToken
}

/// A claim that is asked for (OpenID Connect Core, section 5.5.1).
public final class MSALIndividualClaimRequest: NSObject {
    /// The claim's name. This server gives meaning to `acrs` of the access token, an authentication context, and passes
    /// others over.
    public let name: String
    /// What is asked of the claim; nil asks for it without more.
    public var additionalInfo: MSALIndividualClaimRequestAdditionalInfo?

    /// Asks for a claim, as a wish and with any value until ``additionalInfo`` says more.
    public init(name: String) { self.name = name }
}

/// What is asked of a claim. Values must be JSON.
public final class MSALIndividualClaimRequestAdditionalInfo: NSObject {
    /// Whether the app cannot go on without the claim; nil for a wish.
    public var essential: NSNumber?
    /// The one value that the claim shall have.
    public var value: Any?
    /// The values of which the claim shall have one, the preferred first.
    public var values: [Any]?

    public override init() {}
}

/// Claims that tokens shall have (OpenID Connect Core, section 5.5). Not to be shared between threads.
public final class MSALClaimsRequest: NSObject {
    /// By target and name; null, or an object.
    private var targets: [String: Any] = [:]

    public override init() {}

    /// Throws where the text is no JSON object.
    public init(jsonString: String) throws {
        guard let object = try? JSONSerialization.jsonObject(with: Data(jsonString.utf8)) as? [String: Any] else {
            throw MSALNativeAuthInternalError.invalidClaims
        }
        targets = object
    }

    /// Takes the place of an earlier request for the same claim. Throws where a value is no JSON.
    public func requestClaim(_ request: MSALIndividualClaimRequest, for target: MSALClaimsRequestTarget) throws {
        var info: Any = NSNull()
        if let additional = request.additionalInfo {
            var members: [String: Any] = [:]
            members["essential"] = additional.essential.map(\.boolValue)
            members["value"] = additional.value
            members["values"] = additional.values
            info = members
        }
        var claims = targets[target.key] as? [String: Any] ?? [:]
        claims[request.name] = info
        guard JSONSerialization.isValidJSONObject(claims) else {
            throw MSALNativeAuthInternalError.invalidClaims
        }
        targets[target.key] = claims
    }

    /// What is asked of a token, by the claims' names in order. Each is a copy: changes to it do not reach the request.
    public func claimRequests(for target: MSALClaimsRequestTarget) -> [MSALIndividualClaimRequest] {
        let claims = targets[target.key] as? [String: Any] ?? [:]
        return claims.keys.sorted().map { name in
            let request = MSALIndividualClaimRequest(name: name)
            if let members = claims[name] as? [String: Any] {
                let info = MSALIndividualClaimRequestAdditionalInfo()
                info.essential = (members["essential"] as? Bool).map { NSNumber(value: $0) }
                info.value = members["value"]
                info.values = members["values"] as? [Any]
                request.additionalInfo = info
            }
            return request
        }
    }

    /// Asks no longer for a claim in this token. Does nothing where it was not asked for.
    public func removeClaimRequest(withName name: String, target: MSALClaimsRequestTarget) {
        var claims = targets[target.key] as? [String: Any] ?? [:]
        claims[name] = nil
        targets[target.key] = claims.isEmpty ? nil : claims
    }

    /// The request as it is sent; nil where nothing is asked for.
    public func jsonString() -> String? {
        guard !targets.isEmpty,
            let data = try? JSONSerialization.data(withJSONObject: targets, options: [.sortedKeys])
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

extension MSALClaimsRequestTarget {
    fileprivate var key: String {
        switch self {
        case .idToken: "id_token"
        case .accessToken: "access_token"
        }
    }
}
