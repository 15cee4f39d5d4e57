import Crypto
import Foundation

/// Where a page of a list begins, as a neighbour of it gave it: the key of the row that it begins behind, opaque to callers, and a place of
/// that list alone.
///
/// What is no place of the list is refused, since a list that begins somewhere else, or is empty, looks as if its caller had seen all of
/// it. Six bytes of a digest tell: they are no secret, and keep no one from asking for the rows behind any key.
public struct ListPlace: Sendable, Equatable {
    /// Of the row that the page begins behind; nil: the page is at an end of the list.
    public let key: String?
    private let list: String

    /// The place of a row.
    /// - Parameters:
    ///   - key: nil for the end of the list.
    ///   - list: the name of the list, which does not change.
    public init(_ key: String?, in list: String) {
        (self.key, self.list) = (key, list)
    }

    /// Nil where the text is no place of that list.
    public init?(parsing text: String, in list: String) {
        guard text.utf8.count <= 2048, let bytes = [UInt8](base64URL: text), bytes.count > Self.checkLength,
            let key = String(validating: bytes.dropLast(Self.checkLength), as: UTF8.self), PlainText.key(key) == key
        else { return nil }
        let check = Array(bytes.suffix(Self.checkLength))
        if check == Self.check(key, list) {
            self.init(key, in: list)
        } else if key == Self.end, check == Self.check(nil, list) {
            self.init(nil, in: list)
        } else {
            return nil
        }
    }

    /// As pages and commands write it: characters of Base64 for URLs. The key comes first: no byte of UTF-8 makes a hyphen of the first
    /// character, with which the text would be an option of a command.
    public var text: String { (Array((key ?? Self.end).utf8) + Self.check(key, list)).base64URL }

    /// Stands where a key would; a row of this key has another check.
    private static let end = "end"
    private static let checkLength = 6

    private static func check(_ key: String?, _ list: String) -> [UInt8] {
        // No key has a zero byte.
        Array(SHA256.hash(data: Array("\(list)\0\(key ?? "\0")".utf8)).prefix(checkLength))
    }
}
