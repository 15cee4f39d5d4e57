import CountersignCore
import Foundation

/// What clients of security checks may sign with beside RSA of 2048 bits and more.
public struct SecurityCheckSettings: Sendable, Equatable, Codable {
    /// A secret that the client sends in clear with every statement (web SDKs of 2016 and 2017).
    public var acceptsSharedSecrets = false
    /// RSA from 1024 bits.
    public var acceptsSmallKeys = false

    /// Settings that accept no weaker form.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&acceptsSharedSecrets, .acceptsSharedSecrets)
        try members.assign(&acceptsSmallKeys, .acceptsSmallKeys)
    }

    /// The forms that these settings accept, as ``ClientKey`` takes them.
    public var weakForms: ClientKey.WeakForms {
        var forms: ClientKey.WeakForms = []
        if acceptsSharedSecrets { forms.insert(.sharedSecrets) }
        if acceptsSmallKeys { forms.insert(.smallKeys) }
        return forms
    }
}

extension RealmSettings {
    /// The settings of security checks. They stand in the realm's settings document under `securityChecks`.
    public var securityChecks: SecurityCheckSettings {
        get { checksDocument.flatMap { try? $0.decoded() } ?? SecurityCheckSettings() }
        set { checksDocument = try? JSONValue(encoding: newValue) }
    }
}
