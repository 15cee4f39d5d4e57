import Foundation

/// Which token a claim is asked for in.
public enum MSALClaimsRequestTarget: Int, Sendable {
    case idToken, accessToken
}

/// A claim that is asked for (OpenID Connect Core, section 5.5.1).
public final class MSALIndividualClaimRequest: NSObject {
    public let name: String
    public var additionalInfo: MSALIndividualClaimRequestAdditionalInfo?

    public init(name: String) { self.name = name }
}

/// What is asked of a claim. Values must be JSON.
public final class MSALIndividualClaimRequestAdditionalInfo: NSObject {
    public var essential: NSNumber?
    public var value: Any?
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
