import CountersignCore
import IdentityToolkitWire

/// Settings of the protocol's configuration that this realm does not have: a request may say of them what holds anyway,
/// and nothing else. A 200 for a dropped setting would promise a protection that does not exist.
enum FixedSettings {
    /// By path, and why they are as they are. What stands below such a path belongs to it.
    private static let reasons: KeyValuePairs = [
        "signIn.allowDuplicateEmails": "an address is one account's",
        "signIn.phoneNumber": "sign-in by phone is not supported",
        "smsRegionConfig": "no text messages are sent",
        "recaptchaConfig": "limits do the work of captchas",
        "blockingFunctions": "services of yours are asked by native authentication alone",
        "notification": "mails have templates of the server's",
        "mobileLinksConfig": "links lead to the server's public address",
        "quota": "limits of sign-ups are the server's",
        "monitoring": "the audit log is always written",
        "multiTenant": "all tenants share one directory",
        "autodeleteAnonymousUsers": "anonymous accounts stay until an administrator deletes them",
    ]

    static var paths: [String] { reasons.map(\.key) }

    /// Written by the server alone; requests may repeat them (AIP-203, output only).
    static let outputOnly = [
        "name", "subtype", "client.apiKey", "client.firebaseSubdomain", "defaultHostingSite", "signIn.hashConfig",
        "passwordPolicyConfig.lastUpdateTime",
    ]

    /// Refuses what would have to be done and is not.
    static func validate(_ body: JSONValue, mask: UpdateMask) throws {
        for (path, reason) in reasons {
            guard let value = body.value(at: path), mask.covers(path, present: true), !saysNothing(value) else {
                continue
            }
            throw IdentityToolkitError(.invalidConfig, "\(path) cannot be changed: \(reason).")
        }
    }

    /// Whether a value switches nothing on.
    private static func saysNothing(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .bool(let isOn): !isOn
        case .integer(let number): number == 0
        case .number(let number): number == 0
        case .string(let text): text.isEmpty || text == "OFF" || text.hasSuffix("_UNSPECIFIED")
        case .array(let elements): elements.isEmpty
        case .object(let members): members.values.allSatisfy(saysNothing)
        }
    }
}

extension JSONValue {
    /// What stands at a path in camel case, whatever case the members have.
    func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(JSONValue?.some(self)) { value, name in
            guard case .object(let members)? = value else { return nil }
            return members[String(name)] ?? members.first { UpdateMask.camelCased($0.key) == name }?.value
        }
    }
}
