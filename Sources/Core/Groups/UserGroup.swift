import Foundation

/// Names a group, for people and in tokens alike: 1 to 64 letters, digits and `-_.:@/` of ASCII. Slashes part it, and no part is empty, `.`
/// or `..`: such a name in a path is another path.
public struct GroupName: StringName {
    public let rawValue: String

    /// Nil where the text is no name.
    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.admits),
            text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({ !["", ".", ".."].contains($0) })
        else { return nil }
        rawValue = text
    }

    /// As a store reads it.
    public init(kept text: String) { rawValue = text }

    public init(rawValue: String) { self.init(kept: rawValue) }

    private static func admits(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-_.:@/".utf8.contains(byte)
    }
}

/// Users whom applications treat alike. The server gives a group no meaning: it tells an application that asks which groups a user
/// is in.
public struct UserGroup: Sendable, Equatable {
    /// The key. A group is not renamed, because applications know it by its name.
    public let name: GroupName
    /// For people; empty where nothing was said.
    public var summary: String
    /// When the group was made.
    public let createdAt: Date

    /// The row as stores read and write it. ``Groups/add(_:summary:by:)`` makes groups.
    public init(name: GroupName, summary: String, createdAt: Date) {
        self.name = name
        self.summary = summary
        self.createdAt = createdAt
    }

    /// Groups of one user at most: a token carries all of them.
    public static let mostOfUser = 100
    /// Characters that the summary may have.
    public static let longestSummary = 200
}
