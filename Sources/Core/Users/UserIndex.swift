import Foundation

/// An order in which stores list users by an index, so that no page of a list costs more where there are more users.
public enum UserIndex: String, Sendable, CaseIterable {
    /// By the instant of creation, the newest first; then by id.
    case creation
    /// By address, as it is kept. Users without one are not listed.
    case email
    /// By ``UserNameKey``, then by id. Users without a name are not listed.
    case name
    /// By id.
    case id
}

/// Where a user stands in an order.
public struct UserPlace: Sendable, Equatable {
    /// What the order goes by: the address, the folded name, the id, or microseconds since 1970 in decimal.
    public let key: String
    /// The user's id, which decides between equal keys.
    public let id: UserID

    /// A place as a store or a page names it.
    public init(key: String, id: UserID) {
        self.key = key
        self.id = id
    }

    /// Nil where the order does not list the user.
    public init?(_ user: User, in index: UserIndex) {
        let key: String? =
            switch index {
            case .creation: String(user.createdAt.microseconds)
            case .email: user.email?.kept
            case .name: user.profile.displayName.map { UserNameKey.key(of: $0) }
            case .id: user.id.rawValue
            }
        guard let key, !key.isEmpty else { return nil }
        self.init(key: key, id: user.id)
    }
}

/// A part of an order.
public struct UserRange: Sendable {
    /// The order.
    public var index: UserIndex
    /// What keys begin with; every user of the order where it is empty. Creation has none.
    public var prefix: String
    /// Only users after this place, or before it where ``isBackwards``; nil: from the end of the order that this is.
    public var place: UserPlace?
    /// Whether it is read from its end.
    public var isBackwards: Bool
    /// Users that are read at most.
    public var limit: Int

    /// A part of this order; without further arguments, its first users.
    public init(
        _ index: UserIndex, prefix: String = "", from place: UserPlace? = nil, isBackwards: Bool = false, limit: Int
    ) {
        self.index = index
        self.prefix = prefix
        self.place = place
        self.isBackwards = isBackwards
        self.limit = limit
    }

    /// Sorts behind every text that begins with the prefix: the last scalar of Unicode is no character, and no text has it.
    public var end: String { prefix + "\u{10FFFF}" }
}

/// A display name as searches compare it: without regard to case, width and composition. Stores keep it beside the name.
public enum UserNameKey {
    /// Characters of a name that are compared.
    public static let longest = 64

    /// - Parameter name: nil and what has no letters give "", which no search finds.
    public static func key(of name: String?) -> String {
        guard let name else { return "" }
        // Composed again in the end: lower case letters may compose where capitals did not.
        let folded = String(name.prefix(longest)).precomposedStringWithCompatibilityMapping.lowercased()
            .precomposedStringWithCompatibilityMapping
        return PlainText.key(folded.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
