import Foundation

/// An account's attributes as they are sent.
enum AttributesText: Sendable {
    case none
    case text(String)
    /// Something among them cannot be written as JSON.
    case unwritable

    init(_ attributes: [String: Any]?) {
        guard let attributes, !attributes.isEmpty else {
            self = .none
            return
        }
        guard JSONSerialization.isValidJSONObject(attributes),
            let data = try? JSONSerialization.data(withJSONObject: attributes, options: [.sortedKeys])
        else {
            self = .unwritable
            return
        }
        self = .text(String(decoding: data, as: UTF8.self))
    }

    /// Nil where there are none. Throws where they cannot be sent.
    func written(_ correlationID: UUID) throws(Failure) -> String? {
        switch self {
        case .none: nil
        case .text(let text): text
        case .unwritable:
            throw Failure(
                .general, text: "The attributes cannot be written as JSON.", correlationID, cause: .invalidRequest)
        }
    }
}
