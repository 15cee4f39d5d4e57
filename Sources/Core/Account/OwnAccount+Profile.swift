import Foundation

/// What users see of their profile, and what of it they may change.
public struct OwnProfile: Sendable {
    /// The user as it is stored.
    public let user: User
    /// By name.
    public let attributes: [Attribute]
    /// Whether users set a picture themselves (``AccountSettings/takesPictures``).
    public let takesPictures: Bool

    /// An attribute of the user, or one that the user may give a value.
    public struct Attribute: Sendable, Equatable {
        /// What applications and administrators call the attribute: 1 to 64 characters without spaces.
        public let name: String
        /// Nil where the account has none, and may have one.
        public let value: JSONValue?
        /// Whether users change it themselves.
        public let isEditable: Bool
    }

    /// Whether a text may stand in ``AccountSettings/editableAttributes``.
    public static func isAttributeName(_ text: String) -> Bool {
        (1...64).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.value > 0x20 && $0.value != 0x7F }
    }

    /// - Parameter settings: what users change themselves.
    init(_ user: User, _ settings: AccountSettings) {
        let editable = settings.editableAttributes ?? []
        self.user = user
        takesPictures = settings.takesPictures
        attributes = Set(user.profile.attributes.keys).union(editable).sorted().map { name in
            Attribute(name: name, value: user.profile.attributes[name], isEditable: editable.contains(name))
        }
    }
}

/// What is to be different about a profile. Members that are nil stay as they are; an inner nil clears.
public struct ProfileChange: Sendable {
    /// What people call the user: one line of at most ``longestName`` characters.
    public var displayName: String??
    /// A language tag (BCP 47) of pages and mails.
    public var locale: String??
    /// The address of a picture (``UserProfile/isPictureAddress(_:)``).
    public var picture: String??
    /// By name; nil or `null` removes.
    public var attributes: [String: JSONValue?] = [:]

    /// Characters of a display name.
    public static let longestName = 200
    /// Characters of an attribute's text.
    public static let longestAttribute = 1024

    /// A change of nothing.
    public init() {}

    /// The name of the first member that has a value which it cannot have.
    func fault(_ settings: AccountSettings, declared: [ApplicationRegistration.Attribute]) -> String? {
        let editable = settings.editableAttributes ?? []
        if case .some(.some(let name)) = displayName, !PlainText.isLine(name, longest: Self.longestName) {
            return "displayName"
        }
        if case .some(.some(let tag)) = locale, !UserProfile.isLocale(tag) { return "locale" }
        if case .some(.some(let address)) = picture,
            !settings.takesPictures || !UserProfile.isPictureAddress(address)
        {
            return "picture"
        }
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            guard editable.contains(name) else { return "attributes.\(PlainText.key(name).prefix(64))" }
            switch value {
            case nil, .null?:
                if declared.contains(where: { $0.name == name && $0.isRequired }) { return "attributes.\(name)" }
            case let value?:
                guard Self.isScalar(value), declared.filter({ $0.name == name }).allSatisfy({ $0.admits(value) })
                else { return "attributes.\(name)" }
            }
        }
        return nil
    }

    /// Whether it may be an attribute: a line, a number or a truth value.
    public static func isScalar(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): PlainText.isLine(text, longest: longestAttribute)
        case .bool, .integer, .number: true
        default: false
        }
    }
}

extension OwnAccount {
    /// The user's profile, with the attributes that users may change.
    /// - Returns: ``Refusal/revoked`` where the session is over.
    public func profile(of session: OwnSession) async throws -> Result<OwnProfile, Refusal> {
        try await read(of: session) { transaction, user, _ in
            OwnProfile(user, try transaction.settings().accounts)
        }
    }

    /// Changes what users may change of their profile. An address is changed by ``beginAddressChange(to:of:by:)``.
    public func change(
        _ change: ProfileChange, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<OwnProfile, Refusal> {
        try await self.change(of: session, .full, by: client) { transaction, user, draft in
            let settings = try transaction.settings().accounts
            let declared = try transaction.application(client.clientID)?.registration.attributes ?? []
            if let fault = change.fault(settings, declared: declared) { throw Refusal.invalid(fault) }
            var after = user
            if let displayName = change.displayName { after.profile.displayName = displayName }
            if let locale = change.locale { after.profile.locale = locale }
            if let picture = change.picture { after.profile.photoURL = picture }
            for (name, value) in change.attributes {
                after.profile.attributes[name] = value == .some(.null) ? nil : value
            }
            guard after != user else { return OwnProfile(user, settings) }
            guard try transaction.update(after) else { throw Refusal.busy }
            try transaction.append(draft.event(.userChanged, of: user.id, ["bySelf": .bool(true)]))
            try draft.notify(AccountNotice(.profileChanged), user, in: transaction)
            return OwnProfile(after, settings)
        }
    }
}
