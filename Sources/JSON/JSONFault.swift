/// The first thing that is wrong with a text that should be JSON.
///
/// The name in ``duplicateMember(name:)`` comes from the text and may be long or private.
public enum JSONFault: Error, Sendable, Equatable {
    /// The bytes are not UTF-8 (RFC 8259, section 8.1).
    case invalidUTF8
    /// Not what the grammar allows, or a number that no `Double` holds. The offset is in bytes, from 0.
    case malformed(reason: String, offset: Int)
    /// Arrays and objects inside each other more often than that.
    case tooDeep(limit: Int)
    /// An object has two members of that name.
    case duplicateMember(name: String)
}
