import AdminServer
import CountersignCore

/// The users of a file, as hashes: for a rehearsal, which writes nothing that a later line could meet. Some 40 bytes
/// for each id, address and number.
struct IdentifierIndex {
    private struct First {
        /// `line 3`.
        let place: String
        let content: Int
    }

    private var first: [Int: First] = [:]

    /// Why the line stands in the way of an earlier one; nil where it does not. The same line once more does not.
    mutating func obstacle(_ text: String, at place: String) -> String? {
        let content = text.hashValue
        for identifier in ImportUsers.identifiers(on: SecretText(text)) {
            let key = identifier.hashValue
            guard let earlier = first[key] else {
                first[key] = First(place: place, content: content)
                continue
            }
            if earlier.content == content { continue }
            return "\(earlier.place) has the same \(identifier.member)"
        }
        return nil
    }
}

extension UserIdentifier {
    fileprivate var member: String {
        switch self {
        case .id: "localId"
        case .email: "email"
        case .phoneNumber: "phoneNumber"
        }
    }
}
