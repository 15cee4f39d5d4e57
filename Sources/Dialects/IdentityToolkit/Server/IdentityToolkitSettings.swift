import CountersignCore
import JSON

/// What users may do through Identity Toolkit, and through that protocol alone, and what its configuration only reads back
/// (Identity Platform's REST reference, `Config`).
///
/// Kept in the realm's settings as a section of their own, under the names of these properties. A member that is missing has
/// its default; one that is no Boolean is false.
struct IdentityToolkitSettings: Sendable, Equatable {
    /// Whether users sign in or up with an address at all: `signIn.email.enabled`.
    var allowsEmail = true
    /// Whether a mailed link signs in: the opposite of `signIn.email.passwordRequired`.
    var allowsEmailLinks = true
    /// Whether users may delete their own accounts: the opposite of `client.permissions.disabledUserDeletion`.
    var allowsDeletion = true
    /// Whether `mfa.enabledProviders` lists the text-message factor, which is not supported.
    var listsPhone = false

    init() {}

    init(_ section: JSONValue?) {
        func assign(_ value: inout Bool, _ name: String) {
            guard let member = section?[name] else { return }
            value = member == .bool(true)
        }
        assign(&allowsEmail, "allowsEmail")
        assign(&allowsEmailLinks, "allowsEmailLinks")
        assign(&allowsDeletion, "allowsDeletion")
        assign(&listsPhone, "listsPhone")
    }

    var section: JSONValue {
        .object([
            "allowsEmail": .bool(allowsEmail), "allowsEmailLinks": .bool(allowsEmailLinks),
            "allowsDeletion": .bool(allowsDeletion), "listsPhone": .bool(listsPhone),
        ])
    }

    /// Whether a mailed link signs in: where addresses do, and no password is needed.
    var allowsSignInByLink: Bool { allowsEmail && allowsEmailLinks }
}

extension RealmSettings {
    var identityToolkit: IdentityToolkitSettings {
        get { IdentityToolkitSettings(toolkitDocument) }
        set { toolkitDocument = newValue.section }
    }
}
