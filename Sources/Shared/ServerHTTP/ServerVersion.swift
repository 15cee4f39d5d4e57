import CBuildStamp

/// Which Countersign this is.
public struct ServerVersion: Sendable, Equatable, CustomStringConvertible {
    /// The version by Semantic Versioning 2.0.0: `0.1.0`. Written here alone; `scripts/version` reads it from this line.
    public static let number = "0.1.0"

    public static let current = ServerVersion(
        number: number, commit: text(countersign_commit()), date: text(countersign_commit_date()))

    /// The version by Semantic Versioning 2.0.0.
    public let number: String

    /// The first 12 digits of the commit that the program was built from; `nil` where the build was not told, as
    /// `swift build` alone is not.
    public let commit: String?

    /// The day of that commit in UTC, `2026-11-23`.
    public let date: String?

    /// `0.1.0 (4f2c81d09e3a, 2026-11-23)`, or the number alone.
    public var description: String {
        let origin = [commit, date].compactMap { $0 }.joined(separator: ", ")
        return origin.isEmpty ? number : "\(number) (\(origin))"
    }

    private static func text(_ bytes: UnsafePointer<CChar>?) -> String? {
        guard let bytes, bytes.pointee != 0 else { return nil }
        return String(cString: bytes)
    }
}
